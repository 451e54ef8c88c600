/* SPDX-License-Identifier: GPL-2.0-only */
/* Conversion of config and config1 to a response register value */
#ifndef OFFCORE_ENCODE_H
#define OFFCORE_ENCODE_H

#include <linux/types.h>

int offcore_encode(u64 config, u64 config1, u64 *rsp);

#endif /* OFFCORE_ENCODE_H */
