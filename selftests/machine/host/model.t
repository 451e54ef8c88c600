#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# model.t: run ../bare/model.c on the bare machine, made in several ways; TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"

HERE=$TOP/machine/qemu
qemu=$("$HERE/build.sh")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$TOP/selftests/machine/bare" O="$tmp" "$tmp/model.elf" >&2

tests=0
status=0

# machine NAME SET [KEY=VALUE...]: run one set of tests on one machine of this shape (sockets and cores), renumbered.
shape='2 1'
machine()
{
	name=$1
	set_=$2
	shift 2
	"$HERE/args.sh" $shape "$@" > "$tmp/args"
	# One argument per line, none with a space in it: splitting is meant. The guest ends QEMU, whose status is then odd.
	ret=0
	timeout 120 "$qemu" $(cat "$tmp/args") $accel -L /usr/share/seabios -L /usr/share/qemu -m 64 -nodefaults \
		-display none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$tmp/serial" \
		-kernel "$tmp/model.elf" -append "$set_" < /dev/null >&2 || ret=$?
	tr -d '\r' < "$tmp/serial" > "$tmp/tap"
	while read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			tests=$((tests + 1))
			echo "${line%%ok *}ok $tests - $name: ${line#* - }"
			case $line in not*) status=1 ;; esac
			;;
		'#'*) echo "$line" ;;
		esac
	done < "$tmp/tap"
	if ! grep -q '^1\.\.' "$tmp/tap"; then
		tests=$((tests + 1))
		status=1
		echo "not ok $tests - $name: ran to its end (QEMU's status $ret)"
	fi
}

echo 'TAP version 13'
accel=
machine plain all
machine left-out left-out cbos=6 no-qpi hide=14.1
machine pcu-drop pcu-drop pcu-ext=drop
machine pcu-fault pcu-fault pcu-ext=fault
shape='1 2'
machine cores cores
machine socket-residency one-core residency=socket
shape='1 1'
machine threads one-core threads=2
shape='2 1'
accel='-icount shift=auto'
machine icount all
echo "1..$tests"
exit "$status"
