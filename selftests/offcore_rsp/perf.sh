#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf with offcore_rsp: groups with other events, tasks, cgroups

# shellcheck disable=SC2154 # ksft.sh sets ksft_tmp
. ../api/ksft.sh
begin offcore_rsp core-pmu checker
command -v perf > /dev/null || skip_all 'there is no perf'
needs_model
pmu=/sys/bus/event_source/devices/offcore_rsp
mode=$(cat $pmu/caps/mode)
case $mode in
direct) plan 3 ;;
*) plan 7 ;;
esac
out=$ksft_tmp/out
event=offcore_rsp/dmnd_data_rd,any_response/
response=supplier=local,snoop=snp_miss
[ -e $pmu/format/snp_miss ] || response=response=local_dram
stim="uncore-stim offcore request=dmnd_data_rd,$response,count"

# stat NAME COUNT OPTION... -- COMMAND...: a test that perf stat counts COUNT
stat()
{
	name=$1 want=$2
	shift 2
	# On a busy host the guest's clock may not advance while a short command runs. perf has no
	# time for its counts then.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		perf stat -x , -o $out.csv "$@" > $out 2>&1
		grep -q '^<not counted>,.*,0,100.00,' $out.csv || break
	done
	got=$(sed -n 's/^\([0-9]*\),,\(offcore_rsp\|cpu\)\/.*/\1/p' $out.csv)
	[ "$got" = "$want" ] && code=0 || code=1
	ok $code "$name | $got of $want" $out $out.csv
}

mkdir "$ksft_tmp/cgroup"
mount -t cgroup -o perf_event none "$ksft_tmp/cgroup"
mkdir "$ksft_tmp/cgroup/counted"
trap 'rmdir "$ksft_tmp/cgroup/counted"; umount "$ksft_tmp/cgroup"; rm -rf "$ksft_tmp"' EXIT
in_cgroup="$stim=1000; echo \$\$ > $ksft_tmp/cgroup/counted/cgroup.procs; exec $stim=77"

if [ "$mode" = direct ]; then
	[ "$(cat $pmu/cpumask)" = "$(cat /sys/devices/system/cpu/online)" ]
	ok $? "cpumask has every CPU | $(cat $pmu/cpumask)"
	# perf opens it on each CPU, whether the task runs there or not.
	stat "perf stat without -a counts CPUs" 4321 -e $event $stim=4321
	! perf stat -a -e $event -G counted true > $out 2>&1 || grep -q 'not supported' $out
	ok $? "no event of a cgroup" $out
	finish
fi

[ ! -e $pmu/cpumask ]
ok $? "no cpumask: there are events of tasks"
modprobe -D "$(cat /sys/devices/system/cpu/modalias)" 2> /dev/null | grep -q offcore_rsp
ok $? "udev finds the module by the processor"

stat "perf stat without -a counts the task" 4321 -e $event $stim=4321
stat "a cgroup" 77 -a -e $event -G counted sh -c "$in_cgroup"

# The page's recipe for the value of the names: read MSR_OFFCORE_RSP_0 while they are counted, here
# as rdmsr of msr-tools does.
value=0x$(perf stat -C 0 -e $event dd if=/dev/cpu/0/msr iflag=skip_bytes skip=$((0x1a6)) bs=8 count=1 2> /dev/null | od -A n -t x8 | tr -d ' ')
[ "$value" != 0x ] && [ $((value)) != 0 ]
ok $? "the register has the value of the names while they are counted | $value"
case $(perf --version) in
*' 5.'*)
	for name in 'cycles and its raw event in one group' 'perf leaves that group as it is'; do
		ktap_test_skip "- $name: perf 5.10 starts the command before its events"
	done
	;;
*)
	stat "cycles and its raw event in one group" 1234 -a -e "{cycles,cpu/event=0xb7,umask=1,offcore_rsp=$value/}" $stim=1234
	! grep regrouped $out
	ok $? "perf leaves that group as it is" $out
	;;
esac
finish
