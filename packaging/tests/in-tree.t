#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# in-tree.t [KERNEL]: configure and build the drivers in drivers/perf/ of a kernel's source
# (Debian's newest), built in and as modules, with itanium_pmu for the emulated machine's device.
# The kernel itself is not linked.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

kernel=${1:-newest}
"$SCRIPTS/setup"
source=$("$SCRIPTS/linux-source" "$kernel")
tree=$BUILD/in-tree-$kernel
obj=$tree/obj
rm -rf "$tree/source"
mkdir -p "$tree/source/drivers/perf" "$obj"

# The source as links, except for the two files that name a driver
for dir in . drivers drivers/perf; do
	for file in "$source/$dir"/*; do
		[ -e "$tree/source/$dir/${file##*/}" ] || ln -s "$file" "$tree/source/$dir/"
	done
done
for file in Kconfig Makefile; do
	rm "$tree/source/drivers/perf/$file"
	cp "$source/drivers/perf/$file" "$tree/source/drivers/perf/"
done
mkdir "$tree/source/drivers/perf/snbep-uncore"
(cd "$TOP" && scripts/files Kbuild Kconfig Makefile '*.[ch]' '*.def' | grep -v -e ^machine/ -e ^selftests/ -e ^tools/ -e ^upstream/ |
	xargs cp --parents -t "$tree/source/drivers/perf/snbep-uncore")
echo 'obj-y += snbep-uncore/' >> "$tree/source/drivers/perf/Makefile"
sed -i '/^endmenu/i source "drivers/perf/snbep-uncore/Kconfig"' "$tree/source/drivers/perf/Kconfig"

build()
{
	make -C "$tree/source" O="$obj" ARCH=x86_64 "$@" < /dev/null > "$tree/log" 2>&1
}

# built y|m: build with all options set to this
built()
{
	for option in MODULES 64BIT SMP PCI ACPI PERF_EVENTS CPU_SUP_INTEL; do
		echo "CONFIG_$option=y"
	done > "$tree/config"
	for option in SNBEP_UNCORE OFFCORE_RSP; do
		echo "CONFIG_$option=$1"
	done >> "$tree/config"
	build KCONFIG_ALLCONFIG="$tree/config" allnoconfig && code=0 || code=1
	ok $code "$1: the kernel is configured" "$tree/log"
	sort "$tree/config" > "$tree/wanted"
	sort "$obj/.config" | comm -23 "$tree/wanted" - > "$tree/lost"
	empty "$1: the configuration has the two options" "$tree/lost"
	rm -rf "$obj/drivers/perf/snbep-uncore"
	build -j2 W=1 CONFIG_ITANIUM_PMU_MODEL="$1" drivers/perf/snbep-uncore/ && code=0 || code=1
	grep -A 3 -e warning: -e error: "$tree/log" | grep -A 3 snbep-uncore > "$tree/warnings" || :
	[ ! -s "$tree/warnings" ] || code=1
	ok $code "$1: the drivers build without a warning" "$tree/log"
}

out=$obj/drivers/perf/snbep-uncore

built y
# No two drivers may have a global symbol of one name.
ld -r --whole-archive "$out/built-in.a" -o "$tree/all.o" > "$tree/log" 2>&1 && code=0 || code=1
ok $code "y: the three drivers link together" "$tree/log"
for module in snbep_uncore offcore_rsp itanium_pmu; do
	nm "$tree/all.o" 2> /dev/null | grep -q "__initcall__kmod_${module}__" && code=0 || code=1
	ok $code "y: $module has an initcall"
done

built m
for module in snbep_uncore offcore_rsp itanium_pmu; do
	[ -s "$out/$module.o" ] && [ -s "$out/$module.mod" ] && ! nm "$out/built-in.a" 2> /dev/null | grep -q . && code=0 || code=1
	ok $code "m: $module is a module of its own"
done
tap_done
