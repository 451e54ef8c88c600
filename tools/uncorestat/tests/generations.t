#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2034,SC2046,SC2154,SC2254 # words, variables of fake.sh, and a pattern
#
# uncorestat on the Xeon E5 v2 to v4: events/e5_generations.def against Intel's lists and
# intel_uncore in the sources of two kernels, and its output over fake PMUs with intel_uncore's
# fields and the boxes of real processors.

. "$(dirname "$(readlink -f "$0")")/fake.sh"
last=1
list=tools/perf/pmu-events/arch/x86

# generation NAME: model, prefix in uncore_snbep.c, list
generation()
{
	case $1 in
	v2) echo 62 ivbep ivytown ;;
	v3) echo 63 hswep haswellx ;;
	v4) echo 79 bdx broadwellx ;;
	esac
}

make -s -C "$TOP/events" "O=$BUILD/tools/events" > "$tmp/log" 2>&1
ok $? "the generator builds" "$tmp/log"
for kernel in 6.1 newest; do
	unlimited "$TOP/scripts/linux-source" $kernel arch/x86/events/intel $list/ivytown $list/haswellx $list/broadwellx > "$tmp/source" 2> "$tmp/log"
	ok $? "the source of Linux $kernel" "$tmp/log"
	source=$(cat "$tmp/source")
	for generation in v2 v3 v4; do
		set -- $(generation $generation)
		"$here/linux-uncore" "$source/arch/x86/events/intel/uncore_snbep.c" "$2" > "$tmp/$generation.fields" 2> "$tmp/log"
		ok $? "the fields of Linux $kernel for $generation" "$tmp/log"
		"$BUILD/tools/events/gen" stat "$1" > "$tmp/events"
		"$here/generations.py" "$tmp/events" "$1" "$tmp/$generation.fields" "$source/$list/$3" $kernel > "$tmp/log" 2>&1
		ok $? "$generation: events, counters and filters are those of Intel's list and of the driver ($kernel)" "$tmp/log"
	done
done

# machine GENERATION BOX...: fake its PMUs, without traffic
machine()
{
	rm -rf "$FAKE"
	generation=$1
	shift
	"$here/fake-root" "$FAKE" '0 1' uncore_ "$(generation $generation | cut -d' ' -f1)" "$tmp/$generation.fields" "$@"
}

# traffic CORE STATES: traffic for the default columns
traffic()
{
	rates imc_0/0x304=31250000 'imc_[14]/0x304=15625000' 'imc_[15]/0xc04=781250' ha_0/0x410=10 'ha_?/0x110=10' ha_0/0x210=$1 \
		"cbox_*/0x334,$2=1000000" 'cbox_*/0x2a35=150000' 'cbox_*/0x8a35=100000' 'cbox_*/0x135,0x19e0000000000000=125000' \
		qpi_0/0x200=125000000 'qpi_?/0x14=1000000000' pcu/0x0=800000000 pcu/0x4080=4000000000 pcu/0xc080=400000000
}

# groups TID WRITE PRD NC: traffic for the other groups. A device's write is TOR events with TID and
# filter WRITE, an uncached read is event PRD with filter NC.
groups()
{
	: > "$FAKE/rules"
	rates pcu/0x0=1000000000 pcu/0x4080=1000000000 pcu/0x8080=2000000000 pcu/0xc080=3000000000 pcu/0xb,0xc=100000000 \
		pcu/0x6=400000000 pcu/0x5=500000000 pcu/0x4=600000000 pcu/0x7=700000000 \
		'cbox_*/0x334=4000000' 'cbox_*/0x2a35=600000' 'cbox_*/0x8a35=400000' 'cbox_*/0x0=2000000000' \
		'cbox_*/0x136,0x1820000000000000=20000000' 'cbox_*/0x135,0x1820000000000000=10000000' \
		'cbox_*/0x336,0x1820000000000000=12000000' 'cbox_*/0x335,0x1820000000000000=4000000' \
		'cbox_*/0x336,0x1800000000000000=20000000' 'cbox_*/0x335,0x1800000000000000=5000000' \
		'cbox_*/0x336,0x1810000000000000=30000000' 'cbox_*/0x335,0x1810000000000000=6000000' \
		'cbox_*/0x136,0x19e0000000000000=42000000' 'cbox_*/0x135,0x19e0000000000000=7000000' \
		"cbox_*/$(printf '0x%x' $(($1 | 0x136))),$2=56000000" "cbox_*/$(printf '0x%x' $(($1 | 0x135))),$2=8000000" \
		"cbox_*/$3,$4=12000000" imc_1/0x304=12500000 imc_1/0xc04=3125000 imc_1/0xb01=3125000 imc_1/0x102=781250 \
		qpi_1/0x200=125000000 qpi_1/0x14=1000000000
}

