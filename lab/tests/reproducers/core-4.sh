# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2 -o core-pmu=on
# modules:
#
# core 0004: perf_event_mux_interval_ms is written while CPU 1 is offline. With an interval of 20
# s, the last of seven events on four counters do not get one within two seconds.

pmu=/sys/bus/event_source/devices/cpu
events=
for code in 0x0e 0xc2 0xc4 0xc5 0x24 0x80 0xa2; do
	events=$events,cpu/event=$code,umask=1,name=e$code/
done
echo 0 > /sys/devices/system/cpu/cpu1/online
echo 20000 > $pmu/perf_event_mux_interval_ms
echo 1 > /sys/devices/system/cpu/cpu1/online
for cpu in 0 1; do
	perf stat -x, -C $cpu -o /tmp/cpu$cpu -e "${events#,}" -- sleep 2
	echo "CPU $cpu: $(grep -c ',0,0\.00,' /tmp/cpu$cpu) of $(grep -c ',e0x' /tmp/cpu$cpu) events have not run"
done
cut -d, -f1,3-5 /tmp/cpu0 /tmp/cpu1
for cpu in 0 1; do
	[ "$(grep -c ',0,0\.00,' /tmp/cpu$cpu)" = 3 ] || exit 1
done
