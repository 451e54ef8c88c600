#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# smoke.t [GENERATION [KERNEL]]: the smoke test of Linux's own driver on a stock kernel (1 newest).
# Each failure is known: there is a patch in upstream/, or smoke's list explains it.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

smoke=$TOP/machine/xeon/smoke
"$smoke/smoke" -o "generation=${1:-1}" -k "${2:-newest}" > "$tmp/tap" || tap_failed=$?
sed '/^1\.\./d' "$tmp/tap"
tap_n=$(sed -n 's/^1\.\.//p' "$tmp/tap")

grep '^not ok' "$tmp/tap" | grep -v ' # TODO ' > "$tmp/other" || :
for fault in $(sed -n 's/^not ok .* # TODO //p' "$tmp/tap" | sort -u); do
	case $fault in
	linux/*/*) ls "$TOP/upstream/$fault"-*.patch > /dev/null 2>> "$tmp/other" || : ;;
	*) sed '/^#/d' "$smoke/known" | grep -q " $fault\$" || echo "nothing is known of $fault" >> "$tmp/other" ;;
	esac
done
[ "$tap_n" ] && [ ! -s "$tmp/other" ] && code=0 || code=1
ok $code 'what fails has its number in upstream/, or is explained' "$tmp/other"
tap_done
