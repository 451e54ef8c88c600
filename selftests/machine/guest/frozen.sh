#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Montecito's monitors without a driver: what becomes of events that come while PMC0.fr is set. Those that an overflow has held up go
# on after its interrupt, as the program is stopped that long; all others are lost (3.3.1 of the manual 308065-001). TAP.

. /selftests/lib/tap.sh

device=$(grep -lx PCI_ID=1234:4D43 /sys/bus/pci/devices/*/uevent)
# Registers of CPU 0: machine/xeon/qemu/montecito.h
read -r bar _ < "${device%/*}/resource"
pmc0=$bar
pmc4=$((bar + 8 * 4))
pmd4=$((bar + 0x200 + 8 * 4))
pmv=$((bar + 0x480))

set_reg()
{
	devmem "$1" 64 "$2"
}

get_reg()
{
	echo $(($(devmem "$1" 64)))
}

# Four events before counter 4 overflows, and nobody has a vector for that. CPU_OP_CYCLES at every level, with an interrupt
begin()
{
	set_reg "$pmc0" 1
	set_reg "$pmc4" 0x2001269
	set_reg "$pmd4" 0x7ffffffffffc
	set_reg "$pmv" 0
	set_reg "$pmc0" 0
}

happen()
{
	uncore-stim raw "montecito cpu=0 event event=0x12,count=$1"
}

# now NAME PMC0 PMD4
now()
{
	got="$(get_reg "$pmc0") $(get_reg "$pmd4")"
	[ "$got" = "$2 $3" ]
	ok $? "$1 ($got)"
}

begin
happen 3
now "three events count" 0 -1
set_reg "$pmc0" 1
happen 5
set_reg "$pmc0" 0
now "events that come while software has frozen do not count" 0 -1
begin
happen 10
now "the fourth of ten events freezes" $((1 << 4 | 1)) 0
set_reg "$pmc0" 0
now "the six events after an overflow come after its interrupt" 0 6
# As a driver does when the program's time is over before the interrupt
begin
happen 4
set_reg "$pmc0" 1
happen 7
set_reg "$pmc0" 0
now "once software has seen to an overflow that holds nothing up, what comes is lost" 0 0
set_reg "$pmc0" 1
set_reg "$pmc4" 0x2001260
set_reg "$pmv" 0x10000
set_reg "$pmc0" 0
tap_done
