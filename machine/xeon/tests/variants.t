#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each hardware variant alone; drawing by seed is repeatable; args.sh refuses wrong values.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/machine/xeon/tests/bare.sh"

machine noise noise noise=on
machine wo=zero wo-zero wo=zero
machine wo=noise wo-noise wo=noise
machine missing-cbos=zero missing-zero cores=4 missing-cbos=zero
machine msrs=drop msrs-drop msrs=drop
machine firmware=careless firmware firmware=careless
machine pcu-filter=transition pcu-filter pcu-filter=transition
machine ubox-fixed=44 ubox-fixed ubox-fixed=44
machine qpi-rate=7,3s qpi-rates qpi-rate=7,3s
machine nodes nodes packages=0,2 nodes=5,1 buses=ff,7f
machine buses buses packages=0,2 nodes=5,1 buses=3f,1f

# options FILE [KEY=VALUE]...: write the machine's variant to FILE
options()
{
	file=$1
	shift
	bare variant "$@"
	sed -n 's/^# row //p' "$tmp/tap" > "$file"
	[ -s "$file" ]
}

options "$tmp/permissive"
printf '%s\n' seed=0 generation=1 cores=8 cbos=8 core-ids=0 packages=0,1 nodes=0,1 buses=7f,ff hide= qpi-rate=5,5 uclk=2000 dclk=800 \
	noise=off wo=back pcu-ext=stick pcu-filter=at-once residency=core ubox-fixed=48 missing-cbos=fault firmware=clean \
	msrs=there ctl-en=back phantom-imc=hidden > "$tmp/expected"
diff "$tmp/permissive" "$tmp/expected" > "$tmp/diff" && code=0 || code=1
ok $code "without a seed the machine is the permissive one" "$tmp/diff"

# Arbitrary seeds
for seed in 1 2 3 20121 4294967295; do
	options "$tmp/drawn" seed=$seed
	draws=$(sed -n "s/^args.sh: seed=$seed draws //p" "$tmp/qemu")
	missing=
	for draw in $draws; do
		# Not of the uncore, whose variant this is
		[ "${draw%%=*}" != pmi ] || continue
		grep -qx -e "$draw" -e "${draw%%=*}=${draw#*=},${draw#*=}" "$tmp/drawn" || missing="$missing $draw"
	done
	[ "$draws" ] && [ -z "$missing" ] && code=0 || code=1
	ok $code "seed $seed: what args.sh says it draws is what the machine has$missing" "$tmp/drawn"

	options "$tmp/again" seed=$seed
	cmp -s "$tmp/drawn" "$tmp/again" && code=0 || code=1
	ok $code "seed $seed: the same machine again" "$tmp/again"

	# The model prints args.sh's options, which make the same machine without the seed.
	# shellcheck disable=SC2046
	options "$tmp/again" $(grep -v '^seed=' "$tmp/drawn")
	grep -v '^seed=' "$tmp/again" > "$tmp/a"
	grep -v '^seed=' "$tmp/drawn" > "$tmp/b"
	diff "$tmp/a" "$tmp/b" > "$tmp/diff" && code=0 || code=1
	ok $code "seed $seed: its lines make that machine, too" "$tmp/diff"
done

# Some seed draws each value of each trait, and no seed draws an impossible machine.
: > "$tmp/all"
code=0
for seed in $(seq 60); do
	"$TOP/machine/xeon/qemu/args.sh" 2 2 seed=$seed > "$tmp/args" 2>> "$tmp/all" || code=1
done
ok $code "every seed makes a machine" "$tmp/all"
: > "$tmp/missing"
for value in noise=on noise=off wo=back wo=zero pcu-ext=stick pcu-ext=drop pcu-ext=fault pcu-filter=at-once \
	pcu-filter=transition residency=core residency=socket ubox-fixed=48 ubox-fixed=44 missing-cbos=fault \
	missing-cbos=zero firmware=clean firmware=careless cores=6 cores=8 packages=0,1 packages=0,2 buses=7f,ff buses=ff,7f buses=3f,7f buses=7f,3f buses=1f,3f buses=3f,1f \
	hide=0e.0 hide=08.2,08.6,09.2,09.6 hide=08.6,09.6 hide=08.2,08.6,09.2,09.6,10.4 core-ids=0,1 core-ids=0,5 qpi-rate=3s,4 \
	pmi=latched pmi=level; do
	grep -q " $value\( \|\$\)" "$tmp/all" || echo "$value" >> "$tmp/missing"
