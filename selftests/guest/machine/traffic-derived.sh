#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # traffic-count.sh sets them
#
# Derived values of programs with known traffic: the guide's derived events (tables 2-15, 2-65 and 2-95), occupancies against
# insertions, and the cores' offcore responses against the CBos' opcodes. The machine has two sockets, and cores with counters.

. /selftests/machine/traffic-count.sh

# ratio NAME PERCENT EXPECTED EQUATION: a test of an equation in awk, where x["NAME"] is a count
ratio()
{
	ratio_got=$(awk -F, '$5 ~ /^[a-z]/ { x[$5] += $3; x[$5, $1] += $3 } END { y = '"$4"'; print y }' $tmp/stat)
	awk -v got="$ratio_got" -v want="$3" -v percent="$2" \
		'BEGIN { d = 100 * (got - want) / want; exit !(got != "" && d < percent && d > -percent) }'
	ok $? "$1 ($ratio_got, and $3 is right)" $tmp/stat $tmp/out
}

derived=snbep_uncore_cbox/tor_occupancy_miss_opcode,filter_opc=0x182,name=tor_time/
derived=$derived,snbep_uncore_cbox/tor_inserts_miss_opcode,filter_opc=0x182,name=tor_in/
derived=$derived,snbep_uncore_imc/event=0x04,umask=0x03,name=cas_rd/,snbep_uncore_imc/event=0x04,umask=0x0c,name=cas_wr/
derived=$derived,snbep_uncore_qpi/event=0x01,umask=0x02,name=rx_data/,snbep_uncore_qpi/rxl_flits_g0_non_data,name=rx_other/
derived=$derived,snbep_uncore_qpi/clockticks,name=qfclk/

n=$((32 * 1024 * 1024 / 64))
count "$derived" -p 0 -n 1 copy 32M
ratio 'MEM_BW_READS of a copy: what is copied, and the place for it' 2 $((n * 64)) '64 * x["cas_rd"]'
ratio 'MEM_BW_WRITES of a copy: half of that' 2 $((n * 32)) '64 * x["cas_wr"]'
ratio 'AVG_TOR_DRD_MISS_LATENCY: remote memory' 2 260 'x["tor_time"] / x["tor_in"]'
ratio 'DATA_FROM_QPI: all that socket 0 reads' 2 $((n * 64)) '8 * x["rx_data", "S0"]'
ratio 'DATA_FROM_QPI: all that it writes' 2 $((n * 32)) '8 * x["rx_data", "S1"]'
# To socket 0: nine flits of each line that it reads, a completion of each that it writes
ratio 'QPI_LINK_UTIL: of what the links of socket 0 could receive' 2 \
	"$(awk -F, -v flits=$((n * 9 + n / 2)) '$1 == "S0" && $5 == "qfclk" { x += $3 } END { print flits / 2 / x }' $tmp/stat)" \
	'(x["rx_data", "S0"] + x["rx_other", "S0"]) / 2 / x["qfclk", "S0"]'

# Queues, and requests from one box to the next
queues=snbep_uncore_imc/rpq_inserts,name=rpq/,snbep_uncore_imc/rpq_occupancy,name=rpq_time/
queues=$queues,snbep_uncore_imc/wpq_inserts,name=wpq/,snbep_uncore_imc/wpq_occupancy,name=wpq_time/
queues=$queues,snbep_uncore_cbox/rxr_inserts_irq,name=irq/,snbep_uncore_cbox/rxr_occupancy_irq,name=irq_time/
queues=$queues,snbep_uncore_r3qpi/rxr_inserts_drs,name=drs/,snbep_uncore_r3qpi/rxr_occupancy_drs,name=drs_time/
queues=$queues,snbep_uncore_qpi/txl_bypassed,name=sent/,snbep_uncore_qpi/rxl_bypassed,name=received/
queues=$queues,snbep_uncore_qpi/rxl_credits_consumed_vna,name=vna/
count "$queues" -p 0 -n 1 copy 8M
same 'copy: the occupancy of the read queues is 22 times what comes in' "$(of rpq_time)" $((22 * $(of rpq)))
same 'copy: that of the write queues 90 times' "$(of wpq_time)" $((90 * $(of wpq)))
same 'copy: that of the ingress queues 4 times' "$(of irq_time)" $((4 * $(of irq)))
same "copy: that of R3QPI's, for data, as well" "$(of drs_time)" $((4 * $(of drs)))
same 'copy: all flits that socket 0 sends socket 1 receives' "$(of sent 0)" "$(of received 1)"
same 'copy: each takes a credit' "$(of vna)" "$(of received)"

# The offcore responses of a core equal the requests at the CBos.
offcore()
{
	offcore_request=$1
	offcore_opcode=$2
	shift 2
	count "offcore_rsp/$offcore_request,any_response,name=asked/,snbep_uncore_cbox/tor_inserts_opcode,filter_opc=$offcore_opcode,name=tor/" "$@"
	same "$*: $offcore_request of all cores is opcode $offcore_opcode at all CBos" "$(of asked)" "$(of tor)"
}

offcore dmnd_data_rd 0x182 -p 0 -n 0 read 4M
offcore dmnd_ifetch 0x181 -p 0 -n 0 read 4M
offcore wb 0x1c4 -p 0 -n 0 write 4M
offcore strm_st 0x18c -p 0 -n 0 stream 4M

# A device reads each line that is written to a file past the page cache.
n=$((8 * 1024 * 1024 / 64))
count snbep_uncore_cbox/tor_inserts_opcode,filter_opc=0x19e,name=fetched/ -p 0 -f /extra/traffic -n 1 fwrite 8M
ratio 'PCIRdCur of a file that is written: for each line' 2 $n 'x["fetched"]'
traffic_done
