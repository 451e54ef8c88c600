#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-translation.t: translation of the emulated Itanium. Prints TAP.

exec "$(dirname "$0")/../../../scripts/test-program" "$0"
