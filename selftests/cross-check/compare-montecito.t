#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event table against libpfm4's; montecito.reasons has the differences.
#

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

dir=$TOP/selftests/cross-check
libpfm4=$("$SCRIPTS/libpfm4")
exec perl "$dir/compare-montecito" "$libpfm4/lib/events/montecito_events.h" "$TOP/events/montecito.def" "$dir/montecito.reasons" \
	"$TOP/Documentation/itanium_pmu.rst"
