#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Killed runs leave no process and no file, and a second run waits for the first.

. "$(dirname "$(readlink -f "$0")")/../lib.sh"
. "$TOP/scripts/test.sh"

TMPDIR=$tmp/tmp
export TMPDIR
mkdir "$TMPDIR"
set +e

# No other process has these arguments.
nr=1000.$$
cat > "$tmp/command" << END
trap '' TERM
mktemp -d > "$tmp/made"
setsid sleep $nr &
sh -c "trap '' TERM; sleep $nr; true" &
(sleep $nr &)
echo started
sleep $nr
END

# ended: wait up to ten seconds until none of the command's processes is left
ended()
{
	for _ in $(seq 100); do
		pgrep -fx "sleep $nr" > "$tmp/left" || return 0
		sleep 0.1
	done
	return 1
}

# gone NAME: a test that the command's processes and directories are gone within ten seconds
gone()
{
	ended
	sleep 0.2
	ls "$TMPDIR" >> "$tmp/left"
	[ ! -s "$tmp/left" ] && grep -q "^$TMPDIR/snbep-check" "$tmp/made"
	ok $? "$1" "$tmp/left" "$tmp/made"
	xargs -r kill -9 < "$tmp/left" 2> "$tmp/err"
}

# start COMMAND...: in the background; wait until it has started
start()
{
	rm -f "$tmp/out"
	"$@" > "$tmp/out" 2>&1 &
	until grep -qs started "$tmp/out"; do
		sleep 0.1
	done
}

# shellcheck disable=SC2016 # for that shell
"$SCRIPTS/guard" "$tmp/new/lock" sh -c 'setsid sleep "$1" & mktemp > "$2"; exit 7' sh "$nr" "$tmp/made" 2> "$tmp/out"
[ $? = 7 ]
ok $? "the status is the command's" "$tmp/out"
gone "what the command has left in the background ends with it"
"$SCRIPTS/guard" "$tmp/lock" sh -c 'kill -9 $$'
[ $? = 137 ]
ok $? 'a command that is killed has the status that a shell gives it'
"$SCRIPTS/guard" "$tmp/lock" /nonexistent 2> "$tmp/out"
[ $? = 127 ]
ok $? 'so has a command that is not there' "$tmp/out"

for signal in KILL TERM INT; do
	start "$SCRIPTS/guard" "$tmp/lock" sh "$tmp/command"
	kill -$signal $!
	gone "SIG$signal ends its processes, those in other sessions too, and its TMPDIR goes"
	wait
done
start "$SCRIPTS/guard" "$tmp/lock" sh "$tmp/command"
pkill -f "guard $tmp/lock"
gone 'so does SIGTERM to both of its own processes, as pkill sends it'
wait
start "$SCRIPTS/guard" "$tmp/lock" sh "$tmp/command"
pkill -KILL -P $! -f "guard $tmp/lock"
! flock -n "$tmp/lock" true
ok $? 'the lock is held while processes are left, though the second process of guard is killed'
gone '... and they and TMPDIR go'
wait
start sh -c '"$@"; true' sh "$SCRIPTS/guard" "$tmp/lock" sh "$tmp/command"
kill -9 $!
gone 'so does SIGKILL to its parent'

start "$SCRIPTS/guard" "$tmp/lock" sh "$tmp/command"
first=$!
"$SCRIPTS/guard" "$tmp/lock" pgrep -fx "sleep $nr" > "$tmp/second" 2> "$tmp/err" &
sleep 1
[ ! -s "$tmp/second" ] && grep -q "waiting for another run that holds $tmp/lock" "$tmp/err"
ok $? 'a second run waits' "$tmp/second" "$tmp/err"
kill -9 $first
wait
empty '... until the processes of the first one are gone, though that was killed' "$tmp/second"

start sh -c '"$@"; true' sh "$SCRIPTS/limit" 1000 sh -c "trap '' TERM; echo started; exec sleep $nr"
kill -9 $!
ended
ok $? 'limit ends its command when its caller is killed'
start "$SCRIPTS/limit" 1000 sh -c "echo started; exec sleep $nr"
kill -9 $!
ended
ok $? '... and when it is killed itself' "$tmp/left"

# Leftovers of killed runs, in the cache and in TMPDIR
SNBEP_CACHE=$tmp/cache
export SNBEP_CACHE
mkdir -p "$SNBEP_CACHE/qemu" "$SNBEP_CACHE/kernel/tree" "$TMPDIR/snbep-other"
for name in "$SNBEP_CACHE/tmp.abcdef" "$SNBEP_CACHE/qemu/tree-0123456789ab.new" "$SNBEP_CACHE/tmp.Recent" \
	"$SNBEP_CACHE/tmp.theirs" "$SNBEP_CACHE/qemu/theirs.new" "$SNBEP_CACHE/kernel/tree/keep" \
	"$TMPDIR/snbep-vm.abcdef" "$TMPDIR/snbep-vm.Recent" "$TMPDIR/snbep-vm.Locked"; do
	mkdir "$name" && echo x > "$name/file" && touch -d '2 days ago' "$name"
done
chmod 700 "$SNBEP_CACHE/tmp.abcdef" "$SNBEP_CACHE/tmp.Recent"
touch "$SNBEP_CACHE/tmp.Recent" "$TMPDIR/snbep-vm.Recent"
exec 6< "$TMPDIR/snbep-vm.Locked"
flock 6
# shellcheck disable=SC2016 # for that shell
sh -c '. "$1"; lock a; make_tmp vm; ls -d "$SNBEP_CACHE"/*/ "$SNBEP_CACHE"/*/*/ "$TMPDIR"/*' "$SCRIPTS/try" "$SCRIPTS/lib.sh" > "$tmp/out" 2>&1
sed -i "s:^$tmp/::; s/vm\.......$/&/" "$tmp/out"
[ "$(grep -c 'abcdef\|ab\.new' "$tmp/out")" = 0 ] && [ "$(grep -c 'cache/tmp.Recent\|theirs\|tree/$\|snbep-other\|vm.Recent\|vm.Locked' "$tmp/out")" = 7 ] &&
	[ "$(grep -c 'tmp/snbep-vm\.' "$tmp/out")" = 3 ]
ok $? 'leftovers of killed runs go after a day, and nothing else does' "$tmp/out"
tap_done
