#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Show the faults of perf's event lists in Debian's newest perf, on Linux's own driver. With
# PERFMON=DIR, a clone of github.com/intel/perfmon, also show that upstream/perfmon fixes them.
#

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

here=$TOP/upstream/tests
lists=tools/perf/pmu-events

have_kernel newest || { tap_done; exit; }
old=$("$SCRIPTS/linux-source" 6.1 $lists)/$lists/arch/x86
new=$("$SCRIPTS/linux-source" newest $lists)/$lists/arch/x86

# check NAME FILE COMMAND...: a test that passes if the command does
check()
{
	check_name=$1
	check_file=$2
	shift 2
	check_code=0
	"$@" || check_code=$?
	ok $check_code "$check_name" "$check_file"
}

# total FIELD FILE: the sum over the four processors
total()
{
	awk -v n="$1" '$1 != "lost" { sum += $n } END { print sum + 0 }' "$2"
}

"$here/perfmon.pl" "$old" "$new" > "$tmp/now"
# kept KEPT LOST: whether so many events have kept and lost the extended select
kept()
{
	[ "$(total 2 "$tmp/now")" = "$1" ] && [ "$(total 3 "$tmp/now")" = "$2" ]
}
check "462 events that had the extended select in Linux 6.1 have lost it in Debian's newest perf" "$tmp/now" kept 0 462

# guest OPTION...: run the script on stdin in the machine, with Linux's own driver
guest()
{
	cat > "$tmp/guest"
	code=0
	"$TOP/machine/xeon/vm/vm" -s 1 -m intel_uncore -e "$tmp" "$@" -- '. /extra/guest' > "$tmp/counts" 2> "$tmp/errors" || code=$?
	cat "$tmp/errors" >> "$tmp/counts"
}
said()
{
	[ $code = 0 ] || return $code
	grep -q "$1" "$tmp/counts"
}

# Count by the name, then by the intended encoding, which needs another filter value
guest -k newest -o cbos=1 << 'END'
expect()
{
	for event in "$1" "$2"; do
		perf stat -x, -C 0 -e "$event" -- uncore-stim -s 0 $3 > /tmp/out 2>&1
		cut -d, -f1 /tmp/out | tr '\n' ' '
	done
	echo "$1"
}
expect unc_q_rxl_flits_g1.drs_data uncore_qpi_0/event=0x102,umask=0x8/ 'qpi_0 event=0x02,ext=1,umask=0x08,count=1234'
expect unc_c_llc_lookup.data_read uncore_cbox_0/event=0x34,umask=0x3,filter_state=0x1f/ 'cbox_0 event=0x34,umask=0x3,count=1234'
expect unc_u_clockticks uncore_ubox/event=0xff/ 'ha event=0x1,umask=0x3,count=1'
END
check "unc_q_rxl_flits_g1.drs_data counts another event" "$tmp/counts" said '^0 1234 unc_q_rxl'
check "unc_c_llc_lookup.data_read counts 0" "$tmp/counts" said '^0 1234 unc_c_llc_lookup'
check "unc_u_clockticks counts 0" "$tmp/counts" said '^0 [1-9][0-9]* unc_u_clockticks'

# intel_uncore writes the thread id to the filter if tid_en is set. The machine claims to be a
# Haswell-EP, but has none of its registers: the trace of write_msr shows the driver's writes.
guest -k newest -o cpu=SandyBridge,model=63,-hypervisor,-x2apic,-tsc-deadline << 'END'
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs none $tracing
for event in llc_references.pcie_write uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x1c8,tid_en=1,filter_tid=0x3e/; do
	: > $tracing/trace
	echo 1 > $tracing/events/msr/write_msr/enable
	perf stat -C 0 -e $event -- true > /tmp/out 2>&1
	echo 0 > $tracing/events/msr/write_msr/enable
	echo "thread id $(sed -n 's/.*write_msr: e05, value //p' $tracing/trace | tail -n 1) of $event"
done
END
check "llc_references.pcie_write counts other threads than PCIe's" "$tmp/counts" said '^thread id 0 of llc_references'
check "with tid_en=1, the event counts PCIe's alone" "$tmp/counts" said '^thread id 3e of uncore_cbox_0'

# With the encodings of Linux 6.1, which the first patch restores
guest -k 6.1 -c 2 << 'END'
perf stat -x, -a -e unc_q_rxl_flits_g1.drs_data -- uncore-stim qpi_0 event=0x02,ext=1,umask=0x08,count=1234 2>&1
END
check "Linux 6.1 counts unc_q_rxl_flits_g1.drs_data, with the extended select" "$tmp/counts" said '^1234,'

