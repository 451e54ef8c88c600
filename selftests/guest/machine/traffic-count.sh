# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # those that source it use it
#
# Sourced by tests in the machine that run perf stat around the passes of access, and compare counts. TAP.

. /selftests/tap.sh

tmp=/tmp/traffic
mkdir -p $tmp
mkfifo $tmp/ctl $tmp/ack

# kcompactd copies pages, whose lines would be counted, and so would khugepaged, which the machine has switched off.
collapsed()
{
	awk '$1 == "thp_collapse_alloc" { print $2 }' /proc/vmstat
}

echo 0 > /proc/sys/vm/compaction_proactiveness
collapsed_before=$(collapsed)

# Counters stop during their interrupt: switch off the watchdog, whose interrupt would come in the middle.
echo 0 > /proc/sys/kernel/nmi_watchdog

# count EVENTS ARGUMENT...: run perf stat with access; $tmp/stat gets perf's output, $tmp/out the program's
count()
{
	events=$1
	shift
	: > $tmp/stat
	perf stat -a --per-socket -x, -o $tmp/stat -D -1 --control fifo:$tmp/ctl,$tmp/ack -e "$events" -- \
		/selftests/machine/access -t -c $tmp/ctl,$tmp/ack "$@" > $tmp/out 2>&1
	ok $? "counted: $*" $tmp/out
}

# of NAME [SOCKET]: print the last perf's count of an event, for both sockets or one
of()
{
	awk -F, -v name="$1" -v socket="${2:-.}" '$1 ~ "^S" socket "$" && $5 == name { sum += $3; n++ }
		END { if (!n) print "none"; else printf "%d\n", sum }' $tmp/stat
}

# same NAME A B: a test that A and B are equal, and not 0
same()
{
	[ "$2" = "$3" ] && [ "$2" != 0 ] && [ "$2" != none ]
	ok $? "$1 ($2, $3)" $tmp/stat $tmp/out
}

# Print the plan.
traffic_done()
{
	[ "$(collapsed)" = "$collapsed_before" ]
	ok $? "khugepaged has moved nothing meanwhile ($(collapsed), $collapsed_before before)"
	rm -r "$tmp"
	tap_done
}
