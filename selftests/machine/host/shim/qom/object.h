/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QOM_OBJECT_H
#define SHIM_QOM_OBJECT_H

#define OBJECT_DECLARE_SIMPLE_TYPE(type, name)  typedef struct type type;

#endif
