#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uncorestat's default columns against stimulus, over snbep_uncore or intel_uncore, on the machine's
# generation (option generation=)

. ./tap.sh

set -- /sys/bus/event_source/devices/*uncore_ubox
[ -e "$1" ] || { echo '1..0 # SKIP there is no uncore PMU'; exit 4; }

t=/tmp/uncorestat-columns
mkdir -p $t
# It filters lookups by state and requests by opcode in one box, as every user of both does.
for rule in one-criterion threshold; do
	uncore-stim checker on $rule > /dev/null || exit 1
done
uncore-stim checker off one-filter-user > /dev/null || exit 1

# The package of the second socket, as uncorestat names it; uncore-stim counts sockets.
second=$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id | sort -n | tail -n 1)

# Encodings that differ: misses from v2 on by local and remote memory; from v3 on PCIe writes by a
# device's ItoM, and QPI data in by class
model=$(sed -n 's/^model[^a-z]*: //p' /proc/cpuinfo | head -n 1)
miss=0x03
remote=
write=opc=0x19c
in=event=0x01,umask=0x02
columns='-g default'
case $model in
62)
	miss=0x23
	remote=0x83
	;;
63 | 79)
	miss=0x23
	remote=0x83
	write=opc=0x1c8,tid=0x3e
	in=event=0x102,umask=0x08
	# Not qpi_link_util: it has QPI events multiplexed, which do not count a burst exactly.
	columns='-m mem_read,mem_write,mem_remote,llc_lookup,llc_miss,llc_miss_remote,qpi_out,qpi_in,pcie_read,pcie_write,cores_c0,cores_c6'
	;;
esac
for i in 0 1 2 3 4 5 6 7; do
	echo "-s 1 cbox_$i event=0x34,umask=0x03,state=M,count=900"
	echo "-s 1 cbox_$i event=0x34,umask=0x03,state=I,count=100"
	echo "-s 1 cbox_$i event=0x34,umask=0x05,count=99"
	echo "-s 1 cbox_$i event=0x35,umask=$miss,opc=0x182,count=$((${remote:+-100} + 300))"
	# Reads of other sockets' memory, where an event tells them apart
	[ -z "$remote" ] || echo "-s 1 cbox_$i event=0x35,umask=$remote,opc=0x182,count=100"
	echo "-s 1 cbox_$i event=0x35,umask=0x01,opc=0x19e,count=200"
	echo "-s 1 cbox_$i event=0x35,umask=0x01,$write,count=100"
	# Requests of a core, which are not PCIe writes
	echo "-s 1 cbox_$i event=0x35,umask=0x01,opc=0x1c8,count=7"
done > $t/stimulus
cat >> $t/stimulus << END
-s 1 imc_0 event=0x04,umask=0x01,count=1000
-s 1 imc_1 event=0x04,umask=0x01,count=2993
-s 1 imc_1 event=0x04,umask=0x02,count=7
-s 1 imc_2 event=0x04,umask=0x01,count=1000
-s 1 imc_2 event=0x04,umask=0x08,count=500
-s 1 imc_3 event=0x04,umask=0x08,count=3500
-s 1 ha event=0x10,umask=0x01,count=200
-s 1 ha event=0x10,umask=0x02,count=100
-s 1 ha event=0x10,umask=0x04,count=100
-s 1 qpi_0 event=0x00,umask=0x02,count=700
-s 1 qpi_1 $in,count=600
-s 1 pcu event=0x80,umask=0x40,inc=6,count=100000
-s 1 pcu event=0x80,umask=0xc0,inc=2,count=100000
END
[ "$columns" != '-g default' ] || cat >> $t/stimulus << END
-s 1 pcu event=0x0c,freq=2000,count=3000
-s 1 pcu event=0x0c,freq=1900,count=7000
END
# shellcheck disable=SC2086 # two words
uncorestat --json $columns -o $t/total -- sh -c "uncore-stim -f $t/stimulus && sleep 1" > $t/out 2>&1
ok $? "it runs, and has the status of the command" $t/out
# Compare values of the second socket with those of standard input.
compare()
{
	while read -r key want; do
		grep "\"socket\":$second," $t/total | grep -q "\"$key\":${want}[,}]"
		ok $? "$key is $want" $t/total
	done
}
compare << END
mem_read_bytes 320000
mem_write_bytes 256000
mem_remote_percent 25
llc_lookups 8000
llc_misses 2400
qpi_out_bytes 5600
qpi_in_bytes 4800
pcie_read_bytes 102400
pcie_write_bytes 51200
END
grep '"socket":0,.*"mem_read_bytes":0,.*"llc_lookups":0,.*"pcie_write_bytes":0[,}]' $t/total > $t/out
ok $? "the first socket has counted nothing of it" $t/total
# Counts by clocks: compare their ratios, which are exact.
grep "\"socket\":$second," $t/total |
	sed 's/.*"cores_c0":\([^,]*\),"cores_c6":\([^,}]*\)\(,"freq_2000_percent":\([^,}]*\)\)*.*/\1 \2 \4/' |
	awk '{ exit !($1 > 0 && $1 / $2 > 2.999 && $1 / $2 < 3.001 && (NF < 3 || $3 / $1 > 0.4999 && $3 / $1 < 0.5001)) }'
ok $? "cores in C0 and C6 are as 3 to 1, and the time at 2 GHz is that of its events" $t/total
[ "$columns" != '-g default' ] || ! grep -q '"multiplexed"' $t/total
ok $? "no default column is multiplexed" $t/total
if [ -n "$remote" ]; then
	compare <<- END
		llc_miss_remote_percent 33.3333333[0-9]*
	END
	uncorestat --json -g numa -o $t/total -- sh -c "uncore-stim -f $t/stimulus && sleep 1" > $t/out 2>&1
	compare <<- END
		mem_read_bytes 320000
		numa_local_bytes 102400
		numa_remote_bytes 51200
		numa_remote_ratio_percent 33.3333333[0-9]*
	END
	grep -q -e '"multiplexed"' -e '"sampled"' $t/total
	ok $((!$?)) "who reads which memory is counted in all slices, all the time" $t/total
fi
if [ ! -d /sys/module/intel_uncore ]; then
	uncore-stim checker > $t/checker
	ok $? "the protocol checker reports nothing" $t/checker
fi
uncore-stim checker reset > /dev/null
tap_done
