# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# uncore 0005: unbind one socket's function while an event is open on it; the other socket keeps its own. With slab_debug=P, freed
# memory is poisoned, so that a use after free fails.

driver=/sys/bus/pci/drivers/snbep_uncore
cat > /tmp/unbind << EOF
uncore-stim -s 0 imc_0 event=0x4,umask=0x3,count=1000
echo 0000:7f:10.0 > $driver/unbind
uncore-stim -s 0 imc_0 event=0x4,umask=0x3,count=234
EOF
perf stat -x, -C 0 -e uncore_imc_0/event=0x4,umask=0x3/ -- sh /tmp/unbind > /tmp/out 2>&1
cat /tmp/out
! [ -e $driver/0000:7f:10.0 ] && [ "$(cut -d, -f1 /tmp/out)" = 1234 ]
