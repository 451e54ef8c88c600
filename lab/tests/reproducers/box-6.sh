# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2 -o generation=discovery
# modules: intel_uncore
#
# box 0006: somebody opens software events, or writes perf_event_mux_interval_ms, while the only die
# of a PMU goes offline. If that hangs, the machine cannot be switched off.

pmu=/sys/bus/event_source/devices/uncore_type_4
[ -e $pmu ] || exit 1
for _ in 1 2; do
	while [ ! -e /tmp/done ]; do
		perf stat -e context-switches -- true
	done > /dev/null 2>&1 &
done
interval=0
while [ ! -e /tmp/done ]; do
	interval=$((interval % 9 + 1))
	echo $interval > $pmu/perf_event_mux_interval_ms
done > /dev/null 2>&1 &

# set_online CPU STATE
set_online()
{
	echo "$2" > "$1/online" &
	tries=0
	while kill -0 $! 2> /dev/null; do
		tries=$((tries + 1))
		[ $tries = 300 ] || { sleep 0.1; continue; }
		echo "round $round: $1 hangs"
		cat /proc/[0-9]*/stack | grep -E 'swevent|mux_interval_ms_store|kernfs_drain|perf_pmu_unregister'
		echo b > /proc/sysrq-trigger
		sleep 60
	done
}
socket1=
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	[ "$(cat "$cpu/topology/physical_package_id")" = 0 ] || socket1="$socket1 $cpu"
done
for round in $(seq 30); do
	for cpu in $socket1; do
		set_online "$cpu" 0
	done
	[ -z "$(cat $pmu/cpumask 2> /dev/null)" ] || exit 1
	for cpu in $socket1; do
		set_online "$cpu" 1
	done
	[ -n "$(cat $pmu/cpumask)" ] || exit 1
done
: > /tmp/done
wait
perf stat -a -e uncore_type_4/event=1/ -- true || exit 1
echo "$round rounds"
