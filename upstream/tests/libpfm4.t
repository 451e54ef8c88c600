#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests that upstream/libpfm4 adds fail on Debian's libpfm4, and pass with the patches. With
# PERFMON=DIR, a clone of github.com/intel/perfmon, also compare the tables with Intel's lists.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

source=$("$TOP/scripts/libpfm4")

if [ "${PERFMON:-}" ]; then
	git clone -q "$PERFMON" "$tmp/perfmon"
	git -C "$tmp/perfmon" checkout -q "$(cat "$TOP/upstream/perfmon/base")"
fi
cp -r "$source" "$tmp/tree"
cd "$tmp/tree" || exit
git init -q
git config user.name test
git config user.email test@example.org
git add -A -f
git commit -q -m "$(basename "$source")"
git tag base
code=0
git am -q "$TOP"/upstream/libpfm4/0*.patch > "$tmp/am" 2>&1 || code=$?
ok $code "git am takes the patches on $(basename "$source")" "$tmp/am"

# differences: how many unit masks and codes differ from Intel's lists
differences()
{
	gcc -Iinclude -o "$tmp/list" "$TOP/upstream/tests/libpfm4-list.c" lib/libpfm.a
	"$tmp/list" > "$tmp/listed"
	# The first is a fixed counter, which has no code. The guides disagree on the second.
	"$TOP/upstream/tests/libpfm4.py" "$tmp/perfmon" "$tmp/listed" | grep -vE 'UNC_M_CLOCKTICKS|UNC_P_FREQ_MIN_PERF_P_CYCLES' > "$tmp/differ"
	sed '$d' "$tmp/differ" | wc -l
}

# validate: build libpfm4 and run its tests; their output is in $tmp/said
validate()
{
	if ! { make -s -j2 lib && make -s -C tests; } > "$tmp/made" 2>&1; then
		tail -n 20 "$tmp/made"
		die "libpfm4 does not build"
	fi
	./tests/validate -A > "$tmp/said" 2>&1
}

added=$(git diff base HEAD -- tests | grep -c '^+.*SRC_LINE')
git checkout -q base -- lib
code=0
validate || code=$?
errors=$(sed -n 's/.* x86 events: \([0-9]*\) errors.*/\1/p' "$tmp/said")
failed=1
if [ $code != 0 ] && [ "$errors" = "$added" ]; then failed=0; fi
ok $failed "without the patches to its tables, the $added tests that they add fail ($errors)" "$tmp/said"
[ -z "${PERFMON:-}" ] || before=$(differences)
git checkout -q HEAD -- lib
code=0
validate || code=$?
ok $code "with them, all tests of libpfm4 pass" "$tmp/said"
if [ "${PERFMON:-}" ]; then
	after=$(differences)
	[ "$before" -gt 100 ] && [ "$after" = 0 ] && code=0 || code=1
	ok $code "$before values of Ivy Bridge-EP to Broadwell differ from Intel's lists without them, and $after with them" "$tmp/differ"
else
	ok 0 "Intel's lists # SKIP it needs PERFMON=DIR, a clone of github.com/intel/perfmon"
fi
tap_done
