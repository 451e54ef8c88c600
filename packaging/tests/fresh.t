#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fresh.t [SUITE]: make fresh.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

suite=${1:-bookworm}
name="make demo and a short make check pass in a bare Debian $suite"

if [ "${SNBEP_FRESH:-}" ]; then
	ok 0 "$name # SKIP this is a bare Debian $SNBEP_FRESH, made by make fresh"
elif ! as_root unshare --mount true 2> "$tmp/err"; then
	ok 0 "$name # SKIP this machine does not let root mount: $(cat "$tmp/err")"
else
	code=0
	"$TOP/packaging/tests/fresh" "$suite" > "$tmp/all" 2>&1 || code=$?
	tail -n 100 "$tmp/all" > "$tmp/end"
	ok $code "$name" "$tmp/end"
fi
tap_done
