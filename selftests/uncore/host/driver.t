#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore driver as it is, all of it, in a program of the host: with a kernel of functions that watch it (driver/kernel.c) and
# registers that count (driver/machine.c). Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
dir=$top/selftests/uncore/host/driver
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The kernel's headers are empty: what they have is in kernel.h. Those below lib/shim come first, and perf's interface is the host's.
sed -n 's:^#include <\([a-z/_0-9-]*\.h\)>.*:\1:p' "$top"/snbep/*.[ch] "$top"/common/*.h "$top"/snbep_uncore.[ch] | sort -u |
	while read -r header; do
		[ ! -e "$top/selftests/lib/shim/$header" ] && [ "$header" != linux/perf_event.h ] || continue
		mkdir -p "$tmp/${header%/*}"
		echo > "$tmp/$header"
	done

for source in "$top"/snbep/*.c "$top/snbep_uncore.c" "$dir"/*.c; do
	echo "$source"
done | xargs -P2 -I{} sh -c 'exec "$@" -c {} -o "$0/$(basename {} .c).o"' "$tmp" \
	${CC:-cc} -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover -fno-strict-aliasing -Wall -Wextra -Werror -Wno-format -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
	-include "$dir/kernel.h" -I"$top/selftests/lib/shim" -I"$tmp" -I"$top/selftests" -I"$top"
${CC:-cc} -fsanitize=address,undefined "$tmp"/*.o -o "$tmp/driver"
"$tmp/driver"
