#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # variables of fake.sh
#
# live.t [--write]: uncorestat --live in a terminal of tmux, over the fake PMUs of fake.c. The
# picture is compared with live.WIDTHxHEIGHT.* beside this file, where --write puts what it is now:
# look at it before you keep it.

"$(dirname "$(readlink -f "$0")")/../../../scripts/setup"
. "$(dirname "$(readlink -f "$0")")/fake.sh"
write=
[ "${1:-}" != --write ] || write=yes
# Each terminal has its own server, because a server takes a moment to exit.
nr=0
terminal()
{
	tmux -S "$tmp/terminal.$nr" -f /dev/null "$@"
}
trap 'terminal kill-server 2> /dev/null; rm -rf "$tmp"' EXIT
unset TMUX

"$here/fake-root" "$FAKE" "0 3"
for cpu in 0 10; do
	k=$((cpu / 10 + 1))
	for i in 0 1 2 3 4 5 6 7; do
		rates cbox_$i@$cpu/0x334=$(((9000000 + 400000 * i) * k))
	done
	for i in 0 1 2 3; do
		rates imc_$i@$cpu/0x304=$(((90000000 + 10000000 * i) * k)) imc_$i@$cpu/0xc04=$(((60000000 - 10000000 * i) * k))
	done
	rates "cbox_?@$cpu/0xa35=$((800000 * k))" "cbox_?@$cpu/0x135=$((1500000 * k))" \
		ha@$cpu/0x410=$((3000000 * k)) ha@$cpu/0x110=8000000 ha@$cpu/0x210=3000000 \
		pcu@$cpu/0x0=800000000 pcu@$cpu/0x4080=$((2400000000 * k)) pcu@$cpu/0xc080=$((3200000000 / k)) pcu@$cpu/0xc=$((390000000 * k)) \
		qpi_0@$cpu/0x200=$((500000000 * k)) qpi_1@$cpu/0x200=$((600000000 * k)) \
		qpi_0@$cpu/0x201=$((700000000 * k)) qpi_1@$cpu/0x201=$((600000000 * k)) \
		"qpi_?@$cpu/0x401=100000000" "qpi_?@$cpu/0x14=1000000000"
done

# A short name keeps the shell's messages on one line.
cat > "$tmp/live" << END
#!/bin/sh
LD_PRELOAD=$fake exec $stat --live "\$@"
END
chmod +x "$tmp/live"

trap 'exit 1' INT TERM HUP

# open_terminal WIDTH HEIGHT: with a shell in it
open_terminal()
{
	[ $nr = 0 ] || terminal kill-server
	nr=$((nr + 1))
	terminal new-session -d -x "$1" -y "$2" "PS1='ready ' exec bash --norc --noprofile -i"
	await '^ready$'
}

type_line()
{
	terminal send-keys -l "$1"
	terminal send-keys Enter
}

# live LOCALE TERM [OPTIONS]: start it there
live()
{
	type_line "clear; LC_ALL=$1 TERM=$2 QUICK=${quick:-0} $tmp/live -i 0.1 ${3:-}"
}

capture()
{
	terminal capture-pane -p ${1:-} | "$here/normalize-colours" | sed 's/[0-2][0-9]:[0-5][0-9]:[0-5][0-9]/HH:MM:SS/'
}

# hangs SINCE: give up after ten minutes, or $HANGS seconds
hangs()
{
	if [ "$(date +%s)" -ge $(($1 + ${HANGS:-600})) ]; then
		echo "# nothing came in ${HANGS:-600} seconds: given up as hanging"
		return 0
	fi
	return 1
}

# await PATTERN: wait until a line of the screen matches
await()
{
	since=$(date +%s)
	until capture > "$tmp/screen" && grep -q -e "$1" "$tmp/screen"; do
		! hangs "$since" || return 1
		sleep 0.1
	done
}

# key KEY PATTERN: press it, and wait for the picture
key()
{
	terminal send-keys "$1"
	await "$2"
}

# sees NAME KEY PATTERN: test that a line of the picture matches after the key
sees()
{
	key "$2" "$3"
	ok $? "$1" "$tmp/screen"
}

