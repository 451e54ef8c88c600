#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The allocator of offcore response registers, without a kernel, against brute force. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -I"$TOP/selftests/lib/shim" -I"$TOP/selftests" -I"$TOP" \
	"$TOP/selftests/offcore/host/alloc.c" "$TOP/selftests/lib/chance/draw.c" "$TOP/selftests/lib/chance/fuzz.c" -o "$tmp/alloc"
"$tmp/alloc"
