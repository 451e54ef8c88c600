# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8
# modules: intel_uncore
#
# constraints 0002: a group of two TxR_CYCLES_FULL has no room on counter 0: refused; one of them
# counts.

full=uncore_r2pcie/event=0x25,umask=0x1/
again=uncore_r2pcie/event=0x25,umask=0x2/
stim='r2pcie event=0x25,umask=0x1,count=100 r2pcie event=0x25,umask=0x2,count=50'
# shellcheck disable=SC2086
perf stat -x, -C 0 -o /tmp/group -e "{$full,$again}" -- uncore-stim $stim
# shellcheck disable=SC2086
perf stat -x, -C 0 -o /tmp/one -e $again -- uncore-stim $stim
cat /tmp/group /tmp/one
grep -q '^50,' /tmp/one && ! grep -qE '^[0-9]' /tmp/group
