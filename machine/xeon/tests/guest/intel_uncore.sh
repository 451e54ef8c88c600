# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Sourced by a shell in the machine with intel_uncore loaded, where tap.sh is: Linux's driver counts
# what is injected.

. ./tap.sh

sockets=$(sort -u /sys/devices/system/cpu/cpu*/topology/physical_package_id | wc -l)

# expect NAME VALUE0 VALUE1: a test of the last perf's counts, by socket
expect()
{
	got=$(awk -F, '/^S[01],/ { print $1 "=" $3 }' /tmp/stat | sort | tr '\n' ' ')
	case $sockets in
	1) [ "$got" = "S0=$2 " ] ;;
	*) [ "$got" = "S0=$2 S1=$3 " ] ;;
	esac
	ok $? "$1" /tmp/stat
}

# count BOX TERMS STIM NAME [FACTOR]: count an injection of 1234 on socket 0 and 77 on socket 1, if
# there is one
count()
{
	expect_name="$1: $4" expect_s0=$((1234 * ${5:-1})) expect_s1=$((77 * ${5:-1}))
	pmu=uncore_$1/$2/
	set -- "$1" "$3,count=1234" -s 1 "$1" "$3,count=77"
	[ "$sockets" != 1 ] || set -- "$1" "$2"
	perf stat -a --per-socket -x, -o /tmp/stat -e "$pmu" -- uncore-stim "$@" > /tmp/out 2>&1
	r=$?
	[ $r = 0 ] || sed 's/^/# /' /tmp/out
	expect "$expect_name" $expect_s0 $expect_s1
}

pmus=$(ls -d /sys/bus/event_source/devices/uncore_* | wc -l)
[ "$pmus" = 20 ]
ok $? "20 PMUs | $pmus"
uncore-stim checker reset > /tmp/checker

# The only findings are the reserved reset bits of HA and iMC, which intel_uncore writes.
bad=$(grep -vc 'box=\(ha\|imc_[0-3]\) reg=[A-Z0-9_]*_PCI_PMON_BOX_CTL op=write value=0x00010003 ' /tmp/checker)
[ "$bad" = 0 ]
ok $? "the checker complains of BOX_CTL of HA and iMC only"
hits=$(grep -c value=0x00010003 /tmp/checker)
[ "$hits" = $((5 * sockets)) ]
ok $? "and of these in five boxes of each socket | $hits"

for i in 0 1 2 3 4 5 6 7; do
	count cbox_$i event=0x34,umask=0x3,filter_state=0x1f event=0x34,umask=0x3 "lookups in any state"
done
for i in 0 1 2 3; do
	count imc_$i event=0x4,umask=0x3 event=0x4,umask=0x3 "reads"
done
for i in 0 1; do
	count qpi_$i event=0x109 event=0x9,ext=1 "DRS inserts, extended select"
	count r3qpi_$i event=0x24 event=0x24 "egress inserts"
done
count ubox event=0x42,umask=0x8 event=0x42,umask=0x8 "doorbells"
count ha event=0x1,umask=0x3 event=0x1,umask=0x3 "requests"
count pcu event=0x5 event=0x5 "power-limited cycles"
count r2pcie event=0x12 event=0x12 "bounces"

count cbox_2 event=0x35,umask=0x43,filter_opc=0x182,filter_nid=0x2 event=0x35,umask=0x43,opc=0x182,nid=1 "opcode and node"
count cbox_2 event=0x35,umask=0x3,filter_opc=0x180 event=0x35,umask=0x3,opc=0x182 "another opcode" 0
count cbox_3 event=0x35,umask=0x4,tid_en=1,filter_tid=5 event=0x35,umask=0x4,tid=5 "thread"
count cbox_1 event=0x11,umask=0x1,thresh=6,inv=1 event=0x11,umask=0x1,inc=5 "occupancy below 6"
count cbox_1 event=0x11,umask=0x1,thresh=5,edge=1 event=0x11,umask=0x1,inc=5 "transitions to 5 or more"
count pcu event=0xb,filter_band0=0x14 event=0xb,freq=2000 "at 2 GHz or above"
count pcu event=0xb,filter_band0=0x15 event=0xb,freq=2000 "at 2.1 GHz or above" 0
count pcu event=0x80,occ_sel=1,thresh=3 event=0x80,umask=0x40,inc=3 "3 or more cores in C0"
# The packet filters are above offset 0x100.
if ! grep -q pci=nommconf /proc/cmdline; then
	count qpi_0 event=0x138,match_mc=0xe,mask_mc=0xf event=0x38,ext=1,mc=0xe "DRS packets"
	count qpi_0 event=0x138,match_mc=0xc,mask_mc=0xf event=0x38,ext=1,mc=0xe "NCB packets" 0
fi

# Across the end of the counter, 44 and 48 bits wide
wrap()
{
	for s in $(seq 0 $((sockets - 1))); do
		for c in 0 1 2; do
			uncore-stim -s $s set "$1" "ctr=$c,value=$2"
		done
	done
	count "$1" "$3" "$3" "across a wrap at $4 bits"
}
wrap cbox_4 0xffffffffff0 event=0x35,umask=0x4 44
wrap r3qpi_1 0xffffffffff0 event=0x24 44
wrap ha 0xfffffffffff0 event=0x1,umask=0x3 48
wrap pcu 0xfffffffffff0 event=0x5 48

# 2 GHz, 0.8 GHz and 1 GHz by perf's time, to a tenth; long enough that a busy host's delays do not
# matter.
clock()
{
	for time in 0.3 1 3 10; do
		perf stat -a --per-socket -x, -o /tmp/stat -e "uncore_$1/$2/" -- sleep $time
		awk -F, -v mhz="$3" -v sockets="$sockets" '/^S[01],/ {
			r = $3 * 1000 / ($6 * mhz)
			bad += r < 0.9 || r > 1.1
			seen++
		} END { exit bad || seen != sockets }' /tmp/stat && break
		sed "s/^/# $time s: /" /tmp/stat
		false
	done
	ok $? "$1: $2 at $3 MHz"
}
clock ubox event=0xff 2000
clock cbox_7 event=0x0 2000
clock imc_3 event=0xff 800
clock pcu event=0x0 800
clock qpi_1 event=0x14 1000

# intel_uncore freezes a box with a read and a write of its control.
uncore-stim checker > /tmp/checker
grep -v 'op=read .*rule="its bits are write-only"' /tmp/checker > /tmp/rest
empty "the checker has nothing else to say about counting" /tmp/rest
grep -q 'op=read .*rule="its bits are write-only"' /tmp/checker
ok $? "the checker sees it read what is write-only" /tmp/checker
tap_done
