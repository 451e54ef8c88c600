# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 8
# modules: intel_uncore
#
# box 0003: a function that is unbound and bound again counts, also when its CPU goes offline.

bind=/sys/bus/pci/drivers/snbep_uncore
pmu=/sys/bus/event_source/devices/uncore_imc_0
count()
{
	perf stat -a --per-socket -x, -o /tmp/stat -e uncore_imc_0/event=0x4,umask=0x3/ -- \
		uncore-stim imc_0 event=0x4,umask=0x3,count=123 -s 1 imc_0 event=0x4,umask=0x3,count=45
	echo "cpumask $(cat $pmu/cpumask)"
	cat /tmp/stat
	grep -q '^S0,1,123,' /tmp/stat && grep -q '^S1,1,45,' /tmp/stat
}
echo 0000:ff:10.0 > $bind/unbind
echo 0000:ff:10.0 > $bind/bind
count || exit 1
echo 0 > "/sys/devices/system/cpu/cpu$(sed 's/.*,//' $pmu/cpumask)/online"
count
