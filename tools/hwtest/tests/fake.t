#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fake.t [SEED]: uncore-hwtest-measure over a fake machine (fake.c) whose packages, cores, nodes,
# clocks and idle traffic are drawn from a seed.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
. "$TOP/tools/hwtest/tests/has.sh"
here=$TOP/tools/hwtest/tests

seed=${1:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
echo "# seed $seed: to repeat it, tools/hwtest/tests/fake.t $seed"

# draw N: set $drawn to 0 to N-1
draw()
{
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	drawn=$((seed / 65536 % $1))
}

# choose WORD...: set $chosen to one of them
choose()
{
	draw $#
	shift "$drawn"
	chosen=$1
}

mkdir -p "$BUILD/tools" &&
	flock "$BUILD/tools/.lock" make -s -C "$TOP/tools" "O=$BUILD/tools" hwtest > "$tmp/build" 2>&1 &&
	cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$tmp/fake.so" "$here/fake.c" -ldl >> "$tmp/build" 2>&1 &&
	install -D "$here/fake-stim" "$tmp/bin/uncore-stim"
ok $? "uncore-hwtest-measure and the fake machine build" "$tmp/build"

FAKE=$tmp/fake
export FAKE
cpus=$FAKE/sys/devices/system/cpu
nodes=$FAKE/sys/devices/system/node

# measure OPTION...: run it; output in $tmp/out
measure()
{
	PATH=$tmp/bin:$PATH LD_PRELOAD=$tmp/fake.so "$BUILD/tools/uncore-hwtest-measure" "$@" > "$tmp/out" 2> "$tmp/err"
}

# registers FILE OFFSET=VALUE...: a file of 4096 bytes with values of 32 bits
registers()
{
	mkdir -p "${1%/*}"
	perl -e 'open my $f, ">", shift or die; truncate $f, 4096;
		for (@ARGV) { my ($at, $value) = map { oct } split /=/; sysseek $f, $at, 0; syswrite $f, pack "V", $value }' "$@"
}

# put FILE TEXT
put()
{
	mkdir -p "${1%/*}"
	echo "$2" > "$1"
}

# Packages: the first one has CPUs 0 to 3, the second one 10 to 13, two cores of two threads each;
# CPU 20 is offline.
choose '0 2' '0 1' '1 2' '3 7' '0 5'
first=${chosen% *}
second=${chosen#* }
"$TOP/tools/uncorestat/tests/fake-root" "$FAKE" "$chosen"
mkdir "$cpus/cpu20"
echo 0-3,10-13 > "$cpus/online"
choose '0 0 1 1' '0 1 0 1'
cores=$chosen
draw 200
cpu=0
for core in $cores $cores; do
	[ $cpu -lt 10 ] && package=$first || package=$second
	put "$cpus/cpu$cpu/topology/physical_package_id" "$package"
	put "$cpus/cpu$cpu/topology/core_id" $((drawn + core))
	[ $cpu = 3 ] && cpu=10 || cpu=$((cpu + 1))
done
[ "$cores" = '0 0 1 1' ] && other_core=2 || other_core=1

# Node IDs of the UBoxes; fields of absent packages are 0
draw 7
first_node=$((drawn + 1))
draw 7
second_node=$(((first_node + 1 + drawn) % 8))
draw 2
buses="7f:$first_node ff:$second_node"
[ "$drawn" = 0 ] || buses="ff:$first_node 7f:$second_node"
for bus in $buses; do
	pci=$FAKE/sys/bus/pci/devices/0000:${bus%:*}
	registers "$pci:0b.0/config" 0=0x3ce08086 0x40=0x"${bus#*:}" 0x54="$(printf %#x $((first_node << 3 * first | second_node << 3 * second)))"
	registers "$pci:08.2/config" 0=0x3c418086
	registers "$pci:09.2/config" 0=0x3c428086
	registers "$pci:08.6/config" 0=0x3c868086
	registers "$pci:09.6/config" 0=0x3c968086
done

# QPI_RATE_STATUS of each port, 2 to 7 for 5.6 to 9.6 GT/s, four of them
draw 6
for bus in $buses; do
	for port in 8 9; do
		registers "$FAKE/sys/bus/pci/devices/0000:${bus%:*}:0$port.0/config" 0=0x3c${port}08086 0xd4=$((drawn + 2))
		eval "qpi_${bus#*:}_$port=$((700 + 100 * drawn))"
		rate=$((drawn + 2))
		drawn=$(((drawn + 1) % 6))
	done
	# Table 2-84 places the rate of port 1 in function 1.
	registers "$FAKE/sys/bus/pci/devices/0000:${bus%:*}:09.1/config" 0=0x3c918086 0xd4=0x1$drawn
	eval "rates_${bus#*:}='D9:F0 (3c90) has $(printf %#x "$rate") and D9:F1 (3c91) 0x1$drawn'"
done

# Residencies of the first core, and of the other one
draw 2
residency=$drawn
for cpu in 0 10; do
	registers "$FAKE/dev/cpu/$cpu/msr" 0x3fc=0x1000 0x400=1 0xc08=0x400000 0xd10=0x400000 0xc30=0x600000
	registers "$FAKE/dev/cpu/$((cpu + other_core))/msr" 0x3fc=0x100$residency 0x400=1
done

# Counter 0 of the first socket's first boxes counts. The UBox's fixed counter has one of the two
# widths in the guide.
for bus in $buses; do
	[ "${bus#*:}" = "$first_node" ] || continue
	for box in 0e.1-3c46-48 10.0-3cb0-48 08.2-3c41-48 13.1-3c43-44 13.5-3c44-44; do
		fn=sys/bus/pci/devices/0000:${bus%:*}:${box%%-*}/config
		id=${box#*-}
		registers "$FAKE/$fn" 0=0x"${id%-*}"8086 0xd8=0x400000 0xf0=0x400000
		printf '%s\n' "$fn 0xa0 ${box##*-}" "$fn 0xd0 48"
	done
done > "$FAKE/moving"
choose 44 48
ubox=$chosen
printf 'dev/cpu/0/msr %s\n' "0xd16 44" "0xc36 48" "0xc09 $ubox" >> "$FAKE/moving"

# Offcore response events on the counters of a core, eight without hyper-threading. Four count them.
choose 4 8
counters=$chosen
for i in 0 1 2 3 4 5 6 7; do
	[ $i -ge "$counters" ] || echo "dev/cpu/0/msr $((0x186 + i)) 0x5301b7" >> "$FAKE/fixed"
	[ $i -ge 4 ] && echo "dev/cpu/0/msr $((0xc1 + i)) 0x800000000000" >> "$FAKE/fixed"
	[ $i -ge 4 ] || echo "dev/cpu/0/msr $((0xc1 + i)) 48" >> "$FAKE/moving"
done

# Clocks, and traffic of others, so many events a microsecond in each box
draw 2200
uclk=$((800 + drawn))
{
	for type in 100 101 102 103 104 105 106 107 108; do
		echo "$type -1 0 $uclk"
	done
	for type in 116 117 118; do
		echo "$type -1 1 $uclk"
	done
	echo "119 -1 0xff $uclk"
	for cpu in 0 10; do
		choose 400 533.33 666.67 800 933.33
		for type in 109 110 111 112; do
			echo "$type $cpu 0xff $chosen"
		done
	done
	for type in 109 110 111 112; do
		for config in 0x304 0xc04; do
			draw 15
			echo "$type -1 $config 0.$((drawn + 5))"
		done
	done
	echo "113 -1 0 800"
	eval "echo 114 0 0x14 \$qpi_${first_node}_8; echo 115 0 0x14 \$qpi_${first_node}_9"
	eval "echo 114 10 0x14 \$qpi_${second_node}_8; echo 115 10 0x14 \$qpi_${second_node}_9"
	draw 20
	echo "108 -1 0x301 0.$((drawn + 10))"
} > "$FAKE/rates"

# A preempted read of the idle traffic spoils a measurement.
for try in 1 2 3; do
	rm -f "$FAKE/stim"
	measure -w -s stimulus
	grep -q '^not ok' "$tmp/out" || break
	echo "# try $try has: $(grep '^not ok' "$tmp/out" | head -n 3)"
done
! grep '^not ok' "$tmp/out" > "$tmp/bad" && grep -q '^1\.\.' "$tmp/out"
ok $? "a machine that follows the guide passes" "$tmp/bad" "$FAKE/rates"
[ "$(sed -n 's/^ok .* the uncore clock of 13 boxes .*: \([0-9.]*\) to .*/\1/p' "$tmp/out" |
	awk -v want="$uclk" '$1 > 0.99 * want && $1 < 1.01 * want' | grep -c .)" = 2 ]
ok $? "clocks are measured" "$tmp/out"
eval "has 'the rate of port 1 is looked for in both functions' \"question: socket $first: at 0xd4, \$rates_$first_node\" \
	\"question: socket $second: at 0xd4, \$rates_$second_node\""
has "the cores of a socket are counted once, on CPUs whose numbers have gaps" "^# socket $first: 2 cores online" "^# socket $second: 2 cores online"
[ $residency = 0 ] && words='the same on two cores' || words='others on each core'
has "residencies are those of two cores" "^# socket $first: C3 of CPU 0 .*, of CPU $other_core " "^# socket $second: C3 of CPU 10 .*, of CPU 1$other_core " \
	"question: socket $first: 0x3fc and 0x3fd are $words" "question: socket $second: 0x3fc and 0x3fd are $words"
has "packages with gaps in their numbers read each other's memory" "ok .* socket $first reading the memory of socket $second: .* eight for a line: 8.000" \
	"ok .* socket $second reading the memory of socket $first: reads from the other socket's memory: \(0.9\|1.0\)"
has "each socket's packet filters are asked" "question: socket $first reads socket $second: CTO_COUNT .*: it sees packets that are received" \
	"question: socket $second reads socket $first: CTO_COUNT .*: it sees packets that are received"
has "each socket's UBox is found" "bit $first_node of filter_nid stands for node $first_node of socket $first's UBox" \
	"bit $second_node of filter_nid stands for node $second_node of socket $second's UBox"
has "the first socket answers what is asked once" "what TxR_ADS_USED of cbox counts # SKIP could not be told: it counts nothing" \
	"opcode filter\|of the Home Agent's filter_opc let reads through (0x1): it counts what is equal"
[ "$ubox" = 48 ] && words='section 2.2.2' || words='the field in table 2-5'
has "counters that move between two accesses show how wide they are" 'ok .* the counter of cbox_0 has 44 bits' 'ok .* the counter of ha has 48' \
	'ok .* the fixed counter of imc_0 has 48' 'ok .* the counter of imc_0 has 48' 'ok .* the counter of pcu has 48' 'ok .* the counter of qpi_0 has 48' \
	'ok .* the counter of r2pcie has 44' 'ok .* the counter of r3qpi_0 has 44' "question: the fixed counter of ubox has $ubox bits, as in $words"
[ "$counters" = 4 ] && words='SKIP could not be told: the core has four counters' || words=': they count on PMC0 to 3 alone'
has "a core without hyper-threading shows which counters count offcore events" "question: .*PMC4 to 7$words\|offcore response events on PMC4 to 7 # $words"
[ "$(grep -c SKIP "$tmp/out")" = $((8 + (counters == 4))) ]
ok $? "what a readable register answers is not skipped" "$tmp/out"

# The clock of one box in one socket stopped counting; those of an uncore box and of another one in
# the other socket are too slow. spoil TYPE CPU FACTOR: sets $name
spoil()
{
	grep -E "^$1 (-1|$2) (0|1|0x14|0xff) " "$FAKE/rates" | awk -v cpu="$2" -v factor="$3" '{ print $1, cpu, $3, $4 * factor }' > "$tmp/spoilt"
	cat "$tmp/spoilt" >> "$FAKE/rates"
	case $1 in
	109 | 11[0-2]) name=DRAM ;;
	113) name=PCU ;;
	114 | 115) name=QPI ;;
	*) name=uncore ;;
	esac
}
choose "0 $first 10 $second" "10 $second 0 $first"
# shellcheck disable=SC2086 # four words
set -- $chosen
draw 20
type=$((100 + drawn))
spoil $type "$1" 0
stopped=$name
choose 100 101 102 103 104 105 106 107 108 116 117 118 119
spoil "$chosen" "$3" 0.97
choose 109 110 111 112 113 114 115
spoil "$chosen" "$3" 0.97
: > "$FAKE/any-node"
# PMC4 counts as PMC0 does.
grep -v "msr $((0xc1 + 4)) " "$FAKE/fixed" > "$tmp/fixed"
mv "$tmp/fixed" "$FAKE/fixed"
echo "dev/cpu/0/msr $((0xc1 + 4)) 48" >> "$FAKE/moving"
measure -s stimulus
tail -n 3 "$FAKE/rates" > "$tmp/spoilt"
grep '^not ok' "$tmp/out" | grep -v ' reading \| writing \| streaming ' > "$tmp/bad"
grep -q "^not ok [0-9]* - socket $2: the $stopped clock of" "$tmp/bad" && [ "$(grep -c "socket $2: the .* clock of" "$tmp/bad")" = 1 ]
ok $? "one clock that stopped counting fails, of the $stopped clocks of socket $2 alone" "$tmp/bad" "$tmp/spoilt"
grep -q "^not ok [0-9]* - socket $4: the uncore clock of" "$tmp/bad" && grep -q "^not ok [0-9]* - socket $4: the $name clock of" "$tmp/bad" &&
	[ "$(grep -c "socket $4: the .* clock of" "$tmp/bad")" = 2 ]
