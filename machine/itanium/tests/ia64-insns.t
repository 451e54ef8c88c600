#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-insns.t: instructions of the emulated Itanium, one by one and in small programs. Prints TAP.

exec "$(dirname "$0")/../../../scripts/test-program" "$0" "${0%.t}.txt"
