#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sysfs.t [KERNEL]: events/ of every PMU in the machine has the tables' aliases and no others, with their encodings, scales and
# units. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
. "$top/scripts/tap.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$top/events" >&2
# box, file, content
{
	"$top/build/events/gen" csv | sed -n '2,$s/^\([^,]*\),\([^,]*\),"\([^"]*\)".*/\1 \2 \3/p'
	"$top/build/events/gen" csv | sed -n '2,$s/^\([^,]*\),\([^,]*\),.*,\([^,]\{1,\}\),\([^,]*\)$/\1 \2.scale \3\n\1 \2.unit \4/p'
} | sort > "$dir/want"

cat > "$dir/guest" <<'EOF'
for pmu in /sys/bus/event_source/devices/snbep_uncore_*; do
	name=${pmu##*/snbep_uncore_}
	for file in "$pmu"/events/*; do
		read -r content < "$file"
		echo "$name ${file##*/} $content"
	done
done
EOF
"$top/bin/vm" -k "${1:-6.1}" -t 300 -W -e "$dir" -- 'sh /extra/guest' > "$dir/got"

for pmu in $(cut -d' ' -f1 "$dir/got" | sort -u); do
	box=${pmu%_[0-9]}
	sed -n "s/^$pmu //p" "$dir/got" | sort > "$dir/a"
	sed -n "s/^$box //p" "$dir/want" | sort > "$dir/b"
	diff "$dir/b" "$dir/a" > "$dir/diff" && code=0 || code=1
	ok $code "$pmu has the $(wc -l < "$dir/b") files of its table" "$dir/diff"
done
[ "$tap_n" = 20 ] && code=0 || code=1
ok $code "there are 20 PMUs: $tap_n"
tap_done
