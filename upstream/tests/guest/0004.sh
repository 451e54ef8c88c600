# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# uncore 0004: occ_edge is the edge of the occupancy, and leaves occ_sel alone.

cat /sys/bus/event_source/devices/uncore_pcu/format/occ_edge
perf stat -x, -C 0 -e uncore_pcu/event=0x80,occ_sel=2,thresh=3,occ_edge=1/ -- \
	uncore-stim -s 0 pcu event=0x80,umask=0x80,inc=3,count=77 > /tmp/out 2>&1
cat /tmp/out
[ "$(cut -d, -f1 /tmp/out)" = 77 ]
