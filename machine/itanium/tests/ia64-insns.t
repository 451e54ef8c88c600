#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-insns.t: instructions of the emulated Itanium, one by one and in small programs. Prints TAP.

here=$(dirname "$(readlink -f "$0")")
exec "$here/ia64-run" ia64-insns "$here/ia64-insns.txt"
