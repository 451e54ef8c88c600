#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Units of a discovery table, on the bare machine; tables that are refused; Linux 6.1 and the newest
# one count on tables of one's own.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/machine/xeon/tests/bare.sh"

cat > "$tmp/units" << 'END2'
# two of a type, one of the second die, one of each access, and counters that always run
msr   7   0-1  *  0x2000+0x10  2  48  0x2   0x8  clock=1000
mmio  9   0    *  0x1000       4  32  0x40  0x8
pci   10  0    *  12.1:0x438   2  40  0x30  0x8  # with function 12.0
msr   8   0    1  0x3000       2  48  0x2   0x8
msr   -   0    *  0x3800       2  48  -     0    name=free
END2
machine discovery discovery "units=$tmp/units"
machine discovery-msr discovery-msr "units=$tmp/units" discovery=msr

# row TEXT ROW: a table with this row is refused with that text
row()
{
	printf '\n%s\n' "$2" > "$tmp/row"
	refused "row:2: $1" "units=$tmp/row"
}
row 'a row has 9 columns' 'msr 1 0 * 0x2000 4 48 2'
row "access is msr, mmio or pci, not 'io'" 'io 1 0 * 0x2000 4 48 2 8'
row "type is a number up to 0xffff, not '0x10000'" 'msr 0x10000 0 * 0x2000 4 48 2 8'
row "ids: '3-1' ends before it begins" 'msr 1 3-1 * 0x2000 4 48 2 8'
row "counters is a number up to 0x10, not '17'" 'msr 1 0 * 0x2000 17 48 2 8'
row "width is a number up to 0x40, not '48x'" 'msr 1 0 * 0x2000 4 48x 2 8'
row "address is DEVICE.FUNCTION:OFFSET+STEP up to 0xffffffff, not '0x438'" 'pci 1 0 * 0x438 4 48 0x30 8'
row "address is N+STEP up to 0xffffffff, not '0x20;'" 'msr 1 0 * 0x20; 4 48 2 8'
row 'type_1_0: two of its registers overlap' 'msr 1 0 * 0x2000 4 48 - 8'
row 'type_1_0: two of its registers overlap' 'msr 1 0 * 0x2000 4 48 2 5'
row 'type_1_0: two of its registers overlap' 'mmio 1 0 * 0x2000 4 48 0x40 8 fixed=0x54:0x20'
row 'type_0_0 is behind the last address' 'msr 0 0 * 0xffffffff 1 48 0x2 0x8'
row 'type_0_1 is behind the last address' 'msr 0 0-1 * 0x2000+0xffffe000 1 48 0x2 0x8'
row 'free_0 is behind the last address' 'msr - 0 * 0xffffffff 2 48 - 0 name=free'
row 'free_0 has no register' 'msr - 0 * 0 0 - - - name=free'
row 'step is 4 or 8, and MSRs have none' 'msr 1 0 * 0x2000 4 48 2 8 step=0'
row 'step is 4 or 8, and MSRs have none' 'msr 1 0 * 0x2000 4 48 2 16 step=4'
row 'type_1_0: the counters have no width' 'mmio 1 0 * 0x2000 - - - - fixed=0x54:0x38'
row "type is a number up to 0xffff, not '-18446744073709551615'" 'msr -18446744073709551615 0 * 0x2000 4 48 2 8'
row "bits is a number up to 0xffffffffffffffff, not '-1'" 'msr 1 0 * 0x2000 4 48 2 8 bits=-1'
row 'name: letters, digits and _' "msr 1 0 * 0x2000 4 48 2 8 name=$(printf 'M\374ll')"
row 'name: letters, digits and _' 'msr 1 0 * 0x2000 4 48 2 8 name='
row 'type_1_0 and type_1_1 have a register in common' 'msr 1 0-1 * 0x2000+4 4 48 2 8'
row 'type_1_0 ends behind the configuration space' 'pci 1 0 * 1.0:0xff0 4 48 0x30 8'
row "no option 'clok=1'" 'msr 1 0 * 0x2000 4 48 2 8 clok=1'
row 'step is 4 or 8' 'mmio 1 0 * 0x2000 4 48 0x40 8 step=2'
row "address: PCI has no '1.8:0x438'" 'pci 1 0 * 1.8:0x438 4 48 0x30 8'
row 'type_1_2 is behind the last address' 'pci 1 0-2 * 30.1:0x438+0x8000 4 48 0x30 8'
row "fixed: no counter in 'fixed=0x54'" 'mmio 1 0 * 0x2000 4 48 0x40 8 fixed=0x54'
refused 'no file /no/units' units=/no/units
refused 'noise=on is for the E5-2600' generation=discovery noise=on
refused 'seed draws nothing' generation=discovery seed=3
printf 'pci 1 0 * 30.0:0x400 4 48 0x30 8\n' > "$tmp/row"
refused "function 30.0 is another device's" "units=$tmp/row"
printf 'msr 1 0 * 0x2000 4 48 2 8\n\0pci\n' > "$tmp/row"
refused 'row is no text' "units=$tmp/row"
: > "$tmp/row"
refused 'has no unit of the first die' "units=$tmp/row"

