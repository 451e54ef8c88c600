#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# compare-jaketown.t [KERNEL]: the event tables against perf's JSON of the Xeon E5-2600, as the
# source of a kernel has it (6.1). Every difference is in jaketown.differences. 5.10 has other
# names.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

here=$TOP/selftests/cross-check
out=$TOP/build/selftests/events
kernel=${1:-6.1}
list=tools/perf/pmu-events/arch/x86/jaketown
mkdir -p "$out"

[ "$kernel" = 6.1 ] && edition=6.1 || edition=newer
code=0
src=$("$TOP/scripts/linux-source" "$kernel" $list) || code=$?
[ $code != 4 ] || { echo "1..0 # SKIP the Debian suite of kernel $kernel is no longer on the mirror"; exit; }
[ $code = 0 ] || exit $code
make -s -C "$TOP/events" >&2
"$here/jaketown-dump.pl" "$src/$list"/uncore-*.json > "$out/jaketown-$kernel"
"$TOP/build/events/gen" rows > "$out/rows"
exec "$here/compare.pl" "$out/rows" "$out/jaketown-$kernel" "$here/jaketown.differences" $edition
