# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2
# modules: intel_uncore
#
# core 0001: somebody writes perf_event_mux_interval_ms while PMUs come. Nobody does when they go,
# and no timer is queued then: that is core 0002.

rmmod intel_uncore
for writer in 1 2; do
	interval=0
	while [ ! -e /tmp/done ]; do
		interval=$((interval % 7 + 1))
		[ -e /tmp/loading ] || { sleep 0.01; continue; }
		for file in /sys/bus/event_source/devices/uncore_*/perf_event_mux_interval_ms; do
			echo $((interval * writer)) > "$file"
		done
	done 2> /dev/null &
done
for load in $(seq 40); do
	: > /tmp/loading
	modprobe intel_uncore || exit 1
	rm /tmp/loading
	sleep 0.3
	rmmod intel_uncore || exit 1
done
: > /tmp/done
wait
echo "$load loads"
