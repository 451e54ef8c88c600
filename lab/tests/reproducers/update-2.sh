# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1
# modules: intel_uncore
#
# update 0002: while reads in a loop race with the box's hrtimer, each event counts what its
# counter does, which began at 0.

for counter in 0 1 2 3; do
	uncore-stim -s 0 set ha ctr=$counter,value=0
done
/extra/race 125 > /tmp/events
uncore-stim -s 0 get ha > /tmp/get
wrong=0
for counter in 0 1 2 3; do
	value=$(sed -n "s/^HA_PCI_PMON_CTR$counter=//p" /tmp/get)
	count=$(sed -n "$((counter + 1))p" /tmp/events)
	# Ignore 2^48, which a carry between two halves adds (pci 0001).
	difference=$(((count - value) & 0xffffffffffff))
	echo "counter $counter has $((value)), its event differs by $difference"
	[ $difference = 0 ] || wrong=1
done
[ $wrong = 0 ]
