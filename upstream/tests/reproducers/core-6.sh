# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2 -o cpu=SandyBridge,model=200,-hypervisor,-x2apic,-tsc-deadline
# modules: fakedisc intel_uncore
#
# core 0006: somebody writes perf_event_mux_interval_ms of a PMU whose only die goes offline. If
# that hangs, the machine cannot be switched off.

pmu=/sys/bus/event_source/devices/uncore_type_120
[ -e $pmu ] || exit 1
for writer in 1 2; do
	interval=0
	while [ ! -e /tmp/done ]; do
		interval=$((interval % 9 + 1))
		echo $((interval * writer)) > $pmu/perf_event_mux_interval_ms
	done > /dev/null 2>&1 &
done
socket1=
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	[ "$(cat "$cpu/topology/physical_package_id")" = 0 ] || socket1="$socket1 $cpu"
done
for round in 1 2 3 4 5; do
	for cpu in $socket1; do
		echo 0 > "$cpu/online" &
		tries=0
		while kill -0 $! 2> /dev/null; do
			tries=$((tries + 1))
			[ $tries = 300 ] || { sleep 0.1; continue; }
			echo "round $round: $cpu hangs"
			cat /proc/[0-9]*/stack | grep -E 'mux_interval_ms_store|kernfs_drain|perf_pmu_unregister'
			echo b > /proc/sysrq-trigger
			sleep 60
		done
	done
	[ ! -e $pmu ] || exit 1
	for cpu in $socket1; do
		echo 1 > "$cpu/online" || exit 1
	done
	[ -e $pmu ] || exit 1
done
: > /tmp/done
wait
echo "$round rounds"
