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
cat "$tmp/all"
printf '1..%d\n' "$(grep -c -E '^(not )?ok' "$tmp/all")"
exit $failed
