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
