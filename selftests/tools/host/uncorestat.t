#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uncorestat without the machine: what it plans, computes and prints, over PMUs that fake.c makes up, in which a second
# passes from read() to read().

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"
set +e
. "$TOP/selftests/lib/tap.sh"
here=$TOP/selftests/tools/host
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

make -s -C "$TOP/tools" "O=$BUILD/tools" > "$tmp/build" 2>&1 &&
	cc -O2 -Wall -Wextra -Werror -shared -fPIC -o "$tmp/fake.so" "$here/fake.c" -ldl >> "$tmp/build" 2>&1
ok $? "uncorestat builds" "$tmp/build"
stat=$BUILD/tools/uncorestat
make -s -C "$TOP/tools" "O=$tmp/nolive" curses= > "$tmp/build" 2>&1
ok $? "and without ncurses" "$tmp/build"

FAKE=$tmp/fake
export FAKE
# anew [SOCKETS [PREFIX]]: a machine without traffic
anew()
{
	rm -rf "$FAKE"
	"$here/fake-root" "$FAKE" "$@"
	out=$tmp/out
}

# run ARGUMENT...: output in $out, exit status in $code
run()
{
	LD_PRELOAD=$tmp/fake.so "$stat" "$@" > "$out" 2>&1
	code=$?
}

# row SOCKET: a line of the last table, without the time
row()
{
	sed -n "s/^[0-9: ]* S$1 //p" "$out" | tail -n 1 | tr -s ' ' | sed 's/^ //'
}

# same NAME WANT: does the line of each socket say this?
same()
{
	[ "$(row 0)" = "$2" ] && [ "$(row 1)" = "$2" ]
	ok $? "$1" "$out"
}

# The plan: groups of one socket as "TYPE-OF-PMU EVENTS"
anew
run -n 1 -i 0.05
awk '$2 == 0 { n[$1 " " $5]++ } END { for (g in n) { split(g, a, " "); box[a[1]]++; events += n[g] }
	for (b in box) if (box[b] > 1) bad++; exit !(events == 39 && !bad) }' "$FAKE/opened"
ok $? "default: 39 events in each socket, one group in each box" "$FAKE/opened"
awk '$1 < 108 && $2 == 0 { $3 == "0x334" ? l[$1]++ : o[$1] = o[$1] $3 ($3 == "0x135" ? $4 : "") }
	END { for (i = 100; i < 108; i++) print l[i], o[i] }' "$FAKE/opened" > "$tmp/slices"
cat > "$tmp/want" << END
1 0xa35
1 0x1350xcf000000
1 0xa35
1 0x1350xce000000
1 0xa35
1 0x1350xca000000
1 0xa35
1 0x1350xcf000000
END
diff "$tmp/want" "$tmp/slices" > "$tmp/diff"
ok $? "default: look-ups in all slices, misses in half of them, a PCIe opcode in each of the others" "$tmp/diff"
run -n 1 -i 0.05 -g llc
[ "$(awk '$2 == 2 && $1 < 108' "$FAKE/opened" | grep -c 0xa35)" = 12 ]
ok $? "-g llc: misses in all slices" "$FAKE/opened"

# Every metric can be asked for, and its equation has a value.
anew
echo 'rate -1 -1 -1 -1 1000' > "$FAKE/rules"
"$stat" --list | sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\?$/\1/p' > "$tmp/metrics"
[ "$(wc -l < "$tmp/metrics")" -gt 110 ]
ok $? "--list names the metrics" "$tmp/metrics"
run -n 1 -i 0.05 --json --per system -m "$(paste -sd, "$tmp/metrics")"
[ "$code" = 0 ] && ! grep -q null "$out"
ok $? "each metric gives a number" "$out"
for metric in $(cat "$tmp/metrics"); do
	run -n 1 -i 0.02 --csv -m "$metric"
	[ "$code" = 0 ] && [ "$(wc -l < "$out")" = 3 ] || echo "$metric: $(cat "$out")"
done > "$tmp/bad"
[ ! -s "$tmp/bad" ]
ok $? "and each alone" "$tmp/bad"
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$TOP/events" > "$tmp/build" 2>&1
"$TOP/build/events/gen" metric-names > "$tmp/names"
grep -vxF -f "$tmp/metrics" "$tmp/names" > "$tmp/missing"
[ "$(wc -l < "$tmp/names")" -gt 100 ] && [ ! -s "$tmp/missing" ]
ok $? "all metrics that perf has are there" "$tmp/missing"

