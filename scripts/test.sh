# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by tests on the host, after lib.sh: tap.sh, the packages of scripts/packages, and $tmp, a
# directory that goes with the test.

. "$TOP/scripts/tap.sh"
"$SCRIPTS/setup"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: > "$tmp/out"
: > "$tmp/err"

# check NAME COMMAND...: a test that passes if the command does
check()
{
	check_name=$1
	shift
	"$@" > "$tmp/why" 2>&1 && check_code=0 || check_code=1
	ok $check_code "$check_name" "$tmp/why" "$tmp/out" "$tmp/err"
}

# part NAME COMMAND [ARGUMENT]...: a test whose results are those of a command that prints TAP, or
# of a function, whose tests are numbered from 1
part()
{
	part_name=$1
	shift
	(tap_n=0 tap_failed=0; "$@") > "$tmp/part" 2>&1 && part_code=0 || part_code=$?
	"$SCRIPTS/ktap.py" $part_code < "$tmp/part" && part_code=0 || part_code=1
	ok $part_code "$part_name"
}
