#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# intel-uncore.t: Linux's own driver counts on the model, on both kernels. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"
merged "$@"

# run COMMAND [OPTION...]: run a script in the machine, and test that it reached its end
run()
{
	command=$1
	shift
	code=0
	"$TOP/selftests/vm" -m intel_uncore -W -t 300 \
		-o checker-off=stale-counter,one-criterion,one-filter-user,counter0,threshold "$@" -- "$command" || code=$?
	ok $code 'ran to its end without a warning'
	echo 1..1
}

# 6.1 uses the number of cores, 6.12 that of present CPUs, and so needs all eight.
part 6.1 run '. /selftests/machine/intel_uncore.sh' -k 6.1 -c 2
part 6.12 run '. /selftests/machine/intel_uncore.sh' -k 6.12
