# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8 -o hide=08.6
# modules: intel_uncore
#
# fixes 0006: the function with the filter of QPI port 0 is hidden. An event with a match is
# refused, and the log says why; one without counts.

stim='qpi_0 event=0x38,ext=1,mc=0xe,count=100 qpi_0 event=0x38,ext=1,mc=0x0,count=1000'
# shellcheck disable=SC2086
perf stat -x, -C 0 -o /tmp/match -e uncore_qpi_0/event=0x138,match_mc=0xe,mask_mc=0xf/ -- uncore-stim $stim
# shellcheck disable=SC2086
perf stat -x, -C 0 -o /tmp/all -e uncore_qpi_0/event=0x138/ -- uncore-stim $stim
cat /tmp/match /tmp/all
grep -q '^1100,' /tmp/all && ! grep -qE '^[0-9]' /tmp/match &&
	dmesg | grep 'uncore_qpi_0: no match and mask'
