/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's types and macros that the pure logic uses, for host-side unit tests */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include_next <linux/types.h>
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int64_t s64;
#endif
