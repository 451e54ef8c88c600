# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2 -o generation=discovery
# modules: intel_uncore
#
# box 0001: all CPUs of a socket go offline while an event of an MMIO unit is open there.

pmu=/sys/bus/event_source/devices/uncore_type_2_0
socket1=
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	[ "$(cat "$cpu/topology/physical_package_id")" = 0 ] || socket1="$socket1 $cpu"
done
set_online()
{
	for cpu in $socket1; do
		echo "$1" > "$cpu/online" || exit 1
	done
	echo "online $1: cpumask $(cat $pmu/cpumask)"
}
perf stat -a -A -I 500 -x, -o /tmp/open -e uncore_type_2_0/event=2/ -- sleep 8 &
sleep 1
set_online 0
sleep 1
set_online 1
wait $!
perf stat -a -A -x, -o /tmp/again -e uncore_type_2_0/event=2/ -- sleep 0.1
cat /tmp/open /tmp/again
# CPU, count and name of each line; -I has the time before that
[ "$(grep -c uncore_type_2_0 /tmp/again)" = 2 ] && [ "$(grep -c uncore_type_2_0 /tmp/open)" -gt 10 ] &&
	! grep uncore_type_2_0 /tmp/open /tmp/again | grep -vE ',(0|<not counted>),,uncore_type_2_0'
