# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of uncorestat over the fake PMUs of fake.c: sourced first. Builds both; run ARGUMENT... leaves output in $out and the
# exit status in $code.
# shellcheck shell=sh disable=SC2034 # variables of those that source this

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
# What takes so many seconds of a processor hangs.
ulimit -St 5
# which scripts/linux-source does, the first time
linux_source()
{
	(ulimit -St unlimited && exec "$TOP/scripts/linux-source" "$@")
}
. "$TOP/scripts/tap.sh"
here=$TOP/tools/uncorestat/tests
# Thousands of small files: in memory if possible
[ "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fake=$BUILD/tools/fake.so
mkdir -p "$BUILD/tools"
# Tests that run at the same time build once.
flock "$BUILD/tools/.lock" make -s -C "$TOP/tools" "O=$BUILD/tools" WERROR=-Werror > "$tmp/build" 2>&1 && {
	{ [ "$fake" -nt "$here/fake.c" ] && [ "$fake" -nt "$TOP/tools/lib/tests/fake.h" ]; } || {
		cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$fake.$$" "$here/fake.c" -ldl && mv "$fake.$$" "$fake"
	} >> "$tmp/build" 2>&1
}
ok $? "uncorestat builds" "$tmp/build"
stat=$BUILD/tools/uncorestat
FAKE=$tmp/fake
export FAKE
out=$tmp/out

# With -n it does not wait for its intervals to pass, which are too long to be late.
run()
{
	if [ "$1" = -n ]; then
		export QUICK=1000000
		set -- -i 100 "$@"
	fi
	LD_PRELOAD=$fake "$stat" "$@" > "$out" 2>&1
	code=$?
	unset QUICK
}

# numbers PREFIX COUNT: PREFIX_0 and so on
numbers()
{
	seq -s ' ' -f "$1_%g" 0 $(($2 - 1))
}

# new_machine [PACKAGES [PREFIX]]: a machine without traffic, of packages 3 (CPUs 0 and 1) and 0 (CPUs 10 and 11)
new_machine()
{
	made="$tmp/machine $*"
	[ -d "$made" ] || "$here/fake-root" "$made" "$@"
	rm -rf "$FAKE"
	cp -a "$made" "$FAKE"
}

# advice NAME PATTERN ARGUMENT...: test that it exits with one line
advice()
{
	what=$1 pattern=$2
	shift 2
	run "$@"
	[ "$code" = "${want:-1}" ] && [ "$(wc -l < "$out")" = 1 ] && grep -q "^uncorestat: $pattern" "$out"
	ok $? "$what" "$out"
}

# row SOCKET: print a line of the last table, without the time
row()
{
	sed -n "s/^[0-9: ]* S$1 //p" "$out" | tail -n 1 | tr -s ' ' | sed 's/^ //'
}

# same NAME WANT: test the line of each of two sockets
same()
{
	[ "$code" = 0 ] && [ "$(row 0)" = "$2" ] && [ "$(row "${last:-3}")" = "$2" ]
	ok $? "$1" "$out"
}

# shows NAME WANT ARGUMENT...: the same of a run with these arguments
shows()
{
	shown=$1 want_row=$2
	shift 2
	run -n 1 "$@"
	same "$shown" "$want_row"
}

# prints NAME GREP-OPTIONS PATTERN ARGUMENT...: test that a line of the run's output matches
prints()
{
	printed=$1 options=$2 pattern=$3
	shift 3
	run "$@"
	grep "$options" -e "$pattern" "$out"
	ok $? "$printed" "$out"
}
