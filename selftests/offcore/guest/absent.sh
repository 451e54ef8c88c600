#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# absent.sh: offcore_rsp on a machine without counters does not load, and says why. Prints TAP.

. /selftests/lib/tap.sh

! modprobe offcore_rsp 2> /dev/null
ok $? "does not load without counters"
# Busybox' modprobe makes two attempts, by finit_module() and init_module(), of which the first taints the kernel.
dmesg -r | sed -n '/taint/d; s/\[.*\] \(offcore_rsp\)/\1/p' | sort -u > /tmp/lines
grep -q '^<6>offcore_rsp: .*CPUID leaf 0xa' /tmp/lines && [ "$(wc -l < /tmp/lines)" = 1 ]
ok $? "and says why in one line, as an information" /tmp/lines
# udev would try for each CPU.
! modprobe -D "$(cat /sys/devices/system/cpu/modalias)" 2> /dev/null | grep offcore_rsp
ok $? "udev does not load it"
tap_done
