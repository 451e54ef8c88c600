#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # traffic-count.sh sets them
#
# The guest's idle states at the PCU, and its interrupts at the UBox, by perf stat: cores in C0, C3 and C6 add up to all cores, a
# running program keeps one in C0 and the frequency high, and the target's socket counts the interrupts of processors and devices.

. /selftests/machine/traffic-count.sh

# Traffic mode is off after other tests.
uncore-stim traffic on

cores=$(($(nproc) / 2))
# A CPU of the second socket, which is idle
other=$cores

# Members of a group start and stop together.
pcu=$(for s in c0 c3 c6; do printf ',snbep_uncore_pcu/power_state_occupancy_cores_%s,name=%s/' $s $s; done)
pcu="{snbep_uncore_pcu/clockticks,name=pclk/$pcu}"

# watch EVENTS COMMAND: run perf stat; its output is in $tmp/stat
watch()
{
	events=$1
	shift
	perf stat -a --per-socket -x, -o $tmp/stat -e "$events" -- "$@" > $tmp/out 2>&1
	ok $? "counted: $*" $tmp/out
}

# holds NAME EQUATION: a test of an equation in awk, where x["NAME", "S0"] is a socket's count
holds()
{
	holds_got=$(awk -F, '$5 ~ /^[a-z]/ { x[$5, $1] += $3 } END { '"$2"'; print (y ? "yes" : "no"), seen }' $tmp/stat)
	[ "${holds_got%% *}" = yes ]
	ok $? "$1 (${holds_got#* })" $tmp/stat
}

# all_cores NAME: a test that the states add up to all cores
all_cores()
{
	for s in S0 S1; do
		holds "$1: $s: cores in C0, C3 and C6 are its $cores cores" '
			sum = x["c0", "'$s'"] + x["c3", "'$s'"] + x["c6", "'$s'"]
			all = '"$cores"' * x["pclk", "'$s'"]
			seen = sum " of " all; y = all && sum == all'
	done
}

watch "$pcu" sleep 2
all_cores idle
holds 'idle: the second socket sleeps deeply for most of the time' '
	seen = x["c6", "S1"] / x["pclk", "S1"]; y = seen > '"$cores"' / 2'

# The first "times" leaves out the time before perf started to count. The PCU has 800 million cycles a second.
program='times; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; times'
its_cycles()
{
	awk -F '[ms ]+' '{ t = 60 * ($1 + $3) + $2 + $4 } NR == 1 { start = t } NR == 3 { print 800000000 * (t - start) }' $tmp/out
}
watch "$pcu" taskset -c 0 sh -c "$program"
all_cores 'a program runs'
holds 'a program runs: its core is in C0 meanwhile, unlike those of the other socket' '
	own = '"$(its_cycles)"'; seen = x["c0", "S0"] ", " own " its own, " x["c0", "S1"]
	y = own && x["c0", "S0"] > 0.9 * own && x["c0", "S0"] > 2 * x["c0", "S1"]'

# Case 6 of table 2-80: a frequency band with an occupancy
band="{snbep_uncore_pcu/clockticks,name=pclk/,snbep_uncore_pcu/freq_band0_cycles,filter_band0=13,name=awake/"
band="$band,snbep_uncore_pcu/event=0x80,occ_sel=1,thresh=1,name=busy/"
band="$band,snbep_uncore_pcu/event=0x80,occ_sel=1,thresh=1,occ_edge=1,name=wakes/}"
watch "$band" taskset -c 0 sh -c "$program"
holds 'a program runs: its socket is at 1.3 GHz or above meanwhile, for longer than the other' '
	own = '"$(its_cycles)"'; seen = x["awake", "S0"] ", " own " its own, " x["awake", "S1"]
	y = own && x["awake", "S0"] > 0.9 * own && x["awake", "S0"] > x["awake", "S1"]'
for s in S0 S1; do
	holds "$s: which it is while a core is in C0" '
		seen = x["awake", "'$s'"] ", " x["busy", "'$s'"]; y = x["busy", "'$s'"] && x["awake", "'$s'"] == x["busy", "'$s'"]'
