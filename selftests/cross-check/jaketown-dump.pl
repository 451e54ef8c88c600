#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# jaketown-dump.pl FILE...: perf's uncore JSON of the Xeon E5-2600, one line per
# event: box, name, event, umask, counters.

use strict;
use warnings;
use JSON::PP;

# perf's units; those of two names have the second one in newer editions.
my %box = (
	'CBO' => 'cbox', 'CBOX' => 'cbox', 'HA' => 'ha', 'iMC' => 'imc',
	'PCU' => 'pcu', 'QPI LL' => 'qpi', 'QPI' => 'qpi', 'R2PCIe' => 'r2pcie',
	'R3QPI' => 'r3qpi', 'UBOX' => 'ubox', 'IRP' => 'irp',
);

for my $file (@ARGV) {
	open(my $in, '<', $file) or die "$file: $!\n";
	local $/;
	for my $e (@{decode_json(<$in>)}) {
		next unless $e->{EventName};
		my $box = $box{$e->{Unit} // ''}
			or die "$file: $e->{EventName} is of unknown unit\n";
		my ($name) = $e->{EventName} =~ /^UNC_[A-Z0-9]+?_(.*)$/
			or die "$file: unknown name $e->{EventName}\n";
		my $sel = hex($e->{EventCode} // 0) | ($e->{ExtSel} // 0) << 8;
		my @ctrs = split(/,/, $e->{Counter} // '0');
		my $ctrs = @ctrs > 1 ? "$ctrs[0]-$ctrs[-1]" : $ctrs[0];

		$name =~ s/\./_/g;
		printf("%s %s 0x%02x 0x%02x %s\n", $box, lc($name), $sel,
		       hex($e->{UMask} // 0), $ctrs);
	}
}
