#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# uncore-stim's own words: sockets, files of commands, what it prints and its exit status. Run where
# tap.sh is.

. ./tap.sh

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
printf '%s\n' '# for both sockets' 'poke imc_3 ctr3=0x1234' '-s 1 poke 10.5 0xb8=0x77' > /tmp/list
says "a file of commands" "status 0" uncore-stim -f /tmp/list
says "a file of commands is for both sockets" "MC_CH3_PCI_PMON_CTR3=0x000000000077
status 0" uncore-stim -s 1 peek imc_3 ctr3
uncore-stim -s 1 reset-all
says "a reset of socket 1 resets it" "MC_CH3_PCI_PMON_CTR3=0x000000000000
status 0" uncore-stim -s 1 peek imc_3 ctr3
says "a reset of socket 1 leaves socket 0 alone" "MC_CH3_PCI_PMON_CTR3=0x000000001234
status 0" uncore-stim peek imc_3 ctr3
uncore-stim reset-all
says "a reset of all sockets resets socket 0" "MC_CH3_PCI_PMON_CTR3=0x000000000000
status 0" uncore-stim peek imc_3 ctr3
mkfifo /tmp/commands
uncore-stim -f /tmp/commands &
sleep 1
uncore-stim peek imc_3 ctr3 > /tmp/got &
sleep 1
[ ! -s /tmp/got ]
ok $? "a second program waits until the first one has read its commands" /tmp/got
echo > /tmp/commands
wait
says "an unknown register is an error" "uncore-stim: imc_3 has no register 'ctr9'
status 2" uncore-stim poke imc_3 ctr9=0
uncore-stim -f /tmp/no-such-file > /tmp/got 2>&1
[ $? = 2 ] && grep -q "no-such-file: No such file" /tmp/got
ok $? "a missing file is an error" /tmp/got
uncore-stim checker > /tmp/checker
ok $? "the protocol checker reports nothing" /tmp/checker
uncore-stim checker reset > /dev/null
tap_done
