#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The uncore driver on machines of other shapes: more and fewer sockets, boxes that are not there or hidden, a PCU
# without the extended select, configuration space that cannot be reached, intel_uncore beside it. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
. "$top/selftests/lib/tap.sh"
merged "$@"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# tap NAME ARGUMENT...: guest-tap in a machine of that name
tap()
{
	name=$1
	shift
	part "$name" "$top/selftests/lib/guest-tap" -t 300 "$@"
}

# guest NAME OPTION... -- COMMAND: a command in the guest, whose output and log are $tmp/out and $tmp/log
guest()
{
	"$top/selftests/vm" -t 300 -l "$tmp/log" -W "$@" > "$tmp/out" 2> "$tmp/err" && return
	code=$?
	sed 's/^/# /' "$tmp/err"
	return $code
}

# has NAME FILE TEXT: a line of the file has the text
has()
{
	[ "$code" != 123 ] || { ok 123 "$1"; return; }
	if grep -qF -e "$3" "$tmp/$2"; then
		ok 0 "$1"
	else
		ok 1 "$1"
		echo "# no '$3' in:"
		tail -n 15 "$tmp/$2" | sed 's/^/# /'
	fi
}

lacks()
{
	[ "$code" != 123 ] || { ok 123 "$1"; return; }
	if grep -qF -e "$3" "$tmp/$2"; then
		ok 1 "$1"
		grep -F -e "$3" "$tmp/$2" | sed 's/^/# /'
	else
		ok 0 "$1"
	fi
}

tap '4 sockets, newest' -k newest -s 4 -c 1 uncore/count
tap '8 sockets' -s 8 -c 1 uncore/count
tap 'one socket, no QPI, six cores, newest' -k newest -s 1 -o no-qpi -o cores=6 uncore/count
tap 'hidden functions and filters, PCU drops bit 21' -o hide=8.2,9.6,19.5,16.4 -o pcu-ext=drop uncore/count
tap 'controls whose enable bit reads 0' -o ctl-en=zero uncore/count
tap 'core PMU' -k newest -s 1 -c 2 -o core-pmu=on uncore/nmi

# A hypervisor that answers every MSR with 0, and drops what is written
guest -o 'msrs=drop' -- 'ls /sys/bus/event_source/devices
	perf stat -a --per-socket -x, -e snbep_uncore_ha/event=0x0e/ uncore-stim ha event=0x0e,count=29 2>&1' &&
	code=0 || code=$?
ok $code 'MSRs that are none: the module loads'
lacks 'MSRs that are none: no PMU of a CBo' out snbep_uncore_cbox
lacks 'MSRs that are none: no PMU of the PCU' out snbep_uncore_pcu
has 'MSRs that are none: the HA counts' out 'S0,1,29,'
has 'MSRs that are none: the log names them' log 'cbox_0 cbox_1'

# Without memory-mapped configuration space there are the boxes in MSR space.
guest -k newest -a pci=nommconf -- 'ls /sys/bus/event_source/devices
	perf stat -a --per-socket -x, -e snbep_uncore_cbox_0/event=0x34,umask=0x3/ \
		uncore-stim cbox_0 event=0x34,umask=0x3,count=41 2>&1' && code=0 || code=$?
ok $code 'no MMCONFIG: the module loads'
lacks 'no MMCONFIG: no PMU of the HA' out snbep_uncore_ha
has 'no MMCONFIG: CBos count' out 'S0,1,41,'
has 'no MMCONFIG: the log says how to have PCI boxes' log 'PCI boxes ignored: they need memory-mapped configuration space (MMCONFIG): boot without pci=nommconf'

# What is missing is named, once for each socket. CBos that are missing may answer 0, and drop what is written.
guest -o no-qpi -o cores=6 -o missing-cbos=zero -o hide=14.1 -- 'ls /sys/bus/event_source/devices' && code=0 || code=$?
ok $code 'boxes left out: the module loads'
for s in 0 1; do
	has "boxes left out: socket $s names them" log \
		"snbep_uncore: socket $s: absent or hidden by the BIOS: cbox_6 cbox_7 ha qpi_0 qpi_1 r3qpi_0 r3qpi_1; the BIOS may have a setting that shows hidden PCI functions"
