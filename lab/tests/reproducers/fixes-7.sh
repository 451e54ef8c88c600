# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8 -o generation=2
# modules: intel_uncore
#
# fixes 0007: inv=0 and inv=1 on the boxes of an Ivy Bridge-EP that have format/inv

counts()
{
	perf stat -x, -C 0 -o /tmp/stat -e "$1" -- true
	tail -n 1 /tmp/stat
	grep -qE '^[0-9]' /tmp/stat
}
boxes=0
for box in imc_0 ha r2pcie irp ubox; do
	[ -e "/sys/bus/event_source/devices/uncore_$box" ] || continue
	echo "$box"
	counts "uncore_$box/event=0x4,inv=0/" || exit 1
	! counts "uncore_$box/event=0x4,inv=1,thresh=2/" || exit 1
	boxes=$((boxes + 1))
done
[ "$boxes" -gt 2 ]
