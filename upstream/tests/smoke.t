#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# smoke.t [KERNEL]: the smoke test of Linux's own driver on a stock kernel (newest), and that all
# which fails is a patch in upstream/. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

"$TOP/machine/xeon/smoke/smoke" -k "${1:-newest}" > "$tmp/tap" || tap_failed=$?
sed '/^1\.\./d' "$tmp/tap"
tap_n=$(sed -n 's/^1\.\.//p' "$tmp/tap")

grep '^not ok' "$tmp/tap" | grep -v ' # TODO linux/[a-z0-9.-]*/[0-9]*$' > "$tmp/other" || :
for patch in $(sed -n 's/.* # TODO //p' "$tmp/tap" | sort -u); do
	ls "$TOP/upstream/$patch"-*.patch > /dev/null 2>> "$tmp/other" || :
done
[ "$tap_n" ] && [ ! -s "$tmp/other" ] && code=0 || code=1
ok $code 'what fails has its number in upstream/' "$tmp/other"
tap_done
