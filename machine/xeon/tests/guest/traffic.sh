#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Traffic mode in Linux: latencies, a file's DMA, a busy core, interrupts of
# devices. The machine has two sockets.

. ./tap.sh

[ -e /run/vm/traffic ] && [ -e /extra ] || { echo '1..0 # SKIP needs MODEL=traffic and /extra'; exit 4; }

tmp=/tmp/traffic
mkdir -p $tmp

# count EVENTS COMMAND: run perf stat; its output is in $tmp/stat
count()
{
	events=$1
	shift
	perf stat -a --per-socket -x, -o $tmp/stat -e "$events" -- "$@" > $tmp/out 2>&1
	ok $? "counted: $*" $tmp/out
}

# holds NAME CONDITION: a test in awk; x["NAME"] is a count, and x["NAME", "S0"] that of a socket
holds()
{
	awk -F, '$5 ~ /^[a-z]/ { x[$5] += $3; x[$5, $1] += $3 } END { exit !('"$2"') }' $tmp/stat
	ok $? "$1" $tmp/stat
}

lines=$((8 * 1024 * 1024 / 64))
tor=snbep_uncore_cbox/tor_occupancy_miss_opcode,filter_opc=0x182,name=time/
tor=$tor,snbep_uncore_cbox/tor_inserts_miss_opcode,filter_opc=0x182,name=in/
latency=0
for node in 0 1; do
	count "$tor" /selftests/machine/access -t -p 0 -n $node read 8M
	holds "node $node: each line misses, and takes longer than $latency clocks" \
		'x["in"] >= '$lines' && x["in"] < 1.1 * '$lines' && x["time"] > '"$latency"' * x["in"]'
	latency=$(awk -F, '{ x[$5] += $3 } END { print x["in"] ? int(x["time"] / x["in"]) : 0 }' $tmp/stat)
done

flits=snbep_uncore_qpi/event=0x01,umask=0x02,name=flits/
count $flits /selftests/machine/access -t -p 0 -P 2 -n 0 -r 100 share 128K
holds 'a line that threads of two sockets write moves eight flits each way and pass' \
	'x["flits", "S0"] / 1638400 > 0.97 && x["flits", "S0"] / 1638400 < 1.03 && x["flits", "S1"] / 1638400 > 0.97 &&
	x["flits", "S1"] / 1638400 < 1.03'
count snbep_uncore_imc/act_count,name=rows/ /selftests/machine/access -t -p 0 -n 0 chase 32M
holds 'lines in random order open a row 63 times in 64' 'x["rows"] / 524288 > 0.96 && x["rows"] / 524288 < 1.03'

count snbep_uncore_cbox/tor_inserts_opcode,filter_opc=0x19e,name=fetched/ \
	/selftests/machine/access -t -p 0 -f /extra/traffic -n 1 fwrite 8M
holds 'a device fetches each line of a file that is written' 'x["fetched"] >= '$lines' && x["fetched"] < 1.02 * '$lines

# Members of a group start and stop together.
cores=$(($(nproc) / 2))
pcu="{snbep_uncore_pcu/clockticks,name=pclk/,snbep_uncore_pcu/freq_band0_cycles,filter_band0=13,name=awake/"
pcu=$pcu$(for s in c0 c6; do printf ',snbep_uncore_pcu/power_state_occupancy_cores_%s,name=%s/' $s $s; done)"}"
uncore-stim traffic on
# shellcheck disable=SC2016 # for the inner shell
count "$pcu" taskset -c 0 sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
holds 'a busy core is in C0, and its socket above 1.3 GHz, for longer than the idle socket' \
	'x["c0", "S0"] > 2 * x["c0", "S1"] && x["awake", "S0"] > x["awake", "S1"]'
holds 'the idle socket sleeps deeply for most of the time' 'x["c6", "S1"] > x["pclk", "S1"] * '$cores' / 2'

# Device interrupts: numbered lines of /proc/interrupts
devices()
{
	awk '/^ *[0-9]+:/ { for (i = 2; i <= '"$(nproc)"' + 1; i++) sum += $i } END { print sum }' /proc/interrupts
}
sed -n 's/^ *\([0-9]*\):.*virtio.*/\1/p' /proc/interrupts | while read -r irq; do
	echo "$cores" > "/proc/irq/$irq/smp_affinity_list"
done
before=$(devices)
messages=snbep_uncore_ubox/event_msg_msi_rcvd,name=msi/
messages=$messages,snbep_uncore_ubox/event_msg_ipi_rcvd,name=ipi/
# shellcheck disable=SC2016
count $messages \
	sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); stat /extra/. > /dev/null; echo x > /extra/x; done'
n=$(($(devices) - before))
holds "interrupts of devices: what /proc/interrupts has, $n" \
	'x["msi", "S1"] > 0.9 * '$n' && x["msi"] < 1.1 * '$n
holds 'processors interrupt one another' 'x["ipi", "S0"] > 0 && x["ipi", "S1"] > 0'
uncore-stim traffic off
rm -r /extra/x /extra/traffic "$tmp"
uncore-stim checker > /tmp/checker
ok $? "the protocol checker reports nothing" /tmp/checker
uncore-stim checker reset > /dev/null
tap_done
