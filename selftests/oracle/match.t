#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# match.t: common/match.h on the host, against brute force. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -fsanitize=address,undefined -fno-sanitize-recover -I"$TOP/selftests/kernel/shim" \
	-I"$TOP/selftests" -I"$TOP" "$TOP/selftests/oracle/match.c" "$TOP/selftests/oracle/draw.c" "$TOP/selftests/oracle/fuzz.c" -o "$tmp/match"
"$tmp/match"
