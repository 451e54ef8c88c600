# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# perf-core 0002: more events than counters on a CPU are rotated, also if the CPU was offline since the same was last so. With the long
# interval, the hrtimer is still queued as the CPU goes.

pmu=/sys/bus/event_source/devices/cpu
cpu1=/sys/devices/system/cpu/cpu1/online
events=
for code in 0x0e 0xc2 0xc4 0xc5 0x24 0x80 0xa2; do
	events=$events,cpu/event=$code,umask=1,name=e$code/
done
echo 10000 > $pmu/perf_event_mux_interval_ms
perf stat -x, -C 1 -e "${events#,}" -- sleep 0.1 > /dev/null 2>&1
echo 0 > $cpu1
echo 1 > $cpu1
echo 100 > $pmu/perf_event_mux_interval_ms
perf stat -x, -C 1 -e "${events#,}" -- sleep 15 > /tmp/out 2>&1
cut -d, -f1,3,4 /tmp/out
idle=$(awk -F, '$4 == 0' /tmp/out | wc -l)
echo "$idle of $(wc -l < /tmp/out) events never had a counter"
[ "$idle" = 0 ] && [ -s /tmp/out ]
