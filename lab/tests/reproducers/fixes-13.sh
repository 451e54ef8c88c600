# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -o generation=skx
# modules: intel_uncore
#
# fixes 0013: a threshold of 64 is refused, and not counted as if it were none.

perf stat -x, -a -o /tmp/out -e uncore_pcu/event=0x5,thresh=64/ -- \
	uncore-stim pcu_0 event=0x5,count=1000 > /tmp/err 2>&1
cat /tmp/out /tmp/err
! grep -q '^[0-9]' /tmp/out
