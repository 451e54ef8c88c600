#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Instructions of the emulated Itanium, one by one and in small programs.

exec "$(dirname "$0")/../../../scripts/test-program" "$0" "${0%.t}.txt"
