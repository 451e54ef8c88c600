# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # those that source it set them
#
# Sourced by checks of sources, after scripts/lib.sh and scripts/tap.sh: cache which files had no
# findings. Findings are in $tmp/found.

mkdir -p "$CACHE/style"

# result NAME: a test that fails if $tmp/found has a line
result()
{
	empty "$1" "$tmp/found"
}

# clean FILE...: whether these files, by name and contents, had no findings with the script
# $remembered_for. remember_clean records that.
clean()
{
	memory=$CACHE/style/$(sha256sum "$remembered_for" "$@" | sha256sum | cut -c 1-32)
	: > "$tmp/found"
	[ -e "$memory" ] && touch "$memory"
}

remember_clean()
{
	[ -s "$tmp/found" ] || touch "$memory"
}
