#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# logic.t: the event table against libpfm4's; libpfm4.reasons has the differences. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"

dir=$TOP/selftests/itanium/host
libpfm4=$("$TOP/selftests/lib/source" libpfm4)
exec perl "$dir/compare_libpfm4" "$libpfm4/lib/events/montecito_events.h" "$TOP/events/montecito.def" "$dir/libpfm4.reasons"
