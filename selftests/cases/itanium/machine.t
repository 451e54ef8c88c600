#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.t KERNEL [PROGRAM...]: the itanium PMU in the emulated machine: what
# selftests/guest/itanium has, or some of it, with nothing suspicious in the kernel's log. The
# overflow interrupt is latched with 6.1, and a level with other kernels.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)

[ $# -gt 0 ] || { echo "usage: machine.t KERNEL [PROGRAM...]" >&2; exit 2; }
kernel=$1
shift
[ $# -gt 0 ] || set -- unload count sample privacy stress perf.sh

pmi=level
[ "$kernel" != 6.1 ] || pmi=latched
# Two sockets: not all CPUs that the machine could have are there.
"$top/selftests/lib/guest-tap" -J -k "$kernel" -s 2 -c 1 -o pmi=$pmi -m itanium_pmu -t 900 "${@/#/itanium/}"
