#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# make check reports each failed test.

. "$(dirname "$(readlink -f "$0")")/../lib.sh"
. "$TOP/scripts/test.sh"

set +e

# A list: the first test passes, the second fails, the third skips.
cat > "$tmp/list" << END
# comment
1	a,quick	sh -c "echo ok 1 - fine; echo 1..1"	# passes
1	a	sh -c "echo 1..2; echo ok 1; echo not ok 2 - sum; echo '# five is not six'"
1	c	sh -c "echo 1..2; echo ok 1; echo 'SUMMARY: a crash'; exit 7"
1	b	sh -c "echo 1..0 '# SKIP no such thing'"
END
export SNBEP_BUILD="$tmp/build"
"$SCRIPTS/check" -g a -l "$tmp/list" > "$tmp/out" 2>&1
code=$?
[ $code = 1 ] && grep -q '^# five is not six$' "$tmp/out" && grep -q 'Failed test:  2$' "$tmp/out" && [ "$(tail -n 1 "$tmp/out")" = 'Result: FAIL' ]
ok $? 'check: a failed test is shown with its diagnostics' "$tmp/out"
! "$SCRIPTS/check" -g c -l "$tmp/list" > "$tmp/out" 2>&1 && grep -q '^SUMMARY: a crash$' "$tmp/out"
ok $? 'check: so is a test that ends in the middle' "$tmp/out"
"$SCRIPTS/check" -l "$tmp/list" fine > "$tmp/out" 2>&1 && [ "$(tail -n 1 "$tmp/out")" = 'Result: PASS' ]
ok $? 'check: a pattern selects tests' "$tmp/out"
"$SCRIPTS/check" -g b -l "$tmp/list" > "$tmp/out" 2>&1 && grep -q 'skipped 1: no such thing$' "$tmp/out"
ok $? 'check: the reason of a skipped test is printed' "$tmp/out"
! "$SCRIPTS/check" -g d -l "$tmp/list" > "$tmp/out" 2>&1 && grep -q '^check: no test with the tag d' "$tmp/out"
ok $? 'check: a tag that no test has is an error' "$tmp/out"

tap_done
