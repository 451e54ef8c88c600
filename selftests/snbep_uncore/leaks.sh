#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kmemleak finds nothing after snbep_uncore was unloaded. api/leaks.sh does it.

. ../api/ksft.sh
. ../api/leaks.sh
leaks snbep_uncore snbep_uncore_ubox