# resized NAME WIDTH HEIGHT PATTERN: the same after the window has another size
resized()
{
	terminal resize-window -x "$2" -y "$3"
	await "$4"
	ok $? "$1" "$tmp/screen"
}

# modes NAME: test that the terminal's modes are those before
modes()
{
	type_line "code=\$?; stty -a > $tmp/after; echo status \$code, and after"
	await '^status [0-9]*, and after'
	diff "$tmp/before" "$tmp/after" > "$tmp/diff"
	ok $? "$1" "$tmp/diff"
}

# gone PATTERN [-e]: wait until no line of the screen matches
gone()
{
	since=$(date +%s)
	while capture "${2:-}" > "$tmp/screen" && grep -q -e "$1" "$tmp/screen"; do
		! hangs "$since" || return 1
		sleep 0.1
	done
}

# alike: compare the screen with the file; the last line may be a note of a late interval
alike()
{
	cmp -s "$tmp/screen" "$file" && return
	tail -n 1 "$tmp/screen" | grep -q 'late: this interval' && [ "$(sed '$d' "$tmp/screen")" = "$(sed '$d' "$file")" ]
}

# picture NAME WIDTH HEIGHT LOCALE TERM [-e]: test that the picture with full histories is that of
# the file, in one of 100 looks
picture()
{
	rm -f "$FAKE/slow"
	open_terminal "$2" "$3"
	quick=200 live "$4" "$5"
	file=$here/live.$1
	since=$(date +%s)
	until [ -e "$FAKE/slow" ]; do
		! hangs "$since" || break
		sleep 0.1
	done
	if [ "$write" ]; then
		sleep 1
		capture "${6:-}" > "$file"
		while grep -q late "$file"; do
			capture "${6:-}" > "$file"
		done
	fi
	tries=0
	while capture "${6:-}" > "$tmp/screen"; ! alike && [ $tries -lt 100 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	alike || diff "$file" "$tmp/screen" > "$tmp/diff"
	ok $? "the picture $1" "$tmp/diff"
	terminal send-keys q
}

picture 80x24.utf8.colour 80 24 C.UTF-8 screen-256color -e
picture 160x50.ascii.colour 160 50 C screen-256color -e

colours=$(printf '\033\[[0-9;]*3[0-7]')
grep -q "$colours" "$here/live.80x24.utf8.colour"
ok $? "colours on a colour terminal"
! LC_ALL=C grep -q "$(printf '[\200-\377]')" "$here/live.160x50.ascii.colour"
ok $? "only ASCII in a locale without UTF-8"

# Histories fill while the picture is held; the charts below it are those of its socket.
open_terminal 80 24
live C.UTF-8 screen-256color "--prometheus $tmp/live.prom"
await 'socket 0 ─'
terminal send-keys p
await 'held, p: go on'
file=$here/live.80x24.utf8.colour
since=$(date +%s)
until awk '/^uncorestat_mem_read_bytes_total{socket="0"}/ && $2 > 2.5e12 { full = 1 } END { exit !full }' "$tmp/live.prom"; do
	! hangs "$since" || break
	sleep 0.1
done
terminal send-keys p
await 'scaled to all'
capture -e > "$tmp/screen"
alike || diff "$file" "$tmp/screen" > "$tmp/diff"
ok $? "the histories have what came while the picture was held" "$tmp/diff"
terminal resize-window -x 80 -y 36
await 'memory write'
sed -n '20,35p' "$tmp/screen" > "$tmp/charts"
terminal send-keys n
await 'socket 3 ─'
! sed -n '20,35p' "$tmp/screen" | cmp -s - "$tmp/charts" && grep -q 'memory write' "$tmp/charts"
ok $? "n: the charts, too, are the next socket's" "$tmp/screen"

# A locale of decimal commas
printf 'LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\ngrouping 3;3\nEND LC_NUMERIC\n' > "$tmp/commas"
# It warns that the other categories are missing, and fails for it.
localedef -c -i "$tmp/commas" -f ANSI_X3.4-1968 "$tmp/decimal" > "$tmp/log" 2>&1
[ "$(env -u LC_ALL LOCPATH=$tmp LC_CTYPE=C.UTF-8 LC_NUMERIC=decimal bash -c 'printf %.1f 1,5')" = 1,5 ]
ok $? "a locale of decimal commas" "$tmp/log"
open_terminal 80 24
type_line "clear; env -u LC_ALL LOCPATH=$tmp LC_CTYPE=C.UTF-8 LC_NUMERIC=decimal $tmp/live -i 0.2"
await 'every 0.2 s' && await ' 26880\.0 '
ok $? "decimal points, also where the locale has commas" "$tmp/screen"
terminal send-keys q

# The maximum number of boxes
source=$(unlimited "$TOP/scripts/linux-source" 6.1 arch/x86/events/intel)
# generation NAME MODEL PREFIX BOX...
generation()
{
	name=$1 model=$2
	FAKE=$tmp/$name
	"$here/linux-uncore" "$source/arch/x86/events/intel/uncore_snbep.c" "$3" > "$tmp/fields"
	shift 3
	"$here/fake-root" "$FAKE" '0 1' uncore_ "$model" "$tmp/fields" "$@"
	k=1
	for box; do
		case $box in
		imc_*) rates $box/0x304=$((90000000 + 10000000 * k)) $box/0xc04=$((40000000 + 1000000 * k)) ;;
		ha_*) rates $box/0x410=3000000 $box/0x110=8000000 ;;
		cbox_*) rates $box/0x334=$((9000000 + 400000 * k)) $box/0x2a35=$((900000 + 10000 * k)) $box/0x135=1000000 $box/0x80135=1500000 ;;
		pcu) rates pcu/0x0=800000000 pcu/0x4080=6400000000 pcu/0xb,0x14=390000000 ;;
		qpi_*) rates $box/0x200=$((400000000 + 2000000 * k)) $box/0x200802=300000000 $box/0x400=100000000 $box/0x14=1200000000 ;;
		esac
		k=$((k + 1))
	done
	picture 80x20.$name 80 20 C.UTF-8 vt100
}
# shellcheck disable=SC2046 # numbers
generation v4 79 bdx $(numbers cbox 24) ha_0 ha_1 $(numbers imc 8) pcu $(numbers qpi 3)

