#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# seeds.t [SEED]...: the uncore driver on hardware variants of three random seeds, and of those in
# the file seeds, which once failed. Each result names its seed (MODEL='seed=N'), and the
# diagnostics its variant.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"

if [ $# = 0 ]; then
	# One number per line, and its finding after a #: splitting is meant.
	# shellcheck disable=SC2046
	set -- $(sed 's/#.*//' "$TOP/selftests/cases/uncore/seeds") $(od -An -N12 -tu4 /dev/urandom)
fi
for seed; do
	printf 'seed %s\t-t 400 -o seed=%s snbep_uncore:count\n' "$seed" "$seed"
done | "$TOP/tests/kselftest" -T -
