# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2 -o generation=spr
# modules: intel_uncore
#
# fixes 0008: each UPI link of Sapphire Rapids counts its own events.

perf stat -x, -C 0 -o /tmp/stat -e uncore_upi_0/event=2/,uncore_upi_2/event=2/,uncore_m3upi_1/event=2/ -- \
	uncore-stim upi_0 event=2,count=100 upi_2 event=2,count=1 m3upi_1 event=2,count=7
cat /tmp/stat
[ "$(sed -n 's/^\([0-9]*\),.*/\1/p' /tmp/stat | paste -sd ' ')" = '100 1 7' ]