# Numbers
anew
cat > "$FAKE/rules" << END
rate 109 -1 0x304 -1 31250000
rate 110 -1 0x304 -1 15625000
rate 112 -1 0xc04 -1 1562500
rate 108 -1 0x410 -1 10
rate 108 -1 0x110 -1 25
rate 108 -1 0x210 -1 5
rate -1 -1 0x334 -1 1000000
rate -1 -1 0xa35 -1 250000
rate -1 -1 0x135 0xcf000000 125000
rate -1 -1 0x135 0xce000000 125000
rate -1 -1 0x135 0xca000000 3125
rate 114 -1 0x200 -1 125000000
rate 115 -1 0x201 -1 250000000
rate 115 -1 0x401 -1 150000000
rate -1 -1 0x14 -1 1000000000
rate 113 -1 0x0 -1 800000000
rate 113 -1 0x4080 -1 4000000000
rate 113 -1 0xc080 -1 400000000
rate 113 -1 0x0c 0x1400 600000000
END
run -n 2 -i 0.05
same "default columns" \
	"3000.0 100.0 25.0 8.00 2.00* 1000.0 2000.0 10.0 64.0* 65.6* 5.0 0.5 75.0"
run -n 1 -i 0.05 -g llc
same "-g llc" "8.00 2.00 25.0"
run -n 1 -i 0.05 --per system
grep -q '^[0-9:]* all *6000\.0 *200\.0 *25\.0 *16\.00' "$out"
ok $? "--per system" "$out"
run -n 1 -i 0.05 --per box -g qpi
grep -q '^ *S1 qpi_1 *0\.0 *2000\.0 *20\.0 *8\.0$' "$out"
ok $? "--per box" "$out"

# A command: what it prints is its own.
LD_PRELOAD=$tmp/fake.so "$stat" -- sh -c 'echo hello; exit 3' > "$tmp/stdout" 2> "$out"
[ $? = 3 ] && [ "$(cat "$tmp/stdout")" = hello ]
ok $? "with a command: its output and exit status" "$tmp/stdout" "$out"
same "and its totals" "3000.0 100.0 25.0 8.00 2.00* 1000.0 2000.0 10.0 64.0* 65.6* 5.0 0.5 75.0"
run -- no-such-command
[ "$code" = 127 ]
ok $? "no such command: 127" "$out"
run -- /etc/passwd
[ "$code" = 126 ]
ok $? "not a program: 126" "$out"
run -- sh -c 'kill -KILL $$'
[ "$code" = 137 ]
ok $? "a command that a signal ends: 128 and the signal, as the shell has it" "$out"

# For programs
run -n 2 -i 0.05 --json
python3 - "$out" << 'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) == 4 and [r['socket'] for r in rows] == [0, 1, 0, 1], rows
for r in rows:
    assert r['mem_read_bytes_per_second'] == 3e9 and r['llc_misses_per_second'] == 2e6, r
    assert r['mem_remote_percent'] == 25 and r['cores_c0'] == 5, r
    assert 'llc_misses_per_second' in r['sampled'] and 'multiplexed' not in r, r
    assert 0 < r['interval_seconds'] < 1 and r['time'].endswith('Z'), r
END
ok $? "--json: python's json reads it" "$out"
run -n 2 -i 0.05 --csv
python3 - "$out" << 'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
assert len(rows) == 4, rows
for r in rows:
    assert None not in r and None not in r.values(), r
    assert float(r['mem_read_bytes_per_second']) == 3e9 and float(r['freq_2000_percent']) == 75, r
assert 'slices' in rows[0]['notes'] and not rows[1]['notes'], rows
END
ok $? "--csv: python's csv reads it" "$out"
run -n 3 -i 0.05 --openmetrics "$tmp/metrics.prom"
python3 "$here/openmetrics.py" "$tmp/metrics.prom" > "$tmp/samples" 2>&1
ok $? "--openmetrics: the grammar holds" "$tmp/samples"
grep -qxF 'uncorestat_mem_read_bytes_total{socket="1"} 9e+09' "$tmp/samples" &&
	grep -qxF 'uncorestat_mem_remote_ratio{socket="0"} 0.25' "$tmp/samples"
