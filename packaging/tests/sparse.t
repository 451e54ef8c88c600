#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Sparse runs on the drivers; `make style` checks what it finds.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

code=0
SNBEP_BUILD=$tmp "$SCRIPTS/modules" 6.1 "$TOP" C=2 > "$tmp/out" 2> "$tmp/err" || code=$?
ok $code "the drivers build under sparse" "$tmp/err"
grep -q '^  CHECK .*\.c$' "$tmp/modules-6.1/.log" && code=0 || code=1
ok $code "sparse has checked them" "$tmp/modules-6.1/.log"
tap_done
