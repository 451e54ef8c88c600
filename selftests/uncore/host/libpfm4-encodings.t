#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# libpfm4-encodings.sh [KERNEL]: libpfm4 in the machine, with PMUs under the names that it looks for: every
# event and unit mask that it knows is the alias of that name and counts, or is
# in libpfm4-encodings.differences.

set -eu

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../../.." && pwd)
kernel=${1:-6.1}
out=$top/build/selftests/events-$kernel
mkdir -p "$out/extra"

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$top/events" >&2
cc -O2 -Wall -Wextra -D_GNU_SOURCE -std=gnu11 -static -I"$top/selftests" -o "$out/extra/libpfm4-guest" \
	"$here/libpfm4-guest.c" "$top"/selftests/lib/*.c -lpfm >&2
"$top/selftests/vm" -k "$kernel" -t 300 -W -m 'snbep_uncore uncore_names=1' -e "$out/extra" -- \
	/extra/libpfm4-guest > "$out/encodings"

# What is to be: every row of every box, the same and counting.
"$top/build/events/gen" rows | awk '
	BEGIN { n["cbox"] = 8; n["imc"] = 4; n["qpi"] = 2; n["r3qpi"] = 2 }
	!n[$1] { print $1, $2, "same counts 1" }
	{ for (i = 0; i < n[$1]; i++) print $1 "_" i, $2, "same counts 1" }' > "$out/wanted"
exec "$here/compare.pl" "$out/wanted" "$out/encodings" "$here/libpfm4-encodings.differences"
