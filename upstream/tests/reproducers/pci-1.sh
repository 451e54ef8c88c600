# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 8 -o generation=2
# modules: intel_uncore
#
# pci 0001: a carry between the two halves of a counter, in the iMC and with the IRP's read
# function. The machine has no IRP: the Home Agent of socket 1 becomes one by new_id (0x200), and
# gets a CPU when the socket comes back.

driver=/sys/bus/pci/drivers/ivbep_uncore
echo 0000:ff:0e.1 > $driver/unbind
echo 8086 0e30 ffffffff ffffffff 0 0 200 > $driver/new_id
[ -e $driver/0000:ff:0e.1 ] || echo 0000:ff:0e.1 > $driver/bind
socket1=
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	[ "$(cat "$cpu/topology/physical_package_id")" = 0 ] || socket1="$socket1 $cpu"
done
for cpu in $socket1; do echo 0 > "$cpu/online"; done
for cpu in $socket1; do echo 1 > "$cpu/online"; done
wrong=0
# carry SOCKET BOX PMU EVENT
carry()
{
	cpu=$(cut -d, -f$(($1 + 1)) "/sys/bus/event_source/devices/$3/cpumask")
	perf stat -x, -C "$cpu" -o /tmp/stat -e "$3/$4/" -- sh -c "uncore-stim -s $1 set $2 ctr=0,value=0xffffffff
		uncore-stim -s $1 tear $2 ctr=0,value=0x100000000,after=lo"
	grep "$3" /tmp/stat
	grep -q '^4294967296,' /tmp/stat || wrong=1
}
carry 0 imc_0 uncore_imc_0 event=0x4,umask=0x3
carry 1 ha uncore_irp event=0x1,umask=0x3
[ $wrong = 0 ]
