#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-monitors.t: the performance monitors of the emulated Itanium, told of instructions one by one. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -Werror -I"$TOP" -I"$TOP/selftests" "$TOP/selftests/machine/host/ia64-monitors.c" \
	"$TOP"/machine/ia64/pmu*.c -o "$tmp/monitors"
"$tmp/monitors"
