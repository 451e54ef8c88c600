#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What one interval costs: of uncorestat with its default display, and of perf stat -I with the same events in the same
# groups. The difference between 101 intervals and one, divided by a hundred. Lines: program, reads, writes, instructions
# (a microsecond of this machine is a thousand), separated by tabs.

set -eu

# group PMU EVENT...: as perf has it
group()
{
	pmu=snbep_uncore_$1
	shift
	list=
	for event; do
		list=$list${list:+,}$pmu/$event/
	done
	events="$events -e {$list}"
}

events=
look=event=0x34,umask=0x3,filter_state=0x1f
for i in 0 2 4 6; do
	group cbox_$i $look event=0x35,umask=0xa
done
group cbox_1 event=0x35,umask=0x1,filter_opc=0x19e $look
group cbox_3 event=0x35,umask=0x1,filter_opc=0x19c $look
group cbox_5 event=0x35,umask=0x1,filter_opc=0x194 $look
group cbox_7 event=0x35,umask=0x1,filter_opc=0x19e $look
group ha txr_bl_drs_qpi txr_bl_drs_cache txr_bl_drs_core
for i in 0 1 2 3; do
	group imc_$i cas_count_rd cas_count_wr
done
group pcu power_state_occupancy_cores_c0 clockticks power_state_occupancy_cores_c6 freq_band1_cycles,filter_band1=0x14
for i in 0 1; do
	group qpi_$i txl_flits_g0_data rxl_flits_g0_data rxl_flits_g0_non_data clockticks
done

# interval NAME COMMAND-FOR-N-INTERVALS...: N is the word COUNT
interval()
{
	name=$1
	shift
	for n in 1 101; do
		command=$(echo "$*" | sed "s/COUNT/$n/")
		# Words: splitting is meant.
		# shellcheck disable=SC2086
		/selftests/tools/cost $command
	done | awk -v name="$name" 'NR == 1 { r = $1; w = $2; t = $3 }
		NR == 2 { printf "%s\t%.1f\t%.1f\t%d\n", name, ($1 - r) / 100, ($2 - w) / 100, ($3 - t) * 10 }
		END { exit NR != 2 }'
}

# Something happens in every box: nobody has to ask whether it is still there.
for s in 0 1; do
	for i in 0 1 2 3 4 5 6 7; do
		echo "-s $s cbox_$i event=0x34,umask=0x03,count=1"
	done
	for i in 0 1 2 3; do
		echo "-s $s imc_$i event=0x04,umask=0x01,count=1"
	done
	echo "-s $s ha event=0x10,umask=0x01,count=1"
done > /tmp/stimulus
( while :; do uncore-stim -f /tmp/stimulus; usleep 30000; done ) &
interval "uncorestat" uncorestat -i 0.1 -n COUNT
interval "uncorestat --json" uncorestat --json -i 0.1 -n COUNT
interval "perf stat -I" perf stat -a --per-socket -I 100 --interval-count COUNT $events -- sleep 100
kill $!