if [ -z "${PERFMON:-}" ]; then
	ok 0 "upstream/perfmon fixes them # SKIP it needs PERFMON=DIR, a clone of github.com/intel/perfmon"
	tap_done
	exit
fi

base=$(cat "$TOP/upstream/perfmon/base")
git clone -q "$PERFMON" "$tmp/perfmon"
cd "$tmp/perfmon" || exit
git config user.name test
git config user.email test@example.org
git checkout -q "$base"
models='/JKT/|/IVT/|/HSX/|/BDX/'

# lists: run the script on these models, and compare the result
lists()
{
	cp mapfile.csv "$tmp/mapfile"
	grep -E "^Family|$models" "$tmp/mapfile" > mapfile.csv
	rm -rf "$tmp/out"
	mkdir "$tmp/out"
	scripts/create_perf_json.py --outdir "$tmp/out" > "$tmp/script" 2>&1 || { cat "$tmp/script"; die "create_perf_json.py fails"; }
	cp "$tmp/mapfile" mapfile.csv
	"$here/perfmon.pl" "$old" "$tmp/out" > "$tmp/now"
}

lists
check "the script at $base loses the extended select of all 462" "$tmp/now" kept 0 462
check "git am takes the patches there" /dev/null git am -q "$TOP"/upstream/perfmon/000[1-9]-*.patch
lists
check "with them, the 424 of QPI have the encoding of Linux 6.1" "$tmp/now" kept 424 38
check "the other 38 are of PCU and UBox" "$tmp/now" [ "$(grep -cE '^lost (jaketown|ivytown) (PCU|UBOX) ' "$tmp/now")" = 38 ]
check "6 names have the thread id, with tid_en" "$tmp/script" \
	[ "$(grep -h filter_tid "$tmp"/out/*/uncore-cache.json | grep -c 'tid_en=1')" = 6 ]
# perf refuses a bit that the format of the PMU does not have.
check "the extended select is QPI's alone" "$tmp/script" \
	[ "$(grep -h -A 9 '"ExtSel"' "$tmp"/out/*/*.json | sed -n 's/.*"Unit": "\([^"]*\)".*/\1/p' | sort -u | xargs)" = QPI ]

# JKT's metrics: count the events of each formula in the machine, with known injected counts
metrics=JKT/metrics/perf/jaketown_metrics_perf.json
"$here/metrics.py" $metrics > "$tmp/events"
guest -k newest << 'END'
miss=cbox_0\ event=0x35,umask=0x3
pcie=cbox_0\ event=0x35,umask=0x1
while read -r event; do
	perf stat -x, -a -e "$event" -- uncore-stim $miss,opc=0x182,count=1000 $miss,opc=0x192,count=500 $miss,opc=0x181,count=300 \
		$miss,opc=0x191,count=200 $pcie,opc=0x19e,count=70 \
		$pcie,opc=0x194,count=30 $pcie,opc=0x19c,count=60 imc_0 event=0x4,umask=0x3,count=111 \
		imc_1 event=0x4,umask=0xc,count=222 qpi_0 event=0x0,umask=0x2,count=900 < /dev/null > /tmp/out 2>&1
	echo "$event $(awk -F, '{ sum += $1 } END { print sum + 0 }' /tmp/out)"
done < /extra/events
END
"$here/metrics.py" $metrics "$tmp/counts" > "$tmp/values" || code=$?
cat "$tmp/counts" >> "$tmp/values"
cat > "$tmp/expected" << 'END'
llc_data_read_mpi_demand_plus_prefetch 0.0015
llc_code_read_mpi_demand_plus_prefetch 0.0005
qpi_data_transmit_bw 0.0072
memory_bandwidth_read 0.007104
memory_bandwidth_write 0.014208
memory_bandwidth_total 0.021312
io_bandwidth_read 0.00448
io_bandwidth_write 0.00576
END
found=$(grep -c -x -F -f "$tmp/expected" "$tmp/values") || :
[ "$found" = 8 ] || code=1
ok $code "8 metrics of JKT have the value of the injected events ($found)" "$tmp/values"
python3 -m unittest scripts/unittesting/test_create_perf_json.py > "$tmp/unit" 2>&1 && code=0 || code=1
ok $code "the script's unit tests pass" "$tmp/unit"
tap_done
