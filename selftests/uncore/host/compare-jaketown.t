#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event tables against perf's JSON of the Xeon E5-2600, from Debian's
# linux-source-6.1 (6.12's lost the extended select). Every difference is in
# jaketown.differences.

set -eu

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../../.." && pwd)
out=$top/build/selftests/events
mkdir -p "$out"

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$top/events" >&2
src=$("$top/selftests/lib/source" linux)
"$here/jaketown-dump.pl" "$src"/tools/perf/pmu-events/arch/x86/jaketown/uncore-*.json > "$out/jaketown"
"$top/build/events/gen" rows > "$out/rows"
exec "$here/compare.pl" "$out/rows" "$out/jaketown" "$here/jaketown.differences"