# group NAME WANT [BOX]: test the group's line of socket 1
group()
{
	runs << END
$generation: -g $1${3:+, $3}; -n 1 -g $1; S1${3:+ $3}=$2
END
}

# A v2 of ten cores: one home agent, four channels of one controller
machine v2 $(numbers cbox 10) ha_0 $(numbers imc 4) pcu qpi_0 qpi_1 irp r2pcie r3qpi_0 r3qpi_1 ubox
traffic 20 0x7e0000
rates 'cbox_*/0x135,0x19c0000000000000=100000' 'cbox_*/0x135,0x1940000000000000=25000' \
	qpi_1/0x201=250000000 qpi_1/0x401=150000000 pcu/0xc,0x1400=600000000
run -n 2
same "v2: the default columns" "3000.0 50.0 25.0 10.00* 2.50* 1000.0 2000.0 10.0 80.0* 80.0* 5.0 0.5 75.0"
! grep -q -e '~' -e ' - ' "$out"
ok $? "v2: nothing is multiplexed or missing" "$out"
groups 0 0x19c0000000000000 0x135 0x1950000000000000
rates 'cbox_*/0x135,0x1940000000000000=9000000' 'cbox_*/0x135,0x1e40000000000000=10000000' \
	'cbox_*/0x135,0x1e60000000000000=11000000' pcu/0xc,0x1400=200000000 pcu/0xd,0x1a0000=300000000 \
	qpi_1/0x201=250000000 qpi_1/0x401=150000000
group power "1.0 2.0 3.0 10.0 20.0 30.0 40.0 50.0 60.0 70.0"
group latency "1.0* 1.5* 2.0* 2.5* 3.0* 3.5*"
group pcie "4480.0* 5120.0* 5760.0* 6400.0* 7040.0* 120.00*"
group llc "40.00* 10.00* 25.0*"
group mem "800.0 200.0 80.0 15.0 5.0" imc_1
group qpi "1000.0 2000.0 20.0 8.0" qpi_1

# A v3 of twelve cores: two home agents, and two controllers with two channels each, whose numbers
# have a gap
v3_12="$(numbers cbox 12) ha_0 ha_1 imc_0 imc_1 imc_4 imc_5 pcu qpi_0 qpi_1 irp r2pcie r3qpi_0 r3qpi_1 sbox_0 sbox_1 sbox_2 sbox_3 ubox"
grantley()
{
	traffic 10 0xfe0000
	sed -i 's/ 0x304 -1 15625000$/ 0x304 -1 7812500/' "$FAKE/rules"
	# The third are requests of cores, which must not be counted.
	rates 'cbox_*/0x80135,0x1c8000000000003e=100000' 'cbox_*/0x80135,0x180000000000003e=25000' \
		'cbox_*/0x135,0x1c80000000000000=900000' qpi_1/0x200802=200000000 qpi_1/0x200403=50000000 \
		qpi_0/0x400=75000000 pcu/0xb,0x14=600000000
}
machine v3 $v3_12
grantley
run -n 2
same "v3: the default columns" "3000.0 100.0 25.0 12.00 3.00 1000.0 2000.0 5.0 96.0* 96.0* 5.0 0.5 75.0"
runs << 'END'
v3: four channels of two controllers: none is missing; -n 1 -g mem; 8=S. *imc_; ^ *S1 imc_5 *0\.0 *50\.0; 0=without
END
# grantley_groups PCIE_READ PCIE_WRITE UC_READ LOOKUP MISS POWER: v3 and v4
grantley_groups()
{
	groups 0x80000 0x1c8000000000003e 0x335 0x5870000000000000
	rates pcu/0xb,0x14=200000000 pcu/0xb,0x1a=300000000 qpi_1/0x200802=200000000 qpi_1/0x200403=50000000 qpi_1/0x400=75000000
	group power "1.0 2.0 3.0 $6 40.0 50.0 60.0 -"
	group latency "1.0* 1.5* 2.0* 2.5* 3.0* 3.5*"
	group pcie "$1* $2* - - - $3*"
	grep -q -- '- pcie_write_noalloc: no opcode of its own' "$out" && [ "$(grep -c pcie_write_noalloc "$out")" = 1 ]
	ok $? "$generation: a missing metric has one note, with the reason" "$out"
	group llc "$4 $5 25.0"
	group mem "800.0 200.0 80.0 15.0 5.0" imc_1
	group qpi "1000.0 2000.0 10.0 8.0" qpi_1
}
grantley_groups 5376.0 6144.0 144.00 48.00 12.00 "10.0 20.0 30.0"

