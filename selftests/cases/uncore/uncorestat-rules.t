#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # variables of fake.sh
#
# Uncorestat --why explains each rule of refuse.def, but those of groups, without the driver.

. "$(dirname "$(readlink -f "$0")")/../../../tools/uncorestat/tests/fake.sh"

"$here/fake-root" "$FAKE"
sed -n 's/^\(REFUSED\|ACCEPTED\)("\([a-z0-9_]*\)", "\([^" ]*\)".*/\1 \2 \3/p' "$TOP/selftests/cases/uncore/refuse.def" > "$tmp/rules"
while read -r verdict box event; do
	run --why "snbep_uncore_$box/$event/"
	case $verdict-$(sed -n 2p "$out") in
	'ACCEPTED-guide: nothing is wrong with it') ;;
	*'nothing is wrong'* | ACCEPTED*) echo "$verdict: $(cat "$out")" ;;
	REFUSED*) [ "$code" = 0 ] || cat "$out" ;;
	esac
done < "$tmp/rules" > "$tmp/bad"
[ "$(wc -l < "$tmp/rules")" -gt 70 ] && [ ! -s "$tmp/bad" ]
ok $? "--why explains every rule of the driver without it, and finds nothing wrong with what it accepts" "$tmp/bad"
tap_done
