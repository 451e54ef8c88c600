# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 8 -o generation=2
# modules: intel_uncore
#
# pci 0001: a carry between the two halves of a counter, in the iMC and with the IRP's read
# function.

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
carry 1 irp uncore_irp event=0x1
[ $wrong = 0 ]
