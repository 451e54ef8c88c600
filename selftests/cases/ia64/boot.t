#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# boot.t [smp] [up]: the kernels for ia64 boot on the emulated Itanium, selftest of the guest passes
# in them, and their patches have kernel style.
#
# With a cold cache a kernel takes ten minutes to build, with a warm one its boot takes seconds.
# Without an argument it is both.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"
. "$TOP/selftests/cases/ia64/ia64.sh"
[ $# -gt 0 ] || set -- smp up

machine=$SNBEP_BUILD/machine/ia64-machine

make -s -C "$TOP/machine/itanium" O="$SNBEP_BUILD/machine" > "$tmp/out" 2>&1 && code=0 || code=1
ok $code 'the machine is built without a warning' "$tmp/out"
[ $code = 0 ] || { tap_done; exit 1; }

# Input of the console
echo 'selftest; exit' > "$tmp/typed"

# boot SECONDS OPTION...: boot; $tmp/log gets the console, $tmp/err the machine's messages, $status
# its exit status
boot()
{
	seconds=$1
	shift
	status=0
	timeout $((seconds + 10)) "$machine" -s "$seconds" "$@" > "$tmp/console" 2> "$tmp/err" < "$tmp/typed" || status=$?
	tr -d '\r' < "$tmp/console" > "$tmp/log"
}

# expect STATUS NAME: a test of the machine's exit status
expect()
{
	[ $status = "$1" ] && code=0 || code=1
	ok $code "$2 (exit status $status)" "$tmp/err" "$tmp/log"
}

# A shell at the console, as on a machine without anybody who gives it a command
check_boot()
{
	boot 300 -k "$dir/vmlinux" -i "$dir/root.cpio" -m 512 -c 'console=ttyS0,115200n8 panic=1'
	expect 0 "$name: boots, and the shell's end switches the machine off"
	grep -c '^ok [0-9]* - ' "$tmp/log" > "$tmp/passed" || :
	! grep '^not ok' "$tmp/log" > "$tmp/tests" && grep -q "^1\.\.$(cat "$tmp/passed")\$" "$tmp/log" && code=0 || code=1
	ok $code "$name: selftest passes there: $(cat "$tmp/passed") results" "$tmp/tests" "$tmp/log"
	# Words of the kernel when something is wrong, and what its handlers of faults say. A kernel
	# for several processors does not use the first page of memory, and one without a network
	# does without netlink.
	grep -n -i -e warning -e '\bbug\b' -e oops -e 'call trace' -e unaligned -e 'error' -e fail "$tmp/log" |
		grep -v -e 'warning: skipping physical page 0' -e 'ACPI: Failed to create genetlink family' > "$tmp/found" || :
	empty "$name: the kernel has nothing to complain of" "$tmp/found"
	empty "$name: nor has the machine, of how its monitors are used" "$tmp/err"
}

for name; do
	dir=$("$TOP/machine/itanium/linux/build" "$name" 2> "$tmp/err") && code=0 || code=$?
	ok $code "kernel, module and programs are built, $name" "$tmp/err"
	[ $code = 0 ] || continue
	check_boot
done

# Other ends, with the compressed kernel: without an init it panics, and panic=1 resets the machine.
if [ -e "$dir/vmlinux.gz" ]; then
	boot 60 -k "$dir/vmlinux.gz" -c 'console=ttyS0,115200n8 panic=1'
	expect 3 'a kernel that panics resets the machine'
	grep -q 'Kernel panic - not syncing' "$tmp/log" && code=0 || code=1
	ok $code '... and says why' "$tmp/log"
	boot 1 -k "$dir/vmlinux" -c 'console=ttyS0,115200n8'
	expect 4 'one that never ends is stopped'
fi
# Its handlers are at address 0, where memory is bundles of break.m 0.
echo 'break.m 0' | ia64-linux-gnu-as -x -o "$tmp/fault.o" - && ia64-linux-gnu-ld -e 0x4000000 -Ttext 0x4000000 -o "$tmp/fault" "$tmp/fault.o"
boot 1 -k "$tmp/fault"
expect 4 'and so is one whose handlers fault'
# EFI's SetVirtualAddressMap, after the program has made the pointer to EFI's table a wrong one; r28
# has struct ia64_boot_param. It ends if it gets an error.
cat > "$tmp/efi.s" << 'END'
	alloc r2 = ar.pfs, 0, 0, 4, 0
	mov r3 = b0
	add r14 = 8, r28 ;;
	ld8 r15 = [r14] ;;
	add r16 = 88, r15 ;;
	ld8 r17 = [r16] ;;
	add r18 = 56, r17 ;;
	ld8 r19 = [r18] ;;
	ld8 r20 = [r19]
	movl r21 = 0x7ffffffffffffff0 ;;
	st8 [r16] = r21
	add r22 = 32, r28
	movl r23 = 1 << 63 ;;
	st8 [r22] = r23
	mov r32 = 48
	mov r33 = 48
	mov r34 = 1
	mov r35 = r28
	mov b6 = r20 ;;
	br.call.sptk.many b0 = b6 ;;
	cmp.eq p6, p0 = 0, r8
	mov b0 = r3 ;;
0:	(p6) br.cond.sptk.few 0b ;;
	br.ret.sptk.many b0
END
ia64-linux-gnu-as -x -o "$tmp/efi.o" "$tmp/efi.s" && ia64-linux-gnu-ld -e 0x4000000 -Ttext 0x4000000 -o "$tmp/efi" "$tmp/efi.o"
boot 10 -k "$tmp/efi"
expect 3 'SetVirtualAddressMap with a wrong pointer is an error'
boot 10 -k "$0"
expect 2 'what is no kernel is not started'
boot 10 -k "$TOP/no-such-file"
expect 2 'nor is what is not there'

linux=$("$SCRIPTS/linux-source" 6.1 scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch)
for patch in "$TOP"/machine/itanium/linux/patches/*.patch; do
	# By standard input, as checkpatch treats a file that git tracks as a source. Sign-off and
	# MAINTAINERS are for sending.
	perl "$linux/scripts/checkpatch.pl" --no-tree --strict --terse --show-types --no-summary --no-signoff \
		--ignore FILE_PATH_CHANGES - < "$patch" > "$tmp/found" 2>&1 || [ -s "$tmp/found" ]
	empty "checkpatch $(basename "$patch")" "$tmp/found"
done
tap_done
