#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ia64-perf.t: programs of a C library, and perf, on the emulated Itanium (make ia64-vm). Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"

"$SCRIPTS/setup"
if ! candidate binutils-ia64-linux-gnu > /dev/null; then
	echo "1..0 # SKIP this Debian has no binutils for ia64, as Debian 12 has"
	exit
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# A build directory of its own, as other tests may be writing theirs
SNBEP_BUILD=$BUILD/ia64-perf
export SNBEP_BUILD
extra=$tmp/extra
mkdir "$extra"

# vm NAME COMMAND: run it; $tmp/NAME.out and .err get its output, $status its exit status
vm()
{
	status=0
	"$TOP/itanium/ia64/vm" -e "$extra" -t 300 -l "$tmp/log" -- "$2" > "$tmp/$1.out" 2> "$tmp/$1.err" || status=$?
}

# The runner
echo typed > "$extra/typed"
vm plain 'echo out; echo "an error" >&2; cat /extra/typed; mkdir /extra/new; echo back > /extra/new/file; exit 42'
[ $status = 125 ] && { cat "$tmp/plain.err" >&2; tail -n 30 "$tmp/log" >&2; }
[ $status = 42 ] && [ "$(cat "$tmp/plain.out")" = "$(printf 'out\ntyped')" ] && [ "$(cat "$extra/new/file")" = back ] && code=0 || code=1
ok $code "output, exit status and files are the command's" "$tmp/plain.out" "$tmp/plain.err"
grep -q -x 'an error' "$tmp/plain.err" && ! grep -q 'an error' "$tmp/plain.out" && code=0 || code=1
ok $code 'its standard error comes by itself' "$tmp/plain.err"

# Programs of a C library
cross=$("$TOP/itanium/ia64/toolchain")
"${cross}gcc" -O2 -Wall -Wextra -Werror -static -I"$TOP/selftests" -o "$extra/libc" "$TOP/selftests/itanium/host/ia64-libc.c" \
	-lm -lpthread > "$tmp/gcc" 2>&1 && code=0 || code=1
ok $code 'a program of a C library is built' "$tmp/gcc"
vm libc /extra/libc
while read -r line; do
	case $line in
	ok*) ok 0 "${line#ok * }" ;;
	'not ok'*) ok 1 "${line#not ok * }" ;;
	esac
done < "$tmp/libc.out"
[ $status = 0 ] && [ "$(tail -n 1 "$tmp/libc.out")" = "1..$(grep -c 'ok [0-9]' "$tmp/libc.out")" ] && code=0 || code=1
ok $code "the program came to its end" "$tmp/libc.out" "$tmp/libc.err" "$tmp/log"

# perf: the data are evaluated there, and its output is checked here. Loads of 8192 lines, so often
cat > "$extra/session" << 'END'
set -eu
cd /tmp
perf list pmu > list
for rounds in 10 20; do
	perf stat -x, -o stat.$rounds -e itanium/loads_retired/u -- stride 1M $rounds > /dev/null
done
perf record -q -d -e itanium/data_ear_cache_lat4/u -c 64 -o ear.data -- stride 1M > array
perf script -i ear.data -F ip,sym,addr > ear
perf report -i ear.data --stdio -q -s sym > report
perf annotate -i ear.data --stdio -s load_lines > annotate
hwtest > hwtest
wc -c /proc/pal/cpu0/* > pal
# What an interactive shell suggests
sed -n "s/^echo '  \(perf .*\)'/\1/p" /etc/profile > suggested
while read -r command; do
	sh -e -c "$command" > out 2>&1 || { echo "$command"; cat out; }
done < suggested > refused
perf record -q -b -e itanium/ia64_inst_retired/u -c 5000 -o branch.data -- stride 64K 20 > /dev/null
perf script -i branch.data -F sym,brstacksym > branches
perf record -q --per-thread -e itanium/cpu_op_cycles_all/u -c 10000 -o thread.data -- stride 1M > /dev/null
perf script -i thread.data -F comm,ip,sym > thread
perf record -q -a -g -e itanium/cpu_op_cycles_all/k -c 5000 -o all.data -- stride 1M > /dev/null
perf script -i all.data -F comm,ip,sym > all
mv list stat.10 stat.20 array ear report annotate hwtest pal suggested refused branches thread all /extra/
END
rm -f "$extra/libc"
vm perf 'sh /extra/session'
ok $status 'perf list, stat, record, script, report and annotate' "$tmp/perf.err" "$tmp/perf.out"
[ $status = 0 ] || { tap_done; exit 1; }

grep -q 'itanium/data_ear_cache_lat4/' "$extra/list" && grep -q 'itanium/loads_retired/' "$extra/list" && code=0 || code=1
ok $code 'perf list has the events' "$extra/list"

count()
{
	sed -n 's/^\([0-9]*\),.*loads_retired.*/\1/p' "$1"
}
more=$(($(count "$extra/stat.20") - $(count "$extra/stat.10")))
[ $more = 81920 ] && code=0 || code=1
ok $code "perf stat: ten rounds of 8192 loads more are $more loads more" "$extra/stat.10" "$extra/stat.20"