done
empty "60 seeds draw every trait, one way and the other" "$tmp/missing"
! grep -q -e msrs= -e wo=noise "$tmp/all" && code=0 || code=1
ok $code "but never dead MSRs, or noise that a driver would write back as a reset" "$tmp/all"

"$TOP/machine/xeon/qemu/args.sh" 2 2 seed=2 noise=off > /dev/null 2> "$tmp/err"
! grep -q ' noise=' "$tmp/err" && grep -q ' pcu-filter=transition ' "$tmp/err" && code=0 || code=1
ok $code "what is given is not drawn, and changes nothing else" "$tmp/err"
for seed in $(seq 20); do
	"$TOP/machine/xeon/qemu/args.sh" 2 2 seed=$seed spare=intel_uncore > /dev/null 2>> "$tmp/spared"
done
! grep -q -e noise= -e wo= -e hide= "$tmp/spared" && grep -q firmware=careless "$tmp/spared" && code=0 || code=1
ok $code "what breaks intel_uncore is spared" "$tmp/spared"
"$TOP/machine/xeon/qemu/args.sh" 2 2 seed=random > /dev/null 2> "$tmp/err1"
"$TOP/machine/xeon/qemu/args.sh" 2 2 seed=random > /dev/null 2> "$tmp/err2"
grep -q '^args.sh: seed=[1-9][0-9]* draws ' "$tmp/err1" && ! cmp -s "$tmp/err1" "$tmp/err2" && code=0 || code=1
ok $code "a fresh seed is printed" "$tmp/err1" "$tmp/err2"

refused "no option 'frobnicate=1'" frobnicate=1
refused "without arguments lists the options" frobnicate=1
refused "noise is one of off, on, not 'loud'" noise=loud
refused "pcu-ext is one of stick, drop, fault, not 'x'" pcu-ext=x
refused "nodes: one for each of 2 sockets" nodes=1
refused "nodes: '8' is not a number of its own" nodes=1,8
refused 'numa=on wants memory=' numa=on
refused "nodes: '1' is not a number of its own" nodes=1,1
refused "packages is 2 ascending numbers from 0 to 7" packages=0,0
refused "packages is 2 ascending numbers from 0 to 7, the first one 0, not '1,2'" packages=1,2
refused "packages is 2 ascending numbers" packages=0,1,2
refused "packages is 2 ascending numbers" packages=0,x
refused "packages is 2 ascending numbers" packages=0,8
refused "packages is 2 ascending numbers" packages=0,02
refused "core-ids is 1 ascending numbers from 0 to 7" core-ids=8
for buses in 3f,3f 3f,100 0,3f 3f 1f,3f,7f 1f,3F '3f,7f,' ,3f; do
	refused "buses is a bus of its own, 1 to ff, for each of 2 sockets, not '$buses'" buses=$buses
done
refused "qpi-rate is 2 (5.6 GT/s) to 7" qpi-rate=8
refused "generation is one of 1 2 3 4 discovery spr, not '5'" generation=5
refused "traffic is for the first" generation=2 traffic
refused "qpi-rate is 2 (5.6 GT/s) to 7" qpi-rate=5x
refused "qpi-rate is 2 (5.6 GT/s) to 7" qpi-rate=5,5,5
refused "seed is a number, not 'x'" seed=x
refused "memory is a number, not '0768'" memory=0768
refused "cores is a number, not '08'" cores=08
refused "seed is a number, not '99999999999999999999'" seed=99999999999999999999
refused "has no function *;" 'hide=*'
refused 'no function 16.4; it has, with hexadecimal device numbers as lspci writes them, 08.0' hide=16.4
refused 'phantom-imc is for generations 3 and 4' phantom-imc=ones
refused "two devices of the machine have the command 'montecito'" device=montecito-pmu,cpus=2,bus=pcie.0
refused "nodes: '-8' is not a number of its own" nodes=-8,1
refused "nothing is known of foo's assumptions" spare=foo
tap_done
