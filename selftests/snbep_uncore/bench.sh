#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Cost of one uncore driver with intel_uncore's PMU names: accesses and instructions of single
# operations, accesses of perf stat runs. Lines: operation, reads, writes, those of both through I/O
# ports, those memory-mapped, instructions or -, separated by tabs.

set -eu

# Sum of the access counters, as "reads<TAB>writes<TAB>ports<TAB>memory-mapped".
accesses()
{
	uncore-stim accesses | awk '{
		all = 0
		for (i = 1; i <= NF; i++) {
			if (sub(/^reads=/, "", $i)) { r += $i; all += $i }
			if (sub(/^writes=/, "", $i)) { w += $i; all += $i }
			if (sub(/^ports=/, "", $i)) { p += $i; m += all - $i }
		}
	} END { print r + 0 "\t" w + 0 "\t" p + 0 "\t" m + 0 }'
}

stat()
{
	what=$1
	shift
	uncore-stim accesses reset > /dev/null
	perf stat -a "$@" sleep 1 2> /dev/null
	printf '%s\t%s\t-\n' "$what" "$(accesses)"
}

repeat()
{
	i=1
	all=$2
	while [ $i -lt "$1" ]; do
		all=$all,$2
		i=$((i + 1))
	done
	echo "$all"
}

printf 'module load\t%s\t-\n' "$(accesses)"
"$(dirname "$0")/bench"
c=uncore_cbox_0/event=0x0/
stat "perf stat, 1 CBo event, 1 s" -e "$c"
stat "perf stat, 4 CBo events, 1 s" -e "$(repeat 4 $c)"
stat "perf stat, 4 CBo events in a group, 1 s" -e "{$(repeat 4 $c)}"
stat "perf stat, 6 CBo events on 4 counters, 1 s" -e "$(repeat 6 $c)"
m=uncore_imc_0/event=0x4,umask=0x3/
stat "perf stat, 4 iMC events, 1 s" -e "$(repeat 4 $m)"
stat "perf stat, 4 iMC events in a group, 1 s" -e "{$(repeat 4 $m)}"
