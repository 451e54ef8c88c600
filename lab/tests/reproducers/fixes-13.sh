# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -o generation=icx
# modules: intel_uncore
#
# fixes 0013: the highest bit of filter_tid reaches the filter.

perf stat -x, -a -e uncore_cha_0/event=0x35,umask=0x1,tid_en=1,filter_tid=0x200/ -- \
	uncore-stim get cha_0 > /tmp/out 2>&1
cat /tmp/out
grep -q 'FILTER0=0x00000200' /tmp/out
