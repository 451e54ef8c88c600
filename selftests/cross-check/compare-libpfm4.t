#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event tables against those of libpfm4, compiled from Debian's source
# package. Every difference is in libpfm4.differences.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

here=$TOP/selftests/cross-check
out=$TOP/build/selftests/events
mkdir -p "$out"

make -s -C "$TOP/events" >&2
src=$("$TOP/scripts/libpfm4")
cc -O2 -Wall -I"$src/lib" -I"$src/include" -o "$out/libpfm4-dump" "$here/libpfm4-dump.c" >&2
"$out/libpfm4-dump" > "$out/libpfm4"
"$TOP/build/events/gen" rows > "$out/rows"
exec "$here/compare.pl" "$out/rows" "$out/libpfm4" "$here/libpfm4.differences"
