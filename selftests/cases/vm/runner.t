#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Exact output and exit status of a command in the machine, literal commands, /extra, and failures.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp" "$TOP/test_vm.mod.c"' EXIT

# is WHAT EXPECTED GOT
is()
{
	printf 'expected: %s\ngot: %s\n' "$2" "$3" > "$tmp/is"
	[ "$2" = "$3" ] && same=0 || same=1
	ok $same "$1" "$tmp/is" "$tmp/err"
}

run()
{
	code=0
	"$@" > "$tmp/out" 2> "$tmp/err" || code=$?
}

# The set-up prints their progress on standard error.
run "$TOP/bin/vm" -m '' -- true
is "the machine is ready" 0 $code
run "$TOP/bin/vm" -m '' -- 'ls /selftests/*'
is "it has a user's programs, and no test, which would need the source of Linux" \
	'/selftests/machine: access /selftests/uncore: count_reads' "$(xargs < "$tmp/out")"

mkdir "$tmp/extra"
head -c 100000 /dev/urandom > "$tmp/extra/in"
# shellcheck disable=SC2016
literal='x="a  b"; echo "$x $(echo s) $((6*7)) # , `echo b`"
echo err >&2
cat /extra/in > /extra/out; cat /extra/in; exit 42'
cd "$TOP"
run make vm MODULES= "EXTRA=$tmp/extra" "CMD=$literal"
is "make vm: a command that fails is an error of make" '2 err make: Error 42' \
	"$code $(sed 's/\*\*\* \[.*\] //' "$tmp/err" | paste -sd ' ')"
is "make vm: the command is taken literally" 'a  b s 42 # , b' "$(head -n 1 "$tmp/out" | tr -d '\0')"
tail -n +2 "$tmp/out" > "$tmp/binary"
is "make vm: binary output arrives unchanged" same "$(cmp "$tmp/binary" "$tmp/extra/in" && echo same)"
run "$TOP/bin/vm" -m '' -e "$tmp/extra" -- "$literal"
is "vm: the command's exit status, and its standard error" '42 err' "$code $(cat "$tmp/err")"
is "/extra is writable" same "$(cmp "$tmp/extra/out" "$tmp/extra/in" && echo same)"

run "$TOP/bin/vm" -m '' -k 6.12 -W -l "$tmp/log" -- 'uname -r; head -c 3000000 /dev/zero'
is "6.12 boots" "$(cat "$("$SCRIPTS/kernel" 6.12)/release")" "$(head -n 1 "$tmp/out" | tr -d '\0')"
is "nothing of long output is lost" 3000000 "$(tail -n +2 "$tmp/out" | wc -c)"
is "the kernel's log is clean" 0 $code
is "the kernel's log is kept" yes "$(grep -q 'Linux version 6.12' "$tmp/log" && echo yes)"

run "$TOP/bin/vm" -m '' -W -- 'echo "BUG: made up" > /dev/kmsg; echo fine'
is "-W fails for a complaint in the log" "1 fine" "$code $(cat "$tmp/out")"

(cd "$TOP" && make vm MODULES= CMD='for i in 0 1 2 3 4 5 6 7; do printf out; printf err >&2; echo; done') > "$tmp/both" 2>&1
is "output and errors to the same place keep their order" '8 outerr' "$(uniq -c "$tmp/both" | sed 's/^ *//')"

run "$TOP/bin/vm" -m '' -- 'for i in $(seq 100); do echo "BUG: line $i" > /dev/kmsg; done; echo c > /proc/sysrq-trigger'
is "a long complaint of the kernel is there from its first line" yes "$(head -n 1 "$tmp/err" | grep -q 'BUG: line 1$' && echo yes)"
run "$TOP/bin/vm" -m '' -- 'echo before; echo c > /proc/sysrq-trigger'
is "a crash is a failure of the machine" "125 before" "$code $(cat "$tmp/out")"
is "a crash is explained" yes "$(grep -q 'sysrq triggered crash' "$tmp/err" && echo yes)"

# Objects that "make" left in the tree, for the host's kernel
: > "$TOP/test_vm.mod.c"
run "$SCRIPTS/modules" 6.1 "$TOP"
is "modules for the host's kernel are not in the way" "0 no" \
	"$code $([ -e "$(cat "$tmp/out")/test_vm.mod.c" ] && echo yes || echo no)"
rm "$TOP/test_vm.mod.c"

run "$TOP/bin/vm" -m '' -t 20 -- 'sleep 1000'
is "time over" 124 $code

# On a processor with six other programs, the command mostly waits, which must not count.
processor=$(taskset -c -p $$ | sed 's/.*: //; s/[,-].*//')
others=
for _ in 1 2 3 4 5 6; do
	timeout 300 taskset -c "$processor" sh -c 'while :; do :; done' &
	others="$others $!"
done
run "$SCRIPTS/limit" 4 taskset -c "$processor" perl -e '1 while (times)[0] < 1'
is "a limit is not reached by waiting for a processor" 0 $code
run "$SCRIPTS/limit" 1 taskset -c "$processor" sh -c 'while :; do :; done'
is "a limit is reached by work" 124 $code
# shellcheck disable=SC2086
kill $others
run "$SCRIPTS/limit" 1 sleep 100
is "a limit is reached by sleep" 124 $code
run "$SCRIPTS/limit" 100 sh -c 'exit 7'
is "below the limit, the status is the command's" 7 $code

run "$TOP/bin/vm" -m 'no_such_module' -- 'echo not reached'
is "a module that does not load is a failure of the machine" "125 " "$code $(cat "$tmp/out")"
run "$TOP/bin/vm" -m snbep_uncore -o "cpu=Nehalem,-hypervisor" -- 'echo not reached'
is "what the kernel says of a module that does not load, and no more, stands before the error" '125 yes yes' \
	"$code $(head -n 1 "$tmp/err" | grep -q 'snbep_uncore: ' && echo yes) $(tail -n 1 "$tmp/err" | grep -q '^vm: modprobe snbep_uncore: ' && echo yes)"
run "$TOP/bin/vm" -m 'snbep_uncore no_such=1' -- 'echo not reached'
is "a module's unknown parameter is refused" '125 vm: modprobe snbep_uncore no_such=1: it has no parameter no_such' \
	"$code $(cat "$tmp/err")"
run make vm MODULES=offcore_rsp CMD='ls /sys/bus/event_source/devices/offcore_rsp/caps/mode'
is "offcore_rsp gets a machine whose cores have counters" 0 $code
run "$TOP/machine/xeon/vm/vm" -- 'uncore-stim cbo_0 event=1'
is "uncore-stim lists the boxes when it is given none of them" '2 yes' "$code $(grep -q '^BOX: .*cbox_0' "$tmp/err" && echo yes)"
run "$TOP/machine/xeon/vm/vm" -b "$TOP/machine/xeon/example" -m ha_example -W -- \
	'perf stat -x, -a --per-socket -e ha_example/event=0x1,umask=0x3/ uncore-stim ha event=1,umask=3,count=1000 2>&1 && uncore-stim checker'
is "the example of a driver counts, without a finding of the checker" '0 S0,1,1000,S1,1,0,' "$code $(cut -d, -f1-3 "$tmp/out" | tr '\n' ,)"
tap_done
