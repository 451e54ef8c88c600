# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -o cpu=SandyBridge,model=63,-hypervisor,-x2apic,-tsc-deadline
# modules: intel_uncore
#
# fixes 0004: filter_bandN of uncore_pcu becomes byte N of the filter register. The machine claims
# to be a Haswell-EP, but has none of its registers: the trace of write_msr shows the driver's
# writes.

tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs none $tracing
echo 1 > $tracing/events/msr/write_msr/enable
wrong=0
for band in 0 1 2 3; do
	perf stat -C 0 -e uncore_pcu/event=$((0xb + band)),filter_band$band=$((0x11 + band))/ -- true > /tmp/out 2>&1
	filter=$(sed -n 's/.*write_msr: 715, value //p' $tracing/trace | tail -n 1)
	echo "filter_band$band=$((0x11 + band)): the filter register is 0x$filter"
	[ $(((0x${filter:-0} >> 8 * band) & 0xff)) = $((0x11 + band)) ] || wrong=1
done
[ $wrong = 0 ]
