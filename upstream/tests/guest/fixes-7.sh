# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8 -o generation=2
# modules: intel_uncore
#
# fixes 0007: which boxes of an Ivy Bridge-EP offer "inv"

formats=$(ls -d /sys/bus/event_source/devices/uncore_*/format/thresh | wc -l)
inverted=$(ls -d /sys/bus/event_source/devices/uncore_*/format/inv 2> /dev/null | wc -l)
echo "$inverted of $formats boxes have inv"
[ "$formats" -gt 10 ] && [ "$inverted" = 0 ]
