# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of uncorestat over the fake PMUs of fake.c: sourced first. Builds both; run ARGUMENT... leaves output in $out and the
# exit status in $code.
# shellcheck shell=sh disable=SC2034 # variables of those that source this

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
. "$TOP/scripts/tap.sh"
here=$TOP/tools/uncorestat/tests
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$TOP/tools" "O=$BUILD/tools" > "$tmp/build" 2>&1 &&
	cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$tmp/fake.so" "$here/fake.c" -ldl >> "$tmp/build" 2>&1
ok $? "uncorestat builds" "$tmp/build"
stat=$BUILD/tools/uncorestat
FAKE=$tmp/fake
export FAKE
out=$tmp/out

# With -n it does not wait for its intervals to pass.
run()
{
	[ "$1" != -n ] || export QUICK=1
	LD_PRELOAD=$tmp/fake.so "$stat" "$@" > "$out" 2>&1
	code=$?
	unset QUICK
}

# numbers PREFIX COUNT: PREFIX_0 and so on
numbers()
{
	seq -s ' ' -f "$1_%g" 0 $(($2 - 1))
}
