#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-or-later
#
# second-source.pl TOP KERNEL=DIR...: compare the model's registers with Linux's. Prints TAP.

use strict;
use warnings;
use Test::More;

# A test, and the notes to print if it fails
sub check
{
	my ($ok, $name, @notes) = @_;

	ok($ok, $name) or diag(join "\n", @notes);
}

sub text
{
	open my $in, '<', $_[0] or die "$_[0]: $!\n";
	local $/;
	my $all = <$in>;
	return $all;
}

# In C's notation
sub number
{
	my $text = shift;

	return $text =~ /^0/ ? oct $text : $text;
}

# Compare two sources' facts about one box: numbers by name.
sub compare
{
	my ($name, $model, $linux) = @_;
	my @differ;

	for (sort keys %$linux) {
		my ($m, $l) = ($model->{$_} // 'nothing', $linux->{$_});

		push @differ, sprintf '%s: model %s, Linux %s', $_, $m =~ /\D/ ? $m : sprintf('0x%x', $m), sprintf '0x%x', $l
			unless $m eq $l;
	}
	check(!@differ && scalar(keys %$linux), sprintf('%s: %d facts agree', $name, scalar keys %$linux), @differ);
}

my $top = shift;

# The model: initialisers of uncore-boxes.c, preprocessed without its headers, and the functions of uncore-functions.def.
my %boxes;
my ($source) = `sed /^#include/d '$top/machine/xeon/uncore/uncore-boxes.c' | cc -E -P -` =~
	/uncore_box_types(.*?)\n    \}, \{/s or die "uncore-boxes.c has no table\n";
while ($source =~ /\n {8}\[UNCORE_(\w+)\] = (.*?)(?=\n {8}\[|\z)/gs) {
	my ($kind, $body) = (lc $1, $2);
	my %box = (instances => 1, fixed_width => 0);

	while ($body =~ /\.(instances|ctrs|width|fixed_width|step|\w+_addr) = (\w+)/g) {
		$box{$1} = number($2);
	}
	$box{"filter_" . lc $1} = hex $2 while $body =~ /\{ "(\w+)", (0x\w+), UNCORE_/g;
	$boxes{$kind} = \%box;
}
check(keys %boxes == 8, 'the model has eight box types');
# By generation: the device ids of the model's functions
my %functions;
$source = text("$top/machine/xeon/uncore/uncore-functions.def");
while ($source =~ /^UNCORE_FUNCTION\(.*?, .*?, .*?, .*?, (0x\w+), (0x\w+), (0x\w+), (0x\w+), (?:PERF|OTHER)\)/gm) {
	$functions{snbep}{hex $1} = $functions{ivbep}{hex $2} = $functions{hswep}{hex $3} = $functions{bdx}{hex $4} = 1;
}

# The model's fields, by Linux's names for them
my %type_facts = (
	perf_ctr => 'ctr_addr', event_ctl => 'ctl_addr', box_ctl => 'box_ctl_addr', fixed_ctr => 'fixed_ctr_addr',
	fixed_ctl => 'fixed_ctl_addr', num_counters => 'ctrs', num_boxes => 'instances', perf_ctr_bits => 'width',
	fixed_ctr_bits => 'fixed_width', msr_offset => 'step',
);
my %filters = (
	cbox => { C0_MSR_PMON_BOX_FILTER => 'box_filter' },
	pcu => { PCU_MSR_PMON_BOX_FILTER => 'box_filter' },
	ha => { map { ("HA_PCI_PMON_BOX_$_" => 'box_' . lc $_) } qw(ADDRMATCH0 ADDRMATCH1 OPCODEMATCH) },
	qpi => { map { ("Q_Py_PCI_PMON_$_" => lc $_) } qw(PKT_MATCH0 PKT_MATCH1 PKT_MASK0 PKT_MASK1) },
);

for (@ARGV) {
	my ($kernel, $dir) = split /=/, $_, 2;
	my $linux = text("$dir/arch/x86/events/intel/uncore_snbep.c");
	my (%define, %seen);

	$define{$1} //= number($2) while $linux =~ /^#define\s+(SNBEP_\w+)\s+(0x[0-9a-f]+|\d+)\s*$/mg;
	my ($common) = $linux =~ /#define SNBEP_UNCORE_PCI_COMMON_INIT\(\)(.*?)\n\n/s;
	while ($linux =~ /struct intel_uncore_type snbep_uncore_(\w+) = \{(.*?)\n\};/gs) {
		my ($box, $body) = ($1, $2);
		my %facts;

		$body .= $common if $body =~ /SNBEP_UNCORE_PCI_COMMON_INIT/;
		while ($body =~ /\.(\w+)\s*=\s*(\w+)/g) {
			my $fact = $type_facts{$1} or next;
			my $value = $define{$2} // $2;

			$facts{$fact} = $value =~ /^\d+$/ ? $value : die "$kernel: no number: $2\n";
		}
		my $filter = $filters{$box} // {};
		$facts{"filter_$filter->{$_}"} = $define{"SNBEP_$_"} // die "$kernel: no SNBEP_$_\n" for keys %$filter;
		$seen{$box} = 1;
		compare("$kernel: $box", $boxes{$box} // {}, \%facts);
	}
	check(keys %seen == 8, "$kernel: has the same eight box types", join ' ', sort keys %seen);

	my $ids = text("$dir/include/linux/pci_ids.h");
	for my $generation (qw(snbep ivbep hswep bdx)) {
		my ($table) = $linux =~ /${generation}_uncore_pci_ids\[\] = \{(.*?)\n\};/s;
		my $n = 0;

		while ($table =~ /PCI_DEVICE\(PCI_VENDOR_ID_INTEL, (\w+)\)/g) {
			my $id = $1;
			my $number = $id =~ /^0x/ ? number($id) : $ids =~ /^#define\s+$id\s+(0x\w+)/m ? hex $1 : die "$kernel: no $id\n";

			$n++ if $functions{$generation}{$number};
		}
		check($n == 12, "$kernel: the 12 PCI functions of a $generation have the ids of Linux, not $n");
	}

	my $cstate = text("$dir/arch/x86/events/intel/cstate.c");
	my @wrong = grep { $cstate !~ /MSR_CORE_${_}_RESIDENCY:.*?Scope: (\w+)/s || $1 ne 'Core' } qw(C3 C6);
	check(!@wrong, "$kernel: C3 and C6 residency are per core", @wrong);
	check($define{SNBEP_PCU_MSR_CORE_C3_CTR} == 0x3fc && $define{SNBEP_PCU_MSR_CORE_C6_CTR} == 0x3fd &&
	   $define{SNBEP_CPUNODEID} == 0x40 && $define{SNBEP_GIDNIDMAP} == 0x54, "$kernel: residency, node id and map");
}

done_testing();
