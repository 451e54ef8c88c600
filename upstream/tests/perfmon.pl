#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# perfmon.pl OLD NEW: compare perf's uncore lists of the Xeon E5 v1 to v4 in two directories pmu-events/arch/x86. Prints, for
# events that have the extended select in OLD:
#	PROCESSOR KEPT LOST		how many have the same encoding in NEW, and how many another
# and for each of the latter:	lost PROCESSOR UNIT NAME

use strict;
use warnings;
use JSON::PP;

sub events
{
	my $dir = shift;
	my %events;

	for my $file (glob "$dir/uncore-*.json") {
		open my $in, '<', $file or die "$file: $!\n";
		local $/;
		for my $e (@{decode_json(<$in>)}) {
			$events{uc $e->{EventName}} = $e if $e->{EventName};
		}
	}
	die "no events in $dir\n" unless %events;
	return \%events;
}

sub code
{
	my $e = shift;

	return join ' ', ($e->{Unit} =~ s/^QPI LL$/QPI/r), hex($e->{EventCode} // 0) | ($e->{ExtSel} // 0) << 8, hex($e->{UMask} // 0);
}

for my $processor (qw(jaketown ivytown haswellx broadwellx)) {
	my ($old, $new) = map { events("$_/$processor") } @ARGV;
	my @names = sort grep { $old->{$_}{ExtSel} } keys %$old;
	my @lost = grep { !$new->{$_} || code($new->{$_}) ne code($old->{$_}) } @names;

	print "$processor ", @names - @lost, ' ', scalar @lost, "\n";
	print "lost $processor $old->{$_}{Unit} $_\n" for @lost;
}
