#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Load and unload offcore_rsp while other events count, and during CPU hotplug. Where events cannot
# be injected, only load and unload it.

# shellcheck disable=SC2154 # ksft.sh sets ksft_tmp
. ../api/ksft.sh
begin offcore_rsp core-pmu checker
pmu=/sys/bus/event_source/devices/offcore_rsp
mode=$(cat $pmu/caps/mode)
out=$ksft_tmp/reload
response=supplier=local,snoop=snp_miss
[ -e $pmu/format/snp_miss ] || response=response=local_dram
[ ! -e $pmu/format/other_local_dram ] || skip_all "no local DRAM by itself on this processor"
command -v perf > /dev/null || skip_all 'there is no perf'
[ "$(cat /sys/module/offcore_rsp/refcnt 2> /dev/null)" = 0 ] || skip_all 'offcore_rsp is built in, or in use'
if ! model_present; then
	plan 1
elif [ "$mode" = kernel ]; then
	plan 9
else
	plan 7
fi

# count NAME: print perf stat's count
count()
{
	sed -n "s/^ *\([0-9]*\) .*offcore_rsp.*/\1/p" "$out.$1"
}

# count_until_stop NAME EVENTS: perf stat in the background, which counts once this returns
count_until_stop()
{
	perf stat -a -o "$out.$1" -e "$2" -- \
		sh -c "touch $out.$1.counts; until [ -e $out.$1.stop ]; do usleep 50000; done" &
	eval "pid_$1=\$!"
	until [ -e "$out.$1.counts" ]; do
		usleep 50000
	done
}

stop()
{
	touch "$out.$1.stop"
	eval "wait \$pid_$1"
}

happen()
{
	uncore-stim offcore "request=$1,$response,count=$2"
}

# perf reads the names of every PMU that there is each time it starts.
uncore=
if [ -d /sys/module/snbep_uncore ] && model_present; then
	uncore=yes
	rmmod snbep_uncore
fi

i=0
bad=0
while [ $i -lt 20 ]; do
	rmmod offcore_rsp || bad=1
	modprobe offcore_rsp || bad=1
	i=$((i + 1))
done
[ $bad = 0 ] && [ -d $pmu ]
ok $? "unloads and loads 20 times"
model_present || finish

# Two users at once
count_until_stop one offcore_rsp/data_reads_local_dram/
count_until_stop two offcore_rsp/data_reads_local_dram/
# perf 5.10 starts the command before its events, of which each CPU has two.
for cpu in $(seq 0 $(($(nproc) - 1))); do
	until [ "$(uncore-stim core-pmu get cpu="$cpu" | grep -c '^PERFEVTSEL.=0x[4-7c-f].....$')" -ge 2 ]; do
		usleep 50000
	done
done
happen dmnd_data_rd 1000
happen dmnd_rfo 77
if [ "$mode" = kernel ]; then
	# The core PMU owns them now.
	rmmod offcore_rsp
	ok $? "unloads while events that it made the core PMU's count"
else
	! rmmod offcore_rsp 2> /dev/null
	ok $? "does not unload while its events count"
fi
happen dmnd_data_rd 3321
stop one
happen dmnd_data_rd 100
stop two
[ "$(count one)" = 4321 ] && [ "$(count two)" = 4421 ]
ok $? "two perf stats at once count exactly | $(count one) of 4321, $(count two) of 4421"
[ "$mode" = kernel ] || rmmod offcore_rsp
modprobe offcore_rsp
ok $? "unloads and loads after they ended"

if [ "$mode" = kernel ]; then
	perf record -q -e offcore_rsp/data_reads_local_dram/ -c 1000 -o $out.data -- sh -c "
		for i in 1 2 3 4 5; do uncore-stim offcore request=dmnd_data_rd,$response,count=1000; done"
	# perf 5.10 cannot use the fields of this PMU's events.
	samples=$(perf script -D -i $out.data 2> /dev/null | grep -c 'PERF_RECORD_SAMPLE(')
	[ "$samples" = 5 ]
	ok $? "five periods make five samples | $samples"

	# Unload in the middle; the task forks before and after.
	perf stat -o $out.task -e offcore_rsp/data_reads_local_dram/,cycles -- sh -c "
		uncore-stim offcore request=dmnd_data_rd,$response,count=10
		rmmod offcore_rsp
		uncore-stim offcore request=dmnd_data_rd,$response,count=200"
	[ ! -e $pmu ] && [ "$(count task)" = 210 ]
	ok $? "a task's event outlives the module | $(count task) of 210"
	modprobe offcore_rsp
fi

# More values than registers, with hotplug of CPU 1. The multiplexing hrtimer of a minute goes with
# the module. perf opens events on every online CPU, so CPU 1 must not go offline before all count.
timers=$(grep -c perf_mux_hrtimer_handler /proc/timer_list)
echo 60000 > $pmu/perf_event_mux_interval_ms
count_until_stop all "$(printf ',offcore_rsp/%s,local_dram/' dmnd_data_rd dmnd_rfo wb pf_rfo | cut -c 2-)"
i=0
bad=0
while [ $i -lt 8 ]; do
	echo 0 > /sys/devices/system/cpu/cpu1/online || bad=1
	usleep 50000
	echo 1 > /sys/devices/system/cpu/cpu1/online || bad=1
	usleep 50000
	i=$((i + 1))
done
stop all || bad=1
ok $bad "CPU 1 goes and comes 8 times under four events"

rmmod offcore_rsp
left=$(grep -c perf_mux_hrtimer_handler /proc/timer_list)
[ "$mode" = kernel ] || [ "$left" = "$timers" ]
ok $? "no timer of its PMU is left at the end | $timers before, now $left"
[ "$mode" = kernel ] || ! uncore-stim core-pmu get | grep -E '^(OFFCORE_RSP_.|PERFEVTSEL.)=0x[1-9a-f]'
ok $? "nothing is left in the registers of the driver's own counters"
modprobe offcore_rsp
[ -z "$uncore" ] || modprobe snbep_uncore
finish
