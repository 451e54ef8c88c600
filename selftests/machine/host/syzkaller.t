#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# syzkaller.t: the configuration that machine/xeon/smoke/syzkaller prints is JSON, and its machine is one that QEMU makes. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
qemu=$("$TOP/machine/xeon/qemu/build.sh")
# The network is QEMU's own, and needs another build.
SNBEP_QEMU=$qemu "$TOP/machine/xeon/smoke/syzkaller" "$tmp" "$tmp" > "$tmp/config"
perl -MJSON::PP -e '$c = decode_json(join "", <>); print "-m\n$c->{vm}{mem}\n-smp\n$c->{vm}{cpu}\n", join "\n", split / /, $c->{vm}{qemu_args}' \
	"$tmp/config" > "$tmp/args" 2> "$tmp/err" && code=0 || code=1
ok $code 'the configuration is JSON' "$tmp/err" "$tmp/config"
echo quit | xargs -a "$tmp/args" sh -c 'exec "$@" -display none -S -monitor stdio' sh "$qemu" > "$tmp/err" 2>&1 && code=0 || code=1
ok $code 'QEMU has such a machine' "$tmp/err"
tap_done
