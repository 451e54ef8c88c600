# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Test Anything Protocol for shell tests, on the host and in the guest (/selftests/tap.sh). Sourced.

# Other programs' words are compared.
export LC_ALL=C
tap_n=0
tap_failed=0

# ok CODE NAME [FILE]...: print a result: passed if CODE is 0, else failed, with the files' begin.
# What follows " | " in NAME goes into a line before it, so that its name is the same in each run.
ok()
{
	tap_n=$((tap_n + 1))
	tap_name=${2%% | *}
	[ "$tap_name" = "$2" ] || echo "# ${2#* | }"
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $tap_name"
		return
	fi
	echo "not ok $tap_n - $tap_name"
	tap_failed=1
	shift 2
	for tap_file; do
		sed 's/^/# /; 100q' "$tap_file"
	done
}

# empty NAME FILE [FILE]...: a test that passes if the first file is empty
empty()
{
	[ ! -s "$2" ] && tap_code=0 || tap_code=1
	ok $tap_code "$@"
}

# Print the plan. Fails if a test has failed.
tap_done()
{
	echo "1..$tap_n"
	return $tap_failed
}
