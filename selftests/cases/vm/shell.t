#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The shell of make vm, in a terminal of tmux: what it says at its start, the commands that it
# proposes, the terminal's type, locale and size, the exit status, and what is left when the
# terminal is closed.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
"$SCRIPTS/setup"
set +e
. "$TOP/scripts/tap.sh"

tmp=$(mktemp -d)
mkdir "$tmp/tmp"
nr=0
terminal()
{
	tmux -S "$tmp/terminal.$nr" -f /dev/null "$@"
}
trap 'terminal kill-server 2> /dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
unset TMUX
export LC_ALL=C.UTF-8

# The runner's files are in $tmp/tmp, whose name is in the arguments of its QEMU.
open_terminal()
{
	nr=$((nr + 1))
	terminal new-session -d -x "$1" -y "$2" \
		"cd $TOP; TMPDIR=$tmp/tmp $3; echo status \$?; exec sleep 1000"
}

type_line()
{
	terminal send-keys -l "$1"
	terminal send-keys Enter
}

# await PATTERN: until a line of the screen matches; five minutes end a test that hangs
await()
{
	end=$(($(date +%s) + 300))
	until terminal capture-pane -p > "$tmp/screen" && grep -qE -e "$1" "$tmp/screen"; do
		terminal has-session && [ "$(date +%s)" -lt $end ] || return 1
		sleep 0.2
	done
}

# shows NAME PATTERN
shows()
{
	await "$2"
	ok $? "$1" "$tmp/screen"
}

open_terminal 160 50 'make vm'
await '^To leave|^status'
shows 'the shell says what machine this is' '^An emulated Xeon-E5-2600-v1-Sandy-Bridge-EP: sockets 2, virtual CPUs 4, Linux 6\.1\.'
shows 'the shell says what is loaded' '^Loaded: snbep_uncore'
shows 'the shell says how to leave' '^To leave: exit'
sed -n '/^To try:/,/^To leave/s/^  //p' "$tmp/screen" > "$tmp/try"
[ "$(wc -l < "$tmp/try")" = 3 ]
ok $? 'the shell has three commands to try' "$tmp/try"
n=0
while read -r command; do
	n=$((n + 1))
	type_line "$command; echo try-$n=\$?="
	shows "a command to try succeeds: $command" "^try-$n=0="
done < "$tmp/try"

# shellcheck disable=SC2016
type_line 'clear; echo $(stty size) $TERM $LANG =='
shows 'the shell has the type, locale and size of its terminal' "^50 160 $(terminal show -gv default-terminal) C\.UTF-8 =="
type_line 'clear; uncorestat --live -i 0.2'
shows 'uncorestat --live draws its picture' '── socket 1 ─'
terminal resize-window -x 80 -y 24
terminal send-keys q
# shellcheck disable=SC2016
type_line 'clear; until [ "$(stty size)" = "24 80" ]; do sleep 0.1; done; echo now it is'
shows 'the size of the terminal follows' '^now it is'
type_line "clear; sh -c 'echo running; exec sleep 1000'"
await '^running'
terminal send-keys C-c
type_line 'echo interrupted=$?='
shows 'Ctrl-C is for the command in the machine' 'interrupted=130='
type_line "printf '%3000s\\n' whole; exit 7"
shows "exit leaves, with the shell's status" '^make: .* Error 7$'
grep -q ' whole$' "$tmp/screen"
ok $? "and with its output to the end" "$tmp/screen"
[ -z "$(ls "$tmp/tmp")" ]
ok $? 'nothing is left in the temporary directory' "$tmp/screen"

# gone NAME: neither QEMU nor the temporary files are there any longer
gone()
{
	end=$(($(date +%s) + 60))
	while ls "$tmp/tmp" > "$tmp/left"; grep -alF "$tmp/tmp/" /proc/[0-9]*/cmdline >> "$tmp/left" 2> /dev/null; [ -s "$tmp/left" ]; do
		[ "$(date +%s)" -lt $end ] || break
		sleep 0.2
	done
	! [ -s "$tmp/left" ]
	ok $? "$1" "$tmp/left"
}

open_terminal 80 24 'make vm MODULES= SOCKETS=1'
await '^To leave'
[ "$(ls "$tmp/tmp")" ]
ok $? 'the machine of another terminal runs' "$tmp/screen"
terminal kill-server
gone 'a terminal that is closed takes the machine with it'

open_terminal 80 24 'exec make vm MODULES= SOCKETS=1'
await '^To leave'
kill -TERM "$(terminal display-message -p '#{pane_pid}')"
gone 'TERM takes the machine with it'

tap_done
