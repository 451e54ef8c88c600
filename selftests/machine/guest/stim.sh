#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# uncore-stim's own words: what it passes to the model, and what it prints. TAP.

. /selftests/lib/tap.sh

# says NAME EXPECTED COMMAND...: its output and its status
says()
{
	name=$1
	expected=$2
	shift 2
	"$@" > /tmp/got 2>&1
	echo "status $?" >> /tmp/got
	printf '%s\n' "$expected" > /tmp/expected
	cmp -s /tmp/got /tmp/expected
	ok $? "$name" /tmp/got
}

# Other tests have left their values.
uncore-stim reset-all
says "another writer on socket 0" "status 0" uncore-stim poke imc_3 ctr3=0x1234
says "another writer on socket 1" "status 0" uncore-stim -s 1 poke 16.5 0xb8=0x77
says "reads of socket 0" "MC_CH3_PCI_PMON_CTR3=0x000000001234
status 0" uncore-stim peek imc_3 ctr3
says "reads of socket 1" "MC_CH3_PCI_PMON_CTR3=0x000000000077
status 0" uncore-stim -s 1 peek 16.5 0xb8
says "a reset of socket 1" "status 0" uncore-stim -s 1 reset-all
says "leaves socket 0 alone" "MC_CH3_PCI_PMON_CTR3=0x000000001234
status 0" uncore-stim peek imc_3 ctr3
says "and not socket 1" "MC_CH3_PCI_PMON_CTR3=0x000000000000
status 0" uncore-stim -s 1 peek imc_3 ctr3
uncore-stim -s 1 poke imc_3 ctr3=0x77
says "a reset of all sockets" "status 0" uncore-stim reset-all
says "resets socket 0" "MC_CH3_PCI_PMON_CTR3=0x000000000000
status 0" uncore-stim peek imc_3 ctr3
says "and socket 1" "MC_CH3_PCI_PMON_CTR3=0x000000000000
status 0" uncore-stim -s 1 peek imc_3 ctr3
says "a mistake is an error" "uncore-stim: imc_3 has no register 'ctr9'
status 2" uncore-stim poke imc_3 ctr9=0
uncore-stim residency cpu=1,c3=1000,c6=7
says "C3 and C6 of one CPU" "status 0" uncore-stim residency cpu=1,c3=+234
line=$(uncore-stim residency | grep '^cpu=1 ')
[ "$line" = "cpu=1 socket=0 core=1 c3=1234 c6=7" ]
ok $? "the residency of every CPU ($line)"
tap_done
