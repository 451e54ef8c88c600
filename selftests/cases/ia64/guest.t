#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.t [PROGRAM...]: what selftests/guest/itanium has, or some of it, on the emulated Itanium,
# whose own instructions are what they count and sample. Its overflow interrupt is a level, as seed
# 1 draws it.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"
rerun_under_tap_parts "$@"
. "$TOP/scripts/test.sh"
. "$TOP/selftests/cases/ia64/ia64.sh"
[ $# -gt 0 ] || set -- unload count sample privacy stress perf.sh

cross=$("$TOP/machine/itanium/linux/toolchain")
harness=$("$SCRIPTS/linux-source" 6.12 tools/testing/selftests/kselftest.h tools/testing/selftests/kselftest_harness.h)
# shellcheck disable=SC2046,SC2059 # names without a blank
logged "$CACHE/log/ia64-guest" make -C "$TOP/selftests" -j"${JOBS:-2}" TOP="$TOP" O="$extra" CC="${cross}gcc" \
	KSFT_INC="$harness/tools/testing/selftests" api="$TOP/selftests/api/uncore.c $TOP/selftests/guest/itanium/ia64.S" \
	"$extra/tap.sh" $(printf "$extra/itanium/%s " "$@")

cat > "$extra/all" << 'END'
ln -s /extra /selftests
for program; do
	"/selftests/itanium/$program" > "/extra/$program.tap" 2>&1
	echo $? > "/extra/$program.code"
done
END

# The programs' results, or why there are none
programs()
{
	status=0
	"$TOP/machine/itanium/linux/vm" -s 1 -e "$extra" -t 300 -l "$tmp/log" -- "sh /extra/all $*" > "$tmp/out" 2>&1 || status=$?
	ok $status "the machine ran $*" "$tmp/out" "$tmp/log"
	# Ignore findings about events that an interpreter does not have: perf.sh asks for them; and
	# that the image is built.
	! grep -v -e '^build: ' -e 'event 0x[0-9a-f]* is not one that this machine has' -e 'this machine does not capture ALAT misses' "$tmp/out" \
		> "$tmp/found" && code=0 || code=1
	ok $code 'the protocol checker objects to nothing' "$tmp/found"
	! grep -n -i -e warning -e '\bbug\b' -e oops -e unaligned "$tmp/log" | grep -v 'skipping physical page 0' > "$tmp/found" && code=0 || code=1
	ok $code 'the kernel has nothing to complain of' "$tmp/found"
	tap_done
}

# results PROGRAM: what it printed, and its exit status
results()
{
	cat "$extra/$1.tap"
	return "$(cat "$extra/$1.code")"
}

part machine programs "$@"
for program; do
	part "$program" results "$program"
done
