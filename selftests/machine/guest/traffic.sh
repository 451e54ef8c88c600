#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the guest's own accesses do to the counters, as perf stat has it by name: programs of which one knows what they cost, on
# a machine with two sockets whose traffic is on while they run. Two kinds of tests:
#   - conservation, to the event: what one box says of a program and what the next one says of it are the same number;
#   - theory, within one percent of the program's lines: what it reads and writes. What the idle machine does in a second is
#     measured first, and taken off.

. /selftests/lib/tap.sh

tmp=/tmp/traffic
mkdir -p $tmp
mkfifo $tmp/ctl $tmp/ack

flows=snbep_uncore_cbox/llc_lookup_data_read,filter_state=0x1,name=miss/,snbep_uncore_cbox/llc_victims_m_state,name=victim/
flows=$flows,snbep_uncore_ha/requests_reads,name=ha_rd/,snbep_uncore_ha/requests_writes,name=ha_wr/
# Without the aliases, with which perf prints MiB
flows=$flows,snbep_uncore_imc/event=0x04,umask=0x03,name=cas_rd/,snbep_uncore_imc/event=0x04,umask=0x0c,name=cas_wr/
flows=$flows,snbep_uncore_imc/act_count,name=act/,snbep_uncore_imc/pre_count_page_miss,name=pre/
flows=$flows,snbep_uncore_qpi/event=0x00,umask=0x02,name=tx_data/,snbep_uncore_qpi/event=0x01,umask=0x02,name=rx_data/
flows=$flows,snbep_uncore_qpi/txl_flits_g0_non_data,name=tx_other/,snbep_uncore_qpi/rxl_flits_g0_non_data,name=rx_other/
lookups=snbep_uncore_cbox/llc_lookup_data_read,name=lookup/

# count EVENTS ACCESS'S-ARGUMENTS: perf's lines in $tmp/stat, the program's in $tmp/out
count()
{
	events=$1
	shift
	: > $tmp/stat
	perf stat -a --per-socket -x, -o $tmp/stat -D -1 --control fifo:$tmp/ctl,$tmp/ack -e "$events" -- \
		/selftests/machine/access -t -c $tmp/ctl,$tmp/ack "$@" > $tmp/out 2>&1
	ok $? "counted: $*" $tmp/out
}

# of NAME [SOCKET]: the count of an event in the last perf, of both sockets or one
of()
{
	awk -F, -v name="$1" -v socket="${2:-.}" '$1 ~ "^S" socket "$" && $5 == name { sum += $3; n++ }
		END { if (!n) print "none"; else printf "%d\n", sum }' $tmp/stat
}

# same NAME A B: A and B are the same number, and not 0
same()
{
	[ "$2" = "$3" ] && [ "$2" != 0 ] && [ "$2" != none ]
	ok $? "$1 ($2, $3)" $tmp/stat $tmp/out
}

# near NAME LINES EXPECTED EVENT [SOCKET]: less what the idle machine has, within one percent of LINES
near()
{
	near_name=$1
	near_lines=$2
	near_expected=$3
	shift 3
	near_got=$(of "$@")
	near_idle=$(awk -v n="$1" -v s="${2:-.}" '$1 == n && $2 == s { print $3 }' $tmp/idle)
	near_seconds=$(sed -n 's/ s .*//p' $tmp/out)
	awk -v got="$near_got" -v idle="${near_idle:-0}" -v seconds="$near_seconds" -v want="$near_expected" -v lines="$near_lines" \
		'BEGIN { d = got - idle * seconds - want; exit !(got != "none" && d < lines / 100 && d > -lines / 100) }'
	ok $? "$near_name ($near_got, $near_expected and $near_idle in each of $near_seconds s)" $tmp/stat
}

conserved()
{
	same "$1: what misses the LLC is read from a home agent" "$(of miss)" "$(of ha_rd)"
	same "$1: and from a channel" "$(of ha_rd)" "$(of cas_rd)"
	[ "$(of ha_wr)" = "$(of cas_wr)" ]
	ok $? "$1: what is written to a home agent is written to a channel ($(of ha_wr))" $tmp/stat
	[ "$(of act)" -ge "$(of pre)" ] && [ "$(of act)" -le $(($(of cas_rd) + $(of cas_wr))) ]
	ok $? "$1: a page is opened for some of these, and most are closed before that ($(of act), $(of pre))" $tmp/stat
	for flits in data other; do
		[ "$(of tx_$flits 0) $(of tx_$flits 1)" = "$(of rx_$flits 1) $(of rx_$flits 0)" ]
		ok $? "$1: what a socket sends the other receives, $flits ($(of tx_$flits 0), $(of tx_$flits 1))" $tmp/stat
	done
}

count "$flows" none 64K
for e in miss victim ha_rd ha_wr cas_rd cas_wr; do
	for s in . 0 1; do
		echo "$e $s $(of $e "$s")"
	done
done > $tmp/idle
for e in tx_data rx_data; do
	for s in . 0 1; do
		echo "$e $s $(of $e "$s")"
	done
done >> $tmp/idle
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
count "$lookups" -p 0 -n 0 -r 1000 read 100K
near '100 KiB, a thousand times: all of it comes from the L2' $n 0 lookup

uncore-stim traffic nothing > $tmp/out 2>&1
[ $? = 2 ] && grep -q "on, off, empty or table, not 'nothing'" $tmp/out
ok $? 'an unknown word is refused, with those that there are' $tmp/out
rm -r $tmp
tap_done
