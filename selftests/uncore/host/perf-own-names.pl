#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-own-names.pl EDITION FILE...: plan how every name of perf's uncore JSON for the Xeon E5-2600 is tried in one box of its
# kind. EDITION is "new" for those that lost the extended select. Prints lines for the guest:
#
#	run EVENT,... | STIMULUS...	one perf stat; the stimulus is uncore-stim's
#	want NAME COUNT			what it has to say of an event; COUNT 0: more than 0
#	cannot NAME			it has to be refused
#
# and at the end how many names the list has, and how many of them are tried.

use strict;
use warnings;
use JSON::PP;

my %box = (
	'CBO' => 'cbox_0', 'CBOX' => 'cbox_0', 'HA' => 'ha', 'iMC' => 'imc_0', 'PCU' => 'pcu', 'QPI LL' => 'qpi_0',
	'QPI' => 'qpi_0', 'R2PCIe' => 'r2pcie', 'R3QPI' => 'r3qpi_0', 'UBOX' => 'ubox',
);
my %clock = map { $_ => 1 } ('cbox_0 0', 'ha 0', 'imc_0 0', 'pcu 0', 'qpi_0 20', 'r2pcie 1', 'r3qpi_0 1');

my $new = shift(@ARGV) eq 'new';
my ($names, $tried, $count) = (0, 0, 1000);
my (@todo, @cannot);

# Names that mean the extended select: an edition that lost it encodes another event.
sub lost
{
	my ($box, $name) = @_;

	return $new &&
		($box eq 'pcu' && $name =~ /_(core\d|total)_transition_cycles$|_freq_(min_(io|perf)_p|trans)_cycles$/ ||
		 $box eq 'qpi_0' && $name =~ /_cto_count$|_credits_consumed_|_flits_g[12]\.|_inserts_|_occupancy_|_vna_credit_/);
}

# What has to be typed beside the name, and what happens
sub plan
{
	my ($name, $box, $code, $ext, $umask) = @_;
	my $event = sprintf('event=0x%02x', $code) . ($ext ? ',ext=1' : '');
	my $bit = $umask & -$umask;

	if ($box eq 'cbox_0' && $code == 0x34) {
		return $umask & 0x40 ? (',filter_nid=0x1', "$event,umask=0x02,nid=0") :
				       ('', sprintf("$event,umask=0x%02x", $umask & 0x0e));
	}
	if ($box eq 'cbox_0' && ($code == 0x35 || $code == 0x36)) {
		return (($umask & 0x40 ? ',filter_nid=0x1' : '') . ($umask & 0x01 ? ',filter_opc=0x182' : ''),
			sprintf("$event,umask=0x%02x,opc=0x182,nid=0", $umask & 0x17));
	}
	return (',filter_nid=0x1', "$event,umask=0x01,nid=0") if $box eq 'cbox_0' && $code == 0x37 && $umask == 0x40;
	return (sprintf(',filter_band%u=13', $code - 0x0b), "$event,freq=1300")
		if $box eq 'pcu' && !$ext && $code >= 0x0b && $code <= 0x0e;
	return ('', "$event,umask=" . {c0 => '0x40', c3 => '0x80', c6 => '0xc0'}->{$1})
		if $name =~ /^unc_p_power_state_occupancy\.cores_(c[036])$/;
	return ('', $event . ($bit ? sprintf(',umask=0x%02x', $bit) : ''));
}

for my $file (@ARGV) {
	open(my $in, '<', $file) or die "$file: $!\n";
	local $/;
	for my $e (@{decode_json(<$in>)}) {
		next unless $e->{EventName} && $e->{Unit};
		$names++;
		next if $e->{Unit} eq 'IRP';
		my $box = $box{$e->{Unit}} or die "$file: $e->{EventName} is of unknown unit\n";
		my $name = lc($e->{EventName});
		my ($code, $ext, $umask) = (hex($e->{EventCode} // 0), $e->{ExtSel} // 0, hex($e->{UMask} // 0));
		my @ctrs = split(/,/, $e->{Counter} // '0');

		# One encoding for three, where Filter has no occ_sel; in need of a group; see the page.
		next if $name =~ /^unc_p_power_state_occupancy\./ && !$e->{Filter};
		next if $name eq 'unc_c_counter0_occupancy' || lost($box, $name);
		# A field that the box does not have, or an idle control
		if (($box eq 'ubox' && $ext) || $name eq 'unc_u_clockticks') {
			push(@cannot, $name);
			next;
		}
		my ($typed, $stim) = plan($name, $box, $code, $ext, $umask);

		$tried++;
		push(@todo, {
			name => $name, box => $box, code => $code | $ext << 8, umask => $umask, ctrs => \@ctrs,
			text => $typed ? "uncore_$box/$name$typed,name=$name/" : $name,
			stim => $clock{"$box " . ($code | $ext << 8)} ? '' : $stim,
		});
	}
}

# Would one of them count what is meant for the other, or need the filter otherwise?
sub meet
{
	my ($a, $b) = @_;

	return 1 if "$a->{name} $b->{name}" =~ /_demotions_/ && "$a->{name} $b->{name}" =~ /_freq_band0_/;
	return $a->{code} == $b->{code} && ($a->{umask} & $b->{umask} || $a->{box} eq 'cbox_0' || $a->{box} eq 'pcu');
}

# Those with the fewest counters first; each takes the first that is free.
@todo = sort { @{$a->{ctrs}} <=> @{$b->{ctrs}} || $a->{name} cmp $b->{name} } @todo;
while (@todo) {
	my (%taken, @in, @out);

	for my $e (@todo) {
		my ($ctr) = grep { !$taken{"$e->{box} $_"} } @{$e->{ctrs}};

		if (!defined($ctr) || grep { $_->{box} eq $e->{box} && meet($_, $e) } @in) {
			push(@out, $e);
			next;
		}
		$taken{"$e->{box} $ctr"} = 1;
		push(@in, $e);
	}
	@todo = @out;
	my $stims = '';
	my @wants;
	for my $e (@in) {
		$count++ if $e->{stim};
		$stims .= " $e->{box} $e->{stim},count=$count" if $e->{stim};
		push(@wants, "want $e->{name} " . ($e->{stim} ? $count : 0));
	}
	print("run ", join(',', map { $_->{text} } @in), " |$stims\n", map { "$_\n" } @wants);
}
# An occupancy, and the same as the other counters see it
$tried++;
print("run {uncore_cbox_0/unc_c_rxr_occupancy.irq,name=first/,uncore_cbox_0/unc_c_counter0_occupancy,name=second/}",
      " | cbox_0 event=0x11,umask=0x01,count=77,inc=3\nwant second 231\n");
print("cannot $_\n") for @cannot;
print("names $names\ntried $tried\n");
