# SPDX-License-Identifier: GPL-2.0-only
#
# The mutants of a file: one small change to one line each, made by rule. For selftests/measure/mutants.

package mutate;

use strict;
use warnings;
no warnings qw(portable);
use Exporter qw(import);

our @EXPORT = qw(mutants slurp);

sub slurp
{
	open my $in, '<', $_[0] or die "$_[0]: $!\n";
	local $/;
	return scalar <$in>;
}

sub one_more
{
	my $n = shift;

	return $n =~ /^0x/ ? sprintf '%#x', 1 + hex $n : 1 + $n;
}

# Flip the lowest bit of a number, which then stays in the range of a table.
sub flip
{
	my $n = shift;

	return $n =~ /^0x/i ? sprintf '0x%0*x', length($n) - 2, 1 ^ hex $n : 1 ^ $n;
}

my %other = (' / ' => ' * ', ' * ' => ' + ', ' + ' => ' - ', ' - ' => ' + ', ANY => 'DUP', DUP => 'ANY', A => 'F', F => 'A', C => 'A',
	S => 'A', A_YES => 'A_NO', A_NO => 'A_YES', A_UNKNOWN => 'A_NO', MiB => 'Bytes', Bytes => 'MiB', bytes => 'MiB', '%' => '');
my $indent = qr/^(?:\t+|(?: {4})+)/;
my $number = qr/(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)(?![\w.])/;

