#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The offcore values of perf's own event lists (Debian's linux-source-6.1), opened by rsp= in the machine: all are taken.
# Prints TAP.

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

# check LIST CPU
check()
{
	values "$1" > "$tmp/values"
	sed 's/^/taken /' "$tmp/values" > "$tmp/want"
	name="$1: $(grep -c taken "$tmp/want") values taken"
	: > "$tmp/diff"
	code=0
	"$top/selftests/vm" -t 400 -W -s 1 -c 1 -m offcore_rsp -o "cpu=$2,-hypervisor,-x2apic" \
		-o core-pmu=on -e "$tmp" -- '/selftests/offcore/open < /extra/values' > "$tmp/got" 2> "$tmp/err" || code=$?
	[ -s "$tmp/want" ] && diff "$tmp/want" "$tmp/got" > "$tmp/diff" || [ $code != 0 ] || code=1
	ok $code "$name" "$tmp/diff" "$tmp/err"
}

check jaketown SandyBridge,model=45,stepping=7,-tsc-deadline
check sandybridge SandyBridge,stepping=7,-tsc-deadline
check nehalemep Nehalem
check westmereep-sp Westmere,model=37
check westmereep-dp Westmere,model=44
check westmereex Westmere,model=47
tap_done