done
lacks 'boxes left out: no PMU of the HA' out snbep_uncore_ha
lacks 'boxes left out: no PMU of CBo 6' out snbep_uncore_cbox_6
has 'boxes left out: CBo 5 is there' out snbep_uncore_cbox_5

# Without the UBox nothing tells which socket a PCI box belongs to, unless there is one only.
guest -o hide=11.0 -- 'ls /sys/bus/event_source/devices
	perf stat -a --per-socket -x, -e snbep_uncore_cbox_0/event=0x34,umask=0x3/ \
		uncore-stim -s 1 cbox_0 event=0x34,umask=0x3,count=31 2>&1' && code=0 || code=$?
ok $code 'UBox hidden: the module loads'
has 'UBox hidden: the log says why PCI boxes are left out' log 'the UBox (0b.0) is hidden'
lacks 'UBox hidden: no PMU of the HA' out snbep_uncore_ha
has 'UBox hidden: CBos count, in their socket' out 'S1,1,31,'
tap 'one socket, UBox hidden' -s 1 -o hide=11.0 uncore/count

# A socket that the UBox has no number for
guest -s 1 -c 1 -q -smp -q 1,sockets=10,cores=8,threads=1,maxcpus=80 \
	-q -device -q SandyBridge-x86_64-cpu,socket-id=9,core-id=0,thread-id=0 -- '
	perf stat -e snbep_uncore_cbox_0/event=0/ -C 1 true || echo refused
	perf stat -x, -e snbep_uncore_cbox_0/event=0x34,umask=0x3/ -C 0 uncore-stim cbox_0 event=0x34,umask=0x3,count=37 2>&1' &&
	code=0 || code=$?
ok $code 'socket 9: the machine runs'
has 'socket 9: its CPU is refused' out 'refused'
has 'socket 9: the log says why' log 'snbep_uncore_cbox_0: CPU 1 is in socket 9, but the UBox only maps sockets 0 to 7'
has 'socket 9: socket 0 counts' out '37,'

# The wrong machine
guest -m '' -o cpu=SandyBridge,model=42,-hypervisor,-x2apic,-tsc-deadline -- 'modprobe snbep_uncore; echo $?' && code=0 || code=$?
ok $code 'another processor: the machine runs'
lacks 'another processor: the module does not load' out 0
has 'another processor: it says so' log \
	"snbep_uncore: not a Xeon E5-2600 (family 6, model 45) but GenuineIntel, family 6, model 42: intel_uncore may support its uncore"

# intel_uncore and ours: one at a time, and a clear word to the second
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

# Under its names its seven aliases are its own, byte for byte, and none has a scale of ours.
guest -m '' -- 'cd /sys/bus/event_source/devices
	modprobe intel_uncore && mkdir /tmp/intel /tmp/ours
	for p in uncore_imc_0 uncore_qpi_0; do cp -r $p/events /tmp/intel/$p; done
	rmmod intel_uncore && modprobe snbep_uncore uncore_names=1
	for p in uncore_imc_0 uncore_qpi_0; do cp -r $p/events /tmp/ours/$p; done
	cd /tmp/intel
	for f in */*; do cmp $f /tmp/ours/$f && echo same $f; done
	for f in /tmp/ours/uncore_qpi_0/drs_data.* /tmp/ours/uncore_qpi_0/ncb_data.*; do [ -e $f ] && echo scaled $f; done
	true' && code=0 || code=$?
ok $code 'aliases of intel_uncore: the machine runs'
for f in imc_0/clockticks imc_0/cas_count_read imc_0/cas_count_read.scale imc_0/cas_count_read.unit \
	imc_0/cas_count_write imc_0/cas_count_write.scale imc_0/cas_count_write.unit \
	qpi_0/clockticks qpi_0/txl_flits_active qpi_0/drs_data qpi_0/ncb_data; do
	has "aliases of intel_uncore: $f" out "same uncore_$f"
done
lacks 'aliases of intel_uncore: no scale that it has not' out scaled

tap_done
