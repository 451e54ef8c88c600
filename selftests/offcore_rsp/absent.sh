#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# On a machine without counters offcore_rsp does not load, and logs why.

# shellcheck disable=SC2154 # ksft.sh sets ksft_tmp
. ../api/ksft.sh
begin ''
modinfo offcore_rsp > /dev/null 2>&1 || skip_all 'there is no module offcore_rsp'
modprobe cpuid 2> /dev/null
# CPUID leaf 0xa, whose lowest byte is the version
version=$(dd if=/dev/cpu/0/cpuid iflag=skip_bytes skip=10 bs=16 count=1 2> /dev/null | od -A n -t u1 -N 1 | tr -d ' ')
[ "$version" = 0 ] || skip_all "this processor has counters (version ${version:-unknown})"
plan 3

! modprobe offcore_rsp 2> /dev/null
ok $? "does not load without counters"
# busybox's modprobe tries finit_module(), which taints the kernel, and then init_module().
dmesg -r | sed -n '/taint/d; s/\[.*\] \(offcore_rsp\)/\1/p' | sort -u > "$ksft_tmp/lines"
grep -q '^<6>offcore_rsp: .*CPUID leaf 0xa' "$ksft_tmp/lines" && [ "$(wc -l < "$ksft_tmp/lines")" = 1 ]
ok $? "the log says why it does not load, in one line, as an information" "$ksft_tmp/lines"
# udev would try once for each CPU.
! modprobe -D "$(cat /sys/devices/system/cpu/modalias)" 2> /dev/null | grep offcore_rsp
ok $? "udev does not load it"
finish
