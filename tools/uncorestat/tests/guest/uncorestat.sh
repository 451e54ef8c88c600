#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uncorestat in the machine, with two sockets: every default column against stimulus, CPUs that go.

. ./tap.sh

[ -e /sys/bus/event_source/devices/snbep_uncore_ubox ] || { echo '1..0 # SKIP no PMU snbep_uncore_*'; exit 4; }

t=/tmp/uncorestat-test
mkdir -p $t
# It filters lookups by state and requests by opcode in one box, as every user of both does.
for rule in one-criterion threshold; do
	uncore-stim checker on $rule > /dev/null || exit 1
done
uncore-stim checker off one-filter-user > /dev/null || exit 1

# The package of the second socket, as uncorestat names it; uncore-stim counts sockets.
second=$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id | sort -n | tail -n 1)

# field FILE SOCKET KEY: print a number of the first object of the socket
field()
{
	grep "\"socket\":$2," "$1" | sed -n "1s/.*\"$3\":\([^,}]*\).*/\1/p"
}

# equal A B: compare six digits
equal()
{
	awk "BEGIN { a = ${1:-\"none\"} + 0; b = ($2) + 0; d = a - b; if (d < 0) d = -d; exit !(\"$1\" != \"\" && \"$1\" != \"null\" && d <= 1e-6 * (b < 0 ? -b : b)) }"
}

# wait_for COMMAND...: wait until it succeeds, for 20 s at most
wait_for()
{
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 1000 ] || return 1
		usleep 20000
	done
}

# lines FILE N: whether the file has as many
lines()
{
	[ -e "$1" ] && [ "$(wc -l < "$1")" -ge "$2" ]
}

# Stimulus: different numbers for each socket and box, but for slices, as addresses are hashed
for s in 0 1; do
	k=$((s + 1))
	for i in 0 1 2 3; do
		echo "-s $s imc_$i event=0x04,umask=0x01,count=$(((100000 + 1000 * i) * k))"
		echo "-s $s imc_$i event=0x04,umask=0x02,count=$((7 * k))"
		echo "-s $s imc_$i event=0x04,umask=0x08,count=$(((50000 + i) * k))"
	done
	echo "-s $s ha event=0x10,umask=0x01,count=$((300 * k))"
	echo "-s $s ha event=0x10,umask=0x02,count=500"
	echo "-s $s ha event=0x10,umask=0x04,count=200"
	for i in 0 1 2 3 4 5 6 7; do
		echo "-s $s cbox_$i event=0x34,umask=0x03,state=M,count=$((70000 * k))"
		echo "-s $s cbox_$i event=0x34,umask=0x03,state=I,count=$((7001 * k))"
		echo "-s $s cbox_$i event=0x34,umask=0x05,count=99"
		echo "-s $s cbox_$i event=0x35,umask=0x03,opc=0x182,count=$((7000 * k))"
		echo "-s $s cbox_$i event=0x35,umask=0x01,opc=0x19e,count=$((11000 * k))"
		echo "-s $s cbox_$i event=0x35,umask=0x01,opc=0x19c,count=$((13000 * k))"
		echo "-s $s cbox_$i event=0x35,umask=0x01,opc=0x194,count=$((500 * k))"
	done
	for i in 0 1; do
		echo "-s $s qpi_$i event=0x00,umask=0x02,count=$(((30000 + i) * k))"
		echo "-s $s qpi_$i event=0x01,umask=0x02,count=$(((20000 + i) * k))"
		echo "-s $s qpi_$i event=0x01,umask=0x04,count=4000"
		echo "-s $s qpi_$i event=0x01,umask=0x01,count=1000000"
	done
	echo "-s $s pcu event=0x80,umask=0x40,inc=6,count=100000"
	echo "-s $s pcu event=0x80,umask=0xc0,inc=$k,count=100000"
	echo "-s $s pcu event=0x0c,freq=2000,count=$((3000 * k))"
	echo "-s $s pcu event=0x0c,freq=1900,count=7000"
done > $t/stimulus

