# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2 -o generation=spr -o units=REPRODUCERS/upi.units -a slab_debug=P
# modules: intel_uncore
#
# fixes 0009: somebody reads the files of uncore_upi while the module goes.

[ -e /sys/bus/event_source/devices/uncore_upi_0/die0 ] || exit 2
for _ in 1 2 3 4 5 6; do
	while [ ! -e /tmp/done ]; do
		for file in /sys/bus/event_source/devices/uncore_upi_*/die*; do
			read -r _ < "$file"
		done
	done 2> /dev/null &
done
for round in $(seq 20); do
	rmmod intel_uncore && modprobe intel_uncore || exit 1
done
: > /tmp/done
wait
! dmesg | grep -E 'BUG|Oops|general protection' || exit 1
echo "$round rounds"
