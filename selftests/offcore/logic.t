#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The allocator of offcore response registers, without a kernel, against brute force. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../vm/lib.sh"

dir=$TOP/selftests/offcore
# Stand-ins for the kernel's headers, and the TAP printer, are those of the other pure logic.
shim=$TOP/selftests/itanium
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

${CC:-cc} -O2 -Wall -Wextra -Werror -I"$shim/include" -I"$shim" -I"$TOP" "$dir/alloc_test.c" "$TOP/offcore_alloc.c" \
	-o "$tmp/alloc_test"
"$tmp/alloc_test"
