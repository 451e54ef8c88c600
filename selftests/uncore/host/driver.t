#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore driver as it is, all of it, in a program of the host: with a kernel of functions that watch it (lib/kernel) and
# registers that count (driver/machine.c). Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"

out=$BUILD/uncore-driver
mkdir -p "$out"
(
	flock 9
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j2 -C "$TOP/selftests/uncore/host/driver" "OUT=$out" "TOP=$TOP" >&2 9>&-
) 9> "$out/.lock"
"$out/driver"
