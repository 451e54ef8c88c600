#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A driver that crashes under the mock kernel fails a test: the crash's place, in the driver, and a
# plan. offcore_rsp crashes here, as it takes a counter.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

tree=$tmp/tree
mkdir "$tree" "$tmp/made"
cp -r "$TOP/offcore_rsp.c" "$TOP/offcore" "$TOP/common" "$TOP/events" "$TOP/selftests" "$TOP/scripts" "$tree/"
cp "$tree/offcore/direct.c" "$tmp/direct.c"
set +e

# crashes WHAT STATEMENT: with this statement in the driver
crashes()
{
	awk -v line="$2" '/^static int offcore_reserve/ { found = 1 } { print } found && /^{/ { print line; found = 0 }' \
		"$tmp/direct.c" > "$tree/offcore/direct.c"
	line=$(grep -nF -m 1 "$2" "$tree/offcore/direct.c" | cut -d: -f1)
	make -s -j2 -C "$tree/selftests/cases/offcore" "OUT=$tmp/made" "TOP=$tree" WERROR= > "$tmp/make" 2>&1
	"$tmp/made/driver" > "$tmp/log" 2>&1
	code=$?
	# The shell says what ended it.
	sed "/^Aborted/d" "$tmp/log" | tail -n 3 > "$tmp/end"
	[ $code != 0 ] && grep -q "^not ok [0-9]* test_[a-z_]* crashes in offcore_reserve(), offcore/direct.c:$line$" "$tmp/end" &&
		tail -n 1 "$tmp/end" | grep -q '^1\.\.' && ! grep -q 'Shadow byte legend' "$tmp/log"
	ok $? "$1" "$tmp/end" "$tmp/make"
}

crashes 'a null pointer' '*(volatile int *)8 = 1;'
crashes 'an access to freed memory' '{ char *p = kzalloc(8, GFP_KERNEL); kfree(p); *(volatile char *)p = 1; }'
crashes 'undefined behaviour' '{ volatile int n = 40; n = 1 << n; }'
crashes 'abort() of the mock kernel' 'abort();'
tap_done
