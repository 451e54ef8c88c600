#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run bare/ on several bare machines.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/machine/xeon/tests/bare.sh"

machine plain all
machine left-out left-out cbos=6 no-qpi hide=0e.1
machine pcu-drop pcu-drop pcu-ext=drop
machine pcu-fault pcu-fault pcu-ext=fault
machine rules rules checker-off=
machine checker-off rules-off checker-off=wo-read,counter0
shape='1 2'
machine cores cores
machine socket-residency one-core residency=socket
shape='1 1'
machine threads one-core threads=2
shape='2 1'
accel='-icount shift=auto'
machine icount all
tap_done
