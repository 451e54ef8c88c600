#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# perf's own event names for this CPU (unc_c_llc_victims.m_state), with Debian's
# perf as it is and PMUs under the names that it looks for.

set -eu

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# name in perf's JSON, count, stimulus
cat > "$dir/events" <<'EOF'
unc_c_llc_victims.m_state 1201 cbox_6 event=0x37,umask=0x01
unc_c_llc_lookup.data_read 1202 cbox_1 event=0x34,umask=0x03
unc_h_requests.writes 1203 ha event=0x01,umask=0x04
unc_m_cas_count.wr 1204 imc_3 event=0x04,umask=0x08
unc_p_vr_hot_cycles 1205 pcu event=0x32
unc_p_core0_transition_cycles 1206 pcu event=0x03,ext=1
unc_q_rxl_flits_g1.drs_data 1207 qpi_1 event=0x02,ext=1,umask=0x08
unc_q_txl_inserts 1208 qpi_0 event=0x04
unc_r2_ring_bl_used.ccw_even 1209 r2pcie event=0x09,umask=0x04
unc_r3_vn0_credits_used.drs 1210 r3qpi_1 event=0x36,umask=0x08
unc_u_event_msg.ipi_rcvd 1211 ubox event=0x42,umask=0x04
EOF

cat > "$dir/guest" <<'EOF'
. /selftests/lib/tap.sh
names= stim=
while read -r name count box keys; do
	names=$names${names:+,}$name
	stim="$stim $box $keys,count=$count"
done < events
# shellcheck disable=SC2086
perf stat -x, -a -e "$names" -- uncore-stim -s 1 $stim > out 2>&1
while read -r name count rest; do
	got=$(awk -F, -v name="$name" '$3 == name { print $1 }' out)
	[ "$got" = "$count" ]
	ok $? "$name counts $count" out
done < events
EOF

"$top/selftests/lib/guest-script" 11 "$dir" -t 300 -m 'snbep_uncore uncore_names=1'
