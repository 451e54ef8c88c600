#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# QEMU makes the machine as other programs start it: syz-manager, with the configuration that
# machine/xeon/smoke/syzkaller prints and the arguments that it adds (vm/qemu/qemu.go), and Debian
# 13's virtme-ng, by the command in machine-kernel.rst.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

qemu=$("$TOP/machine/xeon/qemu/build.sh")
packages=$(closure trixie virtme-ng | grep -E '^(virtme-ng|python3-(argcomplete|certifi|chardet|idna|requests|urllib3))=')
# shellcheck disable=SC2086 # packages
unpack_debs trixie "$tmp" $packages
set +e

# starts NAME FILE: QEMU with these arguments, one per line, but for the terminal and an open file
starts()
{
	sed -i 's/^stdio,/null,/; /^-initrd$/,+1d' "$2"
	echo quit | xargs -d '\n' -a "$2" sh -c 'exec "$@" -display none -S -monitor stdio' sh "$qemu" > "$tmp/err" 2>&1 && code=0 || code=1
	ok $code "$1" "$tmp/err" "$2"
}

"$TOP/machine/xeon/smoke/smoke" -x > "$tmp/err" 2>&1
[ $? = 1 ] && [ "$(sed -n '$s/\[.*//p' "$tmp/err")" = "smoke: usage: smoke " ]
ok $? 'smoke: an unknown option: the usage' "$tmp/err"
truncate -s 1M "$tmp/image"
: > "$tmp/key"
# The network is QEMU's own, and needs another build.
SNBEP_QEMU=$qemu "$TOP/machine/xeon/smoke/syzkaller" "$tmp" "$tmp" "$tmp/image" "$tmp/key" > "$tmp/config"
perl -MJSON::PP -e '$c = decode_json(join "", <>); -e $c->{$_} or die "$_\n" for qw(kernel_obj syzkaller image sshkey);
	print join "\n", "-m", $c->{vm}{mem}, "-smp", $c->{vm}{cpu}, qw(-device virtio-rng-pci), split(/ /, $c->{vm}{qemu_args}),
		"-device", "$c->{vm}{network_device},netdev=net0", qw(-netdev hubport,id=net0,hubid=0 -hda), $c->{image}, "-snapshot"' \
	"$tmp/config" > "$tmp/args" 2> "$tmp/err"
ok $? "syzkaller's configuration is JSON, and its files are there" "$tmp/err" "$tmp/config"
starts 'QEMU has the machine of syz-manager' "$tmp/args"

image=$("$SCRIPTS/kernel" 6.1)/vmlinuz
sed -n '/^  vng --run/,/^$/p' "$TOP/Documentation/machine-kernel.rst" | sed "s:~/linux/[^ ]*:$image --dry-run:" > "$tmp/vng"
cd "$TOP" && PATH=$tmp/usr/bin:$PATH PYTHONPATH=$tmp/usr/lib/python3/dist-packages script -qec ". $tmp/vng" /dev/null > "$tmp/out" 2>&1 < /dev/null
eval "set -- $(tr -d '\r' < "$tmp/out" | grep '^/.*qemu-system.* -append ')"
check 'virtme-ng takes the command' [ "${1:-}" = "$qemu" ]
[ $# = 0 ] || shift
printf '%s\n' "$@" > "$tmp/args"
starts 'QEMU has the machine of virtme-ng' "$tmp/args"
tap_done
