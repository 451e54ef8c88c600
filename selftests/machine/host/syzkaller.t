#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# syzkaller.t: QEMU makes the machine of the configuration that machine/xeon/smoke/syzkaller prints, with the arguments that
# syz-manager adds (vm/qemu/qemu.go). Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
qemu=$("$TOP/machine/xeon/qemu/build.sh")
truncate -s 1M "$tmp/image"
: > "$tmp/key"
# The network is QEMU's own, and needs another build.
SNBEP_QEMU=$qemu "$TOP/machine/xeon/smoke/syzkaller" "$tmp" "$tmp" "$tmp/image" "$tmp/key" > "$tmp/config"
perl -MJSON::PP -e '$c = decode_json(join "", <>); -e $c->{$_} or die "$_\n" for qw(kernel_obj syzkaller image sshkey);
	print join "\n", "-m", $c->{vm}{mem}, "-smp", $c->{vm}{cpu}, qw(-device virtio-rng-pci), split(/ /, $c->{vm}{qemu_args}),
		"-device", "$c->{vm}{network_device},netdev=net0", qw(-netdev hubport,id=net0,hubid=0 -hda), $c->{image}, "-snapshot"' \
	"$tmp/config" > "$tmp/args" 2> "$tmp/err" && code=0 || code=1
ok $code 'the configuration is JSON, and its files are there' "$tmp/err" "$tmp/config"
echo quit | xargs -a "$tmp/args" sh -c 'exec "$@" -display none -S -monitor stdio' sh "$qemu" > "$tmp/err" 2>&1 && code=0 || code=1
ok $code 'QEMU has such a machine' "$tmp/err"
tap_done
