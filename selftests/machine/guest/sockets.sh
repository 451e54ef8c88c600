# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154 # who sources it sets them
#
# Sourced by a shell in a machine with $sockets sockets and intel_uncore: each socket has its own boxes. TAP.

. /selftests/lib/tap.sh

for box in cbox_7:event=0x35,umask=0x4 imc_3:event=0x4,umask=0x3 qpi_1:event=0x8 ha:event=0x1,umask=0x3 \
	r3qpi_0:event=0x24 ubox:event=0x42,umask=0x8; do
	name=${box%%:*}
	terms=${box#*:}
	stim=
	want=
	s=0
	while [ "$s" -lt "$sockets" ]; do
		stim="$stim -s $s $name $terms,count=$((1000 + s))"
		want="${want}S$s=$((1000 + s)) "
		s=$((s + 1))
	done
	# Words of stim are arguments.
	perf stat -a --per-socket -x, -o /tmp/stat -e "uncore_$name/$terms/" -- uncore-stim $stim
	got=$(awk -F, '/^S[0-7],/ { print $1 "=" $3 }' /tmp/stat | sort | tr '\n' ' ')
	[ "$got" = "$want" ]
	ok $? "$sockets sockets: $name counts its own" /tmp/stat
done
tap_done
