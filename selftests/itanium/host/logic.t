#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# logic.t [PART]...: Montecito's logic and event table, without a kernel, in parts: encode (encoding), sched (the assignment of
# counters, against brute force), order (of an Itanium's register accesses), callchain (call chains on ia64), libpfm4 (the events,
# against libpfm4's). Without arguments all of them. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"
merged "$@"

dir=$TOP/selftests/itanium/host
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

logic="$TOP/itanium/event.c $TOP/itanium/generic.c $TOP/itanium/sched.c $TOP/itanium/setup.c"
build()
{
	program=$1
	shift
	# shellcheck disable=SC2086 # a list of files
	${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -I"$TOP/selftests/lib/shim" -I"$TOP" -I"$TOP/selftests" "$dir/$program.c" "$@" $logic \
		-o "$tmp/$program"
}
# encode: take configurations apart
part_encode()
{
	build encode
	part encode "$tmp/encode"
}

# sched: assign counters
part_sched()
{
	build sched "$TOP/selftests/lib/chance/draw.c" "$TOP/selftests/lib/chance/fuzz.c"
	part sched "$tmp/sched"
}

# order: the driver for ia64 as it is, with the processor's registers watched. What perf calls has arguments that nobody needs.
part_order()
{
	# shellcheck disable=SC2086
	${CC:-cc} -O2 -fno-strict-aliasing -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare ${WERROR--Werror} \
		-I"$dir/shim-ia64" -I"$TOP/selftests/lib/shim" -I"$TOP" -I"$TOP/selftests" "$dir/order.c" $logic "$TOP/itanium/backend_ia64.c" \
		"$TOP/itanium/cpu.c" "$TOP/itanium/interrupt.c" "$TOP/itanium/capture.c" -o "$tmp/order"
	part order "$tmp/order"
}

# callchain: a file of the kernel's patches, and the kernel around it made up
part_callchain()
{
	sed '1,/^+++ .*perf_callchain\.c$/d; /^+/!d; s/^+//; /^#include/d' "$TOP"/itanium/ia64/patches/*-ia64-call-chains-for-perf.patch \
		> "$tmp/perf_callchain.c"
	${CC:-cc} -O2 -Wall -Wextra -Werror -I"$TOP/selftests" -I"$tmp" "$dir/callchain.c" -o "$tmp/callchain"
	part callchain "$tmp/callchain"
}

# libpfm4: the event table against libpfm4's
part_libpfm4()
{
	# shellcheck disable=SC2086 # empty for mutants
	${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -I"$TOP" "$dir/list_events.c" -o "$tmp/list_events"
	"$tmp/list_events" > "$tmp/list"
	libpfm4=$("$TOP/selftests/lib/source" libpfm4)
	part libpfm4 perl "$dir/compare_libpfm4" "$libpfm4/lib/events/montecito_events.h" "$tmp/list" "$dir/libpfm4.reasons"
}

[ $# -gt 0 ] || set -- encode sched order callchain libpfm4
for name; do
	"part_$name"
done
