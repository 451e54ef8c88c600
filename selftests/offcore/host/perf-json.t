#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The offcore values of perf's own event lists (Debian's linux-source-6.1), opened by rsp= in the machine: all are taken,
# but those with bit 11 on Nehalem and Westmere, which the manual reserves. Prints TAP.

set -eu

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../../.." && pwd)
. "$top/selftests/lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

lists=$("$top/selftests/lib/source" linux)/tools/perf/pmu-events/arch/x86

# Values of a list, each once
values()
{
	perl -MJSON::PP -e '
		for my $file (@ARGV) {
			open(my $in, "<", $file) or die "$file: $!\n";
			local $/;
			for my $e (@{decode_json(<$in>)}) {
				next unless ($e->{MSRIndex} // "") =~ /0x1a[67]/i;
				printf("%#x\n", hex((split /,/, $e->{MSRValue})[0]));
			}
		}' "$lists/$1"/*.json | sort -u
}

# check LIST CPU BITS: values with one of BITS are refused
check()
{
	values "$1" > "$tmp/values"
	while read -r value; do
		if [ $((value & $3)) = 0 ]; then echo "taken $value"; else echo "refused $value"; fi
	done < "$tmp/values" > "$tmp/want"
	name="$1: $(grep -c taken "$tmp/want") values taken, $(grep -c refused "$tmp/want" || :) refused"
	: > "$tmp/diff"
	[ -s "$tmp/want" ] && "$top/selftests/vm" -t 400 -W -s 1 -c 1 -m offcore_rsp -o "cpu=$2,-hypervisor,-x2apic" \
		-o core-pmu=on -e "$tmp" -- '/selftests/offcore/open < /extra/values' > "$tmp/got" 2> "$tmp/err" &&
		diff "$tmp/want" "$tmp/got" > "$tmp/diff" && code=0 || code=1
	ok $code "$name" "$tmp/diff" "$tmp/err"
}

check jaketown SandyBridge,model=45,stepping=7,-tsc-deadline 0
check sandybridge SandyBridge,stepping=7,-tsc-deadline 0
check nehalemep Nehalem 0x800
check westmereep-sp Westmere 0x800
tap_done
