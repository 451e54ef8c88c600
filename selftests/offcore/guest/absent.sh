#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# absent.sh: offcore_rsp on a machine without counters does not load, and says why. Prints TAP.

failed=0
if modprobe offcore_rsp 2> /dev/null; then
	echo "not ok 1 - does not load without counters"
	failed=1
else
	echo "ok 1 - does not load without counters"
fi
if dmesg | grep -q 'offcore_rsp: .*CPUID leaf 0xa'; then
	echo "ok 2 - and says why"
else
	echo "not ok 2 - and says why"
	failed=1
fi
echo 1..2
exit $failed
