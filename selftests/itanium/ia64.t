#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The module for ia64: built by a real compiler against a kernel that links, without a warning, an undefined symbol or a
# wrong architecture; and the kernel's patches in kernel style. Prints TAP. Minutes with a cold cache, seconds after.

. "$(dirname "$(readlink -f "$0")")/../vm/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

if module=$("$TOP/ia64/build" 2> "$tmp/err"); then
	echo "ok 1 - ${module#"$TOP"/} is built"
else
	sed 's/^/# /' "$tmp/err"
	echo "not ok 1 - itanium_pmu.ko is built for ia64"
	failed=1
fi

linux=$("$VM_DIR/linux-source" 6.1 scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch)
n=1
for patch in "$TOP"/ia64/patches/*.patch; do
	n=$((n + 1))
	# By standard input, because checkpatch takes a file that git knows for a source. A new file's maintainer and a
	# sign-off are for a patch that is sent somewhere.
	perl "$linux/scripts/checkpatch.pl" --no-tree --strict --terse --show-types --no-summary --no-signoff \
		--ignore FILE_PATH_CHANGES - < "$patch" > "$tmp/found" 2>&1 || [ -s "$tmp/found" ]
	if [ -s "$tmp/found" ]; then
		sed 's/^/# /' "$tmp/found"
		printf 'not '
		failed=1
	fi
	echo "ok $n - checkpatch $(basename "$patch")"
done
echo "1..$n"
exit $failed
