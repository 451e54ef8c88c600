# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1
# modules: intel_uncore
#
# suspend 0001: events in an MSR and in a PCI box count on after suspend to RAM, which clears the
# registers.

cat > /tmp/work << 'END'
happen()
{
	uncore-stim -s 0 imc_0 "event=0x4,umask=0x3,count=$1" -s 0 cbox_0 "event=0x35,umask=0x8,count=$1"
}
happen 1000
# The firmware does not restore the chipset's registers, which switching the machine off needs.
chipset='0000:00:00.0 0000:00:1f.0'
for function in $chipset; do cat /sys/bus/pci/devices/$function/config > /tmp/$function; done
uncore-stim wake && echo mem > /sys/power/state
for function in $chipset; do
	dd if=/tmp/$function of=/sys/bus/pci/devices/$function/config bs=4 skip=16 seek=16 count=48 conv=notrunc 2> /dev/null
done
happen 234
END
perf stat -x, -C 0 -e uncore_imc_0/event=0x4,umask=0x3/,uncore_cbox_0/event=0x35,umask=0x8/ -- sh /tmp/work > /tmp/out 2>&1
cat /tmp/out
[ "$(cut -d, -f1 /tmp/out | xargs)" = '1234 1234' ]
