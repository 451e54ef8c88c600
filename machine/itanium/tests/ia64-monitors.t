#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-monitors.t: the performance monitors of the emulated Itanium, told of instructions one by
# one. Prints TAP.

exec "$(dirname "$0")/../../../scripts/test-program" "$0"
