# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # those that source it set them
#
# Sourced by what looks at sources, with scripts/lib.sh and lib/tap.sh before it: what was found clean is remembered in the
# cache, and is not looked at again while neither it nor what looks at it has changed. $tmp is the caller's, and $tmp/found has
# what was found.

mkdir -p "$CACHE/style"
find "$CACHE/style" -type f -mtime +30 -delete

# result NAME: a test that fails if $tmp/found has a line
result()
{
	[ ! -s "$tmp/found" ] && code=0 || code=1
	ok $code "$1" "$tmp/found"
}

# clean FILE...: whether the files were clean when they were looked at last, by what the script $remembered_for is now, and with
# $remembered_with, if that says anything. Otherwise remember_clean does so if $tmp/found stayed empty. Names count, as a script may
# have exceptions that go by them.
clean()
{
	memory=$CACHE/style/$({ sha256sum "$remembered_for" "$@"; printf '%s' "${remembered_with:-}"; } | sha256sum | cut -c 1-32)
	: > "$tmp/found"
	[ -e "$memory" ] && touch "$memory"
}

remember_clean()
{
	[ -s "$tmp/found" ] || touch "$memory"
}
