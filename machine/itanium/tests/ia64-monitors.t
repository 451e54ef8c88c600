#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The performance monitors of the emulated Itanium, told of instructions one by one.

exec "$(dirname "$0")/../../../scripts/test-program" "$0"
