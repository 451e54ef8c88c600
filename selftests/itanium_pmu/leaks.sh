#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kmemleak finds nothing of itanium_pmu.

. ../api/ksft.sh
. ../api/leaks.sh
leaks itanium_pmu itanium
