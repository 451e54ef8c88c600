# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 8
# modules: intel_uncore
#
# box 0002: a PMU counts on socket 0 while socket 1's function of it is unbound.

echo 0000:ff:10.0 > /sys/bus/pci/drivers/snbep_uncore/unbind
echo "cpumask $(cat /sys/bus/event_source/devices/uncore_imc_0/cpumask)"
perf stat -a --per-socket -x, -o /tmp/stat -e uncore_imc_0/event=0x4,umask=0x3/ -- uncore-stim imc_0 event=0x4,umask=0x3,count=123
cat /tmp/stat
grep -q '^S0,1,123,' /tmp/stat
