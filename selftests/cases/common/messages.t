#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# messages.t: Documentation/messages.rst has every line that the drivers can log, and none that they
# cannot.
# messages.t -l: print what the drivers can log, each with the places where it is.
#
# A line of the log is a string argument of one of the functions below. On the page it is a term,
# ``like this``, alone on its line, or an item of a list if it needs no explanation; a word in
# capitals stands for a conversion of printf, which any text matches.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;

chdir dirname(dirname(dirname(dirname(abs_path($0))))) or die "$!\n";

# Prefixes that the functions add, as the page has them
my %prefix = (snbep => 'snbep_uncore: PMU: ', offcore => 'offcore_rsp: ', itanium => 'itanium: ');
my %driver = ('snbep_uncore.c' => 'snbep', 'offcore_rsp.c' => 'offcore', 'itanium_pmu.c' => 'itanium');

my $functions = qr/pr_(?:emerg|alert|crit|err|warn|notice|info|debug)(?:_once|_ratelimited)?|
	(?:dev|pci)_(?:err|warn|notice|info|err_probe)(?:_once)?|printk|snbep_refuse|refuse|reject/x;
my $string = qr/"(?:[^"\\]|\\.)*"/;

sub slurp
{
	open my $in, '<', shift or die "$!\n";
	local $/;
	return <$in>;
}

# Concatenate adjacent strings.
sub text
{
	my $text = join '', map { s/^"|"$//gr } shift =~ /$string/g;

	return $text =~ s/\\n$//r =~ s/\\(.)/$1/gr;
}

my (%log, %rejects);
sub found
{
	my ($text, $file, $before) = @_;

	$log{$text}{"$file:" . (1 + ($before =~ tr/\n//))} = 1;
}

my @files = grep { m{^(?:snbep|offcore|itanium|common)/|^[^/]*\.[ch]$} } sort split /\n/, `scripts/files '*.c' '*.h'`;
# Macros that are strings
my %name;
for my $file (@files) {
	my $source = slurp($file);

	$name{$1} = $2 while $source =~ /^#define[ \t]+([A-Z]\w*)[ \t]+($string)$/mg;
}
for my $file (@files) {
	my $driver = $driver{$file} // ($file =~ m{^(snbep|offcore|itanium)/} ? $1 : '');
	my $source = slurp($file);
	my ($pr_fmt) = $source =~ /^#define pr_fmt\(fmt\) ($string)/m;

	# Blank comments and the definitions of macros.
	$source =~ s{(/\*.*?\*/)}{$1 =~ s/[^\n]//gr}gse;
	$source =~ s{^(#\s*define\b(?:.*\\\n)*.*)$}{$1 =~ s/[^\n]//gr}gme;
	$source =~ s/($string)|\b([A-Z]\w*)\b/$1 \/\/ $name{$2} \/\/ $2/ge;
	while ($source =~ /\b($functions)\(((?:$string|[^"])*?)\);/g) {
		my ($function, $call, $before) = ($1, $2, $`);
		# The first string; of refuse() the second, as its first one is the beginning.
		$call =~ s/^$string\s*,// if $function eq 'refuse';
		if ($function eq 'reject') {
			# reject() may choose between two strings.
			$rejects{text($_)} = "$file:" . (1 + ($before =~ tr/\n//)) for $call =~ /((?:$string\s*)+)/g;
			next;
		}
		my ($format) = $call =~ /((?:$string\s*)+)/ or next;
		my $begin = $function =~ /refuse/ ? $prefix{$driver} : $function =~ /^(?:dev|pci)_/ ? 'DEVICE: ' :
			$pr_fmt ? text($pr_fmt) : '';
		$format = text($format);
		$format =~ s/^%s: /PMU: / if $driver eq 'snbep';
		found($begin . $format, $file, $before);
	}
	# itanium's rules are also put into *why, come from functions that return one, and from the
	# table res_why.
	next unless $driver eq 'itanium';
	my $rules = $source =~ /\bres_why\[.*?\{(.*?)\n\}/s ? $1 : '';
	$rejects{text($1)} = $file while $rules =~ /=\s*((?:$string\s*)+)/g;
	while ($source =~ /(?:\*why =|\breturn) ((?:$string\s*)+);/g) {
		$rejects{text($1)} = "$file:" . (1 + ($` =~ tr/\n//));
	}
}
# itanium logs all of its rules with one format.
my ($rule) = grep { /^itanium: .*refused: %s$/ } keys %log;
if ($rule) {
	$log{$rule =~ s/%s$/$_/r}{$rejects{$_}} = 1 for keys %rejects;
	delete $log{$rule};
}

if (@ARGV && $ARGV[0] eq '-l') {
	print "$_\n\t", join(' ', sort keys %{$log{$_}}), "\n" for sort keys %log;
	exit 0;
}

# The page: its terms, and those without an explanation
my (%page, @unexplained);
my $page = 'Documentation/messages.rst';
my @lines = split /\n/, -e $page ? slurp($page) : '';
for my $i (0 .. $#lines) {
	my ($listed, $term) = $lines[$i] =~ /^(- )?``(.*)``$/ or next;
	$page{$term} = 0;
	push @unexplained, $term unless $listed || ($lines[$i + 1] // '') =~ /^  \S/;
}

my @lacking;
for my $log (sort keys %log) {
	my $regex = join '', map { $_ eq '%%' ? '%' : /%/ ? '.*' : quotemeta }
		split /(%%|(?:0x)?%[-#+ 0]*\d*(?:\.\d+)?(?:ll|l|h|z)?[a-zA-Z])/, $log;
	my @terms = grep { /^$regex$/ } keys %page;
	push @lacking, "$log	" . join ' ', sort keys %{$log{$log}} unless @terms;
	$page{$_}++ for @terms;
}

sub none
{
	my ($name, @bad) = @_;

	ok(!@bad, $name) or diag(join "\n", @bad);
}

my @places = map { keys %$_ } values %log;
for my $file (qw(snbep_uncore.c snbep/ offcore_rsp.c offcore/ itanium/)) {
	none("lines of the log are found in $file", grep({ /^\Q$file/ } @places) ? () : 'none');
}
none('every line of the log is on the page', @lacking);
none('every line of the page is logged by a driver', grep { !$page{$_} } sort keys %page);
none('every line has an explanation', @unexplained);
done_testing();
