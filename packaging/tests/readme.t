#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# README.md and Documentation/: the HTML builds without a warning, links lead to files, uninstalling
# removes what was installed, and pages agree on file names.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

cd "$TOP"

make -s docs > "$tmp/out" 2>&1 && code=0 || code=1
ok $code 'make docs builds the HTML without a warning' "$tmp/out"

# links FILE: print the targets of its links: [text](file) in Markdown, `text <file>`_ in .rst
links()
{
	case $1 in
	*.md) grep -oE '\]\([^)]+\)' "$1" | sed 's/^](//; s/)$//; s/#.*//' ;;
	*) grep -oE '<[^ <>]+\.rst>`_' "$1" | sed 's/^<//; s/>`_$//' ;;
	esac | grep -v -e '^[a-z]*://' -e '^$' || [ $? = 1 ]
}

scripts/files '*.md' 'Documentation/*.rst' > "$tmp/pages"
while read -r page; do
	links "$page" | while read -r link; do
		[ -e "${page%"${page##*/}"}$link" ] || echo "$page: $link"
		echo "$link" >> "$tmp/links"
	done
done < "$tmp/pages" > "$tmp/dead"
[ ! -s "$tmp/dead" ] && [ "$(wc -l < "$tmp/links")" -gt 50 ] && code=0 || code=1
ok $code "$(wc -l < "$tmp/links") links lead to files" "$tmp/dead"

scripts/files 'Documentation/*.rst' | while read -r page; do
	page=${page##*/}
	grep -qF "<$page>" Documentation/index.rst || [ "$page" = index.rst ] || echo "$page"
done > "$tmp/lacking"
empty 'index.rst has a link to every page' "$tmp/lacking"

make -s install-tools "DESTDIR=$tmp/root" > "$tmp/out" 2>&1 && code=0 || code=1
ok $code 'make install-tools succeeds' "$tmp/out"
# Our own pages that another one cites, as **NAME**\ (SECTION); without rst2man there are none.
sed -n '/^:Manual section:/,$s/.*\*\*\(uncore[a-z-]*\)\*\*\\ (\([0-9]\)).*/\1.\2/p' Documentation/*.rst | sort -u > "$tmp/cited"
while read -r page; do
	[ -e "$tmp/root/usr/share/man/man${page##*.}/$page" ] || echo "$page"
done < "$tmp/cited" > "$tmp/lacking"
[ -s "$tmp/cited" ] && [ ! -s "$tmp/lacking" ] && code=0 || code=1
ok $code 'it installs every manual page that another one cites' "$tmp/lacking"
make -s uninstall-tools "DESTDIR=$tmp/root" > "$tmp/out" 2>&1 && code=0 || code=1
find "$tmp/root" -type f >> "$tmp/out"
[ ! -s "$tmp/out" ] || code=1
ok $code 'make uninstall-tools removes all of it' "$tmp/out"

# The package's file has another name, so that it overwrites no user's.
grep -rnoE '/etc/modprobe\.d/[a-zA-Z0-9_.-]*\.conf' README.md Documentation packaging tools snbep* offcore* itanium* common |
	grep -v -e '/snbep-uncore\.conf$' -e '/snbep-uncore-dkms\.conf$' > "$tmp/others" && code=1 || code=0
ok $code 'files of /etc/modprobe.d have the same names on all pages' "$tmp/others"
tap_done
