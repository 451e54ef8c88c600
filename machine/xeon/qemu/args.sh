#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# args.sh SOCKETS CORES [KEY=VALUE]...: print QEMU's arguments for the machine, one per line.

xeon=$(dirname "$(dirname "$(readlink -f "$0")")")
# Lists are split into words, which are no patterns.
set -f

# Name, values, what a seed draws, and help of each trait of the uncore
traits=$(sed -n 's/^UNCORE_TRAIT([A-Z_]*, "\(.*\)", "\(.*\)", "\(.*\)", "\(.*\)"),$/\1|\2|\3|\4/p' "$xeon/uncore/uncore-traits.def")

generations=$(grep -v '^#' "$xeon/qemu/generations")

usage()
{
	cat >&2 << END
usage: args.sh SOCKETS CORES [KEY=VALUE]...
  SOCKETS      1 to 8
  CORES        vCPUs per socket, at most the processor's cores, which has eight without cores=
  generation=N  1, or 2 to 4 for the registers of an E5-2600 v2 to v4, on which Linux's intel_uncore runs (1); or a processor with
               discovery tables: $(echo "$generations" | awk '$4 != "-" { printf "%s%s", comma, $1; comma = ", " }')
  units=FILE   such a table of one's own (Documentation/model-discovery.rst)
  discovery=HOW  where the table is: pci, or msr for one whose address is in MSR 0x201e (pci)
  cpu=MODEL    QEMU's CPU model with its options ($cpu, and the generation's model)
  cores=N      processor with N cores and CBos (8), of which generations 2 to 4 have up to 15, 18, 24
  cbos=N       number of CBos, if not the number of cores
  threads=N    hardware threads of a core, 1 or 2 (1); each is a vCPU
  no-qpi       no counters and packet filters of QPI, as on most boards
  hide=D.F,... PCI functions hidden by the firmware, in hexadecimal as lspci writes them, such as 13.5;
               1:13.5 on socket 1 alone
  uclk=MHZ     uncore clock (2000)
  dclk=MHZ     DRAM clock (800)
  numa=HOW     firmware reports the NUMA node of PCI functions: on or off (off; with discovery tables and memory=, on)
  core-pmu=HOW core PMU: on, off (off), or the number of general counters, 2 to 8 (4)
  power=HOW    APERF and MPERF, energy counters (RAPL) and thermal sensors, as the generation has them: on or off (off)
  checker-off=RULE,...  disabled rules of the protocol checker; uncore-stim checker rules lists them
               ($checker_off)
  traffic      traffic mode: the guest's own accesses cause events, after uncore-stim traffic on in the guest. Requires
               one or two sockets, a thread per core, and at most 16 GiB per socket
  memory=MIB   memory size, with a NUMA node per socket
  device=ARG   one more -device, as given
Hardware variants, for behaviour that the guide does not define; the first value is the default:
  packages=P,...  package number of each socket in its CPUs' APIC ids, ascending, the first one 0 (0,1,...)
  core-ids=C,...  numbers of the cores that have a vCPU, ascending, the first one 0 (0,1,...)
  nodes=N,...     node id of each socket in its UBox (the package's number)
  buses=B,...     root bus of each socket, hexadecimal (two sockets: 7f,ff)
  qpi-rate=R[s][,R[s]]  QPI_RATE_STATUS of the ports: 2 (5.6 GT/s) to 7 (9.6 GT/s), s: slow mode (5: 8 GT/s)
  pmi=HOW         Montecito's overflow interrupt: latched, or a level that software can take back
$(echo "$traits" | while IFS='|' read -r name _ _ help; do printf '  %-15s %s\n' "$name=" "$help"; done)
  seed=N          select and print random variants, except the last two and those given (0: the defaults)
  seed=random     a random N
  spare=intel_uncore  select no variant that intel_uncore does not support
To disable memory-mapped config space, boot with pci=nommconf.
END
	exit 2
}

out()
{
	printf '%s\n' "$@"
}

