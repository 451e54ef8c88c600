#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-own-names.pl EDITION FILE...: print every name of perf's uncore JSON for the Xeon E5-2600, for one box of its type. EDITION is
# "new" for lists that lost the extended select. Lines for the guest:
#
#	opens BOX EVENT		perf opens it
#	cannot BOX NAME		it has to be refused

use strict;
use warnings;
use JSON::PP;

my %box = (
	'CBO' => 'cbox_0', 'CBOX' => 'cbox_0', 'HA' => 'ha', 'iMC' => 'imc_0', 'PCU' => 'pcu', 'QPI LL' => 'qpi_0',
	'QPI' => 'qpi_0', 'R2PCIe' => 'r2pcie', 'R3QPI' => 'r3qpi_0', 'UBOX' => 'ubox',
);

my $new = shift(@ARGV) eq 'new';

# Names with the extended select: without it they encode another event.
sub lost
{
	my ($box, $name) = @_;

	return $new &&
		($box eq 'pcu' && $name =~ /_(core\d|total)_transition_cycles$|_freq_(min_(io|perf)_p|trans)_cycles$/ ||
		 $box eq 'qpi_0' && $name =~ /_cto_count$|_credits_consumed_|_flits_g[12]\.|_inserts_|_occupancy_|_vna_credit_/);
}

# Terms that the name needs
sub filter
{
	my ($box, $code, $ext, $umask) = @_;

	return sprintf(',filter_band%u=13', $code - 0x0b) if $box eq 'pcu' && !$ext && $code >= 0x0b && $code <= 0x0e;
	return '' if $box ne 'cbox_0' || $code < 0x34 || $code > 0x37;
	return ($umask & 0x40 ? ',filter_nid=0x1' : '') . ($umask & 0x01 && ($code == 0x35 || $code == 0x36) ? ',filter_opc=0x182' : '');
}

for my $file (@ARGV) {
	open(my $in, '<', $file) or die "$file: $!\n";
	local $/;
	for my $e (@{decode_json(<$in>)}) {
		next unless $e->{EventName} && $e->{Unit};
		next if $e->{Unit} eq 'IRP';
		my $box = $box{$e->{Unit}} or die "$file: $e->{EventName} is of unknown unit\n";
		my $name = lc($e->{EventName});
		my ($code, $ext, $umask) = (hex($e->{EventCode} // 0), $e->{ExtSel} // 0, hex($e->{UMask} // 0));

		# One encoding for three names, where Filter has no occ_sel
		next if $name =~ /^unc_p_power_state_occupancy\./ && !$e->{Filter};
		next if lost($box, $name);
		# A field that the box lacks, or a control of 0
		if (($box eq 'ubox' && $ext) || $name eq 'unc_u_clockticks') {
			print("cannot $box $name\n");
			next;
		}
		my $filter = filter($box, $code, $ext, $umask);

		print("opens $box ", $filter ? "uncore_$box/$name$filter/" : $name, "\n");
	}
}
