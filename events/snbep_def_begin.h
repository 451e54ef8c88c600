/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard: the head of every snbep_*.def, see snbep_events.h */
#include "snbep_events.h"

#ifndef EVENT
#define EVENT(...)
#endif
#ifndef EVENT_PLAIN
#define EVENT_PLAIN(...)
#endif
#ifndef UMASK
#define UMASK(...)
#endif
#ifndef FIXED
#define FIXED(...)
#endif
#ifndef ALIAS
#define ALIAS(...)
#endif
#ifndef SCALE
#define SCALE(...)
#endif
#ifndef UNLISTED
#define UNLISTED(...)
#endif
