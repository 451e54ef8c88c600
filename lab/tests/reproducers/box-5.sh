# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2 -o generation=discovery
# modules: intel_uncore
#
# box 0005: a PCI device that the driver has had is removed after the module; it has to be freed.

tracing=/sys/kernel/tracing
echo 'p:released pci_release_dev' > $tracing/kprobe_events || exit 2
echo 1 > $tracing/events/kprobes/released/enable
rmmod intel_uncore || exit 2
removed=0
for device in /sys/bus/pci/devices/*:7f:*; do
	echo 1 > "$device/remove" && removed=$((removed + 1))
done
sleep 1
released=$(grep -c released: $tracing/trace)
echo "$removed devices removed, $released released"
[ "$removed" -gt 0 ] || exit 2
[ "$released" = "$removed" ]
