#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# libpfm4.t: the tests that upstream/libpfm4 adds fail on Debian's libpfm4, and pass with the patches. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

"$SCRIPTS/setup"
source=$("$TOP/scripts/libpfm4")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cp -r "$source" "$tmp/tree"
cd "$tmp/tree" || exit
git init -q
git config user.name test
git config user.email test@example.org
git add -A -f
git commit -q -m "$(basename "$source")"
code=0
git am -q "$TOP"/upstream/libpfm4/000[1-9]-*.patch > "$tmp/am" 2>&1 || code=$?
ok $code "git am takes the patches on $(basename "$source")" "$tmp/am"

# validate: build libpfm4 and run its tests; their output is in $tmp/said
validate()
{
	if ! { make -s -j2 lib && make -s -C tests; } > "$tmp/made" 2>&1; then
		tail -n 20 "$tmp/made"
		die "libpfm4 does not build"
	fi
	./tests/validate -A > "$tmp/said" 2>&1
}

added=$(git diff HEAD~3 HEAD -- tests | grep -c '^+.*SRC_LINE')
git checkout -q HEAD~3 -- lib
code=0
validate || code=$?
errors=$(sed -n 's/.* x86 events: \([0-9]*\) errors.*/\1/p' "$tmp/said")
failed=1
if [ $code != 0 ] && [ "$errors" = "$added" ]; then failed=0; fi
ok $failed "without the patches to its tables, the $added tests that they add fail ($errors)" "$tmp/said"
git checkout -q HEAD -- lib
code=0
validate || code=$?
ok $code "with them, all tests of libpfm4 pass" "$tmp/said"
tap_done
