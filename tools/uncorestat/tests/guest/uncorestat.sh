#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uncorestat in the machine, with two sockets: CPUs that go, and Linux's own PMUs

. ./tap.sh

[ -e /sys/bus/event_source/devices/snbep_uncore_ubox ] || { echo '1..0 # SKIP no PMU snbep_uncore_*'; exit 4; }

t=/tmp/uncorestat-test
mkdir -p $t

# The package of the second socket, as uncorestat names it; uncore-stim counts sockets.
second=$(cat /sys/devices/system/cpu/cpu*/topology/physical_package_id | sort -n | tail -n 1)

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
