#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# On a machine without counters offcore_rsp does not load, and logs why.

. /selftests/tap.sh

! modprobe offcore_rsp 2> /dev/null
ok $? "does not load without counters"
# busybox's modprobe tries finit_module(), which taints the kernel, and then init_module().
dmesg -r | sed -n '/taint/d; s/\[.*\] \(offcore_rsp\)/\1/p' | sort -u > /tmp/lines
grep -q '^<6>offcore_rsp: .*CPUID leaf 0xa' /tmp/lines && [ "$(wc -l < /tmp/lines)" = 1 ]
ok $? "and says why in one line, as an information" /tmp/lines
# udev would try once for each CPU.
! modprobe -D "$(cat /sys/devices/system/cpu/modalias)" 2> /dev/null | grep offcore_rsp
ok $? "udev does not load it"
tap_done
