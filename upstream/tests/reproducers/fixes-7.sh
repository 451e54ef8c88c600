# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8 -o generation=2
# modules: intel_uncore
#
# fixes 0007: which boxes of an Ivy Bridge-EP offer "inv"

boxes_with()
{
	boxes=0
	for file in /sys/bus/event_source/devices/uncore_*/format/"$1"; do
		[ ! -e "$file" ] || boxes=$((boxes + 1))
	done
	echo $boxes
}
echo "$(boxes_with inv) of $(boxes_with thresh) boxes have inv"
[ "$(boxes_with thresh)" -gt 10 ] && [ "$(boxes_with inv)" = 0 ]
