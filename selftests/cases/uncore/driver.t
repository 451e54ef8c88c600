#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore driver as it is, all of it, under a mock kernel (selftests/kernel) that checks every call, with
# registers that count (machine.c). Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
exec "$top/selftests/kernel/run" "$top/selftests/cases/uncore" "$@"
