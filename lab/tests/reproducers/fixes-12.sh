# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -o generation=icx
# modules: intel_uncore
#
# fixes 0012: UNC_M2M_IMC_READS.ALL has the unit mask 0x704, and UNC_UPI_RxL_BASIC_HDR_MATCH.REQ_OPC
# 0x108. What happens has bits of the upper half alone.

m2m=uncore_m2m_0/event=0x37,umask=0x704/
upi=uncore_upi_0/event=0x5,umask=0x108/
perf stat -x, -a --per-socket -o /tmp/out -e "$m2m,$upi" -- uncore-stim \
	m2m_0 event=0x37,umask=0x300,count=1000 upi_0 event=0x5,umask=0x100,count=500
cat /tmp/out
grep -q '^S0,1,1000,' /tmp/out && grep -q '^S0,1,500,' /tmp/out