# Two of a v4: 22 slices, three links
machine v4 $(numbers cbox 22) ha_0 ha_1 imc_0 imc_1 imc_4 imc_5 pcu qpi_0 qpi_1 qpi_2 r2pcie r3qpi_0 ubox
grantley
run -n 2
same "v4: the default columns, without a frequency" "3000.0 100.0 25.0 22.00 5.50 1000.0 2000.0 3.3 176.0* 176.0* 5.0 0.5 -"
runs << 'END'
v4: the reason for the missing frequency; -n 1; - freq_2000: no frequency bands
v4: the speed of three links is their average; -n 1 -m qpi_speed; S1=8.00
v4: --csv with --prometheus and --svg; -n 1 --csv --prometheus $tmp/out.prom --svg $tmp/out.svg; ^time
v4: --json with --prometheus and --svg; -n 1 --json --prometheus $tmp/out.prom --svg $tmp/out.svg; ^{"time"
END
python3 "$here/exposition.py" "$tmp/out.prom.last" > "$tmp/log" 2>&1 && grep -q 'mem_read_bytes_total{socket="1"} 3e+09' "$tmp/log" &&
	! grep -q freq_2000 "$tmp/log"
ok $? "v4: --prometheus has no sample of what it lacks" "$tmp/log"
grantley_groups 9856.0 11264.0 264.00 88.00 22.00 "- - -"

# Packages 0 and 2, a channel and a link hidden in the second
machine v3 $v3_12
grantley
for cpu in 10 11; do
	echo 2 > "$FAKE/sys/devices/system/cpu/cpu$cpu/topology/physical_package_id"
done
echo 0 > "$FAKE/sys/bus/event_source/devices/uncore_imc_4/cpumask"
echo 0 > "$FAKE/sys/bus/event_source/devices/uncore_qpi_1/cpumask"
run -n 1 --csv -m mem_read,qpi_out
[ "$(cut -d, -f3,5 "$out" | tr '\n' ' ')" = "socket,mem_read_bytes_per_second 0,3000000000 2,2500000000 " ]
ok $? "packages 0 and 2: --csv has their ids" "$out"
grep -q '"! socket 2 has 3 of 4 imc boxes: [^;]*; ! socket 2 has 1 of 2 qpi boxes: [^;]*"$' "$out"
ok $? "hidden boxes of one package: a note" "$out"

# Processors from the smallest to the largest
for shape in 'v2 4 1 3 2' 'v2 6 1 4 0' 'v2 15 2 8 3' 'v3 4 1 4 2' 'v3 18 2 8 3' 'v4 6 1 4 2' 'v4 24 2 8 3'; do
	set -- $shape
	machine $1 $(numbers cbox $2) $(numbers ha $3) $(numbers imc $4) pcu $([ $5 = 0 ] || numbers qpi $5) ubox
	rates 'imc_*/0x304=1000000' 'cbox_*/0x2a35=1000000'
	run -n 1 -m mem_read,llc_miss
	[ "$code" = 0 ] && [ "$(row 1 | tr -d '*')" = "$(($4 * 64)).000 ${2}000000" ] &&
		[ "$(grep -c '! 3 of 4 imc boxes in each socket' "$out")" = $(($4 == 3)) ]
	ok $? "$1, slices, home agents, channels and links: $2 $3 $4 $5" "$out"
	run -n 1
	case $5 in
	0) grep -q '^  - this machine has no qpi box' "$out" ;;
	*) ! grep -q 'this machine has no' "$out" ;;
	esac && [ "$(awk '$2 == 0 { print $1 }' "$FAKE/opened" | sort -u | wc -l)" = $(($2 + $3 + $4 + 1 + $5)) ]
	ok $? "$1: every box counts" "$out" "$FAKE/opened"
done

# Every metric: all events that count, and what some of them give
for shape in v2:110 v3:115 v4:115; do
	machine ${shape%:*} $(numbers cbox 4) ha_0 $(numbers imc 4) pcu qpi_0 qpi_1 ubox
	echo 'rate -1 -1 -1 -1 1000' > "$FAKE/rules"
	rates 'cbox_*/0x335=500' ha_0/0x301=3000 'imc_*/0x85=250' 'imc_*/0x10=3000' 'cbox_*/0x11d=125' 'qpi_*/0xf=500' 'cbox_*/0x334,0x20000=100'
	run --list
	sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\?$/\1/p' "$out" > "$tmp/metrics"
	sed -n '/^[a-z]/{s/ .*//;h}; /not available/{g;p}' "$out" > "$tmp/lacking"
	run -n 1 --json --per system -m "$(paste -sd, "$tmp/metrics")"
	objects "$tmp/lacking" "$generation" "${shape#*:}" << 'END'
