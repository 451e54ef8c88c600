# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # those that source it use it
#
# Sourced by tests in the machine that count what access does: perf stat around its passes, and its figures. TAP.

. /selftests/lib/tap.sh

tmp=/tmp/traffic
mkdir -p $tmp
mkfifo $tmp/ctl $tmp/ack

# The kernel moves memory of its own accord, from time to time: khugepaged copies 2 MiB of what a program has just touched, and
# kcompactd makes room. Their lines would be counted with the program's. What access asks for is in huge pages from the start.
collapsed()
{
	awk '$1 == "thp_collapse_alloc" { print $2 }' /proc/vmstat
}

echo madvise > /sys/kernel/mm/transparent_hugepage/enabled
echo 0 > /proc/sys/vm/compaction_proactiveness
collapsed_before=$(collapsed)

# While a core handles an interrupt of its counters, they are stopped; the watchdog's would come in the middle.
echo 0 > /proc/sys/kernel/nmi_watchdog

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

# The plan, at the end
traffic_done()
{
	[ "$(collapsed)" = "$collapsed_before" ]
	ok $? "khugepaged has moved nothing meanwhile ($(collapsed), $collapsed_before before)"
	rm -r $tmp
	tap_done
}
