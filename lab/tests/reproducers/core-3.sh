# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 3 -o core-pmu=on
# modules:
#
# core 0003: events are still multiplexed after their CPU was offline. With the long interval, the
# hrtimer is queued when the CPU goes offline.

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
