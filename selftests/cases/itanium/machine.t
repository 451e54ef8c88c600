#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.t KERNEL [PROGRAM...]: the itanium PMU in the emulated machine: what selftests/guest/itanium has, or some of it, with
# nothing suspicious in the kernel's log. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)

[ $# -gt 0 ] || { echo "usage: machine.t KERNEL [PROGRAM...]" >&2; exit 2; }
kernel=$1
shift
[ $# -gt 0 ] || set -- unload count sample privacy stress perf.sh

n=$#
while [ "$n" -gt 0 ]; do
	set -- "$@" "itanium/$1"
	shift
	n=$((n - 1))
done
# Two sockets: not all CPUs that the machine could have are there.
"$top/selftests/lib/guest-tap" -J -k "$kernel" -s 2 -c 1 -m itanium_pmu -t 900 "$@"
