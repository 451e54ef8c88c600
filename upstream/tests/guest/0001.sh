# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# perf-core 0001: no multiplexing hrtimer outlives the module of its PMU.

timers()
{
	grep -c perf_mux_hrtimer_handler /proc/timer_list
}

before=$(timers)
modprobe intel_uncore
echo 60000 > /sys/bus/event_source/devices/uncore_imc_0/perf_event_mux_interval_ms
during=$(timers)
rmmod intel_uncore
after=$(timers)
echo "multiplexing hrtimers: $before before, $during with intel_uncore, $after without it"
[ "$during" -gt "$before" ] && [ "$after" = "$before" ]
