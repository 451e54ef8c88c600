# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -a numa=fake=16
# modules: intel_uncore
#
# fixes 0011: more NUMA nodes than eight on two dies, and no node of the uncore's buses: none of the
# ten PMUs in PCI configuration space is there.

cat /sys/devices/system/node/possible
pmus=$(ls -d /sys/bus/event_source/devices/uncore_* | wc -l)
echo "$pmus PMUs"
[ "$pmus" = 20 ]
