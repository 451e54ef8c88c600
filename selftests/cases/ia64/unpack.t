#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Whatever a hostile guest sends as the files of /extra, nothing is written outside of that
# directory and nothing harmful is left in it.

use strict;
use warnings;
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

my $unpack = dirname(__FILE__) . '/../../../machine/itanium/linux/unpack';
my $tmp = tempdir(CLEANUP => 1);
umask 022;

# result OK NAME WHY...: a test; WHY is printed if it failed
sub result
{
	my ($ok, $name, @why) = @_;

	ok($ok, $name) or diag(join "\n", @why);
}

# entry NAME MODE DATA [INODE]: as Linux's buffer-format.rst describes
sub entry
{
	my ($name, $mode, $data, $ino) = @_;
	my @fields = ($ino // 0, $mode, 0, 0, $ino ? 2 : 1, 0, length $data, 0, 0, 0, 0, 1 + length $name, 0);
	my $text = join('', '070701', map { sprintf '%08X', $_ } @fields) . "$name\0";

	$text .= "\0" x (-length($text) & 3) . $data;
	return $text . "\0" x (-length($text) & 3);
}

my $end = entry('TRAILER!!!', 0, '');

# unpack_it ARCHIVE [COMMAND]: in a new directory "in", beside a file "outside"; return the exit
# status and standard error
sub unpack_it
{
	my ($archive, @command) = @_;

	system 'rm', '-rf', "$tmp/top";
	mkdir $_ for "$tmp/top", "$tmp/top/in", "$tmp/top/other";
	spew("$tmp/top/outside", 'mine');
	$_->() for @command;
	spew("$tmp/archive", $archive);
	my $status = system "'$unpack' '$tmp/top/in' < '$tmp/archive' > '$tmp/err' 2>&1";
	return ($status >> 8, slurp("$tmp/err"));
}

sub spew
{
	my ($file, $text) = @_;
	open my $out, '>:raw', $file or die "$file: $!\n";
	print $out $text;
	close $out or die "$file: $!\n";
}

sub slurp
{
	open my $in, '<:raw', shift or return '';
	local $/;
	return <$in> // '';
}

# All files below top, with type and mode, and size if regular
sub files
{
	return join ' ', sort split /\n/, `cd '$tmp/top' && find . -mindepth 1 ! -name other \\( -type f -printf '%P:f%m:%s\n' -o -printf '%P:%y%m\n' \\)`;
}
my $before = 'in:d755 outside:f644:4';

my ($status, $err) = unpack_it(entry('./out', 0100644, 'text') . entry('sub/run', 0100755, 'abcde') . entry('b', 0100600, '') . $end);
result($status == 0 && $err eq '' && files() eq 'in/b:f600:0 in/out:f644:4 in/sub/run:f755:5 in/sub:d755 in:d755 outside:f644:4',
	'files and their directories arrive', files(), $err);
result((stat "$tmp/top/in/out")[4] == $>, 'they belong to the user who runs unpack');
($status, $err) = unpack_it(entry('y', 0100644, '', 7) . entry('z', 0100644, 'data', 7) . $end);
result($status == 0 && slurp("$tmp/top/in/y") eq 'data' && slurp("$tmp/top/in/z") eq 'data', 'hard links of a file arrive', files(), $err);
($status, $err) = unpack_it(entry('out', 0100644, 'new') . $end, sub { spew("$tmp/top/in/out", 'older') });
result($status == 0 && slurp("$tmp/top/in/out") eq 'new', 'a file replaces an old one', files(), $err);

my $absolute = "$tmp/top/outside";
for (['an absolute name', "$absolute"], ['two slashes', "/$absolute"], ['..', '../outside'], ['.. in the middle', 'sub/../../outside'],
     ['./..', './../outside'], ['no name', ''], ['a slash at the end', 'sub/'], ['.', '.'], ['./', './'], ['two dots alone', '..']) {
	my ($what, $name) = @$_;
	($status, $err) = unpack_it(entry($name, 0100644, 'guest') . entry('after', 0100644, 'x') . $end);
	result($status == 0 && $err =~ /^unpack: .* has an unsafe name and is left out$/ && slurp($absolute) eq 'mine' && -s "$tmp/top/in/after" == 1 &&
		!grep({ !/^(?:in|in\/after|in\/sub|outside):/ } split / /, files()), "$what is left out", files(), $err);
}

($status, $err) = unpack_it(entry('link', 0120777, '../other') . entry('link/file', 0100644, 'guest') . $end);
result($status == 0 && $err =~ m{^unpack: /extra/link is no regular file} && !-l "$tmp/top/in/link" && !-e "$tmp/top/other/file",
	'a symbolic link, then a file below it', files(), $err);
($status, $err) = unpack_it(entry('link/file', 0100644, 'guest') . $end, sub { symlink '../other', "$tmp/top/in/link" });
result($status == 0 && $err =~ /unsafe name/ && -l "$tmp/top/in/link" && !-e "$tmp/top/other/file", "a file below the user's own link", files(), $err);
($status, $err) = unpack_it(entry('link', 0100644, 'guest') . $end, sub { symlink '../outside', "$tmp/top/in/link" });
result($status == 0 && slurp($absolute) eq 'mine' && !-l "$tmp/top/in/link", "a file in the place of the user's own link", files(), $err);
($status, $err) = unpack_it(entry('link', 0100644, '', 9) . entry('link', 0100644, 'data', 9) . $end, sub { link $absolute, "$tmp/top/in/link" });
result($status == 0 && slurp($absolute) eq 'mine' && slurp("$tmp/top/in/link") eq 'data', "a file in the place of the user's hard link", files(), $err);
for (['a block device', 0060666], ['a character device', 0020666], ['a FIFO', 0010666], ['a socket', 0140666], ['no type', 0666]) {
	($status, $err) = unpack_it(entry('node', $_->[1], '') . $end);
	result($status == 0 && $err =~ /no regular file/ && files() eq $before, "$_->[0] is left out", files(), $err);
}
($status, $err) = unpack_it(entry('sub', 0046777, '') . entry('suid', 0106755, 'x') . entry('all', 0100666, 'x') . $end);
result($status == 0 && files() eq 'in/all:f644:1 in/suid:f755:1 in:d755 outside:f644:4', 'no file is setuid, setgid or writable for others', files(), $err);
($status, $err) = unpack_it(entry("a\e[2J\n", 0120777, 'x') . $end);
result($err eq "unpack: /extra/a?[2J? is no regular file and is left out\n", "control characters of a name do not reach the terminal", $err);
($status, $err) = unpack_it(join('', map { entry("n$_", 0120777, 'x') } 1 .. 5000) . $end);
result($status == 0 && ($err =~ tr/\n//) == 11 && $err =~ /4990 more files are left out/, '5000 files that are left out make eleven lines', $err);
for (['no archive', 'x' x 500], ['an archive that ends early', substr entry('f', 0100644, 'data' x 100), 0, 300],
     ['an empty stream', ''], ['a name of 4 GB', entry('f', 0100644, '') =~ s/^(.{94}).{8}/$1FFFFFFFF/r],
     ['a file of 4 GB without data', entry('f', 0100644, '') =~ s/^(.{54}).{8}/$1FFFFFFFF/r . $end]) {
	($status, $err) = unpack_it($_->[1]);
	result($status != 0 && $err =~ /^unpack: the guest's files / && files() eq $before, "$_->[0] is an error", "status $status", $err, files());
}
done_testing();
