#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# With what `make vm` greets its shell, on a terminal that script(1) makes: what machine it is, what is loaded, three commands, which
# are then typed, and how to leave, which is what ends it. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"; [ -z "${job:-}" ] || kill "$job" 2> /dev/null || :' EXIT

# shows NAME TEXT: the terminal does within five minutes
shows()
{
	tries=0
	until tr -d '\r' < "$tmp/terminal" 2> /dev/null | grep -qE -e "$2"; do
		tries=$((tries + 1))
		if [ $tries -gt 600 ] || ! kill -0 "$job" 2> /dev/null; then
			tr -d '\r' < "$tmp/terminal" | tail -n 40 > "$tmp/end"
			ok 1 "$1" "$tmp/end"
			return
		fi
		sleep 0.5
	done
	ok 0 "$1"
}

mkfifo "$tmp/keys"
cd "$TOP"
: > "$tmp/terminal"
script -qfec 'make vm SOCKETS=1' "$tmp/terminal" < "$tmp/keys" > /dev/null &
job=$!
exec 3> "$tmp/keys"
until grep -q '^To leave' "$tmp/terminal" || ! kill -0 "$job" 2> /dev/null; do
	sleep 0.5
done
if ! kill -0 "$job" 2> /dev/null; then
	code=0
	wait "$job" || code=$?
	job=
	ok "$code" 'the machine starts' "$tmp/terminal"
	tap_done
	exit
fi
shows 'it says what machine this is' '^An emulated Xeon E5-2600 \(Sandy Bridge-EP\): sockets 1, virtual CPUs 2, Linux 6\.1\.'
shows 'it says what is loaded' '^Loaded: snbep_uncore'
shows 'it says how to leave' '^To leave: exit'
tr -d '\r' < "$tmp/terminal" | sed -n '/^To try:/,/^To leave/s/^  //p' > "$tmp/try"
[ "$(wc -l < "$tmp/try")" = 3 ] && code=0 || code=1
ok $code 'it has three commands to try' "$tmp/try"
n=0
while read -r command; do
	n=$((n + 1))
	printf '%s\n' "$command; echo try-$n=\$?=" >&3
	shows "it can be done: $command" "^try-$n=0="
done < "$tmp/try"
echo 'exit 7' >&3
code=0
wait $job || code=$?
job=
tail -n 20 "$tmp/terminal" > "$tmp/end"
echo "status $code" >> "$tmp/end"
[ $code = 7 ] && code=0 || code=1
ok $code "exit leaves, and its status is the machine's" "$tmp/end"
exec 3>&-
tap_done
