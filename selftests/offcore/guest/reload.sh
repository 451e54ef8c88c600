#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# reload.sh kernel|direct: load and unload offcore_rsp while others count and CPUs come and go. Prints TAP.

mode=$1
n=0
failed=0
out=/tmp/reload
response=supplier=local,snoop=snp_miss
[ -e /sys/bus/event_source/devices/offcore_rsp/format/snp_miss ] || response=response=local_dram

check()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}

count()
{
	sed -n "s/^ *\([0-9]*\) .*offcore_rsp.*/\1/p" "$1"
}

# Something that uses the counters all the time: with a core PMU, as perf top does; without one, our own events.
if [ "$mode" = kernel ]; then
	perf record -q -a -F 500 -e cycles -o /tmp/reload.data -- sleep 1000 &
	others=$!
	[ "$(cat /proc/sys/kernel/nmi_watchdog)" = 1 ]
	check $? "the NMI watchdog runs"
fi

i=0
bad=0
while [ $i -lt 20 ]; do
	rmmod offcore_rsp || bad=1
	modprobe offcore_rsp || bad=1
	perf stat -a -o $out -e offcore_rsp/dmnd_data_rd,local_dram/ -- true || bad=1
	i=$((i + 1))
done
[ $bad = 0 ] && [ -d /sys/bus/event_source/devices/offcore_rsp ]
check $? "20 times unloaded and loaded again"

# An event that is open
perf stat -a -o $out -e offcore_rsp/data_reads_local_dram/ -- sleep 5 &
stat=$!
tries=0
until grep -q ' counters [0-9]' /sys/kernel/debug/offcore_rsp/registers || [ $tries = 200 ]; do
	tries=$((tries + 1))
	usleep 50000
done
if [ "$mode" = kernel ]; then
	# It is the core PMU's by now.
	rmmod offcore_rsp
	check $? "unloads while its event counts"
else
	! rmmod offcore_rsp 2> /dev/null
	check $? "does not unload while its event counts"
fi
uncore-stim offcore request=dmnd_data_rd,$response,count=4321
wait $stat
[ "$(count $out)" = 4321 ]
check $? "and the event counts on: $(count $out)"
[ "$mode" = kernel ] || rmmod offcore_rsp
check $? "unloaded"
modprobe offcore_rsp
check $? "loaded"

if [ "$mode" = kernel ]; then
	perf record -q -e offcore_rsp/data_reads_local_dram/ -c 1000 -o $out.data -- sh -c "
		for i in 1 2 3 4 5; do uncore-stim offcore request=dmnd_data_rd,$response,count=1000; done"
	samples=$(perf script -i $out.data -F event 2> /dev/null | grep -c offcore_rsp)
	[ "$samples" = 5 ]
	check $? "five periods make five samples: $samples"
fi

# More values than registers, while the other CPU comes and goes
for e in dmnd_data_rd dmnd_rfo wb pf_rfo; do
	perf stat -a -o $out.$e -e offcore_rsp/$e,local_dram/ -- sleep 4 &
	eval "p_$e=\$!"
done
i=0
bad=0
while [ $i -lt 8 ]; do
	echo 0 > /sys/devices/system/cpu/cpu1/online || bad=1
	usleep 100000
	echo 1 > /sys/devices/system/cpu/cpu1/online || bad=1
	usleep 100000
	i=$((i + 1))
done
# shellcheck disable=SC2154
wait $p_dmnd_data_rd $p_dmnd_rfo $p_wb $p_pf_rfo
check $bad "a CPU goes and comes 8 times under four events"

[ -z "$others" ] || kill -INT $others
wait
rmmod offcore_rsp
check $? "unloaded at the end"
uncore-stim core-pmu judge > $out.judge
check $? "the judge has nothing to say"
sed 's/^/# /' $out.judge
if [ "$mode" = direct ]; then
	! uncore-stim core-pmu get | grep -E '^(OFFCORE_RSP_.|PERFEVTSEL.)=0x[1-9a-f]'
	check $? "and nothing is left in the registers"
fi
echo "1..$n"
exit $failed
