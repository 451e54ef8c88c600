#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-list.t [KERNEL]: with the perf of that kernel's Debian suite, perf list shows every alias of
# every PMU, perf parses and opens each, and perf's tests of PMU and event parsing pass.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

make -s -C "$TOP/events" >&2
# Box, and alias with values for its =? fields
"$TOP/build/events/gen" csv | sed -n '2,$s/^\([^,]*\),\([^,]*\),"\([^"]*\)".*/\1 \2 \3/p' |
	awk '{
		n = split($3, term, ",")
		event = $2
		for (i = 1; i <= n; i++) {
			# An opcode of Table 2-13 for filter_opc, 1 for other fields
			value = $1 term[i] == "cboxfilter_opc=?" ? "=0x182" : "=1"
			if (sub(/=\?/, value, term[i]))
				event = event "," term[i]
		}
		print $1, $2, event
	}' > "$tmp/aliases"

cat > "$tmp/guest" <<'EOF'
. ./tap.sh
perf list > listed 2>&1
for path in /sys/bus/event_source/devices/snbep_uncore_*; do
	pmu=${path##*/}
	box=${pmu#snbep_uncore_}
	box=${box%_[0-9]}
	awk -v box="$box" '$1 == box { print $2 }' aliases > names
	n=$(wc -l < names)
	# Newer perf lists PMUs that differ only in their number once, without it.
	shown=$pmu
	grep -q "^ *$pmu/" listed || shown=${pmu%_[0-9]}
	# pmu/alias/ or pmu/alias,field=?/; skip lines about the fields.
	sed -n "/Raw event descriptor/d; s|^ *$shown/\([a-z0-9_]*\)[,/].*|\1|p" listed | sort -u > seen
	sort -u names > want
	diff want seen > out
	ok $? "perf list has the $n aliases of $pmu" out
done

# Test one instance of each type, as they share their tables.
for box in $(cut -d' ' -f1 aliases | sort -u); do
	pmu=snbep_uncore_$box
	[ -e "/sys/bus/event_source/devices/$pmu" ] || pmu=${pmu}_0
	awk -v box="$box" -v pmu="$pmu" '
		$1 != box { next }
		{ print pmu "/" $3 "/" }' aliases > events
	n=$(wc -l < events)
	perf stat -x, -C 0 -e "$(tr '\n' ',' < events | sed 's/,$//')" -- true > out 2>&1 &&
		[ "$(grep -c "$pmu" out)" = "$n" ] && ! grep -q 'not supported' out
	ok $? "perf opens the $n aliases of $pmu" out
done

# perf ORs a field that is given twice, so an alias must not have the default of a field.
for filter in ,filter_state=0x1:70 :570; do
	count=${filter#*:} event=llc_lookup_data_read${filter%:*}
	perf stat -x, -C 0 -e "snbep_uncore_cbox_0/$event/" -- uncore-stim cbox_0 event=0x34,umask=0x03,state=0x1,count=70 \
		cbox_0 event=0x34,umask=0x03,state=0x8,count=500 > out 2>&1
	[ "$(sed -n 's/,.*llc_lookup.*//p' out)" = "$count" ]
	ok $? "$event counts $count" out
done

# Of perf's PMU event tests, run that of the aliases: the others do not depend on the machine, and
# take two minutes.
for t in 6 9 'PMU event map aliases'; do
	perf test "$t" > out 2>&1 && grep -q Ok out && ! grep -q FAILED out
	ok $? "perf test $t" out
done
EOF

"$TOP/selftests/lib/guest-script" 33 "$tmp" -k "${1:-6.1}" -t 500
