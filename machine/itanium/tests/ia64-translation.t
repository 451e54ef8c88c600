#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-translation.t: translation of the emulated Itanium. Prints TAP.

exec "$(dirname "$(readlink -f "$0")")/ia64-run" ia64-translation
