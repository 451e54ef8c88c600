/*
 * I/O port interface of the model's console
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MODEL_PORT_H
#define MODEL_PORT_H

/*
 * A newline written to MODEL_PORT_DATA executes the line before it as a
 * command. The answer is read from the same port; its length is in
 * MODEL_PORT_LEFT, its result in MODEL_PORT_STATUS. A write to
 * MODEL_PORT_STATUS discards an incomplete line and an unread answer.
 */
#define MODEL_PORT_BASE     0x0a80
#define MODEL_PORT_DATA     0       /* 1 or 4 bytes */
#define MODEL_PORT_STATUS   4       /* 4 bytes: MODEL_STATUS_* */
#define MODEL_PORT_LEFT     8       /* 4 bytes: bytes of the answer left */
#define MODEL_PORT_MAGIC    12      /* 4 bytes: "snbm" */
#define MODEL_PORT_SIZE     16

#define MODEL_MAGIC         0x6d626e73

typedef enum ModelStatus {
    MODEL_STATUS_OK = 0,
    MODEL_STATUS_FOUND = 1,     /* the answer has findings */
    MODEL_STATUS_ERROR = 2,     /* the answer is an error message */
} ModelStatus;

#endif
