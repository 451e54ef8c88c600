#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# traffic-boot.t: Linux boots with its traffic on, from the first instruction to the shell on all processors, and all boxes count
# meanwhile: what one of them says and what the next one says are the same number. No driver is there yet, so the counters are
# set before the processors start, through the model's port, by QEMU's monitor. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
. "$TOP/selftests/lib/tap.sh"

tmp=$(mktemp -d)
reader=
trap '[ -z "$reader" ] || kill "$reader" 2> /dev/null; rm -rf "$tmp"' EXIT

# Box, the events of its counters from the first one on (event, unit mask, enable), and its filter: lines in state I
boxes()
{
	cat << 'END'
cbox_0 0x400334 0x40000
cbox_1 0x400334 0x40000
cbox_2 0x400334 0x40000
cbox_3 0x400334 0x40000
cbox_4 0x400334 0x40000
cbox_5 0x400334 0x40000
cbox_6 0x400334 0x40000
cbox_7 0x400334 0x40000
ha 0x400301,0x400c01,0x40021a
imc_0 0x400104,0x400c04,0x400204,0x400080
imc_1 0x400104,0x400c04,0x400204,0x400080
imc_2 0x400104,0x400c04,0x400204,0x400080
imc_3 0x400104,0x400c04,0x400204,0x400080
qpi_0 0x400200,0x400400,0x400201,0x400401
qpi_1 0x400200,0x400400,0x400201,0x400401
END
}

# What their counters, box by box, are called here
names()
{
	cat << 'END'
cbox miss
ha reads writes partial
imc cas_rd cas_wr underfill rpq_time
qpi tx_data tx_other rx_data rx_other
END
}

# Lines for the model's port
before_the_boot()
{
	echo traffic on
	for s in 0 1; do
		boxes | while read -r box events filter; do
			echo "$events" | tr ',' '\n' |
				awk -v start="poke $s $box ${filter:+filter=$filter}" -v more="$filter" '
				{ line = line (line == "" && more == "" ? "" : ",") "ctl" NR - 1 "=" $1 ",ctr" NR - 1 "=0" }
				END { print start line }'
		done
	done
}

# The same as commands of the monitor: four characters each, the last of a line a newline
to_port()
{
	while IFS= read -r line; do
		while [ $((${#line} % 4)) != 3 ]; do
			line="$line "
		done
		printf '%s\n' "$line" | od -An -v -tu4 -w4 | sed 's:^ *:o/w 0xa80 :'
	done
}

mkfifo "$tmp/mon.in" "$tmp/mon.out"
# Both are read and written here, so that nobody waits for the other end. What the monitor says nobody needs.
exec 3<> "$tmp/mon.in" 4<> "$tmp/mon.out"
cat <&4 > /dev/null &
reader=$!
{
	before_the_boot | to_port
	echo cont
} > "$tmp/commands"
cat "$tmp/commands" >&3

cat > "$tmp/script" << 'END'
uncore-stim traffic off
until uncore-stim traffic | grep -q '^traffic=off$'; do
	:
done
for s in 0 1; do
	while read -r box events; do
		all=
		i=0
		for e in $(echo ${events%% *} | tr ',' ' '); do
			all=$all${all:+,}ctr$i
			i=$((i + 1))
		done
		line="$s $box"
		for value in $(uncore-stim -s $s peek $box $all | sed 's/.*=//'); do
			line="$line $(($value))"
		done
		echo "$line"
	done < /tmp/boxes
done
END
{
	echo "cat > /tmp/boxes << 'BOXES'"
	boxes
	echo BOXES
	cat "$tmp/script"
} > "$tmp/all"
code=0
"$VM_DIR/vm" -k 6.1 -o traffic -t 900 -q -S -q -chardev -q "pipe,id=monitor,path=$tmp/mon" -q -mon \
	-q chardev=monitor,mode=readline -- "$(cat "$tmp/all")" > "$tmp/counts" 2> "$tmp/err" || code=$?
[ $code != 123 ] || { cat "$tmp/err"; exit 123; }
ok $code 'Linux boots with its traffic on' "$tmp/err"

# of NAME [SOCKET]: what the boxes have counted, of both sockets or one
of()
{
	names | awk -v want="$1" -v socket="${2:-.}" '
		FNR == NR { for (i = 2; i <= NF; i++) if ($i == want) { box = $1; column = i + 1 } next }
		{ sub("_.*", "", $2) }
		$2 == box && $1 ~ "^" socket "$" { sum += $column; n++ }
		END { if (!n) print "none"; else printf "%d\n", sum }' - "$tmp/counts"
}

# equal NAME A B: the same number, and not none
equal()
{
	[ "$2" = "$3" ] && [ "$2" != none ] && [ "$2" != 0 ] && code=0 || code=1
	ok $code "$1 ($2, $3)" "$tmp/counts"
}

equal 'what misses the LLCs is read from home agents' "$(of miss)" "$(of reads)"
for s in 0 1; do
	equal "socket $s: what is read from its home agent is read from its channels" "$(of reads $s)" "$(of cas_rd $s)"
	equal "socket $s: what is written to its home agent is written to its channels" "$(of writes $s)" "$(of cas_wr $s)"
	[ "$(of partial $s)" = "$(of underfill $s)" ] && code=0 || code=1
	ok $code "socket $s: what is written in part is read before ($(of partial $s), $(of underfill $s))" "$tmp/counts"
	equal "socket $s: reads wait 22 clocks each" "$(of rpq_time $s)" $((22 * ($(of cas_rd $s) + $(of underfill $s))))
	for flits in data other; do
		equal "socket $s: what it sends the other receives, $flits" "$(of tx_$flits $s)" "$(of rx_$flits $((1 - s)))"
	done
done
# The kernel and its first files come by DMA, and go to their places.
[ "$(of miss)" -gt 327680 ] && code=0 || code=1
ok $code "a boot misses more lines than an LLC has ($(of miss))" "$tmp/counts"
tap_done
