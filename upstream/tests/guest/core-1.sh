# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2
# modules: intel_uncore
#
# core 0001: somebody writes perf_event_mux_interval_ms while PMUs come. The trace has perf_event_mux_interval_ms_store: an unload with
# a timer that is queued (core 0002) does not end there.

rmmod intel_uncore
for writer in 1 2; do
	interval=0
	while [ ! -e /tmp/done ]; do
		interval=$((interval % 7 + 1))
		for file in /sys/bus/event_source/devices/uncore_*/perf_event_mux_interval_ms; do
			echo $((interval * writer)) > "$file"
		done
	done 2> /dev/null &
done
for load in $(seq 40); do
	modprobe intel_uncore || exit 1
	rmmod intel_uncore || exit 1
done
: > /tmp/done
wait
echo "$load loads"
