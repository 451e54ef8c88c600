#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# checker.t: host-side unit tests of the models' protocol checkers: accesses that the manuals forbid, and allowed ones beside them. The
# uncore's is compiled with its registers and counters, and runs the bare machine's tests that need no more. device: the PCI device
# that has Montecito's monitors. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"
rerun_under_tap_parts "$@"

out=$BUILD/checker
mkdir -p "$out"
(
	flock 9
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j2 -C "$TOP/machine/xeon/tests/checker" "OUT=$out" "TOP=$TOP" >&2
) 9> "$out/.lock"

part montecito "$out/montecito"
part device "$out/device"
part registers "$out/uncore" registers
part rules "$out/uncore" rules
part accesses "$out/uncore" accesses
part poke "$out/uncore" poke
part refusals "$out/uncore" refusals