# Boxes that the machine or one of its sockets lacks, several remarks, an error while there is a
# picture
FAKE=$tmp/few
"$here/fake-root" "$FAKE" "0 3" snbep_uncore_ 45 "" cbox_0 imc_0 imc_1
echo 0 > "$FAKE/sys/bus/event_source/devices/snbep_uncore_imc_1/cpumask"
mkdir "$tmp/directory"
open_terminal 80 24
type_line "stty -a > $tmp/before"
live C.UTF-8 screen-256color "--prometheus $tmp/directory/live.prom"
await '^ ! socket 0 has 2 of 4 imc boxes.* +4 more$' &&
	grep -q '^ QPI: not there  ' "$tmp/screen" && ! grep -q ' 1     not there$' "$tmp/screen"
ok $? "the machine has no QPI" "$tmp/screen"
terminal send-keys n
await ' 1     not there$'
ok $? "the other socket lacks a channel" "$tmp/screen"
rm -r "$tmp/directory"
await '^ready$'
type_line "status=\$?; stty -a > $tmp/after; echo status \$status"
await '^status 1' && grep -q '^uncorestat: cannot write' "$tmp/screen" && diff "$tmp/before" "$tmp/after" > "$tmp/diff"
ok $? "an error ends the picture and restores the terminal" "$tmp/screen"
FAKE=$tmp/fake

# Groups
open_terminal 80 24
live C.UTF-8 screen-256color "-g mem"
await '^ S3 imc_3   15360\.0 [^ ]*  *3840\.0 '
ok $? "--live -g mem: a line with numbers and bars for each channel" "$tmp/screen"
key 6 '^ S0     3\.0    0\.0    4\.0    0\.0   48\.8 ' && key g 'every 0\.1 s *[a-z]*, g: next' && key 8 '^ ── The whole machine' &&
	key 2 '^ S0 imc_0    5760\.0 '
