#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.t [WORD]...: offcore_rsp in the machine, on each supported processor, with and without the
# kernel's core PMU, on two kernels in alternation. WORDs choose lines of the table.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"

. "$TOP/scripts/tap.sh"
rerun_under_tap_parts "$@"
. "$TOP/scripts/test.sh"

# QEMU CPU flags that avoid warnings about what TCG lacks
lacks=-hypervisor,-x2apic
sandybridge=SandyBridge,model=45,stepping=7,$lacks,-tsc-deadline
client=SandyBridge,stepping=7,$lacks,-tsc-deadline
westmere=Westmere,model=37,$lacks

run()
{
	name=$1 cpu=$2 sockets=$3 threads=$4 kernel=$5 how=$6 tests=$7
	append='' pmu=core-pmu modules=offcore_rsp mode=$how limit=400
	[ "$kernel" != debug ] || limit=1200
	case $how in
	direct) append=clearcpuid=arch_perfmon ;;
	direct-8) append=clearcpuid=arch_perfmon pmu=core-pmu,counters=8 mode=direct ;;
	direct-32) append=clearcpuid=arch_perfmon pmu=core-pmu,width=32 mode=direct ;;
	none) pmu='' modules='' ;;
	esac
	# Programs, each with the mode as argument
	script='for t in '$(echo "$tests" | tr + ' ')
	script=$script"; do echo \"##begin \$t\"; /selftests/offcore/\$t $mode; echo \"##end \$? \$t\"; done"
	# Two CPUs of a socket: the threads of one core, or two cores
	part "$name, $how, $kernel" "$TOP/bin/vm" -t $limit -W -f "$programs" -k "$kernel" -s $sockets \
		-c $((3 - threads)) -m "$modules" -o "cpu=$cpu" -o "threads=$threads" ${pmu:+-o "device=$pmu"} -a "$append" -- "$script"
}

# Name, QEMU's processor, sockets, threads of a core, kernel, whose counters, programs
table()
{
	cat << END
nehalem Nehalem,$lacks 1 2 6.1 kernel count+share+perf.sh
nehalem Nehalem,$lacks 1 2 newest direct count+share+suspend
westmere $westmere 1 2 newest kernel count+share
westmere $westmere 1 2 6.1 direct count+share+reload.sh
westmere $westmere 1 2 newest direct-32 count+reload.sh
westmere-ep Westmere,model=44,$lacks 2 2 6.1 kernel count
westmere-ep Westmere,model=44,$lacks 2 2 newest direct count
westmere-ex Westmere,model=47,$lacks 1 2 newest kernel count
sandybridge-client $client 1 2 6.1 kernel count
sandybridge-ep $sandybridge 1 1 6.1 kernel count+share+reload.sh
sandybridge-ep $sandybridge 1 1 newest kernel count+share+perf.sh+reload.sh
sandybridge-ep $sandybridge 1 1 6.12-trixie kernel perf.sh
sandybridge-ep $sandybridge 1 1 6.12-trixie direct perf.sh
sandybridge-ep $sandybridge 1 1 6.1 direct count+share+suspend+perf.sh
sandybridge-ep $sandybridge 1 1 newest direct count+share+perf.sh
sandybridge-ep $sandybridge 1 1 6.1 direct-8 count+share
sandybridge-ep $sandybridge 1 1 6.1 none absent.sh
westmere $westmere 1 2 debug direct-32 count+share+leaks.sh
sandybridge-ep $sandybridge 1 1 debug kernel share
END
}

programs=$("$TOP/selftests/programs")
table > "$tmp/table"
for word; do
	grep -w -- "$word" "$tmp/table" > "$tmp/some" || { echo "machine.sh: nothing has '$word'" >&2; exit 2; }
	mv "$tmp/some" "$tmp/table"
done
# The machine must not read the table from standard input.
while read -r name cpu sockets threads kernel how tests <&3; do
	run "$name" "$cpu" "$sockets" "$threads" "$kernel" "$how" "$tests"
done 3< "$tmp/table"
