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

# compare PATTERN: sets $ours and $theirs
compare()
{
	ours=$(sed -n "s/^# misses $1 //p" "$tmp/tap")
	theirs=$(cachegrind "$1") || theirs=
	[ "$ours" ] && [ "$theirs" ]
	ok $? "$1 runs on both" "$tmp/tap" "$tmp/qemu" "$tmp/cg"
	: "${ours:=0}" "${theirs:=0}"
}

# within PERCENT NAME A B: how far A is from B
within()
{
	awk -v a="$3" -v b="$4" -v percent="$1" 'BEGIN { d = 100 * (a - b) / (b ? b : 1); exit !(b && d < percent && d > -percent) }'
	ok $? "$2 ($3 and $4)"
}

shape='1 1'
bare misses traffic
for pattern in copy random chase columns hot; do
	compare $pattern
	within 2 "$pattern: the model and cachegrind agree within two percent" "$ours" "$theirs"
done
# The last one was hot: its 192 KiB come from L2, so the LLC sees them only when they are new, and puts them out, of L2 as well,
# each time that the walk through 30 MiB has filled it: three times in all. Cachegrind's LL has no L2 before it, and includes
# nothing.
within 2 "hot: what the model has more are 192 KiB, three times" $((ours - theirs)) $((3 * 192 * 1024 / 64))
# To cachegrind, which knows no other, they are ordinary stores.
compare stream
within 2 "stream: cachegrind fetches a line for each 64 bytes of 8 MiB" "$theirs" $((8 * 1024 * 1024 / 64))
[ "$ours" -lt 100 ]
ok $? "stream: the model fetches none, for these stores go past the caches ($ours)"
tap_done
