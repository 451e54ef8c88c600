#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# cookbook.t [KERNEL]: run every command of Documentation/cookbook.rst in the machine, with an
# injected load, and compare its output with the page, numbers excepted.
# cookbook.t -p [KERNEL]: print the page with the commands' current output.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

print=
if [ "${1:-}" = -p ]; then
	print=yes
	shift
fi
name=${1:-6.1}
have_kernel "$name" || { tap_done; exit; }
page=$TOP/Documentation/cookbook.rst
mkdir "$tmp/extra"

# Inject each kind of event that the page counts, in a loop.
cat > "$tmp/extra/load" << 'END'
imc_0 event=0x04,umask=0x01,count=160000
imc_1 event=0x04,umask=0x01,count=150000
imc_2 event=0x04,umask=0x01,count=170000
imc_3 event=0x04,umask=0x01,count=165000
imc_0 event=0x04,umask=0x04,count=40000
imc_2 event=0x04,umask=0x04,count=42000
cbox_0 event=0x35,umask=0x03,opc=0x182,nid=0,count=9000
cbox_0 event=0x35,umask=0x03,opc=0x182,nid=1,count=1000
cbox_3 event=0x35,umask=0x01,opc=0x182,nid=0,count=50000
cbox_0 event=0x36,umask=0x03,opc=0x182,nid=0,count=540000,inc=2
cbox_1 event=0x35,umask=0x01,opc=0x19c,count=30000
cbox_1 event=0x35,umask=0x03,opc=0x19c,count=3000
cbox_5 event=0x37,umask=0x01,count=7000
cbox_5 event=0x37,umask=0x02,count=2000
cbox_5 event=0x37,umask=0x04,count=4000
ha event=0x10,umask=0x01,count=60000
ha event=0x10,umask=0x04,count=20000
qpi_0 event=0x02,ext=1,umask=0x08,count=80000
qpi_0 event=0x01,umask=0x02,count=70000
qpi_1 event=0x00,umask=0x02,count=90000
pcu event=0x80,umask=0xc0,count=15000000,inc=6
pcu event=0x0b,freq=2700,count=15000000
pcu event=0x0c,freq=2700,count=14000000
END
# Each slice looks lines up, as uncorestat counts some of its columns in some slices.
for n in 0 1 2 3 4 5 6 7; do
	echo "cbox_$n event=0x34,umask=0x02,count=40000"
	echo "cbox_$n event=0x35,umask=0x03,opc=0x182,nid=0,count=2000"
	echo "cbox_$n event=0x36,umask=0x03,opc=0x182,nid=0,count=200000"
done >> "$tmp/extra/load"
grep '^  \$ ' "$page" | sed 's/^  \$ //' > "$tmp/commands"
n=0
while IFS= read -r command; do
	n=$((n + 1))
	printf '%s\n' "$command" > "$tmp/extra/$n"
done < "$tmp/commands"

cat > "$tmp/guest" << 'END'
while :; do
	uncore-stim -f /extra/load > /dev/null || break
	uncore-stim -s 1 $(grep imc_1 /extra/load) > /dev/null || break
	usleep 20000
done &
load=$!
# Count long enough that perf schedules each multiplexed event while the load runs.
grep '^cbox_[05] ' /extra/load > /tmp/turns
while :; do
	uncore-stim -f /tmp/turns > /dev/null || break
	usleep 5000
done &
load="$load $!"
n=1
while [ -e /extra/$n ]; do
	sh /extra/$n > /extra/$n.out 2>&1
	n=$((n + 1))
done
kill $load
END
code=0
"$TOP/bin/vm" -k "$name" -W -e "$tmp/extra" -- "$(cat "$tmp/guest")" > "$tmp/out" 2> "$tmp/err" || code=$?
cat "$tmp/err" >&2

if [ "$print" ]; then
	n=0
	skip=
	while IFS= read -r line; do
		case $line in
		'  $ '*)
			n=$((n + 1))
			printf '%s\n' "$line"
			sed 's/^/  /; s/ *$//' "$tmp/extra/$n.out"
			skip=yes
			continue
			;;
		[!\ ]*)
			[ -z "$skip" ] || echo
			skip=
			;;
		esac
		[ "$skip" ] || printf '%s\n' "$line"
	done < "$page" | cat -s
	exit
fi

# shape: trim the lines of standard input, and replace numbers by N. On a busy host an interval of
# uncorestat is late, and it says so.
shape()
{
	sed -E '/^ *! late: this interval has [0-9.]+ s$/d; s/[0-9][0-9.,]*/N/g; s/--+/-/g; s/[[:space:]]+/ /g; s/^ //; s/ $//; /^$/d'
}

ok $code "the machine runs all $n commands" "$tmp/err"
i=0
while IFS= read -r command; do
	i=$((i + 1))
	# The command's output on the page
	awk -v want="$i" '/^  \$ / { seen++; next } /^[^ ]/ { on = 0; if (seen == want) exit } seen == want' "$page" |
		shape > "$tmp/want"
	shape < "$tmp/extra/$i.out" > "$tmp/got"
	: > "$tmp/diff"
	[ -s "$tmp/got" ] && diff "$tmp/want" "$tmp/got" > "$tmp/diff" && code=0 || code=1
	ok $code "$command" "$tmp/diff"
done < "$tmp/commands"
# Counts must not be zero, except socket 1's.
grep -hE '^ *0(\.0*)? ' "$tmp"/extra/*.out | grep -v 'S1 ' > "$tmp/zeros" && code=1 || code=0
ok $code "the load shows in every count" "$tmp/zeros"
tap_done
