# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 8
# modules: intel_uncore
#
# core 0005: nobody has enabled these events (-D -1) when their CPU goes offline. One that is
# enabled still moves.

event=uncore_imc_0/event=0x4,umask=0x3/
cpu()
{
	sed 's/.*,//' /sys/bus/event_source/devices/uncore_imc_0/cpumask
}
cat > /tmp/work << 'END'
uncore-stim -s 1 imc_0 event=0x4,umask=0x3,count=100
echo 0 > "/sys/devices/system/cpu/cpu$1/online"
uncore-stim -s 1 imc_0 event=0x4,umask=0x3,count=10
END
perf stat -D -1 -x, -C "$(cpu)" -o /tmp/disabled -e $event -e "{$event,$event}" -- sh /tmp/work "$(cpu)"
perf stat -x, -C "$(cpu)" -o /tmp/enabled -e $event -e "{$event,$event}" -- sh /tmp/work "$(cpu)"
cat /tmp/disabled /tmp/enabled
[ "$(grep -c uncore_imc /tmp/disabled)" = 3 ] && ! grep uncore_imc /tmp/disabled | grep -v '^<not counted>,' &&
	[ "$(grep -c '^110,' /tmp/enabled)" = 3 ]
