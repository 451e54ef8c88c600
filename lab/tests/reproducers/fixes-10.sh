# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2 -o units=REPRODUCERS/many.units
# modules: intel_uncore
#
# fixes 0010: a unit with twelve counters, of which the driver can use eight.

perf stat -x, -C 0 -o /tmp/stat -e uncore_type_7/event=2/ -- uncore-stim type_7_0 event=2,count=100
cat /tmp/stat
ls /sys/bus/event_source/devices
grep -q '^100,' /tmp/stat