uncorestat --json -o $t/total -- uncore-stim -f $t/stimulus > $t/out 2>&1
ok $? "a command's exit status, 0" $t/out
sed 's/^/# /' $t/total
k=0
for s in 0 "$second"; do
	k=$((k + 1))
	while read -r key want; do
		equal "$(field $t/total $s "$key")" "$want"
		ok $? "socket $s: $key is $want" $t/total
	done <<- END
		mem_read_bytes $(((406000 + 28) * k * 64))
		mem_write_bytes $((200006 * k * 64))
		mem_remote_percent $(awk "BEGIN { printf \"%.9g\", 20000 / (300 * $k + 700) }")
		llc_lookups $((8 * 77001 * k))
		llc_misses $((8 * 7000 * k))
		qpi_out_bytes $((60001 * k * 8))
		qpi_in_bytes $((40001 * k * 8))
		pcie_read_bytes $((8 * 11000 * k * 64))
		pcie_write_bytes $((8 * 13500 * k * 64))
	END
	# Counts by clocks: compare their ratios, which are exact.
	c0=$(field $t/total $s cores_c0)
	equal "$(field $t/total $s cores_c6)" "$c0 * $k / 6"
	ok $? "socket $s: cores in C0 and C6 are as 6 to $k" $t/total
	equal "$(field $t/total $s freq_2000_percent)" "$c0 * 100 * 3000 * $k / 600000"
	ok $? "socket $s: the time at 2 GHz is that of its events, and not those below" $t/total
done
grep -q '"multiplexed"' $t/total
ok $((!$?)) "no default column is multiplexed" $t/total

# CPU hotplug. The speed of QPI shows whether a socket counts.
cpus=
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	[ "$(cat "$cpu/topology/physical_package_id")" = "$second" ] && cpus="$cpus $cpu/online"
done
# last_has PATTERN: match the last line of the socket
last_has()
{
	grep "\"socket\":$second," $t/offline | tail -n 1 | grep -q -e "$1"
}
uncorestat -i 0.1 --json -m qpi_speed,mem_read > $t/offline 2>&1 &
stat=$!
wait_for lines $t/offline 6
set -- $cpus
first=$1
echo 0 > "$first"
wait_for lines $t/offline 12
for cpu in $cpus; do echo 0 > "$cpu" 2> /dev/null || [ "$cpu" = "$first" ]; done
wait_for last_has 'qpi_speed[^,]*:null'
ok $? "a socket without online CPU: a dash" $t/offline
grep -q '"qpi_speed[^,]*:0[,}]' $t/offline
ok $((!$?)) "a socket without online CPU: no zero" $t/offline
for cpu in $cpus; do echo 1 > "$cpu"; done
counts_again()
{
	grep "\"socket\":$second," $t/offline | tail -n 1 | sed -n 's/.*qpi_speed[^:]*:\([0-9.]*\).*/\1/p' | awk '{ n += $1 > 7.6 && $1 < 8.4 } END { exit !n }'
}
wait_for counts_again
ok $? "a socket counts again when its CPUs are online" $t/offline
kill -INT $stat
wait $stat
ok $? "exit status after CPU hotplug" $t/offline
grep -q 'CPUs of its socket are offline' $t/offline
ok $? "a socket without online CPU: the reason" $t/offline

# Linux's own PMUs: the processor here has a TSC, that of the host, and neither APERF and MPERF nor
# energy counters.
ghz=$(perf stat -x, -C 0 -e msr/tsc/ -- sleep 0.5 2>&1 | awk -F, '{ print $1 / $4 }')
uncorestat -n 1 --json --per system -m 'ticks=[msr:tsc],busy_ghz,package_watts' > $t/out 2>&1
sed -n 's/.*"ticks":\([0-9.e+]*\),"busy_ghz.*":null,"package_watts.*":null.*/\1/p' $t/out |
	awk -v want="$(nproc)" -v ghz="$ghz" '{ n = $1 / ghz / 1e9 } END { print "# " n " CPUs by their TSC"; exit !(n > 0.98 * want && n < 1.02 * want) }'
ok $? "the TSC of each CPU counts; clock and watts have no number here" $t/out
grep -q 'busy_ghz: socket 0 msr_0: this processor has no aperf' $t/out && grep -q 'no power box: load' $t/out
ok $? "the reasons why they have none" $t/out

uncore-stim checker > $t/checker
ok $? "the protocol checker reports nothing" $t/checker
uncore-stim checker reset > /dev/null
tap_done
