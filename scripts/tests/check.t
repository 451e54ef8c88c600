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
[ $code = 1 ] && grep -q '^# five is not six$' "$tmp/out" && grep -q 'Failed test:  2$' "$tmp/out" && grep -qx 'Result: FAIL' "$tmp/out"
ok $? 'check: a failed test is shown with its diagnostics' "$tmp/out"
! "$SCRIPTS/check" -g c -l "$tmp/list" > "$tmp/out" 2>&1 && grep -q '^SUMMARY: a crash$' "$tmp/out"
ok $? 'check: so is a test that ends in the middle' "$tmp/out"
"$SCRIPTS/check" -l "$tmp/list" fine > "$tmp/out" 2>&1 && grep -qx 'Result: PASS' "$tmp/out" &&
	[ "$(tail -n 1 "$tmp/out")" = "Only 1 of 4 tests ran: those with 'fine' in their line" ]
ok $? 'check: a pattern selects tests, and the last line says so' "$tmp/out"
"$SCRIPTS/check" -g quick -l "$tmp/list" > "$tmp/out" 2>&1 && [ "$(tail -n 1 "$tmp/out")" = 'Result: PASS' ]
ok $? 'check: make check ends in the result' "$tmp/out"
"$SCRIPTS/check" -g b -l "$tmp/list" > "$tmp/out" 2>&1 && grep -q 'skipped 1: no such thing$' "$tmp/out"
ok $? 'check: the reason of a skipped test is printed' "$tmp/out"
! "$SCRIPTS/check" -g d -l "$tmp/list" > "$tmp/out" 2>&1 && grep -q '^check: no test with the tag d' "$tmp/out"
ok $? 'check: a tag that no test has is an error' "$tmp/out"

# As make reads its variables; the goals that a user narrows by them
for goal in check check-all fresh vm ia64-vm mutants fuzz hwtest; do
	env T=x TAG=x SUITE=x LIST=x GUEST=x EXTRA=x MODEL=x KERNEL=x KMODULES=x SOCKETS=x MODULES=x CMD=x M=x FUZZ=x IA64=x HWTEST=x \
		make -C "$TOP" -n -s $goal
	make -C "$TOP" -n -s $goal >&2
done > "$tmp/out" 2> "$tmp/err"
cmp "$tmp/out" "$tmp/err" > "$tmp/why"
ok $? 'make takes its variables from the command line alone' "$tmp/why" "$tmp/out"

# What other programs would obey
mkdir "$tmp/rel"
hostile()
{
	env CDPATH=.:/tmp POSIXLY_CORRECT=1 QUOTING_STYLE=shell-always BLOCK_SIZE=1 TAR_OPTIONS=--none PERL5OPT=-MNone PYTHONPATH=/none \
		PYTHONOPTIMIZE=2 GIT_DIR=/none GIT_WORK_TREE=/none XZ_OPT=--none CFLAGS=--none CPPFLAGS=--none LDFLAGS=--none CPATH=/none \
		MAKEFILES=/none.mk MAKEFLAGS=k O=/none DESTDIR=/none HARNESS_OPTIONS=none PROVE_OPTIONS=--none KBUILD_OUTPUT=/none ARCH=arm64 \
		CROSS_COMPILE=none- KCFLAGS=--none TERM=../../none IFS=/ "$@"
}
cd "$tmp"
"$SCRIPTS/files" > "$tmp/expected"
hostile "$SCRIPTS/files" > "$tmp/got" 2>&1
check 'files: as in a plain environment' diff "$tmp/expected" "$tmp/got"
hostile "$SCRIPTS/check" -l "$tmp/list" fine > "$tmp/out" 2>&1
ok $? 'check: ... too' "$tmp/out"
mkdir "$tmp/source"
printf 'obj-m := empty.o\n' > "$tmp/source/Kbuild"
printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' > "$tmp/source/empty.c"
hostile "$SCRIPTS/modules" 6.1 source > "$tmp/out" 2>&1
[ -e "$(cat "$tmp/out")/empty.ko" ]
ok $? 'modules: ... too, from a directory with a relative name' "$tmp/out"
hostile "$TOP/bin/vm" -m '' -e rel -- 'touch /extra/made' > "$tmp/out" 2>&1
[ $? = 0 ] && [ -e "$tmp/rel/made" ]
ok $? 'vm: ... too, with a relative EXTRA' "$tmp/out"
tap_done
