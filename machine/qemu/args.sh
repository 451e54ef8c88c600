#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# args.sh SOCKETS CORES [KEY=VALUE]...: print QEMU's arguments for the machine, one per line.

usage()
{
	cat >&2 << EOF
usage: args.sh SOCKETS CORES [KEY=VALUE]...
  SOCKETS      1 to 8
  CORES        vCPUs per socket, 1 to 8; every socket is an eight-core part whatever this says
  cpu=MODEL    QEMU's CPU model with its options (SandyBridge,model=45,stepping=7,-hypervisor,-x2apic,-tsc-deadline)
  cores=N      a part with N cores (8): so many CBos, and at most so many vCPUs per socket
  cbos=N       so many CBos, whatever the cores
  no-qpi       no QPI and R3QPI functions, as in a single-socket board (also qpi=off)
  hide=D.F,... PCI functions that the firmware has hidden, as 19.5
  pcu-ext=HOW  bit 21 of the PCU's control registers: stick, drop or fault (stick)
  msrs=HOW     the MSRs of the uncore: there, or drop, as hypervisors answer unknown ones: 0, and writes go nowhere (there)
  residency=OF what 0x3fc and 0x3fd count for: core or socket (core)
  uclk=MHZ     uncore clock (2000)
  dclk=MHZ     DRAM clock (800)
  qpi-rate=N   QPI_RATE_STATUS, 2 (5.6 GT/s) to 7 (9.6 GT/s) (5: 8 GT/s)
  threads=N    hardware threads of a core, 1 or 2 (1); each is a vCPU
  core-pmu=HOW the cores' own performance monitoring: on or off (off), or how many general counters, 2 to 8 (4)
  device=ARG   one more -device, as given
A memory-mapped config space that is off is pci=nommconf on the kernel's command line.
EOF
	exit 2
}

bad()
{
	echo "args.sh: $*" >&2
	usage
}

number()
{
	case $2 in
	'' | *[!0-9]*) bad "$1 is a number, not '$2'" ;;
	esac
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || bad "$1 is $3 to $4, not $2"
}

[ $# -ge 2 ] || usage
sockets=$1
cores=$2
shift 2
number SOCKETS "$sockets" 1 8
number CORES "$cores" 1 8

# What TCG lacks is left out by name, so that it need not warn.
cpu=SandyBridge,model=45,stepping=7,-hypervisor,-x2apic,-tsc-deadline
part=8
uncore=
hide=
devices=
threads=1
for opt; do
	case $opt in
	cpu=*) cpu=${opt#*=} ;;
	cores=*)
		part=${opt#*=}
		number cores "$part" 1 8
		uncore=$uncore,cbos=$part
		;;
	cbos=* | msrs=* | pcu-ext=* | residency=* | uclk=* | dclk=* | qpi-rate=*) uncore=$uncore,$opt ;;
	no-qpi | qpi=off) hide="$hide 8.0 8.2 8.6 9.0 9.2 9.6 19.5 19.6" ;;
	hide=*) hide="$hide $(echo "${opt#*=}" | tr , ' ')" ;;
	threads=[12]) threads=${opt#*=} ;;
	core-pmu=on) devices="$devices core-pmu" ;;
	core-pmu=off) ;;
	core-pmu=[2-8]) devices="$devices core-pmu,counters=${opt#*=}" ;;
	device=*) devices="$devices ${opt#*=}" ;;
	*) bad "no option '$opt'" ;;
	esac
done

# Device and function of every function of one socket's uncore, as in the guide.
functions="8.0 8.2 8.6 9.0 9.2 9.6 11.0 14.0 14.1 16.0 16.1 16.4 16.5 19.0 19.1 19.5 19.6"
for f in $hide; do
	case " $functions " in
	*" $f "*) ;;
	*) bad "the uncore has no function $f" ;;
	esac
done

out()
{
	printf '%s\n' "$@"
}

out -machine q35 -accel tcg -cpu "$cpu"

# vCPUs that are not there still make their socket a part with that many cores.
[ "$cores" -le "$part" ] || cores=$part
if [ "$cores" = "$part" ]; then
	out -smp "$((sockets * part * threads)),sockets=$sockets,cores=$part,threads=$threads"
else
	out -smp "1,sockets=$sockets,cores=$part,threads=$threads,maxcpus=$((sockets * part * threads))"
	model=${cpu%%,*}
	s=0
	while [ "$s" -lt "$sockets" ]; do
		c=0
		while [ "$c" -lt "$cores" ]; do
			t=0
			while [ "$t" -lt "$threads" ]; do
				[ "$s$c$t" = 000 ] ||
					out -device "$model-x86_64-cpu,socket-id=$s,core-id=$c,thread-id=$t"
				t=$((t + 1))
			done
			c=$((c + 1))
		done
		s=$((s + 1))
	done
fi

# A root bus per socket, spread over the bus numbers as on real boards (two sockets: 7f and ff).
out -device "snbep-uncore,sockets=$sockets$uncore"
s=0
while [ "$s" -lt "$sockets" ]; do
	out -device "pxb-pcie,id=s$s,bus=pcie.0,bus_nr=$((256 * (s + 1) / sockets - 1))"
	for f in $functions; do
		case " $hide " in
		*" $f "*) continue ;;
		esac
		out -device "$(printf 'snbep-uncore-pci,bus=s%d,addr=%02x.%d,multifunction=on,socket=%d' \
			"$s" "${f%.*}" "${f#*.}" "$s")"
	done
	s=$((s + 1))
done
# The monitors of another machine's processors, for the driver that is for those: they have nothing to do with the uncore.
out -device "montecito-pmu,cpus=$((sockets * part)),bus=pcie.0,addr=1d"
for d in $devices; do
	out -device "$d"
done
