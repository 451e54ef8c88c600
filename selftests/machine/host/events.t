#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# events.t: the model's event table and the driver's, which were written apart, agree; TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"

out=$BUILD/checker
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out"
flock "$out/.lock" make -s -C "$TOP/selftests/machine/host/checker" "OUT=$out" "TOP=$TOP" "$out/uncore" >&2
# Table 2-12: a CBo's filter takes a thread for any event.
"$out/uncore" events | sed -n 's/^# event \(cbox .*\)/\1 tid/p; s/^# event //p' | sort > "$tmp/model"
cc -Wall -Wextra -Werror -I"$TOP/events" -o "$tmp/driver" "$TOP/selftests/machine/host/events.c" >&2
"$tmp/driver" | sort > "$tmp/all"

for box in ubox cbox ha imc pcu qpi r2pcie r3qpi; do
	grep "^$box " "$tmp/all" > "$tmp/driver.$box"
	grep "^$box " "$tmp/model" > "$tmp/model.$box" || :
	diff "$tmp/model.$box" "$tmp/driver.$box" > "$tmp/diff" && [ -s "$tmp/model.$box" ] && code=0 || code=1
	ok $code "$box: $(wc -l < "$tmp/model.$box") events of the model (<) and the driver (>) alike" "$tmp/diff"
done

# Where lists have other counters than the guide, they vouch for no unit mask.
make -s -C "$TOP/events" >&2
"$TOP/build/events/gen" rows > "$tmp/rows"
for box in ha r2pcie r3qpi; do
	sed -n "s/^$box ring_[ab][dkl]_used_\([a-z_]*\) 0x.. \(0x..\) .*/\1 \2/p" "$tmp/rows" | sort | uniq -c | tr -s ' ' > "$tmp/is"
	printf ' 3 %s\n' 'ccw_even 0x04' 'ccw_odd 0x08' 'cw_even 0x01' 'cw_odd 0x02' | diff - "$tmp/is" > "$tmp/diff" && code=0 || code=1
	ok $code "$box: four directions of three rings have a bit each" "$tmp/diff"
done
tap_done
