#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-own-names.t [KERNEL]: the perf of that kernel's Debian suite opens every name of its own list
# (unc_c_llc_victims.m_state), with uncore_names=1 and the needed filters; it counts one of them and
# a metric. test_lists.py checks their codes, and uncore/count that these count.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

kernel=${1:-6.1}
list=tools/perf/pmu-events/arch/x86/jaketown
# 6.1 and 6.12 run with Debian 12's perf, that of 6.1. That of 5.10 has other names.
case $kernel in
6.1 | 6.12) edition='old' source=6.1 metric=DRAM_BW_Use ;;
*) edition='new' source=$kernel metric=lpm_mem_bw_ddr_read ;;
esac
code=0
"$TOP/scripts/kernel" "$kernel" > /dev/null || code=$?
[ $code != 4 ] || { echo "1..0 # SKIP the Debian suite of kernel $kernel is no longer on the mirror"; exit; }
src=$("$TOP/scripts/linux-source" "$source" $list)
"$TOP/selftests/cross-check/perf-own-names.pl" $edition "$src/$list"/uncore-*.json > "$tmp/plan"

echo "$metric" > "$tmp/metric"
cat > "$tmp/guest" <<'EOF'
. ./tap.sh
for box in $(cut -d' ' -f2 plan | sort -u); do
	sed -n "s/^opens $box //p" plan > names
	n=$(wc -l < names)
	perf stat -x, -a -e "$(paste -sd, names)" -- true > out 2>&1 && ! grep -q '<not supported>' out &&
		[ "$(wc -l < out)" = "$n" ]
	ok $? "perf opens its $n names of $box" out
done
[ "$(grep -c ^opens plan)" -gt 400 ]
ok $? 'its list has more than 400 names'

: > taken
sed -n 's/^cannot [^ ]* //p' plan > cannot
while read -r name; do
	perf stat -x, -a -e "$name" -- true > out 2>&1 && ! grep -q '<not supported>' out && echo "$name" >> taken
done < cannot
[ -s cannot ] && [ ! -s taken ]
ok $? "$(wc -l < cannot) names that cannot work are refused" taken

# The commands of install.rst, in stock perf. Debian 12's has another metric than newer ones.
perf stat -x, -a -o out -e unc_m_cas_count.rd -- uncore-stim imc_2 event=0x04,umask=0x01,count=31250 &&
	grep -q '^31250,,unc_m_cas_count.rd,' out
ok $? 'perf stat -e unc_m_cas_count.rd counts' out
metric=$(cat metric)
perf stat -a -o out -M "$metric" -- uncore-stim imc_2 event=0x04,umask=0x01,count=31250 && grep -Eq "# +[0-9.]*[1-9][0-9.]* .*$metric" out
ok $? "perf stat -M $metric has a value" out
EOF

"$TOP/selftests/lib/guest-script" 12 "$tmp" -k "$kernel" -s 1 -t 400 -o cbos=1 -m 'snbep_uncore uncore_names=1'
