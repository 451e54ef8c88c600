# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by shell tests, on the host and, as /selftests/lib/tap.sh, in the guest: results in the Test Anything Protocol.

tap_n=0
tap_failed=0

# ok CODE NAME [FILE]...: passed if CODE is 0; if not, the first lines of the files follow
ok()
{
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
		return
	fi
	echo "not ok $tap_n - $2"
	tap_failed=1
	shift 2
	for tap_file; do
		sed 's/^/# /; 100q' "$tap_file"
	done
}

# The plan. Fails if a test has.
tap_done()
{
	echo "1..$tap_n"
	return $tap_failed
}
