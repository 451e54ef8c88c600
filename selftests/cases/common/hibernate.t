#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# hibernate.t [KERNEL]: snbep_uncore:sleep and offcore_rsp:suspend with hibernation in place of S3:
# open events go on counting in a second machine, which resumes from the first one's disk with its
# registers as after a reset.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

name=${1:-6.1}
have_kernel "$name" || { tap_done; exit; }
disk=$tmp/disk
programs=$("$TOP/tests/kselftest" -B)
# The disk's driver, which other guests do not have
mkdir "$tmp/root"
find "$kernel/lib/modules/" -name 'virtio_blk.ko*' -exec cp -t "$tmp/root" {} +
case $(ls "$tmp/root") in
*.xz) xz -d "$tmp"/root/* ;;
*.zst) zstd -q -d --rm "$tmp"/root/* ;;
*.ko) ;;
*) die "kernel $name has no virtio_blk.ko" ;;
esac

# machine COMMAND: run it in a machine that has the disk
machine()
{
	"$TOP/bin/vm" -k "$name" -l "$tmp/log" -m "$modules" -f "$programs" -f "$tmp/root" -o core-pmu=on -a "$append" \
		-q -drive -q "if=none,id=disk,format=raw,file=$disk" -q -device -q virtio-blk-pci,bus=pcie.0,drive=disk -- \
		"insmod /virtio_blk.ko && $1" && code=0 || code=$?
	cat "$tmp/log" >> "$tmp/logs"
}

# hibernates COLLECTION PROGRAM ARGUMENT...: run a program in two machines, which both print a part
# of its output. The first is switched off before the program ends, which its runner reports as a
# failure.
hibernates()
{
	collection=$1
	shift
	rm -f "$disk" "$tmp/logs"
	truncate -s 1G "$disk"
	machine "mkswap /dev/vda > /dev/null && swapon /dev/vda && cd /selftests/drivers/perf/$collection && ./$*" > "$tmp/out" 2> "$tmp/err"
	[ $code = 125 ] && [ "$(dd if="$disk" bs=1 skip=4086 count=9 2> /dev/null)" = S1SUSPEND ]
	ok $? "$*: the machine writes itself to its disk" "$tmp/out" "$tmp/err"
	modules=
	machine 'cat /sys/block/vda/dev > /sys/power/resume; echo "Bail out! the machine does not resume"; exit 1' >> "$tmp/out" 2> "$tmp/err"
	"$SCRIPTS/ktap.py" $code < "$tmp/out" && code=0 || code=1
	ok $code "$*: a second machine goes on from there" "$tmp/err"
	# Ignore a warning that is Linux's own: irqrouter_resume() runs ACPI's code while
	# timekeeping is suspended, and a new slab, whose objects are in random order, asks for the
	# time.
	awk '/WARNING: .* ktime_get_seconds/ { held = "" ; holds = 1 }
		holds { held = held $0 "\n"; if (!/end trace/) next; if (held !~ /irqrouter_resume/) printf "%s", held; holds = 0; next }
		{ print } END { if (holds) printf "%s", held }' "$tmp/logs" > "$tmp/checked"
	"$TOP/machine/xeon/vm/check-log" "$tmp/checked" > "$tmp/found" 2>&1 && code=0 || code=1
	ok $code "$*: the logs of both machines have no warning" "$tmp/found"
}

modules=snbep_uncore append=
hibernates snbep_uncore sleep disk
# On its own counters, as Linux's core PMU does not restore its registers
modules=offcore_rsp append=clearcpuid=arch_perfmon
hibernates offcore_rsp suspend direct disk
tap_done
