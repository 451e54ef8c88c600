# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by the tests of uncore-hwtest, after lib.sh.

. "$TOP/scripts/test.sh"

# has NAME PATTERN...: test that each pattern matches a line of $tmp/out
has()
{
	has_name=$1
	shift
	: > "$tmp/missing"
	for has_pattern; do
		grep -q -e "$has_pattern" "$tmp/out" || echo "no line has: $has_pattern" >> "$tmp/missing"
	done
	# What is printed of the output is its begin, which notes would fill.
	grep -v '^# [a-z]' "$tmp/out" > "$tmp/lines"
	empty "$has_name" "$tmp/missing" "$tmp/lines" "$tmp/err"
}
