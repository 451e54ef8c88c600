# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2
# modules: intel_uncore
#
# perf 0002: samples of cpu-clock have the counts of an uncore event on all sockets.
#
# Without the patch, perf record drops the event with a message, and exits with 0.

perf record -a -o /tmp/data -e '{cpu-clock,uncore_ha/event=0x1,umask=0x3/}:S' -- \
	sh -c 'uncore-stim ha event=0x1,umask=0x3,count=1234 -s 1 ha event=0x1,umask=0x3,count=77; sleep 0.5'
perf script -i /tmp/data -F cpu,event,period > /tmp/samples || exit 1
awk '/uncore_ha/ { sum[$1] += $2 } END { for (cpu in sum) print cpu, sum[cpu] }' /tmp/samples | sort > /tmp/counts
wc -l /tmp/samples
cat /tmp/counts
[ "$(paste -sd ' ' /tmp/counts)" = '[000] 1234 [002] 77' ]
