#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Upstream/send with a made-up person. Its mails go to no one: they are applied to the same base.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

# Nobody else has unpacked anything in this cache; linked, the tarballs take no room.
for name in newest 6.1 6.12; do
	"$SCRIPTS/linux-source" "$name" MAINTAINERS > /dev/null
done
for tarball in "$CACHE"/linux-source-*/*/tarball; do
	dir=$tmp/cache/snbep-uncore${tarball#"$CACHE"}
	mkdir -p "${dir%/*}"
	ln "$tarball" "$dir" 2> /dev/null || cp -p "$tarball" "$dir"
	cp "${tarball%/*}/ready" "${dir%/*}"
done
cp -r "$CACHE/linux-source" "$CACHE/apt" "$tmp/cache/snbep-uncore"
export XDG_CACHE_HOME="$tmp/cache"

# send ANSWERS ARGUMENT...
send()
{
	answers=$1
	shift
	code=0
	printf '%b' "$answers" | GIT_CONFIG_GLOBAL="$tmp/config" GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=/ \
		sh -c 'cd / && exec "$@"' sh "$TOP/upstream/send" "$@" > "$tmp/out" 2>&1 || code=$?
}
refused()
{
	[ $code != 0 ] && grep -q "$2" "$tmp/out" && [ ! -e "$tmp/mail" ] && code=0 || code=1
	ok $code "$1" "$tmp/out"
}

: > "$tmp/config"
send 'yes\n\n' core "$tmp/mail"
refused 'nobody has said who sends' 'set your name'
printf '[user]\n\tname = %s\n\temail = %s\n' 'Seed fd1d97db maintainers' maintainers@users.noreply.a-seed-fd1d97db.example > "$tmp/config"
send 'yes\n\n' core "$tmp/mail"
refused 'a project signs nothing' 'nobody who can sign'
printf '[user]\n\tname = %s\n\temail = %s\n' 'Erika Mustermann' erika@mailbox.test > "$tmp/config"
send 'no\n' core "$tmp/mail"
refused 'without a yes, nothing is written' 'nothing is written'
send 'yes\n' nothing "$tmp/mail"
refused 'a series that is not there' 'box core'

pids=
for series in box fixes; do
	mkdir "$tmp/$series"
	cp "$tmp/config" "$tmp/$series"
	(tmp=$tmp/$series && send 'yes\n' -a 'a tool' "$series" "$tmp/mail" && exit $code) &
	pids="$pids $!"
done
code=0
for pid in $pids; do
	wait "$pid" || code=1
done
ok $code 'two series at once' "$tmp/box/out" "$tmp/fixes/out"

for series in "$TOP/upstream/linux"/*/; do
	series=$(basename "$series")
	rm -rf "$tmp/mail"
	send 'yes\n' -a 'a tool' "$series" "$tmp/mail"
	set -- "$TOP/upstream/linux/$series"/0*.patch
	while [ $# -gt 0 ]; do
		grep -q '^Signed-off-by: Erika Mustermann <erika@mailbox.test>$' "$tmp/mail/$(printf %04d $#)-"* &&
			grep -q '^Assisted-by: a tool$' "$tmp/mail/$(printf %04d $#)-"* || code=1
		shift
	done
	! grep -rhE '^From:.*(maintainers|noreply)|\*\*\* (SUBJECT|BLURB)|^Notes:' "$tmp/mail" >> "$tmp/out" || code=1
	grep -q "^    --[tc][oc]='.*vger.kernel.org'" "$tmp/out" || code=1
	ok $code "$series: each mail has a sender and a signature, and checkpatch finds nothing" "$tmp/out"
done
tap_done
