#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# offcore_rsp in the machine: each processor that it knows, with the kernel's core PMU and without one. The kernels take
# turns. Arguments choose lines of the table by their words. Prints TAP.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# QEMU's flags that keep a model from warnings about what TCG lacks
lacks=-hypervisor,-x2apic
sandybridge=SandyBridge,model=45,stepping=7,$lacks,-tsc-deadline

n=0
status=0
run()
{
	name=$1 cpu=$2 threads=$3 kernel=$4 mode=$5 test=$6
	append= pmu=on modules=offcore_rsp
	case $mode in
	direct) append=clearcpuid=arch_perfmon ;;
	none) pmu=off modules= ;;
	esac
	# Two CPUs: the threads of one core, or two cores
	if ! "$top/selftests/vm/vm" -t 400 -W -k "$kernel" -s 1 -c $((3 - threads)) -m "$modules" -o "cpu=$cpu" \
		-o "threads=$threads" -o "core-pmu=$pmu" -a "$append" \
		-- "bad=0; for t in $(echo "$test" | tr + ' '); do echo \"# \$t\"; /selftests/offcore/\$t $mode || bad=1; done; exit \$bad" \
		> "$tmp/out" 2> "$tmp/err"; then
		status=1
		sed 's/^/# /' "$tmp/err"
	fi
	# One stream of several: new numbers, the plan at the end
	: > "$tmp/count"
	awk -v n="$n" -v what="$name, $mode, $kernel" -v count="$tmp/count" '
		/^1\.\./ { planned += substr($0, 4) }
		/^(not )?ok / { seen++; n++; sub(/ok [0-9]+/, "ok " n " - " what ":"); print; next }
		/^#/
		/^Bail out!/ { print "# " $0 }
		END {
			if (!seen || seen != planned) {
				print "not ok " ++n " - " what ": runs to its end"
				print "1" > count
			}
			print n > count
		}' "$tmp/out"
	[ "$(wc -l < "$tmp/count")" = 1 ] || status=1
	n=$(tail -n 1 "$tmp/count")
}

table()
{
	cat << END
nehalem Nehalem,$lacks 2 6.1 kernel offcore_test+offcore_share
nehalem Nehalem,$lacks 2 6.12 direct offcore_test+offcore_share
westmere Westmere,$lacks 2 6.12 kernel offcore_test+offcore_share
westmere Westmere,$lacks 2 6.1 direct offcore_test+offcore_share
sandybridge-ep $sandybridge 1 6.1 kernel offcore_test+offcore_share
sandybridge-ep $sandybridge 1 6.12 kernel offcore_test+offcore_share
sandybridge-ep $sandybridge 1 6.1 direct offcore_test+offcore_share
sandybridge-ep $sandybridge 1 6.12 direct offcore_test+offcore_share
sandybridge-ep $sandybridge 1 6.1 kernel reload.sh
sandybridge-ep $sandybridge 1 6.12 kernel reload.sh
westmere Westmere,$lacks 2 6.1 direct reload.sh
westmere Westmere,$lacks 2 6.12 direct reload.sh
sandybridge-ep $sandybridge 1 6.1 none absent.sh
END
}

table > "$tmp/table"
for word; do
	grep -w -- "$word" "$tmp/table" > "$tmp/some" || { echo "machine.sh: nothing has '$word'" >&2; exit 2; }
	mv "$tmp/some" "$tmp/table"
done
# The machine must not read the table for its standard input.
while read -r name cpu threads kernel mode test <&3; do
	run "$name" "$cpu" "$threads" "$kernel" "$mode" "$test"
done 3< "$tmp/table"
echo "1..$n"
exit $status
