#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-own-names.t [KERNEL]: perf's own event names for this CPU (unc_c_llc_victims.m_state), with the perf of that kernel's Debian
# suite as it is, and PMUs under the names that it looks for. Every name of its list is opened by perf, its event made to
# happen, and its count compared. Needed filters are given; see perf-own-names.pl.

set -eu

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

kernel=${1:-6.1}
list=tools/perf/pmu-events/arch/x86/jaketown
# 6.1 and 6.12 run with the perf of Debian 12, which is that of 6.1. That of 5.10 has other names.
case $kernel in
6.1 | 6.12) edition='old' source=6.1 ;;
*) edition='new' source=$kernel ;;
esac
code=0
"$top/scripts/kernel" "$kernel" > /dev/null || code=$?
[ $code != 4 ] || { echo "1..0 # SKIP the Debian suite of kernel $kernel is no longer on the mirror"; exit; }
src=$("$top/scripts/linux-source" "$source" $list)
"$here/perf-own-names.pl" $edition "$src/$list"/uncore-*.json > "$dir/plan"

cat > "$dir/guest" <<'EOF'
. /selftests/lib/tap.sh
# Counts of the last run against what was wanted of it
compare()
{
	awk -F, 'NR == FNR { split($0, w, " "); want[w[2]] = w[3]; next }
		{ got[tolower($3)] = $1 }
		END {
			for (name in want) {
				g = (name in got) ? got[name] : "nothing"
				if (want[name] ? g != want[name] : !(g > 0))
					print name ": " g ", wanted " (want[name] ? want[name] : "more than 0")
			}
		}' wants out >> wrong
}

: > wrong
: > wants
: > counted
while IFS= read -r line; do
	case $line in
	'run '*)
		[ ! -s wants ] || compare
		: > wants
		events=${line#run } stims=${events#*|} events=${events% |*}
		# shellcheck disable=SC2086
		perf stat -x, -a -e "$events" -- uncore-stim -s 0 ${stims:-ha event=1} > out 2>&1
		;;
	'want '*) echo "$line" | tee -a counted >> wants ;;
	esac
done < plan
compare
tried=$(wc -l < counted)
[ "$tried" -gt 400 ] && [ ! -s wrong ]
ok $? "$tried names of perf's list count what happens" wrong

: > taken
sed -n 's/^cannot //p' plan > cannot
while read -r name; do
	perf stat -x, -a -e "$name" -- true > out 2>&1 && ! grep -q '<not supported>' out && echo "$name" >> taken
done < cannot
[ -s cannot ] && [ ! -s taken ]
ok $? "$(wc -l < cannot) names that cannot work are refused" taken

uncore-stim judge > judge
ok $? "the judge has nothing to say" judge
EOF

"$top/selftests/lib/guest-script" 3 "$dir" -k "$kernel" -s 1 -t 400 -o cbos=1 -m 'snbep_uncore uncore_names=1'