bad()
{
	echo "args.sh: $*; machine/xeon/qemu/args.sh without arguments lists the options" >&2
	exit 2
}

# Without features that TCG lacks, which would cause warnings.
cpu=SandyBridge,-hypervisor,-x2apic,-tsc-deadline

# Depend on the measurement; and wo-read, as drivers may check whether a box was frozen by others.
checker_off=one-criterion,one-filter-user,threshold,wo-read

# Most boards hide the counters of QPI, and all hide its packet filters (Documentation/model.rst).
no_qpi=08.2,08.6,09.2,09.6

# functions_of KIND|...: print the generation's functions of such kinds, as lspci writes them
functions_of()
{
	sed -n 's/^UNCORE_FUNCTION(\(.*\))$/\1/p' "$xeon/uncore/uncore-functions.def" |
		awk -F', ' -v generation="$generation" -v kind="$1" '{
			place = generation > 2 ? 3 : 1
			if ($(4 + generation) != "0x0000" && $9 ~ "^(" kind ")$")
				print substr($place, 3) "." $(place + 1)
		}'
}

number()
{
	case $2 in
	'' | *[!0-9]* | 0?* | ???????????*) bad "$1 is a number, not '$2'" ;;
	esac
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || bad "$1 is $3 to $4, not $2"
}

# pick WHAT N: print a number from 0 to N - 1 that depends on the seed and WHAT only.
pick()
{
	pick_hash=$(echo "$seed $1" | sha256sum | cut -c1-8)
	echo $((0x$pick_hash % $2))
}

# free KEY: succeed if the seed decides KEY.
free()
{
	case " $given $spared " in
	*" $1 "*) return 1 ;;
	esac
}

drawn=
take()
{
	drawn="$drawn $1"
}

# draw KEY VALUE...: select a value, unless the user has given one. Repeated values are more likely.
draw()
{
	draw_key=$1
	shift
	free "$draw_key" || return 0
	shift "$(pick "$draw_key" $#)"
	take "$draw_key=$1"
}

# shuffled WHAT N M: print N of the numbers from 0 to M - 1 in random order, separated by commas.
shuffled()
{
	for n in $(seq 0 $(($3 - 1))); do
		echo "$(pick "$1$n" 1000000000) $n"
	done | sort -n | head -n "$2" | cut -d' ' -f2 | paste -sd, -
}

# ascending WHAT N M: the same, with 0 among them, in ascending order
ascending()
{
	shuffled "$1" $(($2 - 1)) $(($3 - 1)) | awk -F, '{ print 0; for (i = 1; i <= NF; i++) print $i + 1 }' |
		sort -n | paste -sd, -
}

# spread END SOCKETS: print the root bus of each of SOCKETS, which has commas. They are spread over
# the numbers below END.
spread()
{
	for socket in $(echo "$2" | tr , ' '); do
		printf '%x\n' $(($1 * (socket + 1) / sockets - 1))
	done | paste -sd, -
}

draw_all()
{
	while IFS='|' read -r trait _ values _; do
		# shellcheck disable=SC2086 # words
		[ -z "$values" ] || draw "$trait" $values
	done << END
$traits
END
	draw pmi latched level
	draw qpi-rate 5 5,7 2,5 3s,4 6,3s 4 7,2
	# shellcheck disable=SC2086
	draw hide '' '' '' '' $no_qpi $no_qpi $no_qpi $no_qpi $no_qpi 08.6,09.6 08.6,09.6 08.6,09.6 $no_qpi,$third_imc $no_qpi,$third_imc $functions
	[ "$cores" -gt 6 ] || draw cores 8 8 6
	[ "$part" != 8 ] || [ "$cores" -gt 4 ] || ! free core-ids || take "core-ids=$(ascending core-ids "$cores" 6)"
	[ "$sockets" = 8 ] || ! free packages || take "packages=$(ascending packages "$sockets" $((sockets + 1)))"
	! free nodes || take "nodes=$(shuffled nodes "$sockets" 8)"
	! free buses || take "buses=$(spread $((256 >> $(pick buses 3))) "$(shuffled buses "$sockets" "$sockets")")"
}

