#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore's scheduling of counters and filters, without a kernel, against brute force. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

${CC:-cc} -std=gnu11 -O2 -Wall -Wextra ${WERROR--Werror} -fsanitize=address,undefined -fno-sanitize-recover \
	-I"$top/selftests/lib/shim" -I"$top/selftests" -I"$top" \
	"$top/selftests/uncore/host/sched.c" "$top/selftests/lib/random/draw.c" "$top/selftests/lib/random/fuzz.c" "$top/snbep/sched.c" -o "$tmp/sched"
"$tmp/sched"
