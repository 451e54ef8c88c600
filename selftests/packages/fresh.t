#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# fresh.t [SUITE]: make fresh, unless nothing that it tries has changed since it was last good. Prints TAP.
#
# It is for machines that have more than the project has installed. One where no kernel for the emulated machine has been made ready
# yet is being set up from nothing by this very run, and the same once more would double its time.

. "$(dirname "$(readlink -f "$0")")/../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

suite=${1:-bookworm}
name="make demo and a short make check pass in a bare Debian $suite"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ "${SNBEP_FRESH:-}" ]; then
	ok 0 "$name # SKIP this is a bare Debian $SNBEP_FRESH, made by make fresh"
elif day=$("$TOP/selftests/packages/fresh" -q "$suite"); then
	ok 0 "$name # SKIP unchanged since the last success, on $day: all that installs or builds the machine"
elif [ ! -e "$CACHE/kernel/current-6.1" ]; then
	ok 0 "$name # SKIP this machine is being set up from nothing just now, which shows the same; make fresh does it again"
elif ! as_root unshare --mount true 2> "$tmp/err"; then
	ok 0 "$name # SKIP this machine does not let root mount: $(cat "$tmp/err")"
else
	code=0
	"$TOP/selftests/packages/fresh" "$suite" > "$tmp/all" 2>&1 || code=$?
	tail -n 100 "$tmp/all" > "$tmp/end"
	ok $code "$name" "$tmp/end"
fi
tap_done
