#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the commands of Documentation/exercises.rst in the machine, and compare what perf prints with
# the tables.

use strict;
use warnings;
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $top = dirname(__FILE__) . '/../../..';
my $dir = tempdir(CLEANUP => 1);
my ($in_command, @exercises);
my $last = '';
open my $page, '<', "$top/Documentation/exercises.rst" or die "$!\n";
while (<$page>) {
	chomp;
	if (/^==+$/) {
		push @exercises, { title => $last, commands => '', rows => [] };
	} elsif (/^  \$ (.*)/ || ($in_command && /^ {6}(.*)/)) {
		$in_command = 1;
		$exercises[-1]{commands} .= "$1\n";
	} elsif (/^(\S.*?)  +(\S.*?)  +(\S.*?)$/ && $1 ne 'Count' && !/^==/) {
		push @{$exercises[-1]{rows}}, [$1, $2, $3];
	}
	$in_command = 0 if !/^  /;
	$last = $_;
}
@exercises = grep { $_->{commands} } @exercises;
plan(tests => @exercises + 1);
my $n = 0;
for (@exercises) {
	open my $out, '>', "$dir/$n" or die "$!\n";
	print $out $_->{commands};
	close $out;
	$n++;
}
my $all = 'for i in $(seq 0 ' . ($n - 1) . '); do sh -e /extra/$i > /extra/$i.out 2>&1 || exit 1; done';
system("$top/bin/vm", '-W', '-e', $dir, '--', $all);
ok($? == 0, "the machine runs the commands of ten exercises");

# value EXPRESSION COUNTS: of numbers and of counts
sub value
{
	my ($text, $counts) = @_;

	$text =~ s/(?<=\d),(?=\d)//g;
	$text =~ s/([a-z]\w*)/exists $counts->{$1} ? $counts->{$1} : die "no count $1\n"/ge;
	die "not a number: $text\n" if $text =~ /[^-\d +*\/().]/;
	return eval $text;
}

$n = 0;
for my $e (@exercises) {
	my $out = '';
	if (open my $in, '<', "$dir/$n.out") {
		$out = join '', <$in>;
	}
	my @counts = ({}, {});
	$counts[$1]{$3} = $2 while $out =~ /^S([01])\s+\d+\s+(\d+)\s+(\w+)\s/mg;
	my ($why, $most) = ('', 0);
	for my $row (@{$e->{rows}}) {
		for my $s (0, 1) {
			my $want = eval { value($row->[$s + 1], $counts[$s]) };
			$most = $want if defined $want && $want > $most;
		}
	}
	for my $row (@{$e->{rows}}) {
		for my $s (0, 1) {
			my $got = eval { value($row->[0], $counts[$s]) };
			my $want = eval { value($row->[$s + 1], $counts[$s]) };
			$why .= "socket $s: $row->[0] is " . ($got // 'not there') . ", not $row->[$s + 1]\n"
				if !defined $got || !defined $want ||
				   abs($got - $want) > 0.03 * ($want > $most / 10 ? $want : $most);
		}
	}
	$why = "there is no table\n" if !@{$e->{rows}};
	ok($why eq '', $e->{title}) or diag("$why$out");
	$n++;
}
