#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kmemleak finds nothing after the module was unloaded.

. /selftests/tap.sh

report=/sys/kernel/debug/kmemleak

rmmod offcore_rsp 2> /dev/null
# kmemleak reports an object that two scans missed and that is 5 s old.
echo scan > $report
sleep 6
echo scan > $report
cat $report > /tmp/leaks && [ ! -s /tmp/leaks ]
ok $? "kmemleak finds nothing" /tmp/leaks
tap_done
