#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Translation of the emulated Itanium.

exec "$(dirname "$0")/../../../scripts/test-program" "$0"