# From an empty file to a count, on each kind of unit of two dies
# Linux 6.1 writes the MSRs of a unit that only the other die has.
sed -i '/^msr   8/d' "$tmp/units"
"$TOP/machine/xeon/vm/vm" -W -k 6.1 -m intel_uncore -o "units=$tmp/units" -- \
	'perf stat -x, -a --per-socket -o /tmp/stat -e uncore_type_7_1/event=2,umask=3/,uncore_type_9/event=2/,uncore_type_10/event=2/ -- \
		uncore-stim type_7_1 event=2,count=11 type_9_0 event=2,count=12 type_10_0 event=2,count=13 \
		-s 1 type_7_1 event=2,count=21 type_9_0 event=2,count=22 type_10_0 event=2,count=23
	cut -d, -f1,3 /tmp/stat; uncore-stim checker' > "$tmp/out" 2>&1 && code=0 || code=1
sed '/^#/d; /^$/d' "$tmp/out" | sort | paste -sd ' ' > "$tmp/counts"
[ $code = 0 ] && [ "$(cat "$tmp/counts")" = 'S0,11 S0,12 S0,13 S1,21 S1,22 S1,23' ] && code=0 || code=1
ok $code 'Linux 6.1 finds them, and counts exactly on both dies' "$tmp/out"

# Gaps in types and ids, units of one die, PCI units at different offsets, three dies; the counters
# wrap at their width.
cat > "$tmp/odd" << 'END2'
msr   17   0    *    0x2100         2  44  0x4   0x10
msr   17   3-4  *    0x2200+0x40    2  44  0x4   0x10
mmio  300  1-2  *    0x3000+0x9000  3  36  0x20  0x80  step=8
pci   5    0    *    12.0:0x438     2  40  0x30  0x8
pci   5    6    *    14.3:0x600     2  40  0x30  0x8
mmio  40   0    2    0x40000        2  32  0x40  0x8
msr   41   2    1    0x2f00         1  48  0x2   0x8
END2
mkdir "$tmp/guest"
cat > "$tmp/guest/expected" << 'END2'
type_17_0 type_17_0 44 S0,1000 S1,1001 S2,1002
type_17_3 type_17_3 44 S0,1000 S1,1001 S2,1002
type_17_4 type_17_4 44 S0,1000 S1,1001 S2,1002
type_300_1 type_300_1 36 S0,1000 S1,1001 S2,1002
type_300_2 type_300_2 36 S0,1000 S1,1001 S2,1002
type_5_0 type_5_0 40 S0,1000 S1,1001 S2,1002
type_5_6 type_5_6 40 S0,1000 S1,1001 S2,1002
type_40 type_40_0 32 S2,1002
type_41 type_41_2 48 S1,1001
END2
# PMU, unit, width, and the counts of its dies, from counters that are about to wrap
"$TOP/machine/xeon/vm/vm" -W -k newest -s 3 -m intel_uncore -o "units=$tmp/odd" -f "$tmp/guest" -- '
	while read -r pmu unit width dies; do
		for die in $dies; do
			die=${die#S} && die=${die%,*}
			for ctr in 0 1 2; do uncore-stim -s $die set $unit ctr=$ctr,value=$(((1 << width) - 500)) 2> /tmp/none; done
			echo "-s $die $unit event=0x35,umask=0x4,count=$((1000 + die))"
		done > /tmp/events
		perf stat -a --per-socket -x, -o /tmp/stat -e uncore_$pmu/event=0x35,umask=0x4/ -- uncore-stim -f /tmp/events
		echo $pmu $unit $width $(grep ^S /tmp/stat | cut -d, -f1,3)
	done < /expected
	uncore-stim checker' > "$tmp/out" 2>&1 && diff "$tmp/out" "$tmp/guest/expected" > "$tmp/diff" && code=0 || code=1
ok $code 'the newest Linux counts exactly on units with gaps and on three dies' "$tmp/diff" "$tmp/out"
tap_done