done
holds 'S1: comes to have one, far less often than it has one' '
	seen = x["wakes", "S1"] ", " x["busy", "S1"]; y = x["wakes", "S1"] > 0 && x["wakes", "S1"] * 100 < x["busy", "S1"]'

# A wake-up takes 8000 cycles from C3, and twice as many from C6.
waking=snbep_uncore_pcu/total_transition_cycles,name=total/
for i in $(seq 0 $((cores - 1))); do
	waking=$waking,snbep_uncore_pcu/core${i}_transition_cycles,name=core$i/
done
watch "{$waking}" sleep 1
for s in S0 S1; do
	holds "$s: cycles of cores that wake up" '
		for (i = 0; i < '"$cores"'; i++) sum += x["core" i, "'$s'"]
		seen = sum ", " x["total", "'$s'"]
		y = sum && sum == x["total", "'$s'"] && sum % 8000 == 0'
done

# residency CPU MSR: print a core's own residency, in time stamp ticks
modprobe msr
residency()
{
	dd if=/dev/cpu/"$1"/msr bs=8 count=1 skip=$(($2)) iflag=skip_bytes 2> /dev/null | od -An -tu8
}
# This shell and its children keep CPU 0 busy, but for reads of another CPU.
taskset -pc 0 $$ > $tmp/out
lazy=$(residency "$other" 0x3fd)
shallow=$(residency "$other" 0x3fc)
busy=$(residency 0 0x3fd)
i=0
while [ $i -lt 20000 ]; do
	i=$((i + 1))
done
busy=$(($(residency 0 0x3fd) - busy))
lazy=$(($(residency "$other" 0x3fd) - lazy))
shallow=$(($(residency "$other" 0x3fc) - shallow))
taskset -pc 0-$((2 * cores - 1)) $$ > $tmp/out
[ $lazy -gt $((3 * busy)) ] && [ $busy -ge 0 ]
ok $? "C6 residency grows where nothing runs ($lazy on CPU $other, $busy on CPU 0)"
[ $lazy -gt $((2 * shallow)) ] && [ $shallow -gt 0 ]
ok $? "far more than C3 residency does ($shallow)"

# Each read of another CPU's MSR sends it an interrupt, unless one is pending, and one back if the reader sleeps by then.
messages=snbep_uncore_ubox/event_msg_ipi_rcvd,name=ipi/,snbep_uncore_ubox/event_msg_msi_rcvd,name=msi/
look="of=/dev/null bs=16000 count=1 skip=$((0x10)) iflag=skip_bytes"
# shellcheck disable=SC2086 # words
watch "$messages" taskset -c 0 dd if=/dev/cpu/"$other"/msr $look
holds 'two thousand interrupts from CPU 0 to the second socket' '
	seen = x["ipi", "S1"] ", " x["ipi", "S0"] " to its own"
	y = x["ipi", "S1"] > 1800 && x["ipi", "S1"] < 2400 && x["ipi", "S0"] < 2400'
# shellcheck disable=SC2086
watch "$messages" taskset -c 0 dd if=/dev/cpu/1/msr $look
holds 'two thousand to CPU 1, of the same socket' '
	seen = x["ipi", "S0"] ", " x["ipi", "S1"] " to the other one"
	y = x["ipi", "S0"] > 1800 && x["ipi", "S0"] < 4400 && x["ipi", "S1"] < 400'

# Device interrupts: numbered lines of /proc/interrupts
devices()
{
	awk '/^ *[0-9]+:/ { for (i = 2; i <= '"$(nproc)"' + 1; i++) sum += $i } END { print sum }' /proc/interrupts
}
sed -n 's/^ *\([0-9]*\):.*virtio.*/\1/p' /proc/interrupts | while read -r irq; do
	echo "$other" > "/proc/irq/$irq/smp_affinity_list"
done
before=$(devices)
watch "$messages" sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); stat /extra/. > /dev/null; echo x > /extra/x; done'
after=$(devices)
holds "interrupts of devices: what /proc/interrupts has, $((after - before))" '
	seen = x["msi", "S0"] " and " x["msi", "S1"]
	y = x["msi", "S1"] > '"$((after - before))"' * 0.9 && x["msi", "S0"] + x["msi", "S1"] < '"$((after - before))"' * 1.1'
rm -f /extra/x
uncore-stim traffic off
traffic_done
