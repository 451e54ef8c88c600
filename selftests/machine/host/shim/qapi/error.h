/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QAPI_ERROR_H
#define SHIM_QAPI_ERROR_H

typedef struct Error Error;

__attribute__((format(printf, 2, 3)))
void error_setg(struct Error **errp, const char *fmt, ...);

#endif
