#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore driver where a socket comes online late, and beside intel_uncore; its module aliases.
# tests/variants.machines has other machines.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

# guest OPTION... -- COMMAND: run a command in the guest; $tmp/out and $tmp/log are output and log
guest()
{
	"$TOP/bin/vm" -t 300 -l "$tmp/log" -W "$@" > "$tmp/out" 2> "$tmp/err" && return
	code=$?
	sed 's/^/# /' "$tmp/err"
	return $code
}

# has NAME FILE TEXT: a test that passes if a line of the file has the text; lacks: if none has
has()
{
	grep -qF -e "$3" "$tmp/$2" && found=0 || found=1
	{ echo "no '$3' in:"; tail -n 15 "$tmp/$2"; } > "$tmp/end"
	ok $found "$1" "$tmp/end"
}

lacks()
{
	grep -F -e "$3" "$tmp/$2" > "$tmp/end" && found=1 || found=0
	ok $found "$1" "$tmp/end"
}

mkdir -p "$tmp/mcfg/kernel/firmware/acpi"
"$TOP/machine/xeon/vm/mcfg" fe > "$tmp/mcfg/kernel/firmware/acpi/mcfg.aml"
part 'one socket, MMCONFIG without its bus ff' "$TOP/tests/kselftest" -t 300 -s 1 -f "$tmp/mcfg" 'snbep_uncore:count 20' snbep_uncore:refuse

# The other socket's CPUs have never been online when its functions are found.
guest -a maxcpus=1 -o packages=0,3 -o nodes=1,0 -- 'echo 1 > /sys/devices/system/cpu/cpu2/online
	cat /sys/bus/event_source/devices/snbep_uncore_ha/cpumask' && code=0 || code=$?
has 'maxcpus=1: a socket that comes online has its PCI boxes' out 0,2
guest -a maxcpus=1 -o hide=0b.0 -o numa=on -- 'echo 1 > /sys/devices/system/cpu/cpu2/online
	cat /sys/bus/event_source/devices/snbep_uncore_ha/cpumask' && code=0 || code=$?
has 'maxcpus=1, UBox hidden: the NUMA node tells the socket of its PCI boxes' out 0,2

# More nodes than the UBox has room for: they are not packages.
"$TOP/bin/vm" -t 300 -a numa=fake=16 -- 'cat /sys/devices/system/node/possible
	cat /sys/bus/event_source/devices/snbep_uncore_ha/cpumask' > "$tmp/out" 2> "$tmp/err" ||
	sed 's/^/# /' "$tmp/err"
has 'numa=fake=16: there are as many nodes' out 0-15
has 'numa=fake=16: both sockets have their PCI boxes' out 0,2

# Module aliases by which udev loads the drivers: the processor, and PCI functions
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
	modinfo -F alias "$TOP/build/modules-6.1/$module.ko" | grep -qF "$alias" || echo "$module has no $alias"
done < "$tmp/wanted" > "$tmp/missing"
empty "modules have the aliases that udev loads them by" "$tmp/missing"

# Follow the log's advice first: initcall_blacklist works on modules, too. Then load a built-in
# driver's stand-in.
guest -s 1 -c 1 -m '' -b "$TOP/selftests/cases/uncore/builtin" -a initcall_blacklist=intel_uncore_init -- '
	modprobe intel_uncore 2> /dev/null || echo blacklisted
	modprobe snbep_uncore && rmmod snbep_uncore && echo loaded
	modprobe builtin_uncore
	modprobe snbep_uncore || echo refused' && code=0 || code=$?
ok $code 'intel_uncore built in: the machine runs'
has 'intel_uncore built in: it can be kept from loading' out blacklisted
has 'intel_uncore built in: ours loads without it' out loaded
has 'intel_uncore built in: ours does not load beside it' out refused
has 'intel_uncore built in: the log says how to keep it from loading' log \
	'if it is built in, boot with initcall_blacklist=intel_uncore_init'

# intel_uncore and ours: the second one is refused with a clear message
cat > "$tmp/both" << 'END'
modprobe intel_uncore || echo intel refused
modprobe snbep_uncore && echo ours loaded beside intel
ls /sys/bus/event_source/devices | grep -c '^uncore_' > /tmp/n
echo intel has $(cat /tmp/n) PMUs
perf stat -a --per-socket -x, -e uncore_imc_0/event=0x4,umask=0x3/ uncore-stim imc_0 event=4,umask=3,count=17 2>&1
rmmod intel_uncore
modprobe snbep_uncore || echo ours refused
modprobe intel_uncore && echo intel loaded beside ours
perf stat -a --per-socket -x, -e snbep_uncore_imc_0/event=0x4,umask=0x3/ uncore-stim imc_0 event=4,umask=3,count=19 2>&1
rmmod snbep_uncore
modprobe intel_uncore && echo intel loaded after ours
END
for k in 6.1 newest; do
	guest -k $k -m '' -s 1 -c 8 -- "$(cat "$tmp/both")" && code=0 || code=$?
	ok $code "intel_uncore beside ours, $k: the machine runs"
	lacks "intel_uncore beside ours, $k: ours does not load on top of it" out 'ours loaded beside intel'
	has "intel_uncore beside ours, $k: and says why" log \
		'intel_uncore is active: unload it (modprobe -r intel_uncore), or keep it from loading with "blacklist intel_uncore" in'
	has "intel_uncore beside ours, $k: it has its PMUs" out 'intel has 20 PMUs'
	has "intel_uncore beside ours, $k: it goes on counting" out 'S0,1,17,'
	lacks "intel_uncore beside ours, $k: ours loads once it is gone" out 'ours refused'
	lacks "intel_uncore beside ours, $k: it does not load on top of ours" out 'intel loaded beside ours'
	has "intel_uncore beside ours, $k: and the log says why" log 'intel_uncore not loaded'
	has "intel_uncore beside ours, $k: ours goes on counting" out 'S0,1,19,'
	has "intel_uncore beside ours, $k: it loads once ours is gone" out 'intel loaded after ours'
done

# With uncore_names=1, intel_uncore's seven aliases have its encodings.
guest -m '' -- 'cd /sys/bus/event_source/devices
	modprobe intel_uncore && mkdir /tmp/intel
	for p in uncore_imc_0 uncore_qpi_0; do cp -r $p/events /tmp/intel/$p; done
	rmmod intel_uncore && modprobe snbep_uncore uncore_names=1
	cd /tmp/intel
	for f in */*; do [ "$(cat $f)" = "$(cat /sys/bus/event_source/devices/${f%/*}/events/${f#*/})" ] && echo same $f; done
	true' && code=0 || code=$?
ok $code 'aliases of intel_uncore: the machine runs'
for f in imc_0/clockticks imc_0/cas_count_read imc_0/cas_count_read.scale imc_0/cas_count_read.unit \
	imc_0/cas_count_write imc_0/cas_count_write.scale imc_0/cas_count_write.unit \
	qpi_0/clockticks qpi_0/txl_flits_active qpi_0/drs_data qpi_0/ncb_data; do
	has "aliases of intel_uncore: $f" out "same uncore_$f"
done

tap_done
