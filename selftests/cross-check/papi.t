#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's PAPI tools find all PMUs with uncore_names=1, and count on each box.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

copy_programs '' "$tmp" usr/bin/papi_component_avail usr/bin/papi_native_avail usr/bin/papi_command_line

# Inject each event 1000 times, in a loop while PAPI counts.
cat > "$tmp/stim" <<'EOF'
cbox_3 event=0x35,umask=0x03,opc=0x182,count=1000
cbox_3 event=0x37,umask=0x01,nid=1,count=1000
cbox_3 event=0x34,umask=0x03,state=0x8,count=1000
pcu event=0x0d,freq=1300,count=1000
ha event=0x01,umask=0x03,count=1000
imc_2 event=0x04,umask=0x01,count=1000
pcu event=0x0a,count=1000
qpi_1 event=0x02,ext=1,umask=0x08,count=1000
r2pcie event=0x09,umask=0x04,count=1000
r3qpi_0 event=0x36,umask=0x08,count=1000
ubox event=0x42,umask=0x08,count=1000
EOF
# Names with the number of the run that counts them: a C-Box has one filter.
cat > "$tmp/names" <<'EOF'
1 snbep_unc_cbo3::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD:cpu=0
2 snbep_unc_cbo3::UNC_C_LLC_VICTIMS:NID:nf=2:cpu=0
3 snbep_unc_cbo3::UNC_C_LLC_LOOKUP:DATA_READ:STATE_MESIF:cpu=0
1 snbep_unc_pcu::UNC_P_FREQ_BAND2_CYCLES:ff=13:cpu=0
1 snbep_unc_ha::UNC_H_REQUESTS:READS:cpu=0
1 snbep_unc_imc2::UNC_M_CAS_COUNT:RD:cpu=0
2 snbep_unc_pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES:cpu=0
2 snbep_unc_qpi1::UNC_Q_RXL_FLITS_G1:DRS_DATA:cpu=0
2 snbep_unc_r2pcie::UNC_R2_RING_BL_USED:CCW_EVEN:cpu=0
3 snbep_unc_r3qpi0::UNC_R3_VN0_CREDITS_USED:DRS:cpu=0
3 snbep_unc_ubo::UNC_U_EVENT_MSG:DOORBELL_RCVD:cpu=0
EOF

cat > "$tmp/guest" <<'EOF'
. ./tap.sh
papi()
{
	tool=$1
	shift
	lib64/ld-linux-x86-64.so.2 --library-path lib/x86_64-linux-gnu:usr/lib/x86_64-linux-gnu "usr/bin/$tool" "$@"
}

papi papi_component_avail > out 2>&1
n=$(sed -n '/^Active components/,$p' out | grep -o 'snbep_unc_[a-z0-9]*' | sort -u | wc -l)
[ "$n" = 20 ]
ok $? "PAPI finds 20 PMUs: $n" out

papi papi_native_avail > out 2>&1
n=$(grep -c 'snbep_unc_.*::UNC_' out)
[ "$n" -ge 170 ]
ok $? "PAPI has 170 events of them, or more: $n"

while :; do
	uncore-stim -f stim || break
	usleep 20000
done &
stim=$!
for run in 1 2 3; do
	names=$(sed -n "s/^$run //p" names)
	# PAPI may have stopped counting before the next injection: try again.
	for _ in $(seq 100); do
		# shellcheck disable=SC2086 # words
		papi papi_command_line $names > out 2>&1
		grep -q '^snbep_unc_.* : *	*0 *$' out || break
	done
	for name in $names; do
		value=$(sed -n "s/^$name : *	*\([0-9]*\).*/\1/p" out)
		[ "${value:-0}" -gt 0 ] && [ $((value % 1000)) = 0 ]
		ok $? "$name counts: ${value:-nothing}" out
	done
done
kill $stim
EOF

"$TOP/selftests/lib/guest-script" 13 "$tmp" -t 300 -m 'snbep_uncore uncore_names=1'
