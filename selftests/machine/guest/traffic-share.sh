#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # traffic-count.sh sets them
#
# Lines that two threads share, through perf stat: on two cores of a socket, and on two sockets. The memory is socket 0's. In its
# turn each thread takes all of the lines from the other one, which has modified them; 64 KiB, so that a core's own caches keep
# them. How the lines go: Documentation/model-traffic.rst.

. /selftests/machine/traffic-count.sh

package()
{
	cat "/sys/devices/system/cpu/cpu$1/topology/physical_package_id"
}

# A CPU of CPU 0's socket, and one of the other
for cpu in /sys/devices/system/cpu/cpu[1-9]*; do
	cpu=${cpu##*/cpu}
	if [ "$(package "$cpu")" = "$(package 0)" ]; then
		beside=$cpu
	else
		across=$cpu
	fi
done

# In its turn a thread takes so many lines; 100 turns of each
lines=$((64 * 1024 / 64))
n=$((2 * 100 * lines))

snoops=snbep_uncore_cbox/rxr_inserts_ipq,name=ipq/

no_background asked owned
# What the kernel does in a second of two CPUs that are busy
background "$links,$snoops" -p 0 -P "$beside" -r 5 wait 64K

count "$links,$(request dmnd_data_rd llc_hitm,hitm asked),$(request dmnd_rfo any_response owned)" -p 0 -P "$beside" -n 0 -r 100 share 64K
conserved 'shared in a socket' equal
near 'shared in a socket: the other core has each line modified when it is read' $n $n asked
near 'shared in a socket: a thread asks for each to own it' $n $n owned
near 'shared in a socket: no memory is read' $n 0 ha_rd
near 'shared in a socket: none is written' $n 0 ha_wr
near 'shared in a socket: no data go to the other one' $((8 * n)) 0 tx_data

# What the cores of a socket are asked and say goes by its rings: for each line a message that says who reads it and one that says
# who owns it, to the stops of all other CBos. The core that is asked answers, and gives what it has modified, but takes no ring
# to the CBo at its own stop.
cbos=$(find /sys/bus/event_source/devices/ -name 'snbep_uncore_cbox_[0-9]*' | wc -l)
rings=snbep_uncore_cbox/txr_inserts_iv_cache,name=iv_sent/,snbep_uncore_cbox/ring_iv_used_any,name=iv_seen/
rings=$rings,snbep_uncore_cbox/txr_inserts_bl_core,name=given/
background "$rings" -p 0 -P "$beside" -r 5 wait 64K
count "$rings" -p 0 -P "$beside" -n 0 -r 100 share 64K
same 'shared in a socket: all other CBos see what one of them asks' "$(of iv_seen)" $(((cbos - 1) * $(of iv_sent)))
near 'shared in a socket: which is twice for each line' $((2 * n)) $((2 * n)) iv_sent
near 'shared in a socket: and all that are at other stops get it' $n $((n * (cbos - 1) / cbos)) given
answers=snbep_uncore_cbox/txr_inserts_ak_core,name=answers/
background $answers -p 0 -P "$beside" -r 5 wait 64K
count $answers -p 0 -P "$beside" -n 0 -r 100 share 64K
near 'shared in a socket: two answers for each line' $((2 * n)) $((2 * n * (cbos - 1) / cbos)) answers

background "$links,$snoops" -p 0 -P "$across" -r 5 wait 64K
count "$links,$snoops,$(request dmnd_data_rd local,remote,hitm asked),$(request dmnd_rfo any_response owned)" \
	-p 0 -P "$across" -n 0 -r 100 share 64K
conserved 'shared by two sockets'
near 'shared by two sockets: the other one has each line modified when it is read' $n $n asked
near 'shared by two sockets: a thread asks for each to own it' $n $n owned
near 'shared by two sockets: each line is read from its home' $n $n ha_rd 0
near 'shared by two sockets: where the other one has written it back' $n $n ha_wr 0
near 'shared by two sockets: the second socket is no home' $n 0 ha_rd 1
near 'shared by two sockets: eight flits of each line that the second one reads' $((4 * n)) $((4 * n)) tx_data 0
near 'shared by two sockets: and of each that it writes back' $((4 * n)) $((4 * n)) tx_data 1
near 'shared by two sockets: a snoop to read and one to own' $((2 * n)) $((2 * n)) ipq
# For two turns. The first socket: two snoops, the header of a line, a completion; the second one: two snoops and two answers,
# two requests, the header of a line.
near 'shared by two sockets: other flits of the first one' $((2 * n)) $((4 * n / 2)) tx_other 0
near 'shared by two sockets: other flits of the second one' $((4 * n)) $((7 * n / 2)) tx_other 1

count "$links,$snoops,$(request dmnd_data_rd any_response asked),$(request dmnd_rfo remote,hitm owned)" \
	-p 0 -P "$across" -n 0 -r 100 hand 64K
conserved 'handed over'
near 'handed over: the other one has each line modified when it is to be owned' $n $n owned
near 'handed over: nothing is read first' $n 0 asked
near 'handed over: the home reads each line' $n $n ha_rd 0
near 'handed over: it is forwarded, so nothing is written' $n 0 ha_wr
near 'handed over: eight flits of each line to the second one' $((4 * n)) $((4 * n)) tx_data 0
near 'handed over: and to the first one' $((4 * n)) $((4 * n)) tx_data 1
near 'handed over: a snoop each' $n $n ipq
# For two turns. The first one: a snoop, the header of a line, a completion; the second one: a snoop and an answer, a request, the
# header of a line.
near 'handed over: other flits of the first one' $((2 * n)) $((3 * n / 2)) tx_other 0
near 'handed over: other flits of the second one' $((2 * n)) $((4 * n / 2)) tx_other 1
traffic_done
