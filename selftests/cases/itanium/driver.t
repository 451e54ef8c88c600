#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# driver.t [SEED]: all of itanium_pmu under a mock kernel (selftests/mock-kernel) and Montecito's
# registers (machine.c). With SEED only what is drawn by it.

exec "$(dirname "$0")/../../../scripts/test-program" "$0" "$@"