[ $# -ge 2 ] || usage
sockets=$1
cores=$2
shift 2
number SOCKETS "$sockets" 1 8
number CORES "$cores" 1 24

seed=0
part=8
units=
generation=
given=
spared=
for opt; do
	given="$given ${opt%%=*}"
	case $opt in
	seed=random) seed=$(($(od -An -N4 -tu4 /dev/urandom))) ;;
	seed=*)
		seed=${opt#*=}
		number seed "$seed" 0 4294967295
		;;
	# It freezes boxes with read-modify-write, assumes 48 bits for the fixed counter, and cannot
	# change the frequency.
	spare=intel_uncore) spared="$spared noise wo pcu-filter ubox-fixed hide" ;;
	spare=*) bad "nothing is known of ${opt#*=}'s assumptions, only of intel_uncore's" ;;
	cores=*) part=${opt#*=} ;;
	generation=*) generation=${opt#*=} ;;
	units=*) units=$(readlink -f "${opt#*=}") && [ -f "$units" ] || bad "no file ${opt#*=}" ;;
	cbos=*) given="$given cores" ;;
	no-qpi) given="$given hide" ;;
	esac
done
[ "$generation" ] || generation=${units:+discovery}
: "${generation:=1}"
read -r _ model brand table << END
$(echo "$generations" | awk -v name="$generation" '$1 == name')
END
[ "$model" ] || bad "generation is one of $(echo "$generations" | awk '{ print $1 }' | paste -sd ' '), not '$generation'"
# Of the largest die
case $generation in
2) most=15 ;;
3) most=18 ;;
4) most=24 ;;
*) most=8 ;;
esac
functions=
io_functions=
if [ "$table" != - ]; then
	: "${units:=$xeon/discovery/$table}"
	case $units in
	*[,[:space:]]*) bad "QEMU takes no comma and args.sh no blank in $units" ;;
	esac
	[ "$seed" = 0 ] || bad "seed draws nothing for units of a discovery table"
else
	[ -z "$units" ] || bad "units= is for a processor with discovery tables, not for generation=$generation"
	functions=$(functions_of 'PERF|OTHER')
	io_functions=$(functions_of 'IO_.*')
	third_imc=$(echo "$functions" | grep -x -e 10.4 -e 15.0)
fi
if [ "$seed" != 0 ]; then
	draw_all
	echo "args.sh: seed=$seed draws$drawn" >&2
	# The values have no spaces.
	# shellcheck disable=SC2086
	set -- "$@" $drawn
fi

uncore=
memory=
hide=
devices=
level=
threads=1
packages=$(seq -s, 0 $((sockets - 1)))
buses=$(spread 256 "$packages")
core_ids=
numa=
phantoms=
discovery=pci
for opt; do
	value=${opt#*=}
	case $opt in
	cpu=*) cpu=$value brand='' ;;
	cores=*)
		part=$value
		number cores "$part" 1 "$most"
		;;
	units=* | generation=* | seed=* | spare=* | pmi=latched | core-pmu=off | power=off) ;;
	discovery=pci | discovery=msr) discovery=$value ;;
	cbos=* | uclk=* | dclk=*) uncore=$uncore,$opt ;;
	checker-off=*) checker_off=$value ;;
	# A comma would end the property.
	nodes=* | qpi-rate=*) uncore=$uncore,$(echo "$opt" | tr , :) ;;
	packages=*) packages=$value ;;
	core-ids=*) core_ids=$value ;;
	buses=*) buses=$value ;;
	pmi=level) level=,level=on ;;
	no-qpi) hide="$hide $(echo $no_qpi | tr , ' ')" ;;
	hide=*) hide="$hide $(echo "$value" | tr , ' ')" ;;
	threads=[12]) threads=$value ;;
	numa=on | numa=off) numa=$value ;;
	core-pmu=on) devices="$devices core-pmu" ;;
	core-pmu=[2-8]) devices="$devices core-pmu,counters=$value" ;;
	# SDM, volume 4: from Haswell on, 2^-14 J and no PP0; DRAM in 2^-16 J up to Ice Lake (Linux)
	power=on)
		case $generation in
		[12]) devices="$devices xeon-power" ;;
		[34] | skx | clx | icx) devices="$devices xeon-power,energy-unit=14,cores=off" ;;
		*) devices="$devices xeon-power,energy-unit=14,dram-energy-unit=14,cores=off" ;;
		esac
		;;
	traffic) uncore=$uncore,traffic=on ;;
	phantom-imc=*) phantoms=$value uncore=$uncore,$opt ;;
	memory=*)
		memory=$value
		number memory "$memory" "$sockets" 1048576
		;;
	device=*) devices="$devices $value" ;;
	sboxes=2)
		case $generation in
		[34]) uncore=$uncore,$opt ;;
		*) bad "sboxes=2 is for generations 3 and 4" ;;
		esac
		;;
	*=*)
		echo "$traits" | grep -q "^${opt%%=*}|" || bad "no option '$opt'"
		uncore=$uncore,$opt
		;;
	*) bad "no option '$opt'" ;;
	esac
