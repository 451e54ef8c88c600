/*
 * The port of the model's console, as device and guest see it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MODEL_PORT_H
#define MODEL_PORT_H

/*
 * Bytes written to MODEL_PORT_DATA make a line; the newline that ends it runs
 * the command. The answer is then read from the same port: its length in
 * MODEL_PORT_LEFT, its result in MODEL_PORT_STATUS. A write to
 * MODEL_PORT_STATUS drops a half-written line and an unread answer.
 */
#define MODEL_PORT_BASE     0x0a80
#define MODEL_PORT_DATA     0       /* 1 or 4 bytes */
#define MODEL_PORT_STATUS   4       /* 4 bytes: MODEL_STATUS_* */
#define MODEL_PORT_LEFT     8       /* 4 bytes: bytes of the answer left */
#define MODEL_PORT_MAGIC    12      /* 4 bytes: "snbm" */
#define MODEL_PORT_SIZE     16

#define MODEL_MAGIC         0x6d626e73

enum {
    MODEL_STATUS_OK = 0,
    MODEL_STATUS_FOUND = 1,     /* a question whose answer is bad news */
    MODEL_STATUS_ERROR = 2,     /* the answer is an error message */
};

#endif
