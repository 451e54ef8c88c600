#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# second-source.t [KERNEL]...: registers of the model against those of Linux's uncore_snbep.c and
# cstate.c, which the model was not made from.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

events=arch/x86/events/intel
[ $# -gt 0 ] || set -- 6.1 6.12
sources=
for kernel; do
	dir=$("$SCRIPTS/linux-source" "$kernel" $events/uncore_snbep.c $events/cstate.c include/linux/pci_ids.h)
	sources="$sources $kernel=$dir"
done
# shellcheck disable=SC2086
exec perl "$TOP/selftests/cross-check/second-source.pl" "$TOP" $sources
