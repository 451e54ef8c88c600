#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# logic.t [PART]...: Montecito's logic and event table, without a kernel, in parts: sched (the assignment of counters, against
# brute force), callchain (call chains on ia64), libpfm4 (the events, against libpfm4's). Without arguments all of them. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"
merged "$@"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# sched: assign counters
part_sched()
{
	${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -I"$TOP/selftests/kernel/shim" -I"$TOP" -I"$TOP/selftests" "$TOP/selftests/oracle/sched.c" \
		"$TOP/selftests/oracle/draw.c" "$TOP/selftests/oracle/fuzz.c" "$TOP/itanium/event.c" "$TOP/itanium/generic.c" \
		"$TOP/itanium/sched.c" "$TOP/itanium/setup.c" -o "$tmp/sched"
	part sched "$tmp/sched"
}

# callchain: a file of the kernel's patches, with a mock kernel
part_callchain()
{
	sed '1,/^+++ .*perf_callchain\.c$/d; /^+/!d; s/^+//; /^#include/d' "$TOP"/itanium/ia64/patches/*-ia64-call-chains-for-perf.patch \
		> "$tmp/perf_callchain.c"
	${CC:-cc} -O2 -Wall -Wextra -Werror -I"$TOP" -I"$tmp" "$TOP/selftests/cases/ia64/callchain.c" -o "$tmp/callchain"
	part callchain "$tmp/callchain"
}

# libpfm4: the event table against libpfm4's
part_libpfm4()
{
	libpfm4=$("$TOP/scripts/libpfm4")
	part libpfm4 perl "$TOP/selftests/against/compare-montecito" "$libpfm4/lib/events/montecito_events.h" "$TOP/events/montecito.def" "$TOP/selftests/against/montecito.reasons"
}

[ $# -gt 0 ] || set -- sched callchain libpfm4
for name; do
	"part_$name"
done
