# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2034 # those that source it use it
#
# Sourced by tests in the machine that count what access does: perf stat around its passes, and its figures. TAP.

. /selftests/lib/tap.sh

tmp=/tmp/traffic
mkdir -p $tmp
mkfifo $tmp/ctl $tmp/ack
: > $tmp/background

# The kernel moves memory of its own accord, from time to time: khugepaged copies 2 MiB of what a program has just touched, and
# kcompactd makes room. Their lines would be counted with the program's. What access asks for is in huge pages from the start.
collapsed()
{
	awk '$1 == "thp_collapse_alloc" { print $2 }' /proc/vmstat
}

echo madvise > /sys/kernel/mm/transparent_hugepage/enabled
echo 0 > /proc/sys/vm/compaction_proactiveness
collapsed_before=$(collapsed)

# While a core handles an interrupt of its counters, they stand still; the watchdog's would come in the middle.
echo 0 > /proc/sys/kernel/nmi_watchdog

# request REQUEST RESPONSE NAME: the event of a core's requests, those of the program without the kernel beside it
request()
{
	echo "offcore_rsp/$1,$2,name=$3/u"
}

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

# What goes between boxes, for `conserved`; each line fits into a box's counters, and the CBo has one left.
links=snbep_uncore_cbox/llc_lookup_data_read,filter_state=0x1,name=miss/
links=$links,snbep_uncore_ha/requests_reads,name=ha_rd/,snbep_uncore_ha/requests_writes,name=ha_wr/
# Without the aliases, with which perf prints MiB
links=$links,snbep_uncore_imc/event=0x04,umask=0x03,name=cas_rd/,snbep_uncore_imc/event=0x04,umask=0x0c,name=cas_wr/
links=$links,snbep_uncore_imc/act_count,name=act/,snbep_uncore_imc/pre_count_page_miss,name=pre/
links=$links,snbep_uncore_qpi/event=0x00,umask=0x02,name=tx_data/,snbep_uncore_qpi/event=0x01,umask=0x02,name=rx_data/
links=$links,snbep_uncore_qpi/txl_flits_g0_non_data,name=tx_other/,snbep_uncore_qpi/rxl_flits_g0_non_data,name=rx_other/
flows=$links,snbep_uncore_cbox/llc_victims_m_state,name=victim/

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

# equal NAME A B: the same number, which may be 0
equal()
{
	[ "$2" = "$3" ] && [ "$2" != none ]
	ok $? "$1 ($2, $3)" $tmp/stat $tmp/out
}

seconds()
{
	sed -n 's/ s .*//p' $tmp/out
}

# background EVENTS ACCESS'S-ARGUMENTS: what there is in each second beside a program, from one that touches nothing itself. Of an
# event that was measured before, the last figure is taken.
background()
{
	count "$@"
	awk -F, -v seconds="$(seconds)" '
		$5 ~ /^[a-z]/ { n[$5 " " substr($1, 2)] += $3; n[$5 " ."] += $3 }
		END { for (i in n) printf "%s %d\n", i, n[i] / seconds }' $tmp/stat >> $tmp/background
}

# no_background EVENT...: what the program alone makes, as what is counted is a task's own or a filter's
no_background()
{
	printf '%s . 0\n' "$@" >> $tmp/background
}

# near NAME LINES EXPECTED EVENT [SOCKET]: what the program does, within one percent of LINES, and up to twice the background, which
# must have been measured. None of that need be there: a machine that the host does not run does nothing in these seconds.
near()
{
	near_name=$1
	near_lines=$2
	near_expected=$3
	shift 3
	near_got=$(of "$@")
	near_each=$(awk -v n="$1" -v s="${2:-.}" '$1 == n && $2 == s { each = $3 } END { print each }' $tmp/background)
	near_seconds=$(seconds)
	awk -v got="$near_got" -v each="$near_each" -v seconds="$near_seconds" -v want="$near_expected" -v lines="$near_lines" '
		BEGIN {
			d = got - want
			exit !(got != "none" && each != "" && d > -lines / 100 && d < lines / 100 + 2 * each * seconds)
		}'
	ok $? "$near_name ($near_got, $near_expected and ${near_each:-unmeasured} in each of $near_seconds s)" $tmp/stat
}

# conserved NAME [equal]: what a box says of a program the next one says as well; equal: it may be that no memory is read
conserved()
{
	"${2:-same}" "$1: what misses the LLC is read from a home agent" "$(of miss)" "$(of ha_rd)"
	"${2:-same}" "$1: and from a channel" "$(of ha_rd)" "$(of cas_rd)"
	equal "$1: what is written to a home agent is written to a channel" "$(of ha_wr)" "$(of cas_wr)"
	[ "$(of act)" -ge "$(of pre)" ] && [ "$(of act)" -le $(($(of cas_rd) + $(of cas_wr))) ]
	ok $? "$1: a page is opened for some of these, and most are closed before that ($(of act), $(of pre))" $tmp/stat
	for flits in data other; do
		equal "$1: what socket 0 sends socket 1 receives, $flits" "$(of tx_$flits 0)" "$(of rx_$flits 1)"
		equal "$1: and what it receives socket 1 sends" "$(of rx_$flits 0)" "$(of tx_$flits 1)"
	done
}

# The plan, at the end
traffic_done()
{
	[ "$(collapsed)" = "$collapsed_before" ]
	ok $? "khugepaged has moved nothing meanwhile ($(collapsed), $collapsed_before before)"
	rm -r $tmp
	tap_done
}
