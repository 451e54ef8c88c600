#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# judge.t: the model's judges as programs of the host: what they say of what the manuals forbid, and of what is next to it. The
# uncore's comes with its registers and counters, under the tests of the bare machine that need no more. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"
merged "$@"

out=$BUILD/judge
mkdir -p "$out"
(
	flock 9
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j2 -C "$TOP/selftests/machine/host/judge" "OUT=$out" "TOP=$TOP" >&2
) 9> "$out/.lock"

part montecito "$out/montecito"
part registers "$out/uncore" registers
part rules "$out/uncore" rules
part tally "$out/uncore" tally
part other-writer "$out/uncore" other-writer
part refusals "$out/uncore" refusals
