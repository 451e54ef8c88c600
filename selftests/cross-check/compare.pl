#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# compare.pl OURS THEIRS LIST [EDITION]: compare two event tables, as TAP.
#
# A table's lines are: box, name, event, umask, counters. LIST names each
# difference and its reason, one a line:
#
#	BOX NAME only-here[:EVENT,UMASK,COUNTERS] REASON...
#	BOX NAME only-there REASON...
#	BOX NAME EVENT,UMASK,COUNTERS REASON...		(theirs; ours differs
#							or is not there)
#
# * stands for anything. A difference without a line fails, and so does a line without a
# difference. Lines after "in EDITION" are for that edition alone.

use strict;
use warnings;
use Test::More;

die "usage: compare.pl OURS THEIRS LIST [EDITION]\n" unless @ARGV == 3 || @ARGV == 4;

sub read_table
{
	my ($file) = @_;
	my %table;

	open(my $in, '<', $file) or die "$file: $!\n";
	while (<$in>) {
		my ($box, $name, @values) = split;

		die "$file:$.: not five columns\n" unless @values == 3;
		die "$file:$.: $box $name is there twice\n"
			if $table{"$box $name"};
		$table{"$box $name"} = join(',', @values);
	}
	die "$file is empty\n" unless %table;
	return \%table;
}

sub pattern
{
	my ($text) = @_;

	$text = quotemeta($text);
	$text =~ s/\\\*/.*/g;
	return qr/^$text$/;
}

my ($ours, $theirs) = map { read_table($_) } @ARGV[0, 1];
my (@list, $other);

open(my $in, '<', $ARGV[2]) or die "$ARGV[2]: $!\n";
while (<$in>) {
	$other = $1 ne $ARGV[3] if /^in (\S+)$/;
	next if /^\s*(#|$)|^in / || $other;
	my ($box, $name, $what, $reason) = split(' ', $_, 4);

	die "$ARGV[2]:$.: no reason given\n" unless $reason;
	push(@list, {
		at => "$ARGV[2]:$.", what => pattern($what =~ s/^only-here$/only-here:*/r), match => pattern("$box $name"),
		text => "$box $name $what", used => 0,
	});
}

my (%same, %listed, @unlisted);

for my $key (sort keys %{{%$ours, %$theirs}}) {
	my ($box) = split(' ', $key);
	my $what;

	if (!$theirs->{$key}) {
		$what = "only-here:$ours->{$key}";
	} elsif (!$ours->{$key}) {
		$what = 'only-there';
		# An exception may depend on their value, too.
		my $there = $theirs->{$key};
		$what = $there if grep { $there =~ $_->{what} &&
					 $key =~ $_->{match} } @list;
	} elsif ($ours->{$key} ne $theirs->{$key}) {
		$what = $theirs->{$key};
	} else {
		$same{$box}++;
		next;
	}
	my @hits = grep { $what =~ $_->{what} && $key =~ $_->{match} } @list;
	$_->{used}++ for @hits;
	if (@hits) {
		$listed{$box}++;
	} else {
		push(@unlisted, "$key: ours " . ($ours->{$key} // '-') .
		     ", theirs " . ($theirs->{$key} // '-'));
	}
}

for my $box (sort keys %{{%same, %listed, map { (split)[0] => 1 } @unlisted}}) {
	my @bad = grep { /^$box / } @unlisted;

	ok(!@bad, sprintf('%s: %d rows are the same, %d differ as listed',
			  $box, $same{$box} // 0, $listed{$box} // 0));
	diag("not listed: $_") for @bad;
}

my @stale = grep { !$_->{used} } @list;

ok(!@stale, 'every listed difference is one');
diag("$_->{at}: $_->{text} is no difference") for @stale;
done_testing();