read -r _ from to < "$extra/array"
# Of samples in the loop: how many, and how many of them lie in the array
perl -e '
	no warnings "portable";
	my ($from, $to) = map { hex } @ARGV[0, 1];
	my ($loop, $inside) = (0, 0);
	open my $in, "<", $ARGV[2] or die;
	while (<$in>) {
		my ($addr, $ip, $sym) = split;
		next unless $sym eq "load_lines";
		$loop++;
		$inside++ if hex $addr >= $from && hex $addr < $to;
	}
	print "$loop $inside\n";' "$from" "$to" "$extra/ear" > "$tmp/samples"
read -r loop inside < "$tmp/samples"
[ "$loop" -ge 100 ] && [ "$loop" = "$inside" ] && code=0 || code=1
ok $code "data EAR: $inside of $loop addresses of a loop's loads lie in its array, $from to $to" "$extra/ear"

grep -m 1 '%' "$extra/report" | grep -q 'load_lines' && code=0 || code=1
ok $code 'perf report: most of them are of the function that has the loop' "$extra/report"

grep -q '^ *\(100\|[5-9][0-9]\)\.[0-9]* .* ld8 ' "$extra/annotate" && code=0 || code=1
ok $code 'perf annotate: and most of these are of its load' "$extra/annotate"

# The machine compares bundle by bundle, but pairs of them with a fine range, and answers nothing that takes a pipeline. What
# is asked of the living kernel's PMU is not asked of this one.
sed -n 's/^   answer: //p' "$extra/hwtest" > "$tmp/answers"
printf '%s\n' unknown 'no: one by one' 'pairs are compared, or the lower one is out and the upper one in' unknown yes yes unknown | cmp -s - "$tmp/answers" && code=0 || code=1
ok $code 'hwtest: its answers are true of this machine' "$extra/hwtest"

# Files for which the kernel calls PAL. A processor without features that can be switched has nothing to say of them.
[ "$(grep -c -v -e '^ *0 ' -e total "$extra/pal")" = 8 ] && grep -q '^ *0 .*/processor_info' "$extra/pal" && code=0 || code=1
ok $code 'what PAL says of the processor: its pages can be read' "$extra/pal"

[ "$(wc -l < "$extra/suggested")" -ge 3 ] && [ ! -s "$extra/refused" ] && code=0 || code=1
ok $code 'what the shell suggests works' "$extra/suggested" "$extra/refused"

grep -c 'load_lines+.*/load_lines+' "$extra/branches" > "$tmp/number" || :
[ "$(cat "$tmp/number")" -ge 10 ] && code=0 || code=1
ok $code "perf record -b: $(cat "$tmp/number") samples have the loop's branch" "$extra/branches"

grep -c '^ *stride .*load_lines' "$extra/thread" > "$tmp/number" || :
[ "$(cat "$tmp/number")" -ge 10 ] && code=0 || code=1
ok $code "perf record --per-thread: $(cat "$tmp/number") samples of the loop" "$extra/thread"

# A sample's comm and, below it, its callers
grep -q '^stride' "$extra/all" && grep -q -v '^stride\|^	\|^ \|^$' "$extra/all" && code=0 || code=1
ok $code 'perf record -a: of this program, and of others' "$extra/all"
perl -e 'open my $in, "<", $ARGV[0] or die; $/ = ""; my $deep = grep { tr/\n// > 5 } <$in>; exit($deep < 3)' "$extra/all" && code=0 || code=1
ok $code 'perf record -g: samples of the kernel have callers' "$extra/all"
! grep -q -e perf_callchain_kernel -e ia64_native_leave_kernel "$extra/all" && code=0 || code=1
ok $code '... and none of the interrupt that took them' "$extra/all"

! grep -n -i -e warning -e '\bbug\b' -e oops -e unaligned "$tmp/log" | grep -v 'skipping physical page 0' > "$tmp/found" && code=0 || code=1
ok $code 'the kernel has nothing to complain of' "$tmp/found"
tap_done
