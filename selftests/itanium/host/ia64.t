#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module for ia64: built by a real compiler against a kernel that links, without a warning, an undefined symbol or a
# wrong architecture; and the kernel's patches in kernel style. Prints TAP. Minutes with a cold cache, seconds after.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

"$VM_DIR/setup"
if ! candidate binutils-ia64-linux-gnu > /dev/null; then
	echo "1..0 # SKIP this Debian has no binutils for ia64, as Debian 12 has"
	exit
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$TOP/itanium/ia64/build" > "$tmp/out" 2> "$tmp/err" && code=0 || code=$?
ok $code "itanium_pmu.ko is built for ia64" "$tmp/err"

linux=$("$VM_DIR/linux-source" 6.1 scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch)
for patch in "$TOP"/itanium/ia64/patches/*.patch; do
	# By standard input, because checkpatch takes a file that git knows for a source. A new file's maintainer and a
	# sign-off are for a patch that is sent somewhere.
	perl "$linux/scripts/checkpatch.pl" --no-tree --strict --terse --show-types --no-summary --no-signoff \
		--ignore FILE_PATH_CHANGES - < "$patch" > "$tmp/found" 2>&1 || [ -s "$tmp/found" ]
	[ ! -s "$tmp/found" ] && code=0 || code=1
	ok $code "checkpatch $(basename "$patch")" "$tmp/found"
done
tap_done
