#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf itself on the itanium PMU: stat, record with data addresses and weights, branch stacks, mem
# report.

# shellcheck disable=SC2154 # ksft.sh sets ksft_tmp
load=$PWD/load
. ../api/ksft.sh
arch=$(uname -m)
case $arch in
ia64) begin itanium ;;
*) begin itanium raw montecito checker ;;
esac
command -v perf > /dev/null || skip_all 'there is no perf'
[ "$arch" = ia64 ] || needs_model
case $arch in
ia64) plan 2 ;;
*) plan 6 ;;
esac
cd "$ksft_tmp" || exit 2

result()
{
	ok "$1" "$2" out
}

# perf 5.10 cannot print the fields of samples of a PMU that it does not know.
sampled()
{
	case $(perf --version) in
	*' 5.'*) ktap_test_skip "- $2: perf 5.10 does not print it" ;;
	*) result "$@" ;;
	esac
}

perf list 2> err | grep -c 'itanium/' > out
[ "$(cat out)" -ge 600 ]
result $? "perf list knows $(cat out) events"

# load injects these misses; ia64/tests/test_perf.py tests stride on an Itanium.
if [ "$arch" != ia64 ]; then
	perf stat -x, -e itanium/data_ear_cache_lat128/ "$load" 123 > out 2>&1
	grep -q '^123,,itanium/data_ear_cache_lat128/' out
	result $? "perf stat counts 123 misses"

	perf record -q -o b -e itanium/data_ear_cache_lat16/ -c 100 -b "$load" 100 > map 2> err
	perf script -i b -F ip,brstack > out 2> err
	read -r walk caller _ < map
	[ "$(wc -l < out)" = 1 ] &&
		[ "$(grep -o "$(printf '0x%x/0x%x/P' $(((caller & ~15) + 2)) $((walk & ~15)))" out | wc -l)" = 4 ]
	sampled $? "perf record -b: four branches from caller() to walk()"

	perf record -q -o d -e itanium/data_ear_cache_lat16/ -c 10 -d -W "$load" 100 > map 2> err
	perf script -i d -F ip,sym,addr,weight,data_src > out 2> err
	[ "$(wc -l < out)" = 10 ] && [ "$(grep -c 'walk' out)" = 10 ] && [ "$(awk '$NF == 200 || / 200 / { c++ } END { print c }' out)" = 10 ] &&
		[ "$(grep -c -i "|OP LOAD|LVL N/A" out)" = 10 ]
	sampled $? "perf record -d -W: ten samples in walk() with weight and source"

	perf mem report -i d --stdio > out 2> err
	grep -q table out && grep -q walk out
	sampled $? 'perf mem report: walk()'
fi

# Every alias by name, through perf's own parser
for file in /sys/bus/event_source/devices/itanium/events/*; do
	echo "itanium/${file##*/}/"
done > names
# A hundred at a time: perf reads all names each time that it starts.
from=1
bad=0
while [ $from -le "$(wc -l < names)" ]; do
	sed -n "$from,$((from + 99))p" names > part
	from=$((from + 100))
	perf stat -x, -e "$(tr '\n' , < part | sed 's/,$//')" true > out 2>&1 || bad=$((bad + 1))
	[ "$(grep -c ,itanium/ out)" = "$(wc -l < part)" ] || bad=$((bad + 1))
	! grep -q 'not supported' out || bad=$((bad + 1))
done
[ $bad = 0 ]
result $? "perf stat takes each of $(wc -l < names) names"

finish
