#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# events.t: the model's event table and the driver's, which were written apart, agree; TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

HERE=$TOP/machine/qemu
qemu=$("$HERE/build.sh")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -C "$TOP/selftests/machine/bare" O="$tmp" "$tmp/model.elf" >&2

# The guest ends QEMU, whose status is then odd: what it printed is what counts.
timeout 60 "$qemu" $("$HERE/args.sh" 1 1) -L /usr/share/seabios -L /usr/share/qemu -m 64 -nodefaults \
	-display none -no-reboot -device isa-debug-exit,iobase=0xf4,iosize=4 -serial "file:$tmp/serial" \
	-kernel "$tmp/model.elf" -append events < /dev/null >&2 || :
tr -d '\r' < "$tmp/serial" | sed -n 's/^# event //p' | sort > "$tmp/model"

echo 'TAP version 13'
for box in ubox cbox ha imc pcu qpi r2pcie r3qpi; do
	cc -Wall -Wextra -Werror -I"$TOP/events" -DBOX="\"$box\"" -DDEF="\"snbep_$box.def\"" \
		-o "$tmp/driver" "$TOP/selftests/machine/host/events.c"
	"$tmp/driver" | sort > "$tmp/driver.$box"
	grep "^$box " "$tmp/model" > "$tmp/model.$box" || :
	diff "$tmp/model.$box" "$tmp/driver.$box" > "$tmp/diff" && [ -s "$tmp/model.$box" ] && code=0 || code=1
	ok $code "$box: $(wc -l < "$tmp/model.$box") events of the model (<) and the driver (>) alike" "$tmp/diff"
done
tap_done
