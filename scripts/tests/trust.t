#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A command trusts no cache and no TMPDIR that another user can change, and says so in one line;
# what only its user and root can change is taken.

. "$(dirname "$(readlink -f "$0")")/../lib.sh"
. "$TOP/scripts/test.sh"

# daemon is the caller, games another user: both have a group of their own.
if ! as_root setpriv --reuid=daemon --regid=daemon --clear-groups true 2> "$tmp/err" || ! id games > "$tmp/out"; then
	ok 0 "other users # SKIP this machine does not let root become another user: $(head -n 1 "$tmp/err")"
	tap_done
	exit
fi

# Where every user gets to
base=$(as_root mktemp -d /tmp/snbep-trust.XXXXXX)
trap 'rm -rf "$tmp"; as_root rm -rf -- "$base"' EXIT
as_root chmod 755 "$base"
as_root mkdir "$base/tree"
(cd "$TOP" && tar -cf - scripts .gitignore) | as_root tar -C "$base/tree" --no-same-owner -xf -
run=$base/tree/scripts/files

# as USER COMMAND...: with that user's cache and TMPDIR
as()
{
	as_user=$1
	shift
	as_root setpriv --reuid="$as_user" --regid="$as_user" --clear-groups env -u XDG_CACHE_HOME "SNBEP_CACHE=$cache" \
		"TMPDIR=$temporary" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
}

# make OWNER MODE DIR...
make()
{
	owner=$1 mode=$2
	shift 2
	as_root install -d -o "${owner%:*}" -g "${owner#*:}" -m "$mode" "$@"
}

# refused NAME PATTERN: daemon's command fails with one line that matches
refused()
{
	as daemon "$run" '*.sh' && code=0 || code=$?
	[ $code = 1 ] && [ "$(wc -l < "$tmp/err")" = 1 ] && grep -qE -e "cannot be trusted: $2" "$tmp/err" && code=0 || code=1
	ok $code "$1 is refused" "$tmp/err"
}

taken()
{
	as daemon "$run" '*.sh' && code=0 || code=$?
	ok $code "$1 is taken" "$tmp/err"
}

temporary=/tmp
own=daemon:daemon
make $own 755 "$base/home" "$base/home/cache" "$base/home/cache/kernel"
make games:games 755 "$base/other" "$base/other/cache" "$base/home/cache2" "$base/home/deep/cache"
make $own 1777 "$base/sticky"
make $own 777 "$base/open"

cache=$base/home/cache
taken "the caller's cache"
cache=$base/home/none/cache
taken 'one that is not there'
cache=$base/home/cache2
refused "another user's cache" "$base/home/cache2 belongs to games"
cache=$base/other/none
refused "a cache in another user's directory" "$base/other belongs to games"
make $own 755 "$base/other/ours"
cache=$base/other/ours
refused "the caller's cache in another user's directory" "$base/other belongs to games"
cache=$base/root/cache
make root:root 755 "$base/root" "$base/root/cache"
taken "root's cache"
cache=$base/home/deep
make $own 755 "$cache"
refused 'a cache with a directory of another user' "$cache/cache belongs to games"

# Modes
make root:root 1777 "$base/tmp"
cache=$base/tmp/none/cache
taken 'a cache that is not there, in a directory as /tmp'
make games:games 755 "$base/tmp/theirs"
cache=$base/tmp/theirs/cache
refused "another user's directory in one as /tmp" "$base/tmp/theirs belongs to games"
make $own 755 "$base/tmp/ours" "$base/tmp/ours/cache"
cache=$base/tmp/ours/cache
taken "the caller's directory in one as /tmp"
cache=$base/open/cache
make $own 755 "$cache"
refused 'a cache in a directory to which all can write' "others can write to $base/open, whose mode is 777"
cache=$base/sticky
refused 'a cache as /tmp' "others can write to $base/sticky, whose mode is 1777"
cache=$base/home/group
make daemon:games 775 "$cache"
refused 'a cache to which another group can write' "others can write to $cache, whose mode is 775"
make $own 2775 "$cache"
taken "a cache to which the caller's private group can write"
make daemon:games 755 "$cache"

