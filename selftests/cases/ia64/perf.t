#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs of a C library, and perf, on the emulated Itanium (make ia64-vm).

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"
. "$TOP/selftests/cases/ia64/ia64.sh"

# vm NAME COMMAND: run it; $tmp/NAME.out and .err get its output, $status its exit status
vm()
{
	status=0
	"$TOP/machine/itanium/linux/vm" -e "$extra" -t 300 -l "$tmp/log" -- "$2" > "$tmp/$1.out" 2> "$tmp/$1.err" || status=$?
}

# ok_each FILE...: the results in a program's output, of which there have to be as many as it has
# planned, and its exit status
ok_each()
{
	while read -r line; do
		name=${line#*ok * }
		case $line in
		ok*) ok 0 "${name#- }" ;;
		'not ok'*) ok 1 "${name#- }" "$@" ;;
		esac
	done < "$1"
	[ $status = 0 ] && [ "$(tail -n 1 "$1")" = "1..$(grep -c 'ok [0-9]' "$1")" ] && code=0 || code=1
	ok $code 'the program came to its end' "$@"
}

# The runner
echo typed > "$extra/typed"
vm plain 'echo out; echo "an error" >&2; cat /extra/typed; mkdir /extra/new; echo back > /extra/new/file; exit 42'
[ $status = 125 ] && { cat "$tmp/plain.err" >&2; tail -n 30 "$tmp/log" >&2; }
[ $status = 42 ] && [ "$(cat "$tmp/plain.out")" = "$(printf 'out\ntyped')" ] && [ "$(cat "$extra/new/file")" = back ] && code=0 || code=1
ok $code "output, exit status and files are the command's" "$tmp/plain.out" "$tmp/plain.err"
grep -q -x 'an error' "$tmp/plain.err" && ! grep -q 'an error' "$tmp/plain.out" && code=0 || code=1
ok $code 'its standard error comes by itself' "$tmp/plain.err"

# A kernel of one's own has the module built in, another driver, or none.
"$TOP/machine/itanium/linux/vm" -k "$SNBEP_BUILD/ia64/smp/vmlinux" -t 300 -l "$tmp/log" -- \
	'[ ! -e /sys/module/itanium_pmu ] && perf stat -x, -e task-clock true' > "$tmp/own" 2>&1 && grep -q task-clock "$tmp/own" && code=0 || code=1
ok $code "a kernel given by its path boots without the module" "$tmp/own" "$tmp/log"

# Programs of a C library
cross=$("$TOP/machine/itanium/linux/toolchain")
"${cross}gcc" -O2 -Wall -Wextra -Werror -static -I"$TOP" -o "$extra/libc" "$TOP/selftests/cases/ia64/libc.c" \
	-lm -lpthread > "$tmp/gcc" 2>&1 && code=0 || code=1
ok $code 'a program of a C library is built' "$tmp/gcc"
vm libc /extra/libc
ok_each "$tmp/libc.out" "$tmp/libc.err" "$tmp/log"

# perf, and what a real machine is asked
rm -f "$extra/libc"
vm selftest 'hwtest > /extra/hwtest; wc -c /proc/pal/cpu0/* > /extra/pal; selftest'
ok_each "$tmp/selftest.out" "$tmp/selftest.err" "$tmp/log"
grep -q 'more are 81920 loads more' "$tmp/selftest.out" && code=0 || code=1
ok $code 'perf stat counts exactly' "$tmp/selftest.out"

# The machine compares bundle by bundle, but pairs of them with a fine range, and answers nothing
# that takes a pipeline. What is asked of the living kernel's PMU is not asked of this one.
sed -n 's/^   answer: //p' "$extra/hwtest" > "$tmp/answers"
printf '%s\n' unknown 'no: one by one' 'pairs are compared, or the lower one is out and the upper one in' unknown yes yes unknown unknown | cmp -s - "$tmp/answers" && code=0 || code=1
ok $code 'hwtest: its answers are true of this machine' "$extra/hwtest"

# Files for which the kernel calls PAL. A processor without features that can be switched has
# nothing to say of them.
[ "$(grep -c -v -e '^ *0 ' -e total "$extra/pal")" = 8 ] && grep -q '^ *0 .*/processor_info' "$extra/pal" && code=0 || code=1
ok $code 'what PAL says of the processor: its pages can be read' "$extra/pal"

# An interrupt here takes longer than its share of a tick: ticks alone would not throttle it.
vm storm 'perf record -q -a -g -e itanium/cpu_op_cycles_all/k -c 1 -o /tmp/data -- stride 64K && dmesg | grep "interrupt took too long"'
[ $status = 0 ] && code=0 || code=1
ok $code 'sampling each cycle of the kernel leaves time for a program' "$tmp/storm.out" "$tmp/storm.err" "$tmp/log"

! grep -n -i -e warning -e '\bbug\b' -e oops -e unaligned "$tmp/log" | grep -v 'skipping physical page 0' > "$tmp/found" && code=0 || code=1
ok $code 'the kernel has nothing to complain of' "$tmp/found"
tap_done
