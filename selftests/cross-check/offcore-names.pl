#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# offcore-names.pl NAMES PAGE LISTS LIBPFM4: the names of Intel's and libpfm4's lists against offcore_rsp's.
#
# NAMES is the program of offcore-names.c, PAGE has tables of their names that are not ours in upper case, LISTS is tools/perf/pmu-events/arch/x86 of a
# kernel, LIBPFM4 the source of libpfm4. Every event of a list is looked up in the tables, encoded as the module does it,
# and has to have the value that the list has. Prints TAP.

use strict;
use warnings;
# hex() of a register of 64 bits
no warnings 'portable';
use IPC::Open2;
use JSON::PP;
use Test::More;

my ($names, $page, $lists, $libpfm4) = @ARGV;
die "usage: offcore-names.pl NAMES PAGE LISTS LIBPFM4\n" unless @ARGV == 4;

# Lists by processor. offcore-names.c knows them by the same names; Westmere-EX is an NHM with two registers.
my @lists = (
	[ 'nehalemep', 'NHM', 'NHM' ], [ 'nehalemex', 'NHM', 'NHM' ], [ 'westmereex', 'NHM', 'WSM-EX' ],
	[ 'westmereep-sp', 'WSM', 'WSM' ], [ 'westmereep-dp', 'WSM-EP', 'WSM-EP' ],
	[ 'sandybridge', 'SNB', 'SNB' ], [ 'jaketown', 'SNB-EP', 'SNB-EP' ],
);
# libpfm4's file, its name of the processor there
my @pmus = (
	[ 'nhm', 'NHM', 'INTEL_NHM' ], [ 'wsm', 'WSM', 'INTEL_WSM' ], [ 'wsm', 'WSM-EP', 'INTEL_WSM_DP' ],
	[ 'snb', 'SNB', 'INTEL_SNB' ], [ 'snb', 'SNB-EP', 'INTEL_SNB_EP' ],
);

# A test that fails if something is wrong
sub none
{
	my ($what, @wrong) = @_;

	ok(!@wrong, $what) or diag(join "\n", @wrong);
}

# Ask NAMES about many at once: MODE, lines; one line each comes back.
sub ask
{
	my ($mode, @lines) = @_;
	my $pid = open2(my $out, my $in, $names, $mode);

	# The answers fit into a pipe, and so do the questions.
	print $in map { "$_\n" } @lines;
	close $in;
	chomp(my @answers = <$out>);
	waitpid $pid, 0;
	die "$names $mode failed\n" if $? || @answers != @lines;
	return @answers;
}

# Tables of the page: {processor}{name} = { terms, line, used }, apart by table.
my (@tables, @rows);
{
	open my $in, '<', $page or die "$page: $!\n";
	my $table;
	while (<$in>) {
		chomp;
		if (/^(?:Intel|libpfm4)\s+offcore_rsp\s+processors$/) {
			$table = {};
			push @tables, $table;
			<$in>;
			next;
		}
		undef $table if /^=/ || !/\S/;
		next unless $table;
		# A line without a name continues the row above it.
		if (/^\s+(\S+)$/) {
			$rows[-1]{terms} .= $1;
			next;
		}
		my ($name, $ours, $on) = split /\s{2,}/;
		die "$page:$.: not three columns\n" unless $on;
		my $row = { line => $., used => 0, terms => $ours };
		push @rows, $row;
		for my $cpu ($on eq 'all' ? qw(NHM WSM WSM-EP SNB SNB-EP) : split / /, $on) {
			die "$page:$.: $name of $cpu is there twice\n" if $table->{$cpu}{$name};
			$table->{$cpu}{$name} = $row;
		}
	}
}
die "$page: not four tables\n" unless @tables == 4;
my ($requests, $responses, $whole, $pfm_names) = @tables;

# Our terms for a name of theirs: those of its row, or the same name in lower case
sub terms
{
	my ($table, $cpu, $name) = @_;
	my $row = $table->{$cpu}{$name} or return lc $name;

	$row->{used} = 1;
	return $row->{terms};
}

