#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The models' event tables and the drivers', which were written apart, agree.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

out=$BUILD/checker
mkdir -p "$out"
flock "$out/.lock" make -s -C "$TOP/machine/xeon/tests/checker" "OUT=$out" "TOP=$TOP" "$out/uncore" >&2
# Table 2-12: a CBo's filter takes a thread for any event.
"$out/uncore" events | sed -n 's/^# row \(cbox .*\)/\1 tid/p; s/^# row //p' | sort > "$tmp/model"
cc -Wall -Wextra -Werror -I"$TOP/events" -o "$tmp/driver" "$TOP/selftests/cross-check/model-events.c" >&2
"$tmp/driver" | sort > "$tmp/all"

for box in ubox cbox ha imc pcu qpi r2pcie r3qpi; do
	grep "^$box " "$tmp/all" > "$tmp/driver.$box"
	grep "^$box " "$tmp/model" > "$tmp/model.$box" || :
	diff "$tmp/model.$box" "$tmp/driver.$box" > "$tmp/diff" && [ -s "$tmp/model.$box" ] && code=0 || code=1
	ok $code "$box: $(wc -l < "$tmp/model.$box") events of the model (<) and the driver (>) alike" "$tmp/diff"
done

# Of v2 to v4 the model has the events that uncorestat counts, in e5_generations.def, with the
# codes and increments of v1, and one of the rings, for the smoke test. 0xff is the fixed counter.
for generation in 2 3 4; do
	"$out/uncore" events $generation > "$tmp/later"
	perl -ne '
		if (/^(?:# row )?(\w+) (\w+) ext=(.) code=0x(..) ctrs=(\w+) (.*) umasks=0x(..)/) {
			my ($box, $code, $event) = ($1, $3 ? "1$4" : $4, [$2, $5, hex $7, $6]);
			my $v1 = $row{"$box 0x$code"};
			print "> $_" if $ARGV =~ m{/later$} && (!$v1 || "@{$v1}[0, 3]" ne "@{$event}[0, 3]" && $v1->[3] !~ /[?]/);
			$row{"$box 0x$code"} = $event;
			$spare{"$box 0x$code"} = $_ if $ARGV =~ m{/later$} && !/ ubox|clockticks|freq_band|rxl_flits_g0|rxr_cycles_ne/;
		} elsif (/^CODE\((.*?), (\w+), (\w+), (\w+), "event=(?!0xff")(\w+)(?:,umask=(\w+)|,occ_sel=(.))?/ && index("$1 ", "V'$generation' ") >= 0) {
			my $row = $row{"$2 $5"};
			delete $spare{"$2 $5"};
			print "<$_" unless $row && $row->[1] eq $4 && !((hex($6 // 0) | ($7 // 0) << 6) & ~$row->[2]);
		}
		END { print map { "> $_" } values %spare }' "$tmp/model" "$tmp/later" "$TOP/events/e5_generations.def" > "$tmp/diff"
	empty "v$generation: events of uncorestat (<) and the model (>) alike" "$tmp/diff"
done

cc -Wall -Wextra -Wno-unused-parameter -Werror -I"$TOP" -o "$tmp/montecito" "$TOP/selftests/cross-check/montecito-events.c" \
	"$TOP"/machine/montecito/*.c >&2
"$tmp/montecito" > "$tmp/diff" && code=0 || code=1
ok $code "Montecito: events of the model and the driver alike" "$tmp/diff"

# Where lists have other counters than the guide, they vouch for no unit mask.
make -s -C "$TOP/events" >&2
"$TOP/build/events/gen" rows > "$tmp/rows"
printf '%s\n' 'cw_even 0x01' 'cw_odd 0x02' 'ccw_even 0x04' 'ccw_odd 0x08' 'even 0x05' 'odd 0x0a' 'any 0x0f' > "$tmp/ring"
for box in ha r2pcie r3qpi; do
	sed -n "s/^$box ring_.._used_\([a-z_]*\) 0x.. \(0x..\) .*/\1 \2/p" "$tmp/rows" > "$tmp/is"
	grep -vxFf "$tmp/ring" "$tmp/is" > "$tmp/bad" || :
	[ "$(wc -l < "$tmp/is")" -ge 12 ] && [ ! -s "$tmp/bad" ] && code=0 || code=1
	ok $code "$box: the directions of a ring are bits 0 to 3" "$tmp/bad"
done

# Unit masks of an event cannot be ORed (queues, message classes and requests are counted one at a
# time), or all of them can, but for these.
printf '%s\n' 'cbox llc_lookup any' 'cbox rxr_inserts irq_rejected' 'cbox rxr_occupancy irq_rejected' > "$tmp/alone"
for box in ubox cbox ha imc pcu qpi r2pcie r3qpi; do
	perl -0ne 'push @{$row{$1}{$3 =~ /ALONE/ ? "alone" : "ored"}}, $2 while /^UMASK\((\w+), (\w+), 0x..,([^"]*)/gm;
		for $event (sort keys %row) { $row{$event}{ored} and print "$event $_\n" for @{$row{$event}{alone}} }' "$TOP/events/snbep_$box.def" |
		sed "s/^/$box /" > "$tmp/is"
	grep "^$box " "$tmp/alone" | diff - "$tmp/is" > "$tmp/diff" && code=0 || code=1
	ok $code "$box: unit masks of an event cannot be ORed, or all of them can" "$tmp/diff"
done
tap_done
