#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzzers.t [SEED]: trinity and stress-ng, which know nothing of our drivers, against all three of them in one machine: what they open
# is refused or counted, CPUs come and go, every file of sysfs is read and written; and afterwards nothing is left, and counts are
# exact. SEED is trinity's, a new one each time. TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

root=$("$top/selftests/lib/strangers-root" fuzzers)
echo "${1:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}" > "$tmp/seed"
cat > "$tmp/guest" << 'EOF'
. /selftests/lib/tap.sh
seed=$(cat /extra/seed)
echo "# selftests/common/host/fuzzers.t $seed repeats it"
# Whom trinity becomes
mkdir /strangers/etc
echo 'nobody:x:65534:65534::/tmp:/bin/sh' > /strangers/etc/passwd
for dir in proc sys dev tmp; do
	mount -o bind "/$dir" "/strangers/$dir"
done
cd /tmp
echo 1 > /sys/module/snbep_uncore/parameters/log_burst

# trinity NAME OPTION...: as many calls of perf_event_open as it takes for some of each kind, from four processes
trinity()
{
	name=$1
	shift
	env HOME=/root timeout -s KILL 600 chroot /strangers sh -c 'cd /tmp && exec trinity "$@"' - "$@" -q --stats -s "$seed" \
		-c perf_event_open -C 4 -N 8000 --enable-fds=perf > trinity 2>&1
	calls=$(sed -n 's/.* Ran \([0-9]*\) syscalls.*/\1/p' trinity)
	[ "${calls:-0}" -ge 8000 ]
	ok $? "trinity, $name: ${calls:-no} calls of perf_event_open" trinity
}

stress()
{
	name=$1
	shift
	timeout -s KILL 300 chroot /strangers stress-ng --pathological -t 10 "$@" > stress 2>&1
	ok $? "stress-ng, $name: runs to its end" stress
}

# counts WHEN: each driver counts what happens, to the event
counts()
{
	perf stat -x, -e snbep_uncore_cbox_0/event=0x34,umask=0x3/ -C 0 -- uncore-stim cbox_0 event=0x34,umask=0x3,count=777 > uncore 2>&1
	grep -q '^777,' uncore
	ok $? "$1: the uncore counts what happens" uncore
	perf stat -a -x, -e itanium/l3_misses/ -- uncore-stim raw montecito event event=0xdc,count=777 > itanium 2>&1
	grep -q '^777,' itanium
	ok $? "$1: itanium_pmu counts what happens" itanium
	perf stat -x, -e offcore_rsp/dmnd_rfo,any_response/ -C 0 -- \
		uncore-stim offcore request=dmnd_rfo,supplier=local,snoop=snp_miss,cpu=0,count=777 > offcore 2>&1
	grep -q '^777,' offcore
	ok $? "$1: offcore_rsp counts what happens" offcore
}

counts 'before'
echo -1 > /proc/sys/kernel/perf_event_paranoid
trinity 'as root' --dangerous
stress 'CPUs that come and go, and every file of sysfs' --cpu-online 1 --sysfs 1
stress 'its own counters over tasks that are born and die' --perf --fork 2
timeout -s KILL 900 chroot /strangers stress-ng --pathological -t 800 --cpu-online 1 > beside 2>&1 &
beside=$!
trinity 'as root, while CPUs come and go' --dangerous
kill $beside
wait $beside
ok $? 'stress-ng took them away and back until it was told to stop' beside
echo 2 > /proc/sys/kernel/perf_event_paranoid
trinity 'as nobody' --dropprivs
for cpu in /sys/devices/system/cpu/cpu*/online; do
	[ "$(cat "$cpu")" = 1 ] || echo 1 > "$cpu"
done
counts 'after'
for module in itanium_pmu offcore_rsp snbep_uncore; do
	# Kernels before 6.2 keep this one once a task was counted, and it says so.
	rmmod $module > rmmod 2>&1 ||
		{ [ $module = itanium_pmu ] && dmesg | grep -q 'itanium: a task is counted: the module stays'; }
	ok $? "$module: nothing holds it" rmmod
done
# Linux's own PMU of the core lets a raw event say what it likes, such as event 0xb7 with any unit mask and a response register that
# nobody has set: what is said of that is trinity's. Whose value is in a register, and when it is changed, is not.
asked='rule="(offcore response has unit mask 1|.*counts nothing|.* is all ones or all zeros)"$'
for judge in judge 'core-pmu judge' 'montecito judge'; do
	# shellcheck disable=SC2086
	uncore-stim raw $judge > judge 2>&1
	code=$?
	if [ "$judge" = 'core-pmu judge' ] && [ $code != 0 ]; then
		! grep -E -v "$asked" judge > others
		code=$?
		mv others judge
	fi
	ok $code "$judge: nothing to say" judge
done
tap_done
EOF
"$top/selftests/vm" -t 2400 -W -m 'snbep_uncore offcore_rsp itanium_pmu' -o core-pmu=on -f "$root" -e "$tmp" -- 'sh /extra/guest'
