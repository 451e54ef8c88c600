# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -o generation=gnr
# modules: intel_uncore
#
# fixes 0015: three UNC_IIO_TXN_REQ_OF_CPU do not fit on counters 0 and 1: refused as a group. Four
# UNC_IIO_NUM_OUTSTANDING_REQ_OF_CPU do.

of_cpu=uncore_iio_0/event=0x84,umask=0x4,ch_mask
data=uncore_iio_0/event=0x88,umask
perf stat -x, -a -o /tmp/three -e "{$of_cpu=1/,$of_cpu=2/,$of_cpu=4/}" -- true
perf stat -x, -a -o /tmp/four -e "{$data=1/,$data=2/,$data=4/,$data=8/}" -- true
cat /tmp/three /tmp/four
! grep -q '^[0-9]' /tmp/three && [ "$(grep -c '^[0-9]' /tmp/four)" = 4 ]
