#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# traffic.t: a program's own accesses on the bare machine count exactly and repeatably; machines without traffic mode are refused; flows
# use events of the model, in every box. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"
rerun_under_tap_parts "$@"
. "$TOP/machine/xeon/tests/bare.sh"

shape='1 1'

# $tmp/events: box, event of the model; $tmp/flows: flow, box, event=NAME and more
tables()
{
	bare events
	sed -n 's/^# row //p' "$tmp/tap" | awk '{ print $1, $2 }' > "$tmp/events"
	bare 'traffic table'
	sed -n 's/^# row //p' "$tmp/tap" > "$tmp/flows"
	[ -s "$tmp/events" ] && [ -s "$tmp/flows" ] || die "the model has no tables: $(cat "$tmp/qemu")"
}

flows_cause()
{
	tables
	awk '{ print $2, $3 }' "$tmp/flows" | sort -u > "$tmp/caused"
	grep -vE '^(ring|home.s-ring|other-ring) |^qpi (sends|receives)' "$tmp/caused" | grep -vxFf "$tmp/events" > "$tmp/unknown" && code=1 || code=0
	ok $code "flows cause events that the model has" "$tmp/unknown"
	cut -d ' ' -f 1 "$tmp/events" | sort -u | while read -r box; do
		grep -q "^$box " "$tmp/caused" || echo "$box"
	done > "$tmp/without"
	[ ! -s "$tmp/without" ] && code=0 || code=1
	ok $code "every box has an event that a flow causes" "$tmp/without"
	echo 1..2
}

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
machine rings rings traffic
accel=
machine replacement replacement traffic
shape='2 1'
machine 'two sockets' traffic-two traffic memory=64 core-pmu=on
shape='1 1'
part flows flows_cause
accel='-icount shift=0,sleep=off'
part repeatable twice
accel=
part refusals refusals
