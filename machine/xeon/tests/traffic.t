#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program's own accesses on the bare machine count exactly and repeatably; machines without
# traffic mode are refused.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/machine/xeon/tests/bare.sh"

shape='1 1'

# The same program on two machines with -icount
twice()
{
	mv "$tmp/total" "$tmp/first"
	bare traffic
	grep '^# row ' "$tmp/tap" > "$tmp/second"
	cmp -s "$tmp/first" "$tmp/second" && [ -s "$tmp/first" ] && code=0 || code=1
	ok $code "two machines count the same, to the event" "$tmp/first" "$tmp/second"
	echo 1..1
}

refusals()
{
	refused "a core has one thread" traffic threads=2
	refused "no option 'traffic=on'" traffic=on
	# Memory that is not written needs no host memory.
	refused "a socket has at most 16 GiB, not 17" traffic memory=17408
	shape='2 1'
	refused "memory is 2 to 1048576, not 1" memory=1
	refused "2 sockets has 2 memory nodes, not 0" traffic
	refused "a socket has at most 16 GiB, not 17" traffic memory=34816
	shape='3 1'
	refused "at most 2 sockets, not 3" traffic
	echo 1..7
}

accel='-icount shift=0,sleep=off'
machine exact traffic traffic
grep '^# row ' "$tmp/tap" > "$tmp/total"
machine 'six CBos' traffic traffic cbos=6
accel=
shape='2 1'
machine 'two sockets' traffic-two traffic memory=64
shape='1 1'
accel='-icount shift=0,sleep=off'
part repeatable twice
accel=
part refusals refusals
tap_done
