#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# build.t [up]: `make ia64` builds the module, a kernel and an initramfs without a warning, an undefined symbol or a wrong
# architecture, and the kernel's patches have kernel style. Prints TAP.
#
# Without an argument with the kernel for several processors: minutes with a cold cache, seconds after. up: with the one for a single
# processor. boot.t boots them.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

"$SCRIPTS/setup"
if ! candidate binutils-ia64-linux-gnu > /dev/null; then
	echo "1..0 # SKIP this Debian has no binutils for ia64, as Debian 12 has"
	exit
fi

name=${1:-smp}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cross=$("$TOP/itanium/ia64/toolchain")

# file_has NAME PATTERN FILE: a test that passes if a line of the file matches
file_has()
{
	grep -q -E -e "$2" "$3" && code=0 || code=1
	ok $code "$1" "$3"
}

# Check the files of a directory as a boot loader and the kernel read them.
check_files()
{
	"${cross}readelf" -hl "$dir/vmlinux" > "$tmp/elf"
	file_has "$name: vmlinux is a program for ia64" 'Machine: +Intel IA-64' "$tmp/elf"
	# The loader puts segments at their physical addresses, and jumps to the physical entry.
	entry=$(sed -n 's/.*Entry point address: *0x//p' "$tmp/elf")
	perl -ne 'BEGIN { $entry = hex shift } $found ||= $entry >= $at && $entry < $at + hex $1 if defined $at && /^\s*0x(\w+)/;
		$at = /^\s*LOAD\s+0x\w+ 0x\w+ 0x(\w+)/ ? hex $1 : undef; END { exit !$found }' "$entry" "$tmp/elf" && code=0 || code=1
	ok $code "$name: the entry $entry is a physical address in vmlinux" "$tmp/elf"
	gzip -dc "$dir/vmlinux.gz" > "$tmp/raw" && "${cross}readelf" -h "$tmp/raw" > "$tmp/gz" 2>&1 && code=0 || code=1
	[ $code != 0 ] || [ "$(sed -n 's/.*Entry point address: *0x//p' "$tmp/gz")" = "$entry" ] || code=1
	ok $code "$name: vmlinux.gz is the same program" "$tmp/gz"

	# The patches' functions replace the kernel's weak ones.
	"${cross}nm" "$dir/vmlinux" > "$tmp/symbols"
	file_has "$name: perf finds call chains" ' T perf_callchain_kernel$' "$tmp/symbols"
	file_has "$name: the interrupt has its handler" ' t ia64_pmi_interrupt$' "$tmp/symbols"
	file_has "$name: ... and is set up" ' T ia64_pmi_init$' "$tmp/symbols"
	for option in CONFIG_SERIAL_8250_CONSOLE CONFIG_ACPI CONFIG_BLK_DEV_INITRD CONFIG_RD_GZIP CONFIG_PERF_EVENTS; do
		file_has "$name: $option" "^$option=y" "$dir/config"
	done
	case $name in
	smp) file_has 'smp: several processors' '^CONFIG_SMP=y' "$dir/config" ;;
	up) file_has 'up: one processor' '^# CONFIG_SMP is not set' "$dir/config" ;;
	esac

	gzip -dc "$dir/initramfs.cpio.gz" | cpio -tv --quiet > "$tmp/list" 2>&1
	file_has "$name: the initramfs has a console" '^crw-.* 5, +1 .* dev/console$' "$tmp/list"
	file_has "$name: ... the first program" '^-rwxr-xr-x .* init$' "$tmp/list"
	file_has "$name: ... and the module" '^-rw-r--r-- .* itanium_pmu\.ko$' "$tmp/list"

	mkdir -p "$tmp/root"
	(cd "$tmp/root" && gzip -dc "$dir/initramfs.cpio.gz" | cpio -i --quiet init itanium_pmu.ko)
	cmp "$tmp/root/itanium_pmu.ko" "$dir/itanium_pmu.ko" > "$tmp/diff" 2>&1 && code=0 || code=1
	ok $code "$name: it is this kernel's module" "$tmp/diff"
	"${cross}readelf" -hl "$tmp/root/init" > "$tmp/elf"
	grep -q 'Intel IA-64' "$tmp/elf" && ! grep -q -e INTERP -e DYNAMIC "$tmp/elf" && code=0 || code=1
	ok $code "$name: init is for ia64 and needs no library" "$tmp/elf"
	"${cross}nm" -u "$tmp/root/init" > "$tmp/undefined"
	[ ! -s "$tmp/undefined" ] && code=0 || code=1
	ok $code "$name: init has no undefined symbol" "$tmp/undefined"

	# The kernel starts it at the entry. The code before it has to have gp computed calls boot_main().
	"${cross}objdump" -d --disassemble=_start "$tmp/root/init" > "$tmp/code"
	entry=$(sed -n 's/.*Entry point address: *0x//p' "$tmp/elf")
	file_has "$name: init begins at _start" "^0*$entry <_start>:" "$tmp/code"
	# gp is the start of the address table, relative to the bundle of "mov r14=ip".
	gp=$("${cross}readelf" -SW "$tmp/root/init" | sed -n 's/.* \.got  *PROGBITS  *\([0-9a-f]*\) .*/\1/p')
	ip=$(awk '/^[0-9a-f]+0:/ { at = substr($1, 1, 16) } /mov r14=ip/ { print at }' "$tmp/code")
	offset=$(sed -n 's/.*movl r1=0x\([0-9a-f]*\).*/\1/p' "$tmp/code")
	perl -e 'use integer; no warnings "portable"; exit(hex($ARGV[0]) - hex($ARGV[1]) != hex($ARGV[2]))' "$ip" "$offset" "$gp" &&
		[ "$gp" ] && grep -q 'sub r1=r14,r1' "$tmp/code" && code=0 || code=1
	ok $code "$name: it computes gp, $gp" "$tmp/code"
	"${cross}objdump" -d --disassemble=sys6 "$tmp/root/init" > "$tmp/code"
	awk '/mov r15=r32/ { nr = 1 } /break.i 0x100000/ && nr { call = 1 } /\(p06\) sub r8=r0,r8/ && call { found = 1 }
		END { exit !found }' "$tmp/code" && code=0 || code=1
	ok $code "$name: a system call has its number in r15, and its errors are negative" "$tmp/code"
	# The counted loop is one bundle of three instructions.
	"${cross}objdump" -d --disassemble=work_start "$tmp/root/init" > "$tmp/code"
	awk '/ld8 / { n++; at = NR } /add r17=/ && NR == at + 1 { n++ } /br.cloop.* <work_start>/ && NR == at + 2 { n++ }
		END { exit n != 3 }' "$tmp/code" && code=0 || code=1
	ok $code "$name: a round of work is one bundle" "$tmp/code"
}

dir=$("$TOP/itanium/ia64/build" "$name" 2> "$tmp/err") && code=0 || code=$?
ok $code "kernel, module and initramfs are built for ia64, $name" "$tmp/err"
if [ $code = 0 ]; then
	check_files
fi

linux=$("$SCRIPTS/linux-source" 6.1 scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch)
for patch in "$TOP"/itanium/ia64/patches/*.patch; do
	# By standard input, as checkpatch treats a file that git tracks as a source. Sign-off and MAINTAINERS are for sending.
	perl "$linux/scripts/checkpatch.pl" --no-tree --strict --terse --show-types --no-summary --no-signoff \
		--ignore FILE_PATH_CHANGES - < "$patch" > "$tmp/found" 2>&1 || [ -s "$tmp/found" ]
	[ ! -s "$tmp/found" ] && code=0 || code=1
	ok $code "checkpatch $(basename "$patch")" "$tmp/found"
done
tap_done
