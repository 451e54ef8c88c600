# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Sourced by tests that run bare/ on the bare machine: the program, made, and how to run a set of
# its tests.

. "$TOP/scripts/test.sh"

qemu=$("$TOP/machine/xeon/qemu/build.sh")
make -s -C "$TOP/machine/xeon/tests/bare" O="$tmp" "$tmp/model.elf" >&2

shape='2 1'
accel=

# bare SET [KEY=VALUE]...: run a set of tests; what it prints is $tmp/tap, and QEMU's own complaint
# $tmp/qemu. Of the shape $shape (sockets and cores), with QEMU's arguments $accel.
bare()
{
	set_=$1
	shift
	: > "$tmp/tap"
	# shellcheck disable=SC2086
	"$TOP/machine/xeon/qemu/args.sh" $shape "$@" > "$tmp/args" 2> "$tmp/qemu" || return
	# One argument per line, none with a space in it: splitting is meant. The guest ends QEMU,
	# whose status is then odd.
	ret=0
	# shellcheck disable=SC2046,SC2086
	"$SCRIPTS/limit" 120 "$qemu" -m 64 $(cat "$tmp/args") $accel -L /usr/share/seabios -L /usr/share/qemu -nodefaults \
		-display none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$tmp/serial" \
		-kernel "$tmp/model.elf" -append "$set_" < /dev/null >> "$tmp/qemu" 2>&1 || ret=$?
	tr -d '\r' < "$tmp/serial" > "$tmp/tap"
}

# refused TEXT [KEY=VALUE]...: test that args.sh or the device refuses the machine
refused()
{
	text=$1
	shift
	bare variant "$@" || :
	[ ! -s "$tmp/tap" ] && grep -qF -e "$text" "$tmp/qemu" && code=0 || code=1
	ok $code "refused: $shape $*: $text" "$tmp/qemu"
}

# machine NAME SET [KEY=VALUE]...: run one set of tests on one machine, as a part of that name. QEMU
# says why if it prints none.
machine()
{
	machine_name=$1
	shift
	part "$machine_name" bare_tap "$@"
}

bare_tap()
{
	ret=0
	bare "$@" || ret=$?
	grep -q '^1\.\.' "$tmp/tap" || { echo "QEMU's status: $ret"; cat "$tmp/qemu"; }
	cat "$tmp/tap"
}
