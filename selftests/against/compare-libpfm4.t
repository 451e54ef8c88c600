#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event tables against those of libpfm4, compiled from Debian's source
# package. Every difference is in libpfm4.differences.

set -eu

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../.." && pwd)
out=$top/build/selftests/events
mkdir -p "$out"

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$top/events" >&2
src=$("$top/scripts/libpfm4")
cc -O2 -Wall -I"$src/lib" -I"$src/include" -o "$out/libpfm4-dump" "$here/libpfm4-dump.c" >&2
"$out/libpfm4-dump" > "$out/libpfm4"
"$top/build/events/gen" rows > "$out/rows"
exec "$here/compare.pl" "$out/rows" "$out/libpfm4" "$here/libpfm4.differences"
