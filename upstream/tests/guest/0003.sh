# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# uncore 0003: a carry between the reads of a counter's halves, which "tear" causes right after the next read of the low half.

uncore-stim -s 0 set imc_0 ctr=0,value=0xfffffff0
uncore-stim -s 0 tear imc_0 ctr=0,value=0x100000000,after=lo
perf stat -x, -C 0 -e uncore_imc_0/event=0x4,umask=0x3/ -- uncore-stim -s 0 imc_0 event=0x4,umask=0x3,count=1000 > /tmp/out 2>&1
cat /tmp/out
[ "$(cut -d, -f1 /tmp/out)" = 1000 ]
