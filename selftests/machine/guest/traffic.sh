#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # traffic-count.sh sets them
#
# What the guest's own accesses do to the counters, as perf stat has it by name: programs of which one knows what they cost, on
# a machine with two sockets whose traffic is on while they run. Two kinds of tests:
#   - conservation, to the event: what one box says of a program and what the next one says of it are the same number;
#   - theory, within one percent of the program's lines: what it reads and writes. What the idle machine does in a second is
#     measured first, and may be there as well.

. /selftests/machine/traffic-count.sh

background "$flows" none 64K
conserved 'a second of nothing'

# In lines; far more than the LLC has.
n=$((32 * 1024 * 1024 / 64))

count "$flows" -p 0 -n 0 copy 32M
conserved copy
near 'copy: reads what it copies, and the place that it copies to' $n $n ha_rd 0
near 'copy: writes what it copies' $n $((n / 2)) ha_wr 0
near 'copy: and that is what its LLC puts out' $n $((n / 2)) victim 0

count "$flows" -p 0 -n 0 chase 32M
conserved 'pointer chase'
near 'pointer chase: reads every line' $n $n ha_rd 0
near 'pointer chase: writes nothing' $n 0 ha_wr
near 'pointer chase in local memory: sends no data' $((8 * n)) 0 tx_data
near 'pointer chase in local memory: receives none' $((8 * n)) 0 rx_data

count "$flows" -p 0 -n 1 read 32M
conserved 'remote read'
near 'remote read: the home is the other socket' $n $n ha_rd 1
near 'remote read: and not its own' $n 0 ha_rd 0
near 'remote read: eight flits of data a line' $((8 * n)) $((8 * n)) rx_data 0
near 'remote read: which the home sends' $((8 * n)) $((8 * n)) tx_data 1

count "$flows" -p 0 -n 0 stream 32M
conserved 'streaming stores'
near 'streaming stores: read nothing' $n 0 ha_rd
near 'streaming stores: write every line' $n $n ha_wr 0

n=$((20 * 1024 * 1024 / 64))
count "$flows" -p 0 -n 0 -r 20 read 1M
near '1 MiB, twenty times: all of it comes from the LLC' $n 0 ha_rd
n=$((100 * 1024 / 64 * 1000))
# The kernel looks lines up each time that it is there; the program's requests are the core's to tell.
count "$(request dmnd_data_rd any_response asked)" -p 0 -n 0 -r 1000 read 100K
no_background asked
near '100 KiB, a thousand times: all of it comes from the L2' $n 0 asked

uncore-stim traffic nothing > $tmp/out 2>&1
[ $? = 2 ] && grep -q "on, off, empty or table, not 'nothing'" $tmp/out
ok $? 'an unknown word is refused, with those that there are' $tmp/out
traffic_done
