#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# leaks.sh: kmemleak finds nothing, now that the module is gone. Prints TAP.

. /selftests/lib/tap.sh

report=/sys/kernel/debug/kmemleak

rmmod offcore_rsp 2> /dev/null
# An object is reported by the second scan that does not find it, if it is 5 s old when that begins.
echo scan > $report
sleep 6
echo scan > $report
cat $report > /tmp/leaks && [ ! -s /tmp/leaks ]
ok $? "kmemleak finds nothing" /tmp/leaks
tap_done
