#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-metrics.t [KERNEL]: perf stat -M in the machine prints a number for every metric, and the
# injected value for those whose events count at the same time.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

perf=$("$TOP/selftests/cross-check/perf-build")
cp "$perf" "$tmp/perf"
# Copy its libraries, as the guest's may be older.
mkdir "$tmp/lib"
ldd "$perf" | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^\//) print $i }' | sort -u | xargs cp -L -t "$tmp/lib"
"$TOP/build/events/gen" metrics | sed -n 's/.*"MetricName": "\(.*\)",/\1/p' > "$tmp/names"

# metric, its value as perf prints it, stimulus
cat > "$tmp/values" <<EOF
imc_mem_bw_total 32000.0 imc_0 event=0x04,umask=0x01,count=300 imc_3 event=0x04,umask=0x04,count=200
imc_pct_requests_page_hit 90.0 imc_1 event=0x01,count=10 imc_1 event=0x04,umask=0x01,count=60 imc_1 event=0x04,umask=0x08,count=40
imc_pct_requests_page_hit 0.0 imc_1 event=0x01,count=1
imc_pct_requests_page_empty 20.0 imc_1 event=0x01,count=30 imc_1 event=0x02,umask=0x01,count=10 imc_1 event=0x04,umask=0x01,count=100
cbox_avg_ingress_latency 5.00 cbox_2 event=0x11,umask=0x01,count=50,inc=4 cbox_5 event=0x13,umask=0x01,count=40
cbox_avg_ingress_depth_when_ne 4.00 cbox_2 event=0x11,umask=0x01,count=50,inc=4
cbox_llc_rfo_miss_pct 25.0 cbox_0 event=0x35,umask=0x03,opc=0x180,count=10 cbox_7 event=0x35,umask=0x01,opc=0x180,count=30 cbox_7 event=0x35,umask=0x01,opc=0x182,count=77
cbox_avg_tor_drd_loc_miss_latency_node1 12.00 cbox_4 event=0x36,umask=0x03,opc=0x182,nid=1,count=30,inc=2 cbox_4 event=0x35,umask=0x03,opc=0x182,nid=1,count=5 cbox_4 event=0x35,umask=0x03,opc=0x182,nid=0,count=9
cbox_mem_wb_bytes 704.0 cbox_1 event=0x37,umask=0x01,count=11 cbox_1 event=0x37,umask=0x02,count=5
ha_pct_rd_requests 75.0 ha event=0x01,umask=0x03,count=30 ha event=0x01,umask=0x0c,count=10
qpi_data_from_qpi 128.0 qpi_0 event=0x02,ext=1,umask=0x08,count=10 qpi_1 event=0x03,ext=1,umask=0x04,count=6
qpi_drs_m_from_qpi 448.0 qpi_1 event=0x38,ext=1,mc=0xe,opc=0,rds=0x8,count=7 qpi_1 event=0x38,ext=1,mc=0xe,opc=0,rds=0x4,count=3
qpi_drs_datac_from_qpi_to_node1 320.0 qpi_0 event=0x38,ext=1,mc=0xe,opc=2,dnid=1,count=5 qpi_0 event=0x38,ext=1,mc=0xe,opc=2,dnid=0,count=3
r2pcie_ring_thru_dneven_bytes 352.0 r2pcie event=0x09,umask=0x04,count=11
EOF

cat > "$tmp/guest" <<'EOF'
. ./tap.sh
perf()
{
	lib/ld-linux-x86-64.so.2 --library-path lib ./perf "$@"
}

while read -r metric value stimulus; do
	# shellcheck disable=SC2086
	perf stat -a -M $metric -- uncore-stim -s 1 $stimulus > out 2>&1
	line=$(grep "#.* $metric\b" out | sed 's/.*#//')
	# shellcheck disable=SC2086
	set -- $line
	[ "${1:-}" = "$value" ]
	ok $? "$metric is $value" out
done < values

# All metrics of a box at once are multiplexed, so ignore the values, and count until each event has
# had its turn.
for box in $(sed 's/_.*//' names | sort -u); do
	list=$(grep "^${box}_" names | tr '\n' ',' | sed 's/,$//')
	seconds=1
	while perf stat -a -M $list -- sleep $seconds > out 2>&1; grep -q '<not counted>' out && [ $seconds -lt 10 ]; do
		seconds=$((4 * seconds))
	done
	for metric in $(grep "^${box}_" names); do
		# A number, a unit, the metric's name.
		grep -Eq "# +[0-9.]+ [^#]* ?$metric( |\$)" out
		ok $? "$metric gives a number" out
	done
done
EOF

"$TOP/selftests/lib/guest-script" "$(cat "$tmp/values" "$tmp/names" | wc -l)" "$tmp" -k "${1:-6.1}" -t 500
