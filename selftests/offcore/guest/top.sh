#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# top.sh kernel: perf top over an event of offcore_rsp. Prints TAP.

. /selftests/lib/tap.sh

out=/tmp/top

# runs EVENT: perf top shows that it takes samples of it, and ends by itself when told to
runs()
{
	perf top --stdio -d 1 -F 200 -e "$1" < $out.keys > $out.screen 2>&1 &
	top=$!
	tries=0
	until grep -qs 'PerfTop:.*irqs/sec' $out.screen; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || { echo "# waited in vain for perf top -e $1"; break; }
		usleep 50000
	done
	kill -INT $top && wait $top && grep -qs 'PerfTop:.*irqs/sec' $out.screen
}

# Its input is open and empty, as a terminal's.
mkfifo $out.keys
sleep 1000 > $out.keys &
keys=$!
runs offcore_rsp/data_reads/
ok $? "perf top takes an event of offcore_rsp"
kill $keys
tap_done
