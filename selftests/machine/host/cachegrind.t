#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cachegrind.t: the model's LLC against valgrind's cachegrind, which knows nothing of it. One and the same file runs on the bare
# machine, where the CBos count what misses, and as a program of Linux, where cachegrind simulates caches of the same sizes and
# ways. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
. "$TOP/selftests/machine/host/bare.sh"

valgrind=$("$TOP/selftests/machine/host/valgrind-root")

# What cachegrind's last-level cache misses in a pattern: instructions, reads and writes
cachegrind()
{
	VALGRIND_LIB=$valgrind/usr/libexec/valgrind "$valgrind/usr/bin/valgrind.bin" --tool=cachegrind --I1=32768,8,64 \
		--D1=32768,8,64 --LL=20971520,20,64 --cachegrind-out-file=/dev/null "$tmp/model.elf" "$1" > "$tmp/cg" 2>&1 &&
		sed -n '/LL misses:/{s/.*LL misses: *//;s/ .*//;s/,//gp}' "$tmp/cg"
}

shape='1 1'
bare misses traffic
for pattern in random columns; do
	ours=$(sed -n "s/^# misses $pattern //p" "$tmp/tap")
	theirs=$(cachegrind $pattern) || theirs=
	awk -v a="${ours:-0}" -v b="${theirs:-0}" 'BEGIN { d = 100 * (a - b) / (b ? b : 1); exit !(b && d < 2 && d > -2) }'
	ok $? "$pattern: the model's LLC and cachegrind's agree within two percent ($ours and $theirs)" "$tmp/tap" "$tmp/qemu" "$tmp/cg"
done
tap_done