done

# lspci writes 08.2 for what may be written 8.2.
hide=$(echo "$hide" | tr ' ' '\n' | sed 's/^\([0-7]:\)\{0,1\}\([^:]\.\)/\10\2/')
known=$(out "$functions" "$io_functions" | sed '/^$/d')
for f in $hide; do
	echo "$known" | grep -Fqx -e "${f#[0-7]:}" || bad "the uncore has no function $f; it has, with hexadecimal device numbers as" \
		"lspci writes them, $(echo "$known" | paste -sd ' ')"
done
case $phantoms in
'' | hidden) ;;
*)
	case $generation in
	[34]) functions="$functions
$(functions_of PHANTOM)" ;;
	*) bad "phantom-imc is for generations 3 and 4" ;;
	esac
	;;
esac

# list KEY VALUE N MAX: N ascending numbers from 0 to MAX, the first one 0
list()
{
	echo "$2" | awk -F, -v n="$3" -v max="$4" '
		{
			bad = NF != n || $1 != "0"
			for (i = 2; i <= NF; i++)
				bad += $i !~ /^[1-9][0-9]*$/ || $i <= $(i - 1) || $i > max
			exit bad
		}' || bad "$1 is $3 ascending numbers from 0 to $4, the first one 0, not '$2'"
}

# Absent vCPUs still define the number of cores of a socket.
[ "$cores" -le "$part" ] || cores=$part
: "${core_ids:=$(seq -s, 0 $((cores - 1)))}"
list core-ids "$core_ids" "$cores" $((part - 1))
list packages "$packages" "$sockets" 7
highest=${packages##*,}
packages=$(echo "$packages" | tr , ' ')
core_ids=$(echo "$core_ids" | tr , ' ')

# Linux calibrates the TSC with the PIT even if the HPET contradicts it, and on a busy host may be
# wrong by a factor of a hundred.
out -machine q35,pit=off -accel tcg -cpu "$cpu${brand:+,$model,model-id=$brand}"
shape="sockets=$((highest + 1)),cores=$part,threads=$threads"
all=$(((highest + 1) * part * threads))
if [ $((sockets * cores * threads)) = "$all" ]; then
	out -smp "$all,$shape"
else
	out -smp "1,$shape,maxcpus=$all"
	for s in $packages; do
		for c in $core_ids; do
			for t in $(seq 0 $((threads - 1))); do
				[ "$s$c$t" = 000 ] ||
					out -device "${cpu%%,*}-x86_64-cpu,socket-id=$s,core-id=$c,thread-id=$t"
			done
		done
	done
fi

# Absent packages have no memory, and node 0 in the numbering.
if [ "$memory" ]; then
	out -m "$memory"
	node=0
	for p in $(seq 0 "$highest"); do
		case " $packages " in
		*" $p "*)
			share=$((memory / sockets))
			[ "$node" != 0 ] || share=$((memory - share * (sockets - 1)))
			# Pages that the guest does not write need no host memory.
			out -object "memory-backend-ram,id=memory$node,size=${share}M,reserve=off" \
				-numa "node,nodeid=$node,memdev=memory$node" -numa "cpu,node-id=$node,socket-id=$p"
			node=$((node + 1))
			;;
		*) out -numa "cpu,node-id=0,socket-id=$p" ;;
		esac
	done
