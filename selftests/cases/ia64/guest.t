#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.t [PROGRAM...]: the kselftest target itanium_pmu, or some of its programs, on the emulated
# Itanium, whose own instructions are what they count and sample. Its overflow interrupt is a level,
# as seed 1 draws it.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"
. "$TOP/selftests/cases/ia64/ia64.sh"

cross=$("$TOP/machine/itanium/linux/toolchain")
logged "$CACHE/log/ia64-guest" make -C "$TOP/selftests" install TARGETS=drivers/perf/itanium_pmu O="$tmp/build" \
	KSFT_INSTALL_PATH="$extra" CROSS_COMPILE="$cross"

which=
for program; do
	which="$which -t drivers/perf/itanium_pmu:$program"
done
status=0
"$TOP/machine/itanium/linux/vm" -s 1 -e "$extra" -t 300 -l "$tmp/log" -- "cd /extra && ./run_kselftest.sh $which > ktap 2>&1" > "$tmp/out" 2>&1 || status=$?
"$SCRIPTS/ktap.py" $status < "$extra/ktap" && code=0 || code=1
ok $code 'run_kselftest.sh passes' "$tmp/out" "$tmp/log"
# Ignore findings about events that an interpreter does not have: perf.sh asks for them; and
# that the image is built.
! grep -v -e '^build: ' -e 'event 0x[0-9a-f]* is not one that this machine has' -e 'this machine does not capture ALAT misses' "$tmp/out" \
	> "$tmp/found" && code=0 || code=1
ok $code 'the protocol checker objects to nothing' "$tmp/found"
! grep -n -i -e warning -e '\bbug\b' -e oops -e unaligned "$tmp/log" | grep -v 'skipping physical page 0' > "$tmp/found" && code=0 || code=1
ok $code 'the kernel has nothing to complain of' "$tmp/found"
tap_done
