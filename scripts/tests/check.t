#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What make check is made of: tap-parts loses no failed test, and check reports it.

. "$(dirname "$(readlink -f "$0")")/../lib.sh"
. "$TOP/scripts/test.sh"

unset SNBEP_RUNS

# merges NAME STATUS RESULTS: tap-parts gives these results of standard input, and this status.
merges()
{
	cat > "$tmp/in"
	"$SCRIPTS/tap-parts" cat "$tmp/in" > "$tmp/out" && code=0 || code=$?
	check "$1" [ "$code $(grep -E '^(not )?ok|^1\.\.' "$tmp/out")" = "$2 $3" ]
}
set +e

merges 'tap-parts: a program that passes, and one that skips all' 0 'ok 1 - a
ok 2 - b # SKIP no such hardware
1..2' << 'END'
##begin
building something
##begin a
TAP version 13
1..2
# detail
ok 1 global.a
ok 2 # SKIP not here
##end 0 a
##begin b
1..0 # SKIP no such hardware
##end 4 b
##end 0 
1..0
END
merges 'tap-parts: a failed test, no plan, a plan that is not kept, an exit status, no end' 1 'ok 1 - fine
not ok 2 - a: failed: 2
not ok 3 - b: No plan found in TAP output
not ok 4 - c: Bad plan.  You planned 3 tests but ran 1.
not ok 5 - d: exit status 9
not ok 6 - e: did not end
not ok 7 - exit status 124: time over
1..7' << 'END'
ok 1 - fine
##begin
##begin a
1..3
ok 1 - x
not ok 2 - y
ok 3 - z # TODO later
##end 0 a
##begin b
ok 1 - x
##end 0 b
##begin c
1..3
ok 1 - x
##end 0 c
##begin d
1..1
ok 1 - x
##end 9 d
##begin e
ok 1 - x
##end 124 
1..1
END
merges "tap-parts: a script's own test that fails, and one that is known to" 1 'ok 1 - fine
not ok 2 - sum
ok 3 - later # TODO a patch
1..3' << 'END'
ok 1 - fine
not ok 2 - sum
not ok 3 - later # TODO a patch
1..3
END
merges 'tap-parts: a stream that ends too early' 1 'ok 1 - fine
not ok 2 - printed no plan (exit status 0)
1..2' << 'END'
ok 1 - fine
END
mkdir "$tmp/runs"
printf 'boot\n[ 1.0] ##begin x\n[ 1.1] oops\n' > "$tmp/runs/1"
printf '##again run it\n##begin x\n# again: x 0x17\n1..1\nnot ok 1 - a\n##end 1 x\n1..0\n' > "$tmp/in"
SNBEP_RUNS=$tmp/runs "$SCRIPTS/tap-parts" cat "$tmp/in" > "$tmp/out"
grep -q '^#   \[ 1.1\] oops$' "$tmp/out" && ! grep -q boot "$tmp/out" && grep -q "^# again: run it 'x 0x17'$" "$tmp/out"
ok $? "tap-parts: the end of the machine's log, and how to run it again, follow a failed test" "$tmp/out"

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
