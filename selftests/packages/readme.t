#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# readme.t: what the README has a user install is what it has the user remove, and files have the same names on all
# pages. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$TOP"

# The commands that remove what was installed without packages
sed -n '/^To take it away/,/^## /p' README.md | grep -oE '(/etc/modprobe\.d|/usr/(bin|sbin|libexec|share))/[^ ]+' | sort -u > "$tmp/removed"

make -s install-tools "DESTDIR=$tmp/root" > "$tmp/out" 2>&1 && code=0 || code=1
ok $code 'make install-tools' "$tmp/out"
{
	find "$tmp/root" -type f | sed "s:^$tmp/root::"
	echo /etc/modprobe.d/snbep-uncore.conf
} | sort > "$tmp/installed"
diff "$tmp/installed" "$tmp/removed" > "$tmp/diff" && code=0 || code=1
ok $code "the README removes all $(wc -l < "$tmp/installed") files" "$tmp/diff"

# The package has a file of its own, so that nobody's is overwritten.
grep -rnoE '/etc/modprobe\.d/[a-zA-Z0-9_.-]*\.conf' README.md Documentation packaging tools snbep* offcore* itanium* common |
	grep -v -e '/snbep-uncore\.conf$' -e '/snbep-uncore-dkms\.conf$' > "$tmp/others" && code=1 || code=0
ok $code 'files of /etc/modprobe.d have the same names on all pages' "$tmp/others"
tap_done
