#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.t KERNEL [PROGRAM...]: the itanium PMU in the emulated machine: what selftests/itanium/guest has, or some of it, with
# nothing suspicious in the kernel's log. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ $# -gt 0 ] || { echo "usage: machine.t KERNEL [PROGRAM...]" >&2; exit 2; }
kernel=$1
shift
[ $# -gt 0 ] || set -- unload count sample privacy stress events.sh perf.sh

mkdir "$tmp/extra"
${CC:-cc} -I"$top" "$top/selftests/itanium/host/list_events.c" -o "$tmp/list_events"
"$tmp/list_events" | sed -n 's/^[^ ]* code=\([^ ]*\) umask=[^ ]* counters=\([^ ]*\) set=\([^ ]*\) .* quals=\(.*\)/\1 \2 \3 \4/p' |
	sort -u > "$tmp/all"
# The model's table has a row for an event, whose filters are those of any of its unit masks: CPU_OP_CYCLES.ALL has none,
# .QUAL has both.
awk '{ of = $1 " " $2 " " $3 }
	NR == FNR { filtered[of] += $4 != "0"; next }
	$4 != "0" || !filtered[of]' "$tmp/all" "$tmp/all" > "$tmp/extra/driver"

n=$#
while [ "$n" -gt 0 ]; do
	set -- "$@" "itanium/$1"
	shift
	n=$((n - 1))
done
# Two sockets: not all CPUs that the machine could have are there.
"$top/selftests/lib/guest-tap" -J -k "$kernel" -s 2 -c 1 -m itanium_pmu -e "$tmp/extra" -t 900 "$@"
