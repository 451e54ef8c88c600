/* SPDX-License-Identifier: GPL-2.0-only */
/* --listen: an endpoint for Prometheus. NULL in a build without libmicrohttpd. */
#ifndef UNCORESTAT_LISTEN_H
#define UNCORESTAT_LISTEN_H

/* Listen on "[ADDRESS:]PORT", on loopback without an address; exits if that cannot be. */
__attribute__((weak))
void listen_start(const char *where);

/* Answer with this text from now on. */
__attribute__((weak))
void listen_set(char *text);

#endif