# Our terms for an event of Intel's, or undef
sub translate
{
	my ($cpu, $event) = @_;
	my ($request, $response) = $event =~ /^OFFCORE_RESPONSE\.(\w+)\.(\S+)$/ or return undef;

	return terms($whole, $cpu, "$request.$response") if $whole->{$cpu}{"$request.$response"};
	return terms($requests, $cpu, $request) . ',' . terms($responses, $cpu, $response);
}

my %events;	# by the processor of offcore-names.c
for (@lists) {
	my ($list, $column, $cpu) = @$_;
	my (@questions, @wrong, @asked, %value);

	for my $file (glob "$lists/$list/*.json") {
		open my $in, '<', $file or die "$file: $!\n";
		local $/;
		for my $e (@{decode_json(<$in>)}) {
			next unless ($e->{MSRIndex} // '') =~ /0x1a[67]/i;
			$value{$e->{EventName}} = hex((split /,/, $e->{MSRValue})[0]);
		}
	}
	for my $event (sort keys %value) {
		my $terms = translate($column, $event);
		if (!$terms) {
			push @wrong, "$event: not OFFCORE_RESPONSE.REQUEST.RESPONSE";
			next;
		}
		push @questions, "$cpu $terms";
		push @asked, $event;
	}
	my @got = ask('values', @questions);
	for my $i (0 .. $#got) {
		my $want = sprintf '%#x', $value{$asked[$i]};
		push @wrong, "$asked[$i] is $want, $questions[$i] is $got[$i]" if $got[$i] ne $want;
	}
	# By rsp=, too
	my @values = map { sprintf '%#x', $_ } values %value;
	@got = ask('values', map { "$cpu rsp=$_" } @values);
	push @wrong, map { "rsp=$values[$_] is $got[$_]" } grep { $got[$_] ne $values[$_] } 0 .. $#got;
	push @wrong, 'the list has no event' unless %value;
	none("$list: " . keys(%value) . " events have the value of our names on $cpu", @wrong);
	$events{$cpu}{$list} = \%value;
}

# Our aliases: each has the value of the event that the table of events names, and a name if there is such an event.
open my $in, '-|', $names, 'aliases' or die "$names: $!\n";
my (%wrong, %seen, %matched);
while (<$in>) {
	my ($cpu, $alias, $value, $intel) = split;

	for my $list (sort keys %{$events{$cpu}}) {
		my $theirs = $events{$cpu}{$list};
		my $event = "OFFCORE_RESPONSE.$intel";

		$seen{$cpu}++;
		if (exists $theirs->{$event}) {
			$matched{$cpu}++;
			push @{$wrong{$cpu}}, sprintf '%s is %s, %s of %s is %#x', $alias, $value, $event, $list, $theirs->{$event}
				if hex $value != $theirs->{$event};
		} else {
			push @{$wrong{$cpu}}, map { "$alias is $_ of $list, and does not say so" }
				grep { $theirs->{$_} == hex $value } sort keys %$theirs;
		}
	}
}
close $in or die "$names aliases failed\n";
for my $cpu (sort keys %events) {
	none("$cpu: " . ($matched{$cpu} // 0) . ' of ' . ($seen{$cpu} // 0) . ' aliases have the value of the event that they name',
	   $matched{$cpu} ? @{$wrong{$cpu} // []} : "no alias of $cpu is in a list");
}

# Aliases that no list has, by the bits of the manual's tables 18-36 to 18-38, and how many aliases a processor has
my %own = (
	'SNB rfos_miss' => 0x3f80400002, 'SNB prefetches' => 0x103f0, 'SNB prefetches_local_dram' => 0x3004003f0,
	'SNB llc_misses' => 0x3f80408fff, 'SNB requests' => 0x18fff,
	'SNB-EP data_reads_remote_cache' => 0x187fc20001, 'SNB-EP rfos_miss' => 0x3fffc20002,
	'SNB-EP rfos_remote_dram' => 0x67f800002, 'SNB-EP rfos_remote_cache_hitm' => 0x107fc00002,
	'SNB-EP prefetches' => 0x103f0, 'SNB-EP prefetches_local_dram' => 0x6004003f0,
	'SNB-EP prefetches_remote_dram' => 0x67f8003f0, 'SNB-EP llc_misses' => 0x3fffc28fff, 'SNB-EP requests' => 0x18fff,
);
my %number = (NHM => 25, WSM => 25, 'WSM-EP' => 21, 'WSM-EX' => 25, SNB => 19, 'SNB-EP' => 27);
{
	open my $in, '-|', $names, 'aliases' or die "$names: $!\n";
	my (%have, @wrong);
	while (<$in>) {
		my ($cpu, $alias, $value, $intel) = split;
		$have{$cpu}++;
		my $want = delete $own{"$cpu $alias"};
		push @wrong, "$cpu $alias is $value" if $intel eq '-' ? !defined $want || $want != hex $value : defined $want;
	}
	close $in or die "$names aliases failed\n";
	none('aliases that no list has are what their names say', @wrong, map { "$_ is not there" } sort keys %own);
	none('every processor has its aliases',
	   map { "$_ has " . ($have{$_} // 0) } grep { ($have{$_} // 0) != $number{$_} } sort keys %number);
}

# Unit masks of libpfm4's event, bits 8 and up of which are the register
for (@pmus) {
	my ($file, $cpu, $model) = @$_;
	my (@questions, @values, @asked, @wrong);

	open my $h, '<', "$libpfm4/lib/events/intel_${file}_events.h" or die "intel_${file}_events.h: $!\n";
	my ($table) = join('', <$h>) =~ /_offcore_response(?:_0)?\[\]\s*=\s*\{(.*?)^\};/ms or die "no offcore table in $file\n";
	while ($table =~ /\{\s*\.uname\s*=\s*"(\w+)"(.*?)\n\s*\}/sg) {
		my ($name, $rest) = ($1, $2);
		my ($for) = $rest =~ /\.umodel\s*=\s*PFM_PMU_(\w+)/;
		next if $for && $for ne $model;
		my ($code) = $rest =~ /\.ucode\s*=\s*([^,]+),/ or die "$name has no code\n";
		$code =~ s/ULL//g;
		my $value = (eval $code) >> 8;
		my $ours = terms($pfm_names, $cpu, $name);
		# No equivalent here: the module refuses the value.
		push @questions, $ours eq '\-' ? sprintf('%s rsp=%#x', $cpu, $value | 1 | 1 << 31) : "$cpu $ours";
		push @values, $ours eq '\-' ? undef : sprintf '%#x', $value;
		push @asked, $name;
	}
	my @got = ask('bits', @questions);
	for my $i (0 .. $#got) {
		push @wrong, "$asked[$i] is $values[$i], $questions[$i] is $got[$i]" if defined $values[$i] && $got[$i] ne $values[$i];
		push @wrong, "$asked[$i] is not refused" if !defined $values[$i] && $got[$i] !~ /offcore_rsp: /;
	}
	none("libpfm4's $model: " . @got . ' unit masks have the value of our names', @got ? @wrong : 'there are none', @got ? () : @wrong);
}

# Sets that no list has by themselves, and their bits in the event, each of which is one set's
{
	my %set = ('SNB any_dram' => '0x300400000', 'SNB-EP remote_cache' => '0x187fc20000');
	my @names = sort keys %set;
	my @got = ask('bits', @names);
	my @wrong = map { "$names[$_] is $got[$_]" } grep { $got[$_] ne $set{$names[$_]} } 0 .. $#names;

	my $table = $page =~ s{Documentation/[^/]*$}{events/offcore_sandybridge.def}r;
	open my $in, '<', $table or die "$table: $!\n";
	my %at;
	while (<$in>) {
		my ($kind, $name, $bit) = /^SET\(OFFCORE_(\w+), (\w+), \w+, (\d+),/ or next;
		for my $cpu ($kind eq 'SNBS' ? qw(SNB SNB_EP) : $kind) {
			push @wrong, "$cpu: bit $bit is $name and $at{$cpu}{$bit}" if $at{$cpu}{$bit};
			$at{$cpu}{$bit} = $name;
		}
	}
	none('sets have the value and the bit that they had', @wrong);
}

none('every row of the tables is some list\'s', map { "$page:$_->{line}: no list has it" } grep { !$_->{used} } @rows);
done_testing();
