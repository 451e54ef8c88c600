#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Host-side unit tests of the models' protocol checkers: accesses that the manuals forbid, and
# allowed ones beside them. The uncore's is compiled with its registers and counters, and runs the
# bare machine's tests that need no more. device: the PCI device that has Montecito's monitors.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

checker="$SCRIPTS/test-program $TOP/machine/xeon/tests/checker"
part montecito $checker/montecito
part device $checker/device
part registers $checker/uncore registers
part rules $checker/uncore rules
part accesses $checker/uncore accesses
part poke $checker/uncore poke
part refusals $checker/uncore refusals
tap_done
