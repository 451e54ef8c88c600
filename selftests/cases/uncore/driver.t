#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# driver.t [SEED]: all of snbep_uncore under a mock kernel (selftests/mock-kernel) that checks every
# call, and registers that count (machine.c). With SEED only what is drawn by it.
# driver.t explore [deep|SCENARIO]: interleavings alone, see selftests/mock-kernel/explore.h.

exec "$(dirname "$0")/../../../scripts/test-program" "$0" "$@"
