#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sysfs.t [KERNEL]: events/ of every PMU in the machine has the tables' aliases and no others, with
# their encodings, scales and units.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

make -s -C "$TOP/events" >&2
# box, file, content
{
	"$TOP/build/events/gen" csv | sed -n '2,$s/^\([^,]*\),\([^,]*\),"\([^"]*\)".*/\1 \2 \3/p'
	"$TOP/build/events/gen" csv | sed -n '2,$s/^\([^,]*\),\([^,]*\),.*,\([^,]\{1,\}\),\([^,]*\)$/\1 \2.scale \3\n\1 \2.unit \4/p'
} | sort > "$tmp/want"

cat > "$tmp/guest" <<'EOF'
for pmu in /sys/bus/event_source/devices/snbep_uncore_*; do
	name=${pmu##*/snbep_uncore_}
	for file in "$pmu"/events/*; do
		read -r content < "$file"
		echo "$name ${file##*/} $content"
	done
done
EOF
"$TOP/bin/vm" -k "${1:-6.1}" -t 300 -W -e "$tmp" -- 'sh /extra/guest' > "$tmp/got"

for pmu in $(cut -d' ' -f1 "$tmp/got" | sort -u); do
	box=${pmu%_[0-9]}
	sed -n "s/^$pmu //p" "$tmp/got" | sort > "$tmp/a"
	sed -n "s/^$box //p" "$tmp/want" | sort > "$tmp/b"
	diff "$tmp/b" "$tmp/a" > "$tmp/diff" && code=0 || code=1
	ok $code "$pmu has the $(wc -l < "$tmp/b") files of its table" "$tmp/diff"
done
check "there are 20 PMUs: $tap_n" [ "$tap_n" = 20 ]
tap_done
