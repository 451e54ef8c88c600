# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8 -o generation=2
# modules: intel_uncore
#
# fixes 0001: a function gets the third R3QPI, by new_id: 0x502 is what the driver's table has for
# 8086:0e3e. The machine has no such function; 0ea0 (HA) is one that the driver knows, and any
# will do.

driver=/sys/bus/pci/drivers/ivbep_uncore
function=$(basename "$(ls -d $driver/*:0e.1)")
echo "$function" > $driver/unbind
echo 8086 0e30 ffffffff ffffffff 0 0 502 > $driver/new_id
[ -e "$driver/$function" ] || echo "$function" > $driver/bind
ls -d /sys/bus/event_source/devices/uncore_r3qpi*
[ -e /sys/bus/event_source/devices/uncore_r3qpi_2 ]
