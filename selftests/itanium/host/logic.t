#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# logic.t [PART]...: Montecito's logic and event table, without a kernel, in parts: sched (the assignment of counters, against
# brute force), libpfm4 (the events, against libpfm4's). Without arguments both. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"
merged "$@"

dir=$TOP/selftests/itanium/host
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# sched: assign counters
part_sched()
{
	${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -I"$TOP/selftests/lib/shim" -I"$TOP" -I"$TOP/selftests" "$dir/sched.c" \
		"$TOP/selftests/lib/random/draw.c" "$TOP/selftests/lib/random/fuzz.c" "$TOP/itanium/event.c" "$TOP/itanium/generic.c" \
		"$TOP/itanium/sched.c" "$TOP/itanium/setup.c" -o "$tmp/sched"
	part sched "$tmp/sched"
}

# libpfm4: the event table against libpfm4's
part_libpfm4()
{
	libpfm4=$("$TOP/selftests/lib/source" libpfm4)
	part libpfm4 perl "$dir/compare_libpfm4" "$libpfm4/lib/events/montecito_events.h" "$TOP/events/montecito.def" "$dir/libpfm4.reasons"
}

[ $# -gt 0 ] || set -- sched libpfm4
for name; do
	"part_$name"
done
