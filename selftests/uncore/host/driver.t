#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore driver as it is, all of it, under a mock kernel (lib/kernel) that checks every call, with
# registers that count (driver/machine.c). Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
driver=$("$top/selftests/lib/kernel/build" "$top/selftests/uncore/host/driver")
"$driver"
