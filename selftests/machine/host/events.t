#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# events.t: the model's event table and the driver's, which were written apart, agree; TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/machine/host/bare.sh"

shape='1 1'
bare events
sed -n 's/^# event //p' "$tmp/tap" | sort > "$tmp/model"

echo 'TAP version 13'
for box in ubox cbox ha imc pcu qpi r2pcie r3qpi; do
	cc -Wall -Wextra -Werror -I"$TOP/events" -DBOX="\"$box\"" -DDEF="\"snbep_$box.def\"" \
		-o "$tmp/driver" "$TOP/selftests/machine/host/events.c"
	"$tmp/driver" | sort > "$tmp/driver.$box"
	grep "^$box " "$tmp/model" > "$tmp/model.$box" || :
	diff "$tmp/model.$box" "$tmp/driver.$box" > "$tmp/diff" && [ -s "$tmp/model.$box" ] && code=0 || code=1
	ok $code "$box: $(wc -l < "$tmp/model.$box") events of the model (<) and the driver (>) alike" "$tmp/diff"
done
tap_done