ok $? "so do the uncore clock and the $name clock of socket $4, each of which is too slow in one box" "$tmp/bad" "$tmp/spoilt"
[ "$(grep -c 'question: bit . of filter_nid stands for' "$tmp/bad")" = 2 ]
ok $? "so does a node filter that lets reads of all nodes through" "$tmp/bad"
wanted=5
[ "$counters" = 4 ] || wanted=6
[ "$counters" = 4 ] || grep -q '^not ok .*question: offcore response events on PMC4 to 7: they count there, too' "$tmp/bad"
ok $? "so do offcore events on a counter above PMC3, where there is one" "$tmp/bad"
case $type in
100 | 108 | 109 | 113 | 114 | 116 | 117)
	wanted=$((wanted + 1))
	grep -q "socket $2: .* counts after the driver reset it" "$tmp/bad"
	ok $? "so does a box that counts nothing after the reset" "$tmp/bad" "$tmp/spoilt"
	;;
esac
[ "$(grep -c . "$tmp/bad")" = $wanted ]
ok $? "and nothing else fails" "$tmp/bad" "$tmp/spoilt"

# Real loads and stores: the memory's node and the CPU are those of the sockets.
draw 60
put "$nodes/node$((drawn + 2))/cpu0" ''
put "$nodes/node$((drawn + 1))/cpu10" ''
measure -s program -b 1
printf 'CPU 0, nodes %#x\n' $((1 << drawn + 2)) > "$tmp/wanted"
head -n 1 "$FAKE/log" > "$tmp/log"
awk '!seen[$0]++' "$FAKE/log" | sort > "$tmp/pairs"
{
	printf 'CPU 0, nodes %#x\nCPU 0, nodes %#x\n' $((1 << drawn + 2)) $((1 << drawn + 1))
	printf 'CPU 10, nodes %#x\nCPU 10, nodes %#x\n' $((1 << drawn + 2)) $((1 << drawn + 1))
} | sort | diff - "$tmp/pairs" > "$tmp/diff"
ok $? "each socket's first CPU reads memory of its own node, and of the other's" "$tmp/diff" "$tmp/err"

# A node that both sockets share; functions without a PMU, and one without function 6
rm -r "$FAKE"/sys/bus/event_source/devices/snbep_uncore_qpi_1 "$FAKE"/sys/bus/event_source/devices/snbep_uncore_r3qpi_? \
	"$FAKE"/sys/bus/pci/devices/*:09.6
put "$nodes/node$((drawn + 2))/cpu10" ''
rm -r "$nodes/node$((drawn + 1))"
measure -s program -b 1
has "a node that sockets share is named" "SKIP could not be told: socket $first has no NUMA node of its own" "SKIP could not be told: socket $second has no NUMA node"
has "a box without a PMU fails if its registers are there" "^not ok .* socket $first: a PMU for each box whose registers are there, but not for qpi_1 r3qpi_0\$" \
	"^ok .* socket $first: boxes r3qpi_1 # SKIP could not be told: hidden by the BIOS" \
	"^ok .* socket $first: function 6 of the QPI ports has the packet filters: ids 3c86 and 0\$"
tap_done
