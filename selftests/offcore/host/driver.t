#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# driver.t [SEED]: offcore_rsp as it is, all of it, in a program of the host: with a kernel of functions that watch it (lib/kernel)
# and registers that count (driver/machine.c). With SEED only what is drawn by it. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
driver=$("$top/selftests/lib/kernel/build" "$top/selftests/offcore/host/driver")
"$driver" "$@"
