#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Linux's own driver counts on the model, on two kernels and on boards with other buses.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

cp "$TOP/scripts/tap.sh" "$TOP/machine/xeon/tests/guest/intel_uncore.sh" "$tmp/"

# run [OPTION...]: run the script in the machine, which fails if the kernel's log has a warning
run()
{
	"$TOP/machine/xeon/vm/vm" -m intel_uncore -W -t 300 -e "$tmp" \
		-o checker-off=stale-counter,one-criterion,one-filter-user,counter0,threshold "$@" -- 'cd /extra && . ./intel_uncore.sh'
}

# 6.1 uses the number of cores, 6.12 that of present CPUs, and so needs all eight.
part 6.1 run -k 6.1 -c 2
part 6.12 run -k 6.12
part 'no MMCONFIG, buses 1f and 3f' run -k newest -o buses=1f,3f -a pci=nommconf
part 'one socket on 7f' run -k 6.1 -s 1 -c 2 -o buses=7f
tap_done