# Links
cache=$base/link
as_root ln -s home/../home/cache "$base/link"
taken "a link to the caller's cache"
cache=$base/link2/x
as_root ln -s other "$base/link2"
refused "a link to another user's directory" "$base/other belongs to games"
cache=$base/tmp/link
as_root ln -s "$base/home/cache" "$cache"
as_root chown -h games "$cache"
refused "another user's link to the caller's cache" "$cache belongs to games"
cache=$base/loop
as_root ln -s loop "$cache"
refused 'a link to itself' "$cache has too many links"
cache=$base/home/split
make $own 755 "$cache" "$base/home/disk"
as_root ln -s ../disk "$cache/kernel"
as_root chown -h daemon "$cache/kernel"
taken 'a cache of which a directory is a link to another of the caller'
as_root ln -s "$base/other" "$cache/root"
refused 'a cache of which a directory is a link to one of another user' "$base/other belongs to games"

# TMPDIR
cache=$base/home/cache
temporary=$base/tmp
taken 'a TMPDIR as /tmp'
temporary=$base/other
refused "another user's TMPDIR" "$base/other belongs to games"
temporary=$base/open
refused 'a TMPDIR in which all can replace files' "others can write to $base/open"
temporary=/tmp

# A user namespace, in which root has no number
if as daemon unshare -r true; then
	as daemon unshare -r "$run" '*.sh' && code=0 || code=$?
	ok $code "a container's parents, whose owner has no number, are trusted" "$tmp/err"
	cache=$base/other/cache
	as daemon unshare -r "$run" '*.sh' && code=1 || code=0
	grep -q "cannot be trusted: $cache belongs to nobody" "$tmp/err" || code=1
	ok $code '... and a cache whose owner has none is not' "$tmp/err"
else
	ok 0 "a container # SKIP this machine has no user namespaces for users: $(head -n 1 "$tmp/err")"
fi

# Somebody makes the cache between the check and its use.
cache=$base/tmp/race
# shellcheck disable=SC2016 # for that shell
as daemon timeout 60 sh -c '. "$1"; until [ -e "$CACHE" ]; do sleep 0.1; done; lock x; echo locked' "$run" "$base/tree/scripts/lib.sh" &
sleep 1
make games:games 777 "$cache"
wait $! && code=1 || code=0
grep -q "cannot be trusted: $cache belongs to games" "$tmp/err" || code=1
ok $code 'a cache that another user makes meanwhile is refused' "$tmp/err" "$tmp/out"

# What another user found when it was open: locks are links to root's files.
cache=$base/home/cache
as_root mkdir "$cache/lock"
echo secret | as_root tee "$base/secret" "$cache/lock/held" > "$tmp/out"
as_root ln -s "$base/secret" "$cache/lock/link"
as_root ln -s "$base/none" "$cache/lock/new"
as_root mkfifo "$cache/lock/fifo"
for name in held link new fifo; do
	# shellcheck disable=SC2016 # for that shell
	as root timeout 20 sh -c '. "$1"; lock "$2"' "$run" "$base/tree/scripts/lib.sh" $name && code=0 || code=$?
	echo "$name $code"
done > "$tmp/codes"
as_root mv "$cache/lock" "$base/root/cache/"
cache=$base/root/cache
as_root chown -R root "$cache"
[ "$(paste -sd ' ' "$tmp/codes")" = 'held 1 link 1 new 1 fifo 1' ] && code=0 || code=1
ok $code "root takes no lock in another user's cache" "$tmp/codes" "$tmp/err"
for name in held link new fifo; do
	# shellcheck disable=SC2016 # for that shell
	as root timeout 20 sh -c '. "$1"; lock "$2"' "$run" "$base/tree/scripts/lib.sh" $name && code=0 || code=$?
	echo "$name $code"
done > "$tmp/codes"
[ "$(paste -sd ' ' "$tmp/codes")" = 'held 0 link 1 new 1 fifo 1' ] && code=0 || code=1
ok $code 'a lock is a regular file and no link' "$tmp/codes" "$tmp/err"
[ "$(as_root cat "$base/secret" "$cache/lock/held" | paste -sd ' ')" = 'secret secret' ] && [ ! -e "$base/none" ] && code=0 || code=1
ok $code 'no lock empties a file or follows a link'
tap_done
