#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# absent.sh: offcore_rsp on a machine without counters does not load, and says why. Prints TAP.

. /selftests/lib/tap.sh

! modprobe offcore_rsp 2> /dev/null
ok $? "does not load without counters"
dmesg | grep -q 'offcore_rsp: .*CPUID leaf 0xa'
ok $? "and says why"
tap_done
