#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A tree, cache or build directory with blanks and worse in its path is refused before anything is
# made or removed.

. "$(dirname "$(readlink -f "$0")")/../lib.sh"
. "$TOP/scripts/test.sh"

blank='no blank, please'

# refused WHERE PATTERN COMMAND...: it fails with a line that matches, and WHERE is as before.
refused()
{
	where=$1
	pattern=$2
	shift 2
	(cd "$where" && find . | sort) > "$tmp/before"
	if "$@" > "$tmp/out" 2>&1 < /dev/null; then
		echo 'it succeeds'
		return 1
	fi
	(cd "$where" && find . | sort) | diff "$tmp/before" - || return 1
	grep -q -e "$pattern" "$tmp/out" || { cat "$tmp/out"; return 1; }
}

# A cache below "x y" beside a directory x, which is somebody's
mkdir "$tmp/beside" "$tmp/beside/x"
echo "$blank" > "$tmp/beside/x/file"
for goal in demo vm check ia64 deb; do
	check "make $goal: a cache below 'x y' is refused, and x beside it stays" \
		refused "$tmp/beside" "the cache .* has a character .*beside/x y" \
		env -u SNBEP_CACHE "XDG_CACHE_HOME=$tmp/beside/x y" make -s -C "$TOP" $goal
done
check "a HOME with a blank is refused" refused "$tmp/beside" 'the cache .* has a character' \
	env -u SNBEP_CACHE -u XDG_CACHE_HOME "HOME=$tmp/beside/x y" "$SCRIPTS/files"
check 'a build directory with a blank is refused' refused "$tmp/beside" 'the build directory .* has a character' \
	env "SNBEP_BUILD=$tmp/beside/x y" "$SCRIPTS/files"
check 'a TMPDIR with a comma is refused' refused "$tmp/beside" 'TMPDIR has a character' \
	env "TMPDIR=$tmp/beside/x,y" "$SCRIPTS/files"
check 'a relative XDG_CACHE_HOME is refused' refused "$tmp/beside" "is not an absolute path: 'cache/snbep-uncore'" \
	env -u SNBEP_CACHE XDG_CACHE_HOME=cache "$SCRIPTS/files"
check 'without HOME, the error says what to set' refused "$tmp/beside" 'HOME is not set: set it, or XDG_CACHE_HOME' \
	env -u SNBEP_CACHE -u XDG_CACHE_HOME -u HOME "$SCRIPTS/files"
check 'without HOME, XDG_CACHE_HOME is enough' env -u SNBEP_CACHE -u HOME "XDG_CACHE_HOME=$tmp/cache" "$SCRIPTS/files"

for character in ' ' '	' '
' ':' '*' '?' '[' ']' "'" '"' "\\" '$' '%' '#' ',' ';' '&' '|' '(' '`' '=' '!' '{' '<'; do
	(SNBEP_CACHE="$tmp/x${character}y" "$SCRIPTS/files" < /dev/null) > "$tmp/out" 2>&1 && echo "'$character' is accepted"
done > "$tmp/accepted"
check 'every character that a shell or make treats specially is refused' cmp /dev/null "$tmp/accepted"
check 'letters with accents, and what package versions have, are accepted' env "SNBEP_CACHE=$tmp/Jörg~1.0+b-2_@x" "$SCRIPTS/files"

# removed_at_exit, where lib.sh has accepted the path all the same
mkdir "$tmp/a" "$tmp/a b"
sh -c '. "$1"; removed_at_exit "$2"' "$SCRIPTS/removes" "$SCRIPTS/lib.sh" "$tmp/a b"
check 'removed_at_exit removes a directory with a blank, and nothing else' test -d "$tmp/a" -a ! -e "$tmp/a b"

# A checkout in "Jörg Müller", beside a directory "Jörg"
tree="$tmp/Jörg Müller/tree"
mkdir -p "$tree" "$tmp/Jörg/tree/build/docs/html" "$tree/build/docs/html" "$tmp/Jörg Müller/tree/build/events/reference"
(cd "$TOP" && scripts/files | tar -cf - -T -) | tar -C "$tree" -xf -
for goal in modules demo vm check hwtest docs install-tools fresh clean; do
	check "make $goal: a checkout in 'Jörg Müller' is refused" refused "$tmp" 'a blank in its path: .*Jörg Müller' make -s -C "$tree" $goal
done
for dir in Documentation events tools; do
	check "make -C $dir: a checkout in 'Jörg Müller' is refused" refused "$tmp" 'a path has a blank\|a blank in its path' make -s -C "$tree/$dir"
	check "make -C $dir O=: a directory with a blank is refused" refused "$tmp" 'a path has a blank\|a blank in its path' \
		make -s -C "$TOP/$dir" "O=$tmp/Jörg Müller"
done
check "scripts of a checkout in 'Jörg Müller' refuse it" refused "$tmp" "the project's directory has a character" "$tree/machine/xeon/vm/vm" -- true
dir=tools
check "make -C tools uninstall: a DESTDIR with a blank is refused" refused "$tmp" 'a path has a blank' \
	make -s -C "$TOP/$dir" "DESTDIR=$tmp/Jörg Müller" uninstall

# The lock directory is made where it is gone.
mkdir "$tmp/cache2"
SNBEP_CACHE=$tmp/cache2 sh -c '. "$1"; lock a; rm -r "$CACHE/lock"; unlock; lock b' "$SCRIPTS/locks" "$SCRIPTS/lib.sh" > "$tmp/out" 2>&1 && code=0 || code=1
ok $code 'a lock directory that is gone is made again' "$tmp/out"

# No removal in a script or makefile has a variable outside quotes.
(cd "$TOP" && scripts/files | xargs grep -nIE "(^|[^a-zA-Z_-])rm( -[a-zA-Z-]+)* +[^\"';|&]*\\$|RM\\)( -[a-z]+)* +[^\"';|&]*\\$|xargs [^'0]*\brm\b") |
	grep -vE '^(Documentation|upstream/[a-z0-9]+/[^:]*\.patch|scripts/tests/paths.t)' > "$tmp/found" || :
check 'no rm has a variable outside quotes' cmp /dev/null "$tmp/found"
[ ! -s "$tmp/found" ] || sed 's/^/# /' "$tmp/found"
tap_done
