#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Kmemleak finds nothing after offcore_rsp was unloaded.

. ../api/ksft.sh
. ../api/leaks.sh
leaks offcore_rsp offcore_rsp
