#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-translation.t: translation of the emulated Itanium. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
machine=$TOP/machine/ia64
${CC:-cc} -std=gnu11 -O0 -Wall -Wextra -Werror -fno-strict-aliasing -I"$TOP" -I"$TOP/selftests" \
	"$TOP/selftests/machine/host/ia64-translation.c" "$machine/cpu.c" "$machine"/decode*.c "$machine/disasm.c" "$machine"/exec-*.c \
	"$machine"/fp*.c "$machine/interrupt.c" "$machine/mmu.c" "$machine/rse.c" -lm -o "$tmp/translation"
"$tmp/translation"
