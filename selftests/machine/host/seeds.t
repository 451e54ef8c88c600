#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# seeds.t [SEED]...: the uncore driver on machines that are drawn: of three fresh seeds, and of those in the file seeds, which
# once failed. Each result names its seed; MODEL='seed=N' makes that machine again; what a seed draws is in the diagnostics. TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ $# = 0 ]; then
	# One number per line, and what it found behind a #: splitting is meant.
	# shellcheck disable=SC2046
	set -- $(sed 's/#.*//' "$TOP/selftests/machine/host/seeds") $(od -An -N12 -tu4 /dev/urandom)
fi
echo 'TAP version 13'
for seed; do
	code=0
	"$TOP/selftests/lib/guest-tap" -t 400 -o "seed=$seed" uncore/count > "$tmp/tap" 2>&1 || code=$?
	grep '^args.sh: ' "$tmp/tap" | sed 's/^/# /'
	while IFS= read -r line; do
		case $line in
		'ok '*) ok 0 "seed $seed: ${line#* - }" ;;
		'not ok '*) ok 1 "seed $seed: ${line#* - }" ;;
		'args.sh: '* | '# Totals'* | 1..* | TAP*) ;;
		'#'*) echo "$line" ;;
		*) echo "# $line" ;;
		esac
	done < "$tmp/tap"
	# guest-tap has a plan in any case, unless it died.
	if ! grep -q '^1\.\.' "$tmp/tap" || { [ $code != 0 ] && ! grep -q '^not ok' "$tmp/tap"; }; then
		ok 1 "seed $seed: the machine ran" "$tmp/tap"
	fi
done
tap_done