# The rules for C: name, pattern for a line without its strings and comments, and replacement of the part named x.
my @code = (
	[ 'comparison', qr/ (?<x>==) /, sub { '!=' } ],
	[ 'comparison', qr/ (?<x>!=) /, sub { '==' } ],
	[ 'boundary', qr/ (?<x><) /, sub { '<=' } ],
	[ 'boundary', qr/ (?<x><=) /, sub { '<' } ],
	[ 'boundary', qr/ (?<x>>) /, sub { '>=' } ],
	[ 'boundary', qr/ (?<x>>=) /, sub { '>' } ],
	[ 'condition', qr/ (?<x>&&)(?: |$)/, sub { '||' } ],
	[ 'condition', qr/ (?<x>\|\|)(?: |$)/, sub { '&&' } ],
	[ 'branch', qr/$indent(?:\} else )?if \((?<x>.*)\)(?: \{)?$/, sub { "!($_[0])" } ],
	[ 'errno', qr/(?<x>-E[A-Z]{2,})\b/, sub { $_[0] eq '-EINVAL' ? '-EOPNOTSUPP' : '-EINVAL' } ],
	[ 'bit', qr/\bBIT(?:_ULL)?\((?<x>\d+)\)/, sub { $_[0] + 1 } ],
	[ 'mask', qr/\bGENMASK(?:_ULL)?\((?<x>\d+), /, sub { $_[0] - 1 } ],
	[ 'mask', qr/\bGENMASK(?:_ULL)?\(\d+, (?<x>\d+)\)/, sub { $_[0] + 1 } ],
	[ 'one', qr/ (?<x>[+-] 1)\b/, sub { '+ 0' } ],
	[ 'truth', qr/\breturn (?<x>true);/, sub { 'false' } ],
	[ 'truth', qr/\breturn (?<x>false);/, sub { 'true' } ],
	[ 'or', qr/\S (?<x>\|=) /, sub { '=' } ],
	[ 'clear', qr/\S (?<x>&= ~)/, sub { '|= ' } ],
	# lockdep's annotations do not change what the driver does.
	[ 'dropped', qr/$indent(?!lockdep_)(?<x>[a-z_]\w*\(.*\);)$/, sub { ';' } ],
	[ 'dropped', qr/$indent(?<x>[a-z_*][\w>.\[\]*-]* [|&^+-]?= .*;)$/, sub { ';' } ],
	[ 'dropped', qr/$indent(?<x>[a-z_][\w>.\[\]-]*(?:\+\+|--);)$/, sub { ';' } ],
	[ 'number', qr/^#define\s+\w+\s+(?<x>0x[0-9a-f]+|\d+)\s*$/, \&one_more ],
	[ 'number', qr/^#define\s+ITANIUM_FLD_\w+\s+config\d?, (?<x>\d+)/, \&one_more ],
	[ 'number', qr/^#define\s+ITANIUM_FLD_\w+\s+config\d?, \d+, (?<x>\d+)/, \&one_more ],
	[ 'number', qr/\.\w+ = (?<x>0x[0-9a-f]+|\d+)\b/, \&one_more ],
	[ 'truth', qr/\.\w+ = (?<x>true)\b/, sub { 'false' } ],
	# A row of a table
	[ 'table', qr/^\s+(?:\[\w+\] = )?(?:\{|[A-Z]\w*\().*?(?<x>$number).*[,})]$/, \&flip ],
);

# The rules for events/*.def, where strings are data, too: encodings ("event=0x35,umask=0x03") and equations ("[rx] / [tx]").
# Descriptions are not.
my @data = (
	[ 'number', qr/^[^"]*?(?<x>$number)/, \&flip ],
	[ 'flag', qr/(?<x>\b(?:SNBEP_F|Q)_(?!NONE)[A-Z]\w*)/, sub { $_[0] =~ /^S/ ? 'SNBEP_F_NONE' : '0' } ],
	[ 'flag', qr/(?<x>\bOFFCORE_\w+)/, sub { '0' } ],
	[ 'word', qr/, (?<x>ANY|DUP|[AFCS]|A_YES|A_NO|A_UNKNOWN)(?=,)/, sub { $other{$_[0]} } ],
	[ 'decimals', qr/^COLUMN\(.*", (?<x>\d+), /, \&one_more ],
	[ 'divisor', qr/^COLUMN\(.*, (?<x>[\d.]+(?:e\d+)?)\)/, sub { "1$_[0]" } ],
	[ 'unit', qr/^(?:\w*SCALE|STAT)\(.*"(?<x>MiB|Bytes|bytes|%)"/, sub { $other{$_[0]} } ],
	[ 'scale', qr/(?<!\\)"(?<x>[\d.]+(?:e-\d+)?)%?"/, sub { "1$_[0]" } ],
	[ 'code', qr/"[^"]*?\w=(?<x>0x[0-9a-f]+|\d+)/, \&flip ],
	[ 'term', qr/"[^"]*?(?<x>,\w+=[\w?]+)/, sub { '' } ],
	[ 'operator', qr/(?<=[\])\d])(?<x> [-+*\/] )/, sub { $other{$_[0]} } ],
	[ 'factor', qr/(?:\] [*\/] |"(?=\d+(?:"| [*\/])))(?<x>\d+)(?=[" )])/, \&one_more ],
	[ 'operand', qr/\[(?<x>[a-z][\w:]*)/, undef ],
);

# A line of code with its strings and comments blanked, as long as before; with $strings those stay
sub code
{
	my ($line, $in, $strings) = @_;
	my $blank = sub { ' ' x length $_[0] };

	if ($$in) {
		return ' ' x length $line unless $line =~ s{^(.*?\*/)}{$blank->($1)}e;
		$$in = 0;
	}
	$line =~ s{("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')}{'"' . ' ' x (length($1) - 2) . '"'}ge unless $strings;
	$line =~ s{(/\*.*?\*/)}{$blank->($1)}ge;
	$$in = 1 if $line =~ s{(/\*.*)$}{$blank->($1)}e;
	return $line;
}

# All mutants of a file: file, line (from 0), rule, new lines, text for people, and an identifier that lines elsewhere do not change
sub mutants
{
	my $file = shift;
	my @lines = split /\n/, slurp($file);
	my $data = $file =~ /\.def$/;
	my ($comment, $before, $function, $operand, @found) = (0, '', '', '');

	for my $i (0 .. $#lines) {
		my $code = code($lines[$i], \$comment, $data) =~ s/\s+$//r;
		my %at;
		my $add = sub {
			my ($line, $rule, $text, @new) = @_;
			push @found, { file => $file, line => $line, rule => $rule, function => $function, text => $text, new => [@new] };
		};

		$function = $1 if $code =~ ($data ? qr/^(?|METRIC\(\w+, "[^"]*", "?(\w+)|[A-Z_]+\(([^)]*?, "?\w+|\w+))/ : qr/^(?=[a-z_])[^;=]*?(\w+)\([^;]*$/);
		next if ($code =~ /^#/ && $code !~ /^#define/) || $code =~ /\\$/ || $lines[$i] =~ /^MODULE_/ || $data && $code =~ /^#/;
		for my $rule ($data ? @data : @code) {
			my ($name, $look, $put) = @$rule;
			# Change numbers of a macro, not its code.
			next if $code =~ /^#define/ && $name !~ /^(?:bit|mask|number)$/;

			my $rest = $code;
			while ($rest =~ /$look/) {
				my ($at, $len) = ($-[1], $+[1] - $-[1]);
				my $new = $lines[$i];
				my $part = substr $new, $at, $len;
				my $x = $put ? $put->($part) : $operand;

				# Matches may overlap.
				substr($rest, $at, $len) = "@" x $len;
				$operand = $part unless $put;
				next if $x eq '' && !$put || $x eq $part || $name eq 'table' && $at{$at};
				$at{$at} = 1;
				substr($new, $at, $len) = $x;
				$add->($i, $name, ($lines[$i] =~ s/^\s+//r) . '  ->  ' . ($new =~ s/^\s+//r), $new);
				last if $name =~ /^(?:branch|dropped)$/;
			}
		}
		if ($i && $code =~ /^(\t+|(?: {4})+)[a-z_]\w*\(.*\);$/ && $before =~ /^$1\w+\(.*\);$/) {
			$add->($i - 1, 'order', ($lines[$i - 1] =~ s/^\s+//r) . '  after  ' . ($lines[$i] =~ s/^\s+//r), @lines[$i, $i - 1]);
		}
		$before = $code;
	}
	my %same;
	for (@found) {
		$_->{name} = "$_->{file}:" . ($_->{line} + 1) . ": $_->{rule}: $_->{text}";
		$_->{id} = "$_->{function}\t$_->{rule}\t$_->{text}";
		my $n = ++$same{$_->{id}};
		$_->{id} .= "\t$n" if $n > 1;
	}
	return @found;
}

1;
