#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# KCSAN has watched the modules' accesses, so that its silence says something. What it finds is in
# the kernel's log.

. ../api/ksft.sh
begin ''
report=/sys/kernel/debug/kcsan
[ -r $report ] || skip_all 'this kernel has no KCSAN (CONFIG_KCSAN)'
plan 1
looked=$(sed -n 's/^setup_watchpoints: //p' $report)
[ "${looked:-0}" -gt 1000 ]
ok $? "KCSAN has looked at accesses | ${looked:-0}" $report
finish
