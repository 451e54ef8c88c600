#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Common/match.h on the host, against brute force.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

cd "$TOP/selftests"
${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -fsanitize=address,undefined -fno-sanitize-recover \
	-Imock-kernel/shim -I. -I"$TOP" cases/common/match.c fuzzing/draw.c -o "$tmp/match"
"$tmp/match"
