#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the log advises when something keeps the uncore driver from loading, or boxes from it, and that the advice helps. What
# variants.t boots anyway it looks at itself. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# guest NAME OPTION... -- COMMAND: one small machine, whose output and log are $tmp/out and $tmp/log
guest()
{
	name=$1
	shift
	ran=0
	"$TOP/selftests/vm" -t 300 -s 1 -c 1 -l "$tmp/log" -W -m '' "$@" > "$tmp/out" 2> "$tmp/err" || ran=$?
	ok $ran "$name: the machine runs" "$tmp/err"
}

# says FILE TEXT: a line of the file has the text
says()
{
	[ $ran != 123 ] || { ok 123 "$name: $2"; return; }
	grep -qF -e "$2" "$tmp/$1" && code=0 || code=1
	tail -n 15 "$tmp/$1" > "$tmp/end"
	ok $code "$name: $2" "$tmp/end"
}

guest 'an Ivy Bridge-EP' -o cpu=SandyBridge,model=62,-hypervisor,-x2apic,-tsc-deadline -- 'modprobe snbep_uncore || echo refused'
says out refused
says log "snbep_uncore: not a Xeon E5-2600 (family 6, model 45) but GenuineIntel, family 6, model 62: intel_uncore may support its uncore"

guest "another maker's processor" -o cpu=Opteron_G2,-hypervisor -- 'modprobe snbep_uncore || echo refused'
says out refused
says log 'snbep_uncore: not a Xeon E5-2600 (family 6, model 45) but AuthenticAMD, family 15, model 6'

# udev loads the drivers by these: of the processor, and of its boxes in PCI space.
name="what loads the drivers by themselves"
{
	echo "snbep_uncore cpu:type:x86,ven0000fam0006mod002D:"
	for id in 3C41 3C42 3C43 3C44 3C45 3C46 3CB0 3CB1 3CB4 3CB5; do
		echo "snbep_uncore pci:v00008086d0000${id}sv"
	done
	for model in 1A 1E 1F 2E 25 2C 2F 2A 2D; do
		echo "offcore_rsp cpu:type:x86,ven0000fam0006mod00$model:"
	done
} > "$tmp/wanted"
while read -r module alias; do
	modinfo -F alias "$BUILD/modules-6.1/$module.ko" | grep -qF "$alias" || echo "$module has no $alias"
done < "$tmp/wanted" > "$tmp/missing"
[ ! -s "$tmp/missing" ] && code=0 || code=1
ok $code "$name: its modules say so" "$tmp/missing"

# A virtual machine that shows the processor and nothing of the uncore
guest 'a guest without an uncore' -o msrs=drop -o hide=8.2,8.6,9.2,9.6,11.0,14.1,16.0,16.1,16.4,16.5,19.1,19.5,19.6 -- \
	'modprobe snbep_uncore || echo refused'
says out refused
says log 'snbep_uncore: no uncore box responds: virtual machines have none, load the module on the host'

# The advice is followed first: initcall_blacklist works on modules just as on what is built in. Then the built-in driver is there.
guest 'intel_uncore built in' -b "$TOP/selftests/uncore/builtin" -a initcall_blacklist=intel_uncore_init -- '
	modprobe intel_uncore 2> /dev/null || echo blacklisted
	modprobe snbep_uncore && rmmod snbep_uncore && echo loaded
	modprobe builtin_uncore
	modprobe snbep_uncore || echo refused'
says out blacklisted
says out loaded
says out refused
says log 'if it is built in, boot with initcall_blacklist=intel_uncore_init'
tap_done