row, stems = rows[0], text(args[0]).split()
null = [k for k, v in row.items() if v is None]
assert all(any(k.startswith(s) for s in stems) for k in null), null
want = {'ha_pct_rd_requests_percent': 75, 'imc_pct_cycles_ppd_percent': 25, 'qpi_pct_link_full_power_cycles_percent': 50,
        'cbox_llc_rfo_miss_pct_percent': 50, 'cbox_llc_drd_miss_pct_percent': 10}
want.update({'imc_pct_rd_requests_percent': 75} if args[1] == 'v2' else {'cbox_cyc_used_upeven_percent': 12.5})
assert {k: row[k] for k in want} == want, {k: row[k] for k in want}
assert len(row) > int(args[2]), len(row)
END
	ok $? "$generation: every metric gives a number" "$out" "$tmp/lacking"
	sed -n 's/^  \$ uncorestat -n 1 //p' "$TOP/Documentation/cookbook.rst" > "$tmp/cookbook"
	while read -r line; do
		run -n 1 $line
		[ "$code" = 0 ] && [ "$(row 1 | tr ' ' '\n' | grep -c '^-$')" = "$(grep -c '^  - [a-z_0-9]*: [a-z]' "$out")" ]
		ok $? "$generation: uncorestat $line: a number, or the reason why there is none" "$out"
	done < "$tmp/cookbook"
	[ "$(wc -l < "$tmp/cookbook")" -ge 7 ]
	ok $? "$generation: the cookbook has 7 questions for uncorestat" "$tmp/cookbook"
done

# --version, --list, errors
"$stat" --version > "$out"
[ "$(grep -c 'no count confirmed' "$out")" = 1 ] && head -n 1 "$out" | grep -q '^uncorestat [0-9]' && grep -q 'model 63: counts confirmed on the emulated machine' "$out"
ok $? "--version says which generations were confirmed, and by what" "$out"
runs << 'END'
--list is about this processor; --list; ^Xeon E5-2600 v4 (Broadwell-EP). Highest rates of a memory channel and a QPI link: 19.2 GB/s (DDR4-2400), 9.6 GT/s$; 0=guide:\|QPI_VALUES; not available: no frequency bands
metrics whose events are not in the list are not offered; 1: -n 1 -m qpi_drs_m_from_qpi; no metric qpi_drs_m_from_qpi
END
# --why: generation, event, what Intel's list says of it
while IFS=\; read -r generation event want; do
	machine $generation cbox_0 pcu
	: > "$FAKE/kmsg"
	echo 'refuse 100 0x34 22' > "$FAKE/rules"
	run --why "uncore_$event"
	[ "$(sed -n 's/^list: //p' "$out" | paste -sd'|')" = "$want" ]
	ok $? "$generation: --why uncore_$event" "$out"
done << 'END'
v2;cbox_0/event=0x34,umask=0x3/;llc_lookup_data_read counts nothing without filter_state|llc_lookup_data_read, on counters 0 1
v2;cbox_0/event=0x35,umask=0x43,filter_opc=0x182/;tor_inserts_nid_miss_opcode counts nothing without filter_nid|tor_inserts_nid_miss_opcode, on counters 0 1
v3;cbox_0/event=0x35,umask=0x3,filter_opc=0x182/;tor_inserts_miss_opcode, on counters 0 1 2 3
v3;cbox_0/event=0x36,umask=0x1/;tor_occupancy_opcode counts nothing without filter_opc|tor_occupancy_opcode, on counters 0
v4;pcu/event=0x80,occ_sel=2/;power_state_occupancy_cores_c3, on counters 1 2 3
v4;cbox_0/event=0x34/;no event that uncorestat counts itself, and it knows no rules of others
END
grep -q '^driver: no reason in the kernel log; intel_uncore gives none$' "$out" && ! grep -q '^guide:' "$out"
ok $? "v4: --why has no rules of the guide" "$out"
rm -r "$FAKE"/sys/bus/event_source/devices/*
advice "v4 without a driver: one line" 'there is no uncore PMU: load a driver (modprobe intel_uncore)$' -n 1
echo 'flags		: fpu hypervisor lahf_lm' >> "$FAKE/proc/cpuinfo"
advice "v4 in a virtual machine: one line" 'this virtual machine shows no uncore: run it on the host$' -n 1

tap_done
