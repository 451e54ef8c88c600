#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel-api.pl check HISTORY KERNEL HEADERS: print each row of HISTORY that the headers of KERNEL are not as.
# kernel-api.pl change HISTORY KERNEL HEADERS OTHER: give the headers, which may be links, the forms of the kernel OTHER.
# kernel-api.pl symbols HISTORY: print all names of the table.

use strict;
use warnings;
use File::Find;

my ($command, $history, $kernel, $headers, $other) = @ARGV;
my (@rows, @symbols);
open my $in, '<', $history or die "$history: $!\n";
while (<$in>) {
	chomp;
	next if /^(#|$)/;
	if (/^same\t(.*)/) {
		push @symbols, split ' ', $1;
	} elsif (/^\t([^\t]+)\t([^\t]+)$/) {
		$rows[-1]{$_} = $2 for split ' ', $1;
	} elsif (/^(\S+)\t(\S+)$/) {
		push @rows, { header => $1, symbol => $2 };
	} else {
		die "$history:$.: no row: $_\n";
	}
}
# Some have another name in one of the forms.
push @symbols, map { map { /\w+/g } values %$_ } @rows;

sub form
{
	my ($row, $of) = @_;

	return $row->{$of} // die "$history: $row->{symbol} has no form for $of\n";
}

sub text_of
{
	my $file = shift;

	open my $in, '<', $file or return '';
	local $/;
	return scalar <$in>;
}

sub put
{
	my ($file, $text) = @_;

	unlink $file;
	open my $out, '>', $file or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
}

# A form as a pattern: space may be anywhere between two words, and "extern" is optional.
sub pattern
{
	my $words = shift;

	$words =~ s/^extern //;
	return join '\s*', map { /^\w+$/ ? "\\b$_\\b" : quotemeta } $words =~ /\w+|[^\w\s]/g;
}

# A symbol is missing if the text names it only in comments.
sub named
{
	my ($text, $symbol) = @_;

	$text =~ s{/\*.*?\*/}{}gs;
	return $text =~ /\b$symbol\b/;
}

sub check
{
	for my $row (@rows) {
		my ($form, $text) = (form($row, $kernel), text_of("$headers/$row->{header}"));
		my $as = $form eq '-' ? !named($text, $row->{symbol}) : $text =~ pattern($form);

		print "$row->{header}: $row->{symbol} is not as in $kernel: $form\n" unless $as;
	}
}

# A missing symbol has another name in all headers, as others in them may use it.
sub take_out
{
	my $symbol = shift;

	find({ no_chdir => 1, wanted => sub {
		return unless /\.h$/ && -f;
		my $text = text_of($_);
		put($_, $text) if $text =~ s/\b$symbol\b/not_here_$symbol/g;
	} }, "$headers/include", "$headers/arch/x86/include");
}

sub change
{
	for my $row (@rows) {
		my ($from, $to, $file) = (form($row, $kernel), form($row, $other), "$headers/$row->{header}");

		next if $from eq $to;
		if ($to eq '-') {
			take_out($row->{symbol});
			next;
		}
		my ($text, $old) = (text_of($file), pattern($from));
		my $function = $to =~ /^static inline/;
		# In several lines, as the kernel has them
		my $new = $function ? $to =~ s/, /,\n\t/gr . ' { }' : $to;
		$new .= ' 0' if $to =~ /^#define.*[(].*[)]$/;
		if ($from eq '-') {
			# Before the #endif of the include guard
			$text =~ s/(.*)^#endif/$1$new\n#endif/ms or die "$file has no #endif\n";
		} elsif ($function) {
			$text =~ s/($old)/$new\n$1/ or die "$file has no $from\n";
			$text =~ s/(\Q$new\E\n.*?)\b$row->{symbol}\b/$1not_here_$row->{symbol}/s;
		} else {
			$text =~ s/(?:extern\s+)?$old/$new/ or die "$file has no $from\n";
		}
		put($file, $text);
	}
}

if ($command eq 'check') {
	check();
} elsif ($command eq 'change') {
	change();
} else {
	print "$_\n" for @symbols;
}
