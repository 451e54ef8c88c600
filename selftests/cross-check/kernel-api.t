#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel-api.t [KERNEL]...: the drivers build on the longterm kernels that Debian does not ship, and
# on first releases, which lack what stable updates bring: on headers of Debian's kernels with the
# declarations of those, from kernel-api.history.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

here=$TOP/selftests/cross-check
history=$here/kernel-api.history

common()
{
	find "$1/usr/src/" -mindepth 1 -maxdepth 1 -name '*-common'
}

# based BASE VERSION: the headers of a kernel of Debian are as the table says, and the table has
# what the drivers use of that kernel.
based()
{
	base=$1
	version=$2
	have_kernel "$base" || return 1
	"$here/kernel-api.pl" check "$history" "$version" "$(common "$kernel")" > "$tmp/said" && [ ! -s "$tmp/said" ] && code=0 || code=1
	ok $code "the table is right about $base" "$tmp/said"

	# Skip symbols that the compiler or inline functions of the headers add: no source of ours
	# has their names.
	built=$("$SCRIPTS/modules" "$base" "$TOP")
	nm -u "$built/snbep_uncore.ko" "$built/offcore_rsp.ko" | awk '$1 == "U" { print $2 }' | sort -u > "$tmp/undefined"
	(cd "$TOP" && cat snbep_uncore.[ch] offcore_rsp.c snbep/*.[ch] offcore/*.[ch] common/*.h) |
		perl -0pe 's{/\*.*?\*/|^#include.*?$}{}gms' | grep -o '[A-Za-z_][A-Za-z0-9_]*' | sort -u > "$tmp/words"
	"$here/kernel-api.pl" symbols "$history" | sort -u > "$tmp/table"
	comm -12 "$tmp/undefined" "$tmp/words" | grep -vxF -f "$tmp/table" > "$tmp/said" && code=1 || code=0
	ok $code "the table has each kernel function of the drivers on $base" "$tmp/said"
}

# builds KERNEL: the drivers build with that kernel's declarations in the headers of $base.
builds()
{
	tree=$tmp/$1
	mkdir -p "$tree/usr"
	cp -as "$kernel/usr/src" "$tree/usr/"
	ln -s "$kernel/lib" "$tree/lib"
	build=$tree/$kernel_build
	rm "$build/Makefile"
	sed "s|$kernel/usr/src/|$tree/usr/src/|" "$kernel/$kernel_build/Makefile" > "$build/Makefile"
	"$here/kernel-api.pl" change "$history" "$version" "$(common "$tree")" "$1" > "$tmp/said" 2>&1 &&
		"$here/kernel-api.pl" check "$history" "$1" "$(common "$tree")" >> "$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] && code=0 || code=1
	ok $code "the headers of $base take the declarations of $1" "$tmp/said"
	# Nothing exports what has another name here.
	"$SCRIPTS/kbuild" "$TOP" "$build" "$tmp/$1-out" CONFIG_ITANIUM_PMU_MODEL=m KBUILD_MODPOST_WARN=1 > "$tmp/said" 2>&1 &&
		[ -s "$tmp/$1-out/snbep_uncore.ko" ] && [ -s "$tmp/$1-out/offcore_rsp.ko" ] && code=0 || code=1
	grep -F "$tmp/$1-out/" "$tmp/$1-out/.log" | grep -e warning: -e error: > "$tmp/found" && code=1
	ok $code "$1: the drivers build without a warning" "$tmp/found" "$tmp/said"
}

# on BASE VERSION KERNEL...: build for each of these kernels that is asked for.
on()
{
	based "$1" "$2" || return 0
	shift 2
	kernel_build=$(readlink "$kernel/build")
	for other; do
		case " $asked " in
		"  " | *" $other "*) builds "$other" ;;
		esac
	done
}

asked=$*
on 5.10 5.10 5.10.0 5.15
on 6.1 6.1
on 6.12 6.12 6.6 6.12.0
on newest 7.3 6.18
tap_done