fi

if [ "$units" ]; then
	[ -z "$uncore" ] || bad "${uncore#,} is for the E5-2600, not for units of a discovery table"
else
	case ,$uncore, in
	*,cbos=*) ;;
	*) uncore=$uncore,cbos=$part ;;
	esac
	out -device "xeon-uncore,sockets=$sockets,generation=$generation,packages=$(echo "$packages" | tr ' ' :),seed=$seed$uncore,checker-off=$(echo "$checker_off" | tr , :)"
fi
near=
: "${numa:=${units:+${memory:+on}}}"
if [ "$numa" = on ]; then
	[ "$memory" ] || bad "numa=on wants memory=, which is what makes nodes"
	near=,numa_node=
fi
[ "$(echo "$buses" | tr , '\n' | wc -l)" = "$sockets" ] &&
	[ "$(echo "$buses" | tr , '\n' | sort -u | grep -cx '[1-9a-f][0-9a-f]\{0,1\}')" = "$sockets" ] ||
	bad "buses is a bus of its own, 1 to ff, for each of $sockets sockets, not '$buses'"

# put SOCKET BUS FUNCTIONS: those that are not hidden, on a bus
put()
{
	for f in $3; do
		! echo "$hide" | grep -Fqx -e "$f" -e "$1:$f" || continue
		out -device "xeon-uncore-pci,bus=$2,addr=$f,multifunction=on,socket=$1"
	done
}

# bridge ID BUS SOCKET: a root bus
bridge()
{
	out -device "pxb-pcie,id=$1,bus=pcie.0,bus_nr=$2${near:+$near$3}"
}

# ports BUS: the bus of a socket's PCIe ports, which follows the uncore of the socket below, as 0
# and 128 with 7f and ff
ports()
{
	at=0
	for other in $(echo "$buses" | tr , ' '); do
		[ $((0x$other)) -ge $((0x$1)) ] || [ $((0x$other)) -lt "$at" ] || at=$((0x$other + 1))
	done
	echo "$at"
}

# Bus 0 is QEMU's own, where the bridges take the numbers that are left.
s=0
for b in $(echo "$buses" | tr , ' '); do
	[ "$(ports "$b")" != 0 ] || put "$s" pcie.0 "$io_functions"
	s=$((s + 1))
done
s=0
for b in $(echo "$buses" | tr , ' '); do
	bridge "s$s" $((0x$b)) "$s"
	put "$s" "s$s" "$functions"
	io=$(ports "$b")
	if [ "$io" = $((0x$b)) ]; then
		put "$s" "s$s" "$io_functions"
	elif [ "$io" != 0 ] && [ "$io_functions" ]; then
		bridge "io$s" "$io" "$s"
		put "$s" "io$s" "$io_functions"
	fi
	if [ "$units" ]; then
		# shellcheck disable=SC2086 # words
		package=$(set -- $packages && shift "$s" && echo "$1")
		by_msr=
		[ "$discovery" = pci ] || by_msr=,by-msr=on
		out -device "xeon-discovery,bus=s$s,addr=1e.0,number=$s,package=$package,units=$units$by_msr"
	fi
	s=$((s + 1))
done
# Montecito's monitors, for tests of itanium_pmu
out -device "montecito-pmu,cpus=$((sockets * part))$level,bus=pcie.0,addr=1d"
for d in $devices; do
	out -device "$d"
done
