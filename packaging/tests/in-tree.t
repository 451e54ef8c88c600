#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# in-tree.t [KERNEL]: packaging/in-tree/add puts the drivers into a kernel's source (Debian's
# newest), where they are configured and built, built in and as modules, with itanium_pmu for the
# emulated machine's device; the kernel itself is not linked. Their kselftest targets, pages and
# entry of MAINTAINERS work there.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

kernel=${1:-newest}
"$SCRIPTS/setup"
source=$("$SCRIPTS/linux-source" "$kernel")
tree=$BUILD/in-tree-$kernel
obj=$tree/obj
rm -rf "$tree/source"
mkdir -p "$tree/source" "$obj"

# The source as links, but for the directories and files that get something
guide=Documentation/admin-guide/perf
own=tools/testing/selftests
mkdir -p "$tree/source/drivers/perf" "$tree/source/$guide" "$tree/source/$own"
cp -r "$source/$own"/*.* "$source/$own/Makefile" "$source/$own/kselftest" "$tree/source/$own/"
for file in MAINTAINERS drivers/perf/Kconfig drivers/perf/Makefile $guide/index.rst; do
	cp "$source/$file" "$tree/source/$file"
done
for dir in . Documentation Documentation/admin-guide $guide drivers drivers/perf tools tools/testing; do
	for file in "$source/$dir"/*; do
		[ -e "$tree/source/$dir/${file##*/}" ] || ln -s "$file" "$tree/source/$dir/"
	done
done
"$TOP/packaging/in-tree/add" "$tree/source" > "$tree/log" 2>&1 && code=0 || code=1
ok $code "the drivers, their tests and pages are put into the tree" "$tree/log"

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

# The pages, beside the others of their directory
"$SCRIPTS/setup" "$TOP/Documentation/packages"
mkdir -p "$tree/pages"
cp "$tree/source/$guide"/snbep_uncore.rst "$tree/source/$guide"/offcore_rsp.rst "$tree/source/$guide"/itanium_pmu.rst "$tree/pages/"
printf 'Pages\n=====\n\n.. toctree::\n\n' > "$tree/pages/index.rst"
grep -x -e '   snbep_uncore' -e '   offcore_rsp' -e '   itanium_pmu' "$tree/source/$guide/index.rst" >> "$tree/pages/index.rst"
sphinx-build -q -W --keep-going -C "$tree/pages" "$tree/html" > "$tree/log" 2>&1 && code=0 || code=1
[ -s "$tree/html/snbep_uncore.html" ] || code=1
ok $code "Sphinx makes the pages of the guide" "$tree/log"

# get_maintainer.pl wants to be in a tree.
(cd "$tree/source" && for file in drivers/perf/snbep-uncore/snbep_uncore.c $own/drivers/perf/snbep_uncore/count.c $guide/offcore_rsp.rst; do
	scripts/get_maintainer.pl --no-git --no-git-fallback --sections -f "$file" | grep -c '^INTEL XEON E5-2600 UNCORE'
done) > "$tree/log" 2>&1
[ "$(xargs < "$tree/log")" = '1 1 1' ]
ok $? "get_maintainer.pl finds who maintains driver, tests and pages" "$tree/log"
sed -n 's/^F:\t//p' "$TOP/packaging/in-tree/MAINTAINERS" | while read -r path; do
	[ -e "$tree/source/$path" ] || echo "$path"
done > "$tree/log"
empty "the entry names what is there" "$tree/log"

# This machine has no PMU of ours, and so all skips.
targets="drivers/perf/snbep_uncore drivers/perf/offcore_rsp drivers/perf/itanium_pmu"
build kselftest TARGETS="$targets" FORCE_TARGETS=1 && code=0 || code=1
grep -E '^(not )?ok ' "$tree/log" > "$tree/results"
[ "$(grep -c '^ok .* selftests: drivers/perf/.* # SKIP' "$tree/results")" = 30 ] && [ "$(wc -l < "$tree/results")" = 30 ] || code=1
ok $code "make kselftest TARGETS= runs each program, and skips it" "$tree/log"
build kselftest-install TARGETS="$targets" FORCE_TARGETS=1 KSFT_INSTALL_PATH="$tree/install" &&
	"$tree/install/run_kselftest.sh" > "$tree/log" 2>&1 && code=0 || code=1
grep -q '^# Totals: pass:0 fail:0 xfail:0 xpass:0 skip:30 error:0' "$tree/log" || code=1
ok $code "make kselftest-install installs them, and run_kselftest.sh skips all" "$tree/log"
tap_done
