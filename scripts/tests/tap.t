#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tap.t: the parts of make check: tap-merge must not lose a failed test, a failed step of the set-up must be one failed test, and the
# report at the end must count them. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

# Names of this test's programs, as in a list
mkdir -p "$TOP/build"
tmp=$(mktemp -d "$TOP/build/tap.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
here=${tmp#"$TOP/"}
unset SNBEP_STEPS SNBEP_RUNS

# merges NAME STATUS MERGED: tap-merge turns standard input above a line "--" into what is below it, and exits with MERGED if its
# command exits with STATUS.
merges()
{
	cat > "$tmp/both"
	sed '/^--$/,$d' "$tmp/both" > "$tmp/in"
	sed '0,/^--$/d' "$tmp/both" > "$tmp/want"
	code=0
	"$TOP/scripts/tap-merge" sh -c "cat '$tmp/in'; exit $2" > "$tmp/out" || code=$?
	[ $code = "$3" ] || echo "exit status $code" >> "$tmp/out"
	sed -i '/^TAP version/d' "$tmp/out"
	diff "$tmp/want" "$tmp/out" > "$tmp/diff" && code=0 || code=1
	ok $code "$1" "$tmp/diff"
}

merges 'a program that passes' 0 0 << 'END'
TAP version 13
1..2
ok 1 a
# detail
ok 2 - b # SKIP no b here
--
ok 1 - a
# detail
ok 2 - b # SKIP no b here
1..2
END
merges 'exit status 0 in spite of a failed test' 0 1 << 'END'
not ok 1 - b
1..1
--
not ok 1 - b
1..1
END
merges 'a program without a plan' 0 1 << 'END'
ok 1 - a
--
ok 1 - a
not ok 2 - printed no plan (exit status 0)
1..2
END
merges 'a program with fewer tests than planned' 0 1 << 'END'
1..3
ok 1 - a
--
ok 1 - a
not ok 2 - planned 3 tests and ran 1 (exit status 0)
1..2
END
merges 'a program that skips all with a reason' 4 0 << 'END'
1..0 # SKIP no such hardware
--
1..0 # SKIP no such hardware
END
merges 'nested parts' 0 1 << 'END'
##begin
##again run them again
##begin good
1..1
ok 1 - a
##end 0 good
##begin bad
1..2
#  RUN           global.b ...
# b.c:1: no
#          FAIL  global.b
not ok 1 - b
ok 2 - c
##end 1 bad
##begin with a seed
# again: with a seed 0x1234
1..1
not ok 1 - d
##end 1 with a seed
##begin liar
1..1
ok 1 - a
##end 9 liar
##begin skipped
1..0 # SKIP no such hardware
##end 4 skipped
##begin endless
ok 1 - a
##end 124 
--
# good
ok 1 - good: a
# bad
not ok 2 - bad: b
# b.c:1: no
ok 3 - bad: c
# again: run them again bad
# with a seed
not ok 4 - with a seed: d
# again: run them again 'with a seed 0x1234'
# liar
ok 5 - liar: a
not ok 6 - liar: exit status 9 without a failed test
# again: run them again liar
# skipped
ok 7 - skipped # SKIP no such hardware
# endless
ok 8 - endless: a
not ok 9 - endless: did not end
# again: run them again endless
not ok 10 - exit status 124: time over
# again: run them again
1..10
END
merges 'a part whose set-up step failed' 0 123 << 'END'
##begin kernel 6.12
no such compiler
step: set-up step kernel 6.12 failed
##end 123 kernel 6.12
##begin kernel 6.1
1..1
ok 1 - a
##end 0 kernel 6.1
--
# kernel 6.12
# no such compiler
# step: set-up step kernel 6.12 failed
ok 1 - kernel 6.12 # SKIP set-up step kernel 6.12 failed
# kernel 6.1
ok 2 - kernel 6.1: a
1..2
END
merges 'a program whose set-up step failed' 123 123 << 'END'
step: set-up step kernel 6.12 failed before
--
# step: set-up step kernel 6.12 failed before
1..0 # SKIP set-up step kernel 6.12 failed
END

mkdir "$tmp/runs"
cat > "$tmp/guest" << 'END'
printf 'boot\n[ 1.0] ##begin x\n[ 1.1] oops\n' > "$SNBEP_RUNS/1"
printf '##begin x\n1..1\nnot ok 1 - a\n##end 1 x\n'
END
"$TOP/scripts/tap-merge" sh "$tmp/guest" > "$tmp/out" && code=1 || code=0
grep -q '^#   \[ 1.1\] oops$' "$tmp/out" && ! grep -q boot "$tmp/out" || code=1
ok $code 'the log of the machine follows a failed test' "$tmp/out"
"$TOP/scripts/tap-merge" sh -c 'kill $PPID; echo 1..1; echo ok 1 - a' > "$tmp/out" && code=0 || code=1
ok $code 'a signal: the last results of the program' "$tmp/out"

# Steps: each run of try adds to a count in a file.
mkdir "$tmp/steps"
step="$SCRIPTS/step"
cat > "$tmp/try" << 'END'
echo "$1" >> "$2/tries"
echo result
[ "$1" = 0 ] || echo "no compiler" >&2
exit "$1"
END
steps()
{
	code=0
	SNBEP_STEPS=$tmp/steps "$@" > "$tmp/out" 2> "$tmp/err" || code=$?
}
check()
{
	[ "$2" = "$3" ] && code=0 || code=1
	printf 'expected: %s\ngot: %s\n' "$2" "$3" > "$tmp/is"
	ok $code "$1" "$tmp/is" "$tmp/err"
}
steps "$step" 'a b' sh "$tmp/try" 0 "$tmp"
check 'a step that succeeds keeps its output and status' '0 result' "$code $(cat "$tmp/out")"
check 'a step that succeeded is recorded' 'a_b.good a_b.lock a_b.log' "$(cd "$tmp/steps" && echo *)"
rm "$tmp/steps"/* "$tmp/tries"
steps "$step" outer "$step" 'kernel 6' sh "$tmp/try" 5 "$tmp"
check 'a step that fails exits with 123 and its name' '123 step: set-up step kernel 6 failed' "$code $(tail -n 1 "$tmp/err")"
check 'a failed step is recorded with the end of its output, the step around it is not' "kernel 6
no compiler
again: sh $tmp/try 5 $tmp" "$(cat "$tmp/steps"/*.bad)"
steps "$step" 'kernel 6' sh "$tmp/try" 5 "$tmp"
check 'a failed step is not run again' '123 step: set-up step kernel 6 failed before 5' \
	"$code $(cat "$tmp/err") $(cat "$tmp/tries")"

# make check: two programs need a step that fails, one has a failed test, one passes.
cat > "$tmp/needs" << END
#!/bin/sh
. "$TOP/scripts/tap.sh"
"$step" "kernel 7" sh "$tmp/try" 5 "$tmp" || exit
ok 0 'not reached'
tap_done
END
cat > "$tmp/bad" << END
#!/bin/sh
. "$TOP/scripts/tap.sh"
ok 0 fine
echo five is not six > "$tmp/why"
ok 1 sum "$tmp/why"
tap_done
END
printf '#!/bin/sh\necho ok 1 - fine; echo ok 2 - fine, too; echo 1..2\n' > "$tmp/good"
chmod +x "$tmp/needs" "$tmp/bad" "$tmp/good"
printf '1 %s\n' "$here/needs 1" "$here/bad" "$here/good" "$here/needs 2" > "$tmp/list"
rm -f "$tmp/tries"
run()
{
	code=0
	SNBEP_BUILD=$tmp JOBS=2 "$TOP/scripts/check" -l "$tmp/list" "$@" > "$tmp/out" 2> "$tmp/err" || code=$?
}
run
# packages, the only other step, succeeds.
check 'the last line has the sums' '1 4 passed, 2 failed, 2 skipped' "$code $(tail -n 1 "$tmp/out")"
check 'a step that two programs need is run once' 5 "$(cat "$tmp/tries")"
check 'a failed test comes with its diagnostics and how to run it again' "not ok 2 - sum
# five is not six
# again: $here/bad" "$(sed -n '/^not ok 2/,/^# again/p' "$tmp/out")"
check 'a failed step comes with its output and how to run it again' "not ok - set-up: kernel 7
# no compiler
# again: sh $tmp/try 5 $tmp" "$(sed -n '/^not ok - set-up/,/^# again/p' "$tmp/out")"
check 'programs that need a failed step are skipped with the reason' 2 "$(grep -c 'needs . skipped 1: set-up step kernel 7 failed' "$tmp/out")"
run good
check 'a list of passing tests passes' '0 3 passed, 0 failed' "$code $(tail -n 1 "$tmp/out")"
# Exit status 123 without a failed step; a program that dies silently
printf '#!/bin/sh\necho ok 1 - fine; echo 1..1; exit 123\n' > "$tmp/good"
run good
check 'exit status 123 is not enough to be skipped' '1 2 passed, 1 failed, 1 skipped' "$code $(tail -n 1 "$tmp/out")"
printf '#!/bin/sh\necho ok 1 - fine; echo 1..1\n' > "$tmp/good"
run -t 0 good
check 'no program is started after the time' "0 1 passed, 0 failed, 1 skipped
not started: 0 minutes are over" "$code $(tail -n 1 "$tmp/out")
$(sed -n 's/^# .* skipped 1: //p' "$tmp/out")"
printf '#!/bin/sh\nsh -c "echo \\$\\$ > %s/pid; exec sleep 300"; echo 1..0\n' "$tmp" > "$tmp/good"
SNBEP_BUILD=$tmp "$TOP/scripts/check" -l "$tmp/list" good > "$tmp/out" 2>&1 &
until [ -s "$tmp/pid" ]; do sleep 0.1; done
kill $!
wait $! && code=0 || code=$?
gone=no
for _ in $(seq 600); do
	! grep -qs sleep "/proc/$(cat "$tmp/pid")/cmdline" || { sleep 0.1; continue; }
	gone=yes
	break
done
check 'TERM ends what the programs have started, too' '130 yes' "$code $gone"
# check -r skips a program that has passed with the same files; in a tree and a cache of its own.
tree=$tmp/tree
mkdir -p "$tree/selftests/cases/offcore" "$tree/scripts" "$tree/Documentation" "$tree/snbep" "$tmp/cache/kernel"
for file in check files if-cached kernels lib.sh tap-merge; do
	cp "$TOP/scripts/$file" "$tree/scripts/"
done
printf '#!/bin/sh\n' > "$tree/scripts/setup"
cp "$TOP/.gitignore" "$tree/"
mkdir "$tree/machine"
echo 1 > "$tree/machine/tried"
echo 1 > "$tree/snbep/box.c"
echo 1 > "$tree/Documentation/page.rst"
echo 6.1 > "$tmp/cache/kernel/current-6.1"
printf '#!/bin/sh\n. "%s/selftests/result.sh"\n' "$tree" | tee "$tree/selftests/test" > "$tree/selftests/cases/offcore/test"
printf '#!/bin/sh\n# Documentation/\n. "%s/selftests/result.sh"\n' "$tree" > "$tree/selftests/reader"
chmod +x "$tree/scripts/setup" "$tree/selftests/test" "$tree/selftests/cases/offcore/test" "$tree/selftests/reader"
# Outside of the tree, so that results are not among the program's files
result()
{
	printf '%s\n1..1\n' "$1" > "$tmp/result"
}
echo "cat '$tmp/result'" > "$tree/selftests/result.sh"
# again PROGRAM: print the last line of check -r, or that the program was skipped
again()
{
	printf '1 %s\n' "$*" > "$tmp/list"
	SNBEP_CACHE=$tmp/cache SNBEP_BUILD=$tmp/build "$tree/scripts/check" -r -l "$tmp/list" > "$tmp/out" 2>&1 || :
	if grep -q ' skipped 1: passed on [-0-9]* with the same files' "$tmp/out"; then
		echo skipped
	else
		tail -n 1 "$tmp/out"
	fi
}
result 'ok 1 - fine # SKIP not here'
check 'a program that skipped all is not remembered as passed' '0 passed, 0 failed, 1 skipped' "$(again selftests/test)"
result 'ok 1 - fine'
check 'a skipped program runs again' '1 passed, 0 failed' "$(again selftests/test)"
check 'a program that passed does not run again' skipped "$(again selftests/test)"
check 'a program that passed runs again with other arguments' '1 passed, 0 failed' "$(again selftests/test 6.1)"
echo 2 > "$tree/machine/tried"
check 'a program runs again when a file has changed' '1 passed, 0 failed' "$(again selftests/test)"
echo 6.1-2 > "$tmp/cache/kernel/current-6.1"
check 'a program runs again when a kernel has changed' '1 passed, 0 failed' "$(again selftests/test)"
check 'a program that names documentation passes' '1 passed, 0 failed' "$(again selftests/reader)"
check "another driver's program passes" '1 passed, 0 failed' "$(again selftests/cases/offcore/test)"
echo 2 > "$tree/Documentation/page.rst"
check 'a program that names documentation runs again when it has changed' '1 passed, 0 failed' "$(again selftests/reader)"
check 'other programs do not run again when documentation has changed' skipped "$(again selftests/test)"
echo 2 > "$tree/snbep/box.c"
check "a driver's program does not run again when another driver has changed" skipped "$(again selftests/cases/offcore/test)"

# if-cached does not make what takes long.
cached()
{
	SNBEP_CACHE=$tmp/cache "$tree/scripts/if-cached" 'made-*/ready' 'make it' selftests/test 2>&1 | head -n 1
}
check 'if-cached skips a program whose file is missing' \
	'1..0 # SKIP this machine has not made what it needs: make it' "$(cached)"
mkdir -p "$tmp/cache/made-1"
touch "$tmp/cache/made-1/ready"
check 'if-cached runs a program whose file exists' 'ok 1 - fine' "$(cached)"
tap_done
