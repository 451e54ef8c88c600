#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kexec.t [KERNEL]: another kernel is started while events of all three drivers count. No reset clears the registers. perf's reboot
# notifier stops the events, so that the new kernel finds no counter on; and there the drivers count to the event. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

name=${1:-6.1}
"$VM_DIR/setup"
have_kernel "$name" || { tap_done; exit; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/root"
cp -L "$kernel/vmlinuz" "$tmp/root/"

# This runs in both kernels. The second one gets the whole root of the first.
cat > "$tmp/script" << 'END'
. /selftests/lib/tap.sh
modules='snbep_uncore offcore_rsp itanium_pmu'
# Registers of counters that are on
left()
{
	for box in cbox_0 imc_1 pcu qpi_0 ubox ha r2pcie r3qpi_0; do
		uncore-stim raw get 0 $box | grep -E '(CTL[0-3]?|FIXED_CTL)=0x00[4-7]' | sed "s/^/$box: /"
	done
}
if ! grep -q ' again$' /proc/cmdline; then
	modprobe -a $modules || exit 1
	events='-e snbep_uncore_cbox_0/event=0x35,umask=0x03,filter_opc=0x182/ -e snbep_uncore_pcu/event=0x0b,filter_band0=12/
		-e snbep_uncore_qpi_0/event=0x138,mask_mc=0xf,match_mc=0xe/ -e snbep_uncore_imc_1/event=0xff/
		-e snbep_uncore_ubox/event=0x44/ -e snbep_uncore_ha/event=0x0e/ -e snbep_uncore_r2pcie/event=0x12/
		-e snbep_uncore_r3qpi_0/event=0x31/ -e offcore_rsp/dmnd_rfo,any_response/ -e itanium/l3_misses/'
	perf stat -a $events sleep 1000 2> /tmp/perf &
	tries=0
	until [ "$(left | wc -l)" -ge 8 ]; do
		tries=$((tries + 1))
		[ $tries -lt 900 ] || { cat /tmp/perf; left; exit 1; }
		usleep 100000
	done
	find / -xdev ! -path '/tmp/*' | cpio -o -H newc 2> /dev/null | gzip -1 > /tmp/initrd
	exec /selftests/machine/kexec /vmlinuz /tmp/initrd again
fi
left > /tmp/left
[ ! -s /tmp/left ]
ok $? 'the new kernel finds no counter on' /tmp/left
uncore-stim raw judge > /tmp/judge 2>&1
ok $? "the old kernel has done nothing that the judge could blame" /tmp/judge
modprobe -a $modules > /tmp/modprobe 2>&1
ok $? 'the drivers load' /tmp/modprobe

# counts PMU EVENT UNCORE-STIM-ARGUMENT...
counts()
{
	pmu=$1
	event=$2
	shift 2
	perf stat -x, -C 0 -e "$pmu/$event/" -- uncore-stim "$@,count=777" > /tmp/counts 2>&1
	grep -q '^777,' /tmp/counts
	ok $? "$pmu/$event/ counts to the event" /tmp/counts
}
for box in cbox_0:event=0x13,umask=0x01 imc_1:event=0x01 pcu:event=0x05 qpi_0:event=0x04 ubox:event=0x44 ha:event=0x0e \
	r2pcie:event=0x12 r3qpi_0:event=0x31; do
	counts "snbep_uncore_${box%%:*}" "${box#*:}" "${box%%:*}" "${box#*:}"
done
# Without the filters of before, and with others
counts snbep_uncore_cbox_0 event=0x35,umask=0x03,filter_opc=0x180 cbox_0 event=0x35,umask=0x03,opc=0x180
counts snbep_uncore_pcu event=0x0b,filter_band0=13 pcu event=0x0b,freq=1300
counts offcore_rsp dmnd_rfo,any_response offcore request=dmnd_rfo,supplier=local,snoop=snp_miss,cpu=0
counts itanium l3_misses raw montecito cpu=0 event event=0xdc
left > /tmp/left
[ ! -s /tmp/left ]
ok $? 'no counter is on any more' /tmp/left
for judge in judge 'core-pmu judge' 'montecito judge'; do
	uncore-stim raw $judge > /tmp/judge 2>&1
	ok $? "$judge: nothing to say" /tmp/judge
done
tap_done
END
"$TOP/selftests/vm" -k "$name" -W -m "" -f "$tmp/root" -o core-pmu=on -- "$(cat "$tmp/script")"
