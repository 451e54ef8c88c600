#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# driver.t [SEED]: itanium_pmu as it is, all of it, in a program of the host: with a kernel of functions that watch it (lib/kernel)
# and Montecito's registers (driver/machine.c). With SEED only what is drawn by it. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
driver=$("$top/selftests/lib/kernel/build" "$top/selftests/itanium/host/driver")
"$driver" "$@"