ok $? "keys switch between groups" "$tmp/screen"
sees "8: the whole machine, with Linux's own PMUs" 8 '^ all  *[0-9]'
key 1 'LLC ring' && await ' 26880\.0 '
ok $? "1: the picture of the default group" "$tmp/screen"
FAKE=$tmp/few
open_terminal 80 24
live C.UTF-8 screen-256color "-m mem_read"
await '^ ── metrics of -m'
terminal send-keys 4
await '^ this machine has no qpi box: absent or hidden by the BIOS' && grep -q 'metrics of -m' "$tmp/screen"
ok $? "a group that the machine lacks: the reason, and the group before" "$tmp/screen"
FAKE=$tmp/fake

# Keys, window sizes, job control, exit
open_terminal 80 24
type_line "stty -a > $tmp/before; echo this was here before"
await '^this was here before'
live C.UTF-8 screen-256color
await 'socket 0 ─'
ok $? "the picture appears" "$tmp/screen"
sees "n: the next socket" n 'socket 3 ─'
[ "$(terminal display-message -p '#{cursor_flag}')" = 0 ]
ok $? "the cursor is hidden"
sees "right arrow: the next socket" Right 'socket 0 ─'
terminal send-keys n h
await 'Ctrl-Z  *back to the shell'
cat > "$tmp/keys" << 'END'
────────────────────────────────────────────────────
  q          quit
  h, ?       this help
  1 to 8     groups: default mem llc qpi pcie ...
  g          next group
  n, Tab     next socket, where not all fit
  p, space   hold the picture; counting goes on
  c          colour on and off
  Ctrl-L     draw it all again
  Ctrl-Z     back to the shell; fg returns
────────────────────────────────────────────────────
END
sed -n '7,17p' "$tmp/screen" | LC_ALL=C.UTF-8 sed 's/^.\{14\}\(.\{1,52\}\).*/\1/; s/ *$//' | diff "$tmp/keys" - > "$tmp/diff"
ok $? "h: the keys" "$tmp/diff"
terminal send-keys h
terminal send-keys c
gone "$colours" -e
ok $? "c: no colours" "$tmp/screen"
terminal send-keys c
until capture > "$tmp/screen" && grep -q rubbish "$tmp/screen"; do
	printf 'rubbish' > "$(terminal display-message -p '#{pane_tty}')"
	sleep 0.1
done
terminal send-keys C-l
gone rubbish
ok $? "Ctrl-L: draws it all again" "$tmp/screen"
sees "p: paused" p 'held, p: go on'
terminal send-keys p
resized "a larger window shows all sockets" 160 50 'socket 3 ─.*socket 0 ─'
resized "a larger window shows history" 160 50 'memory write .*memory write'
resized "a small window: the required size" 60 15 'needs 80 x 20'
resized "the window is large enough again: the picture" 80 24 'socket 3 ─'
sees "Ctrl-Z: back to the shell" C-z Stopped
type_line "stty -a > $tmp/stopped; fg"
await 'socket 3 ─'
ok $? "fg: back to the picture" "$tmp/screen"
diff "$tmp/before" "$tmp/stopped" > "$tmp/diff"
ok $? "Ctrl-Z restores the terminal's modes" "$tmp/diff"
[ ! -e "$FAKE/deaf" ]
ok $? "SIGTSTP is never ignored"
key q '^ready$'
modes "q restores the terminal's modes"
grep -q '^status 0' "$tmp/screen"
ok $? "q: exits with 0" "$tmp/screen"
! capture | grep -q 'LLC ring'
ok $? "q clears the picture"
[ "$(terminal display-message -p '#{cursor_flag} #{alternate_on}')" = "1 0" ]
ok $? "q shows the cursor again"
live C.UTF-8 screen-256color
await 'socket 0 ─'
key C-c '^ready$'
modes "Ctrl-C restores the terminal's modes"
echo 'refuse -1 -1 13' >> "$FAKE/rules"
type_line "clear; $tmp/live; echo status \$?"
await '^status 1' && capture | grep -q '^uncorestat: not allowed'
ok $? "an error appears on the restored terminal" "$tmp/screen"
sed -i '$d' "$FAKE/rules"
type_line "clear; TERM=no-such-terminal $tmp/live; echo unknown: \$?"
await '^unknown: 1' && capture | grep -q '^uncorestat: --live cannot draw on this terminal (TERM=no-such-terminal)'
ok $? "an unknown terminal: an error" "$tmp/screen"

tap_done
