#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.t [KERNEL...]: the itanium PMU in the emulated machine, on both kernels: what selftests/itanium/guest has, with
# nothing suspicious in the kernel's log. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

[ $# -gt 0 ] || set -- 6.1 6.12
: > "$tmp/all"
failed=0
for kernel; do
	for test in itanium_count itanium_sample itanium_perf.sh; do
		code=0
		"$top/selftests/vm/vm" -k "$kernel" -s 1 -t 400 -m itanium_pmu -W \
			-- "/selftests/itanium/$test" > "$tmp/out" || code=$?
		# One stream of several: the numbers go, and the plan is made at the end.
		sed -E -n -e '/^1\.\./d' -e "s/^((not )?ok) [0-9]+ /\1 - $kernel: /" -e p "$tmp/out" >> "$tmp/all"
		# 1 is what a test says itself when a line of it failed.
		if [ $code -gt 1 ] || ! grep -q '^1\.\.' "$tmp/out"; then
			echo "not ok - $kernel: $test ended with status $code before its plan, or its kernel complained" \
				>> "$tmp/all"
		fi
		[ $code = 0 ] || failed=1
	done
done

# The model's table of events and the driver's were written apart.
${CC:-cc} -I"$top" "$top/selftests/itanium/list_events.c" -o "$tmp/list_events"
"$tmp/list_events" | sed -n 's/^[^ ]* code=\([^ ]*\) umask=[^ ]* counters=\([^ ]*\) set=\([^ ]*\) .* quals=\(.*\)/\1 \2 \3 \4/p' |
	sort -u > "$tmp/driver"
"$top/selftests/vm/vm" -s 1 -t 200 -m '' -- 'uncore-stim raw montecito events' | awk '{
		split($0, f, /[ =]+/)
		set = f[6] == "quals" ? "-" : f[6]
		quals = f[6] == "quals" ? f[7] : f[8]
		sub(/^d/, "l1d", set)
		sub(/^2/, "l2d", set)
		# i 1, o 2, d 4, m 16; p is the choice of the range
		sum = (quals ~ /i/) + 2 * (quals ~ /o/) + 4 * (quals ~ /d/) + 16 * (quals ~ /m/)
		# EAR events have no plain alias to be listed by.
		if (f[2] != "0xc8" && f[2] != "0x43")
			printf "%s %s %s %s\n", f[2], f[4], set, sum ? sprintf("0x%x", sum) : "0"
	}' | sed 's/^0x0 /0 /' | sort -u > "$tmp/model"
if diff "$tmp/driver" "$tmp/model" > "$tmp/diff" && [ -s "$tmp/model" ]; then
	echo "ok - model and driver agree on $(wc -l < "$tmp/model") event codes" >> "$tmp/all"
else
	sed 's/^/# /' "$tmp/diff" >> "$tmp/all"
	echo "not ok - model (>) and driver (<) agree on the events" >> "$tmp/all"
	failed=1
fi

cat "$tmp/all"
printf '1..%d\n' "$(grep -c -E '^(not )?ok' "$tmp/all")"
exit $failed
