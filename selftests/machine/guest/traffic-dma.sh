#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # traffic-count.sh sets them
#
# A file that is written and read past the page cache, through perf stat: its bytes go by the DMA of a virtio device, by 9p, to a
# directory of the host's at /extra. So they are read from memory to be written, and written into the LLC when they are read.

. /selftests/machine/traffic-count.sh

grep -q ' /extra 9p ' /proc/mounts
ok $? 'there is a directory of the host at /extra, by 9p' /proc/mounts

# In lines. 9p takes 256 KiB at a time, less a header, so one line of 4096 is taken twice.
n=$((8 * 1024 * 1024 / 64))
file="-p 0 -f /extra/traffic"
# The kernel has lines of its own to move for each of these 33 transfers, so memory is compared within five percent. They are fewer
# if the device's interrupts come to the CPU that waits for them.
some=$((5 * n))
sed -n 's/^ *\([0-9]*\):.*virtio.*/\1/p' /proc/interrupts | while read -r irq; do
	echo 0 > "/proc/irq/$irq/smp_affinity_list"
done

pcie=snbep_uncore_r2pcie/txr_inserts,name=sent/,snbep_uncore_r2pcie/event=0x09,umask=0x0f,name=data/
pcie=$pcie,snbep_uncore_cbox/rxr_inserts_vfifo,name=vfifo/

background "$links,$pcie" none 64K
no_background opcode

# The memory is the second socket's, and the devices are the first one's. What no cache has stays out of them.
uncore-stim traffic empty
# shellcheck disable=SC2086 # words
count "$links,$pcie" $file -n 1 fwrite 8M
conserved 'a file is written'
near 'a file is written: a request for each line enters the LLC' $n $n vfifo
near 'a file is written: and leaves R2PCIe' $n $n sent
# Each line's two slots end at its stop; and pass it before, if they come from QPI for a CBo of the right side. So do others.
near 'a file is written: where a line comes in two slots of the ring' $((3 * some)) $((3 * n)) data
near 'a file is written: each line is read from its home' $some $n ha_rd 1
near 'a file is written: and not from the other one' $some 0 ha_rd 0
near 'a file is written: nothing is written to memory' $some 0 ha_wr
near 'a file is written: eight flits of each line' $((8 * some)) $((8 * n)) rx_data 0
# shellcheck disable=SC2086
count "snbep_uncore_cbox/tor_inserts_opcode,filter_opc=0x19e,name=opcode/" $file -n 1 fwrite 8M
near 'a file is written: PCIRdCur for each line, and for nothing else' $n $n opcode
equal 'a file is written: by devices of the first socket' "$(of opcode 1)" 0

# shellcheck disable=SC2086
count "$links,$pcie" $file -n 1 fread 8M
conserved 'a file is read' equal
near 'a file is read: each line enters the LLC' $n $n vfifo
near 'a file is read: a request and a line in two slots leave R2PCIe' $((3 * n)) $((3 * n)) sent
near 'a file is read: none comes' $some 0 data
near 'a file is read: no memory is read' $some 0 ha_rd
near 'a file is read: none is written, as the LLC has room' $some 0 ha_wr
near 'a file is read: no data are sent' $((8 * some)) 0 tx_data
# shellcheck disable=SC2086
count "snbep_uncore_cbox/tor_inserts_opcode,filter_opc=0x19c,name=opcode/" $file -n 1 fread 8M
near 'a file is read: ItoM for each line, and for nothing else' $n $n opcode
equal 'a file is read: by devices of the first socket' "$(of opcode 1)" 0
traffic_done