ok $? "amounts since the start, ratios of the last interval" "$tmp/samples"
run -n 1 -i 0.05 --openmetrics "$tmp/metrics.prom" --per box -g mem,qpi,llc
python3 "$here/openmetrics.py" "$tmp/metrics.prom" > "$tmp/samples" 2>&1
ok $? "for boxes, too" "$tmp/samples"
[ "$(ls "$tmp" | grep -c metrics.prom)" = 1 ]
ok $? "nothing is left beside it"
run -n 1 -i 0.05 --openmetrics "$tmp/no/such/directory"
[ "$code" = 1 ] && grep -q '^uncorestat: cannot write' "$out"
ok $? "where it cannot be written: said" "$out"
# A reader never sees a part of it.
LD_PRELOAD=$tmp/fake.so "$stat" -n 100 -i 0.01 --openmetrics "$tmp/metrics.prom" > /dev/null &
pid=$!
while kill -0 $pid 2> /dev/null; do
	tail -n 1 "$tmp/metrics.prom"
done | sort -u > "$tmp/ends"
wait $pid
[ "$(cat "$tmp/ends")" = "# EOF" ]
ok $? "rewritten in one piece" "$tmp/ends"

# Notes and dashes
run -n 1 -i 0.05 --json
echo 'share 109 -1 0.5' >> "$FAKE/rules"
run -n 1 -i 0.05 -m mem_read
[ "$(row 0)" = "~3000.000" ] && grep -q '^  ~ events took turns' "$out"
ok $? "multiplexed: marked, and the rate is of the time that it counted" "$out"
run -n 3 -i 0.05 -m mem_read --openmetrics "$tmp/metrics.prom"
grep -F mem_read_bytes_total "$tmp/metrics.prom" > "$tmp/samples"
[ "$(sort "$tmp/samples")" = 'uncorestat_mem_read_bytes_total{socket="0"} 9000000000
uncorestat_mem_read_bytes_total{socket="1"} 9000000000' ]
ok $? "and so are amounts" "$tmp/samples"
sed -i '$d' "$FAKE/rules"

# after INTERVALS: wait until uncorestat, which runs with --json, has shown so many; on a busy machine the clock does not tell
after()
{
	until [ "$(grep -c '^{' "$out")" -ge $(($1 * 2)) ]; do
		kill -0 $pid || return 1
		sleep 0.05
	done
}

# later COMMAND [COMMAND]: run 16 intervals of mem_read, with a change after three of them, and another one after six
later()
{
	: > "$out"
	LD_PRELOAD=$tmp/fake.so "$stat" -n 16 -i 0.2 --json -m mem_read > "$out" 2>&1 &
	pid=$!
	after 3
	eval "$1"
	after 6
	eval "${2:-:}"
	wait $pid
	code=$?
}
# whole: every number is what it was in peace, or null
whole()
{
	python3 - "$out" "$@" << 'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
values = [r['mem_read_bytes_per_second'] for r in rows if r['socket'] == 1]
print('#', values)
assert set(values) <= {None, *map(float, sys.argv[2].split())}, values
assert values[0] == 3e9 and None in values, values
if len(sys.argv) > 3:
    assert values[-1] == 3e9, values
END
}
online=$FAKE/sys/devices/system/cpu/online
masks=$FAKE/sys/bus/event_source/devices/*/cpumask
later 'for f in $masks; do echo 0 > $f; done; echo "still -1 2" >> "$FAKE/rules"' \
	'sed -i "\$d" "$FAKE/rules"; for f in $masks; do echo 0,2 > $f; done'
whole 3e9 back
ok $? "a socket goes offline and comes back: dashes, and no other number" "$out"
grep -q 'all CPUs of its socket are offline' "$out"
ok $? "said" "$out"
later 'echo "refuse 109 -1 19" >> "$FAKE/rules"; echo "rate 109 2 -1 -1 0" >> "$FAKE/rules"'
python3 - "$out" << 'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert {r['mem_read_bytes_per_second'] for r in rows if r['socket'] == 1} == {3e9, 1e9}, rows
assert any('imc_0: it went away' in n for n in rows[-2].get('notes', [])), rows[-2:]
END
ok $? "a channel goes: the others, and a note" "$out"
anew
echo 'rate 109 -1 0x304 -1 46875000' > "$FAKE/rules"
later 'echo "lose 109 2" >> "$FAKE/rules"' 'sed -i "\$d" "$FAKE/rules"'
whole 3e9 back
ok $? "counts that fall: a dash, never a spike" "$out"
grep -q 'its count fell' "$out"
ok $? "said" "$out"

# An interval that comes late
: > "$out"
LD_PRELOAD=$tmp/fake.so "$stat" -n 12 -i 0.2 --json -m mem_read > "$out" 2>&1 &
pid=$!
after 2
kill -STOP $pid
sleep 1
kill -CONT $pid
wait $pid
python3 - "$out" << 'END'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
late = [r for r in rows if any('late' in n for n in r.get('notes', []))]
assert late and late[0]['interval_seconds'] > 0.8, rows
assert {r['mem_read_bytes_per_second'] for r in rows} == {3e9}, rows
END
ok $? "a late interval: said, and the rate is of the time that it counted" "$out"

# What is not there
anew
rm -r "$FAKE"/sys/bus/event_source/devices/*qpi*
run -n 1 -i 0.05
same "no QPI: dashes" "0.0 0.0 0.0 0.00 0.00* - - - 0.0* 0.0* 0.0 0.0 0.0"
grep -q '^  - S1 qpi_out: there is no qpi box in this socket: hidden by the BIOS' "$out"
ok $? "and why" "$out"
anew
echo 0 > "$FAKE/sys/bus/event_source/devices/snbep_uncore_imc_2/cpumask"
run -n 1 -i 0.05 -m mem_read
grep -q '^  ! S1 mem_read: without 1 of 4 imc boxes' "$out" && ! grep -q 'S0 mem_read' "$out"
ok $? "a channel of one socket is hidden: said of that socket" "$out"
anew
rm -r "$FAKE"/sys/bus/event_source/devices/*cbox_[67]
echo 'rate -1 -1 0xa35 -1 1000000' > "$FAKE/rules"
run -n 1 -i 0.05
[ "$(row 0 | cut -d' ' -f5)" = "6.00*" ] && ! grep -q without "$out"
ok $? "six slices: a smaller processor, no remark" "$out"
rm -r "$FAKE"/sys/bus/event_source/devices/*cbox_[2345]
run -n 1 -i 0.05
grep -q '~' "$out" || [ "$(awk '$1 < 102 && $2 == 0 { print $1, $5 }' "$FAKE/opened" | sort -u | wc -l)" -gt 2 ]
ok $? "two slices: not enough for all, they take turns" "$out"
anew
echo 'refuse 113 0x4080 95' > "$FAKE/rules"
run -n 1 -i 0.05 -m cores_c0,cores_c6
[ "$(row 0)" = "- 0.00" ] && grep -q 'cores_c0.*pcu: power_state_occupancy_cores_c0 is refused: Operation not supported' "$out"
ok $? "an event that a box refuses: a dash, why, and the others" "$out"

# intel_uncore: its names, and the fields that it has
anew 2 uncore_
for f in "$FAKE"/sys/bus/event_source/devices/uncore_pcu/format; do
	echo config:0-7 > "$f/event"
done
run -n 1 -i 0.05
[ "$code" = 0 ] && ! row 0 | grep -q -e '- '
ok $? "uncore_*: the default display" "$out"
rm "$FAKE/sys/bus/event_source/devices/uncore_pcu/format/occ_sel"
run -n 1 -i 0.05 -m cores_c0,freq_2000
[ "$(row 0)" = "- 0.00" ] && grep -q 'pcu: its driver cannot express occ_sel=1' "$out"
ok $? "a field that the driver lacks: a dash, and why" "$out"

# What to do, in one line
# advice NAME PATTERN ARGUMENT...
advice()
{
	what=$1 pattern=$2
	shift 2
	run "$@"
	[ "$code" = 1 ] && [ "$(wc -l < "$out")" = 1 ] && grep -q "^uncorestat: $pattern" "$out"
	ok $? "$what" "$out"
}
anew
echo 'refuse -1 -1 13' > "$FAKE/rules"
advice "EACCES" 'not allowed.*CAP_PERFMON.*perf_event_paranoid' -n 1
echo 'refuse -1 -1 24' > "$FAKE/rules"
advice "EMFILE" 'too many open files.*ulimit' -n 1
anew
rm -r "$FAKE"/sys/bus/event_source/devices/*
advice "no driver" 'there is no uncore PMU: load a driver (modprobe snbep_uncore)' -n 1
anew 2 uncore_
sed -i 's/: 45/: 79/' "$FAKE/proc/cpuinfo"
advice "another processor" 'this processor is no Xeon E5-2600' -n 1
anew
advice "no such group" 'no group nothing: see --list' -g nothing
advice "no such metric" 'no metric nothing: see --list' -m nothing
advice "no interval" '-i 0: a number' -i 0
advice "no count" '-n x: a number' -n x
advice "no scope" '--per core: system, socket or box' --per core
advice "no terminal" '--live needs a terminal' --live
LD_PRELOAD=$tmp/fake.so "$tmp/nolive/uncorestat" --live > "$out" 2>&1
[ $? = 1 ] && grep -q -- '--live is not in this build' "$out"
ok $? "--live where ncurses was missing" "$out"
LD_PRELOAD=$tmp/fake.so "$stat" -n 1 -i 0.05 > /dev/full 2> "$out"
[ $? = 1 ] && grep -q 'cannot write the output' "$out"
ok $? "a full disk" "$out"

# The plot
cat > "$FAKE/rules" << END
rate 109 -1 0x304 -1 31250000
END
run -n 4 -i 0.05 --svg "$tmp/plot.svg"
python3 - "$tmp/plot.svg" << 'END'
import sys, re
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
panels = root.findall(ns + 'g')
assert len(panels) == 13, len(panels)
for panel in panels:
    curves = panel.findall(ns + 'path')
    assert [c.find(ns + 'title').text for c in curves] == ['S0', 'S1']
    for c in curves:
        points = re.findall(r'[ML]([\d.]+) ([\d.]+)H([\d.]+)', c.get('d'))
        assert len(points) == 4, c.get('d')
        for x, y, to in points:
            assert 0 <= float(x) < float(to) <= 460 and 0 <= float(y) <= 190, points
# 2 GB/s fills a panel whose axis ends there; the channel that is written to is empty.
top = float(re.search(r'M[\d.]+ ([\d.]+)', panels[0].find(ns + 'path').get('d')).group(1))
low = float(re.search(r'M[\d.]+ ([\d.]+)', panels[1].find(ns + 'path').get('d')).group(1))
assert top == 30 and low == 156, (top, low)
END
ok $? "--svg: a panel for each column, a curve for each socket, at the right height" "$tmp/plot.svg"

# The page, the completion and the program speak of the same options, groups and metrics.
"$stat" --help | grep -o -e '--[a-z]\+' | sort -u > "$tmp/help"
sed 's/\\-/-/g' "$TOP/Documentation/uncorestat.8" | grep -o -e '--[a-z]\+' | sort -u > "$tmp/page"
diff "$tmp/help" "$tmp/page" > "$tmp/diff"
ok $? "uncorestat(8) has all options" "$tmp/diff"
grep -o -e '--[a-z]\+' "$TOP/tools/uncorestat/completion" | sort -u | diff "$tmp/help" - > "$tmp/diff"
ok $? "and so has the completion" "$tmp/diff"
mkdir "$tmp/bin"
ln -s "$stat" "$tmp/bin/uncorestat"
PATH=$tmp/bin:$PATH bash -c '
	. "$1"
	complete_words() { COMP_WORDS=(uncorestat "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
		COMPREPLY=(); _uncorestat; printf "%s\n" "${COMPREPLY[@]}"; }
	[ "$(complete_words --per so)" = socket ] &&
	[ "$(complete_words -g mem,ll)" = mem,llc ] &&
	[ "$(complete_words -m qpi_link_u)" = qpi_link_util ] &&
	[ "$(complete_words --openm)" = --openmetrics ]' bash "$TOP/tools/uncorestat/completion" > "$out" 2>&1
ok $? "the completion completes options, groups and metrics" "$out"

make -s -C "$TOP/tools" "O=$BUILD/tools" "DESTDIR=$tmp/root" install > "$out" 2>&1 &&
	"$tmp/root/usr/bin/uncorestat" --version >> "$out" 2>&1
ok $? "make -C tools install" "$out"

tap_done
