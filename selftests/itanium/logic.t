#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Montecito's logic and event table, without a kernel: encoding, the assignment of counters against brute force, and
# the events against libpfm4's. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../vm/lib.sh"

dir=$TOP/selftests/itanium
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

logic="$TOP/itanium_event.c $TOP/itanium_generic.c $TOP/itanium_sched.c $TOP/itanium_setup.c"
for t in encode_test sched_test; do
	# shellcheck disable=SC2086 # a list of files
	${CC:-cc} -O2 -Wall -Wextra -Werror -I"$dir/include" -I"$TOP" -I"$dir" "$dir/$t.c" $logic -o "$tmp/$t"
done
${CC:-cc} -O2 -Wall -Wextra -Werror -I"$TOP" "$dir/list_events.c" -o "$tmp/list_events"
"$tmp/list_events" > "$tmp/list"

version=$("$TOP/selftests/vm/apt-source" -v libpfm4)
libpfm4=$CACHE/libpfm4-$version
lock libpfm4
if [ ! -d "$libpfm4" ]; then
	"$TOP/selftests/vm/apt-source" libpfm4 "$libpfm4.new" >&2
	mv "$libpfm4.new" "$libpfm4"
fi
unlock

# One TAP stream of several: the numbers go, prove counts.
status=0
for run in "$tmp/encode_test" "$tmp/sched_test" \
	"perl $dir/compare_libpfm4 $libpfm4/lib/events/montecito_events.h $tmp/list $dir/libpfm4.reasons"; do
	$run > "$tmp/out" || status=1
	sed -E -n -e '/^1\.\./d' -e 's/^((not )?ok) [0-9]+ /\1 - /' -e p "$tmp/out" >> "$tmp/all"
done
cat "$tmp/all"
printf '1..%d\n' "$(grep -c -E '^(not )?ok' "$tmp/all")"
exit $status
