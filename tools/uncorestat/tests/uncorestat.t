#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154,SC3045 # variables of fake.sh; dash and bash have ulimit -S
#
# uncorestat over the fake PMUs of fake.c: plans, numbers, formats and errors. From one read() to
# the next, a second passes.

. "$(dirname "$(readlink -f "$0")")/fake.sh"

# A drawn time zone, not UTC, that needs no tzdata
minutes=$(shuf -i 15-825 -n 1)
TZ=HERE-$((minutes / 60)):$(printf %02d $((minutes % 60)))
export TZ

# objects ARGUMENT...: run Python from standard input over the JSON objects of the last run
objects()
{
	{
		echo 'import json, re, sys; rows = [json.loads(line) for line in open(sys.argv[1])]'
		cat
	} > "$tmp/check.py"
	python3 -IS "$tmp/check.py" "$out" "$@"
}

# Plan
new_machine
run -n 1
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
ok $? "default: lookups in all slices, misses in half of them, a PCIe opcode in each of the others" "$tmp/diff"
run -n 1 -g llc
[ "$(awk '$2 == 10 && $1 < 108' "$FAKE/opened" | grep -c 0xa35)" = 12 ]
ok $? "-g llc: misses in all slices" "$FAKE/opened"
new_machine
run -n 1 -m pcie_read,cbox_cyc_used_upeven,pcie_uc_read
awk '$3 == "0x135" && n[$5] && n[$5] != $4 { bad++ } $3 == "0x135" { n[$5] = $4; all++ } END { exit bad || all < 8 }' "$FAKE/opened"
ok $? "no group has two values of a filter" "$FAKE/opened"
run -n 1 -m llc_lookup,cbox_llc_drd_miss_pct
grep -q '[*]' "$out" && ! grep -q '~' "$out"
ok $? "nor two of which one begins with the other" "$out"
run -n 1 -m llc_miss,cbox_avg_ingress_depth
! grep -q '[*~]' "$out"
ok $? "an event moves off the only counter of another" "$out"

(ulimit -Sn 40 && run -n 1 && exit $code)
ok $? "more events than the soft limit of open files" "$out"

# Numbers
new_machine
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
rate 114 -1 0x200802 -1 125000
rate -1 -1 0x14 -1 1000000000
rate 113 -1 0x0 -1 800000000
rate 113 -1 0x4080 -1 4000000000
rate 113 -1 0xc080 -1 400000000
rate 113 -1 0x0c 0x1400 600000000
END
run -n 2
same "default columns" \
	"3000.0 100.0 25.0 8.00 2.00* 1000.0 2000.0 10.0 64.0* 65.6* 5.0 0.5 75.0"
{
	cat "$out"
	run -n 1 --per box -g qpi
	cat "$out"
	run -m mem_read,llc_miss,qpi_speed -- true
	cat "$out"
} | sed -E 's/^[0-9:]{8} /HH:MM:SS /; s/^[0-9.]+ seconds/N seconds/; s/ +[0-9]+\.[0-9]{2}$/ N/' > "$tmp/text"
cat > "$tmp/want" << END
            ---- memory MB/s ---- --- LLC M/s --- ----- QPI MB/s ------ -- PCIe MB/s -- -- cores -- 2GHz+
       time    read   write  rem%  lookup    miss     out      in util%    read   write    C0    C6     %
HH:MM:SS S0  3000.0   100.0  25.0    8.00   2.00*  1000.0  2000.0  10.0   64.0*   65.6*   5.0   0.5  75.0
         S3  3000.0   100.0  25.0    8.00   2.00*  1000.0  2000.0  10.0   64.0*   65.6*   5.0   0.5  75.0
  * from some LLC slices, scaled to all: a slice has too few counters
HH:MM:SS S0  3000.0   100.0  25.0    8.00   2.00*  1000.0  2000.0  10.0   64.0*   65.6*   5.0   0.5  75.0
         S3  3000.0   100.0  25.0    8.00   2.00*  1000.0  2000.0  10.0   64.0*   65.6*   5.0   0.5  75.0
                  -- QPI MB/s --- --- QPI ---
             time     out      in util%  GT/s
HH:MM:SS S0 qpi_0  1000.0     0.0   0.0   8.0
         S0 qpi_1     0.0  2000.0  20.0   8.0
         S3 qpi_0  1000.0     0.0   0.0   8.0
         S3 qpi_1     0.0  2000.0  20.0   8.0
                  MB   misses      GT/s
      total mem_read llc_miss qpi_speed
HH:MM:SS S0 3000.000  2000000 N
         S3 3000.000  2000000 N

N seconds
END
diff "$tmp/want" "$tmp/text" > "$tmp/diff"
ok $? "a table's headings, columns and notes have their places" "$tmp/diff"
began=$(date +%s)
run -n 2
cp "$out" "$tmp/people"
run -n 2 --json
python3 -IS - "$out" "$tmp/people" "$began" "$(date +%s)" "$minutes" << 'END'
import datetime, json, re, sys
began, ended = int(sys.argv[3]), int(sys.argv[4])
time = json.loads(open(sys.argv[1]).readline())['time'].replace('Z', '+00:00')
assert began <= datetime.datetime.fromisoformat(time).timestamp() <= ended + 1, time
clock = re.search(r'^(\d\d:\d\d:\d\d) ', open(sys.argv[2]).read(), re.M).group(1)
here = datetime.timezone(datetime.timedelta(minutes=int(sys.argv[5])))
assert clock in (datetime.datetime.fromtimestamp(t, here).strftime('%H:%M:%S') for t in range(began, ended + 2)), clock
END
ok $? "times: UTC for programs, local for people ($TZ)" "$out"
objects << 'END'
assert len(rows) == 4 and [r['socket'] for r in rows] == [0, 3, 0, 3], rows
for r in rows:
    assert r['mem_read_bytes_per_second'] == 3e9 and r['llc_misses_per_second'] == 2e6, r
    assert r['mem_remote_percent'] == 25 and r['cores_c0'] == 5, r
    assert 'llc_misses_per_second' in r['sampled'] and 'multiplexed' not in r, r
    assert r['interval_seconds'] > 0 and r['time'].endswith('Z'), r
assert 'notes' in rows[0] and not any('notes' in r for r in rows[1::2]), rows
# Deadlines are multiples of an interval, however late the first one was seen.
assert rows[0]['interval_seconds'] >= 100 and rows[0]['interval_seconds'] + rows[2]['interval_seconds'] > 199.99, rows
END
ok $? "--json: parses, with the right values" "$out"
run -n 2 --csv
python3 -IS - "$out" << 'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline='')))
assert len(rows) == 4, rows
for r in rows:
    assert None not in r and None not in r.values(), r
    assert float(r['mem_read_bytes_per_second']) == 3e9 and float(r['freq_2000_percent']) == 75, r
assert 'slices' in rows[0]['notes'] and not rows[1]['notes'], rows
assert [r['socket'] for r in rows] == ['0', '3'] * 2, rows
END
ok $? "--csv: parses, with the right values" "$out"
run -n 3 --prometheus "$tmp/metrics.prom"
python3 -IS "$here/exposition.py" "$tmp/metrics.prom.last" > "$tmp/samples" 2>&1
ok $? "--prometheus: the text format" "$tmp/samples"
grep -qxF 'uncorestat_mem_read_bytes_total{socket="3"} 9e+09' "$tmp/samples" &&
	grep -qxF 'uncorestat_mem_write_bytes_total{socket="3"} 300000000' "$tmp/samples" &&
	grep -qxF 'uncorestat_mem_remote_ratio{socket="0"} 0.25' "$tmp/samples" &&
	grep -qx 'uncorestat_info{version="[0-9.]*",generation="Xeon E5-2600 (Sandy Bridge-EP)",driver="snbep_uncore"} 1' "$tmp/samples" &&
	grep -q '^# HELP uncorestat_mem_read_bytes_total [A-Z]' "$tmp/metrics.prom.last"
ok $? "--prometheus: amounts since the start, ratios of the last interval" "$tmp/samples"
for rows in 24 13; do
	QUICK=1000000 script -qc "stty rows $rows; LD_PRELOAD=$fake exec $stat -i 100 -n 30 -m mem_read" /dev/null < /dev/null > "$out"
	grep -c 'time mem_read' "$out"
done > "$tmp/headings"
[ "$(paste -sd ' ' "$tmp/headings")" = "3 6" ]
ok $? "in a terminal, each screen has a heading" "$tmp/headings" "$out"
shows "-g llc" "8.00 2.00 25.0" -g llc
prints "--per system" -q '^[0-9:]* all *6000\.0 *200\.0 *25\.0 *16\.00' -n 1 --per system
shows "-m: decimals and divisors by kind of metric" "25.00 2000000 8.00 3000.000" -m mem_remote,llc_miss,qpi_speed,mem_read
grep -qx ' *% *misses/s *GT/s *MB/s' "$out"
ok $? "-m: units above the names" "$out"
run -n 1 -m 'mem_[rw]*,freq_2*'
[ "$(sed -n '2p' "$out" | tr -s ' ')" = " time mem_read mem_write mem_remote freq_2000 freq_2600" ]
ok $? "-m with patterns" "$out"
run -n 1 --csv -m 'gb=([imc:cas_count_rd] + [imc:event=0x04,umask=0x0c]) * 64 / 1e9,mem_read,both=d_ratio([cbox:tor_inserts_miss_all], [pcu:clockticks]) - 0.001'
[ "$(sed 1d "$out" | cut -d, -f3-)" = "0,,3.1,3000000000,0.0015,
3,,3.1,3000000000,0.0015," ] && head -n 1 "$out" | grep -q ',gb,mem_read_bytes_per_second,both,notes$'
ok $? "-m name=expression: aliases and codes, of one box type and of two" "$out"
run -n 1 --per box -m 'r=[imc:cas_count_rd] * 64'
[ "$(row '3 imc_0')" = 2000000000.00 ]
ok $? "-m name=expression, per box" "$out"
advice "no metric of one box type, per box" 'none of these metrics is per box: leave out --per box' -n 1 --per box -m 'x=[imc:cas_count_rd]+[pcu:clockticks]'
run -n 1 --json --per box -m mem_read,qpi_out
objects << 'END'
boxes = ['imc_0', 'imc_1', 'imc_2', 'imc_3', 'qpi_0', 'qpi_1']
assert [(r['socket'], r['box']) for r in rows] == [(s, b) for s in (0, 3) for b in boxes], rows
for r in rows:
    values = {k: v for k, v in r.items() if k.endswith('per_second')}
    want = {'imc_0': 2e9, 'imc_1': 1e9, 'qpi_0': 1e9}.get(r['box'], 0)
    assert values == {('mem_read' if r['box'] < 'q' else 'qpi_out') + '_bytes_per_second': want}, r
END
ok $? "--json --per box: a line for each box, with its own metrics" "$out"
run -n 1 --csv --per box -m mem_read,qpi_out
[ "$(cut -d, -f3- "$out" | sed -n '2,3p;6p' | tr '\n' ' ')" = "0,imc_0,2000000000,, 0,imc_1,1000000000,, 0,qpi_0,,1000000000, " ]
ok $? "--csv --per box: a line for each box, with its own metrics" "$out"
run -n 1 -g llc,qpi
[ "$(row 3 | wc -w)" = 7 ] && ! grep -q qpi_ "$out"
ok $? "groups per socket and per box together: a line per socket" "$out"
shows "a field of two ranges of bits" "1.000" -m qpi_drs_data_msgs_from_qpi
printf '%s\n' 'rate 110 -1 0x1 -1 3125000' 'rate 110 -1 0x102 -1 781250' >> "$FAKE/rules"
run -n 1 --per box -g mem
grep -q '^ *S0 imc_1 *1000\.0 *0\.0 *80\.0 *15\.0 *5\.0$' "$out" && grep -q '^ *S3 imc_3 *0\.0 *100\.0 ' "$out"
ok $? "--per box -g mem" "$out"
# CPU 0 is of the second socket that is printed, and its QPI ports differ.
cp "$FAKE/rules" "$tmp/rules"
cat >> "$FAKE/rules" << END
rate 114 0 0x200 -1 1000000
rate 115 0 0x200 -1 2000000
rate 114 10 0x200 -1 3000000
rate 115 10 0x200 -1 4000000
END
run -n 1 -m qpi_out
[ "$(row 0) $(row 3)" = "56.000 24.000" ]
ok $? "each socket has its own numbers" "$out"
run -n 1 --per box -m qpi_out
[ "$(row "0 qpi_0") $(row "0 qpi_1") $(row "3 qpi_0") $(row "3 qpi_1")" = "24.000 32.000 8.000 16.000" ]
ok $? "each box has its own numbers" "$out"
new_machine
for type in 100 101 102 103 104 105 106 107; do
	k=$((1 + type % 2 * 3))
	printf '%s\n' "rate $type -1 0x334 -1 ${k}000000" "rate $type -1 0xa35 -1 ${k}00000"
done > "$FAKE/rules"
run -n 1 -g default -m llc_miss_ratio
[ "$(row 0 | cut -d ' ' -f 4,5,14)" = "20.00 0.80* 10.00*" ]
ok $? "a ratio is of the slices that count both events" "$out"
cp "$tmp/rules" "$FAKE/rules"

# Groups whose columns have numbers of their own
cat >> "$FAKE/rules" << END
rate -1 -1 0x0 0x0 2000000000
rate 113 -1 0x0 -1 1000000000
rate 113 -1 0x4080 -1 1000000000
rate 113 -1 0x8080 -1 2000000000
rate 113 -1 0xc080 -1 3000000000
rate 113 -1 0x0b 0xc 100000000
rate 113 -1 0x0c 0x1400 200000000
rate 113 -1 0x0d 0x1a0000 300000000
rate 113 -1 0x06 -1 400000000
rate 113 -1 0x05 -1 500000000
rate 113 -1 0x04 -1 600000000
rate 113 -1 0x07 -1 700000000
rate -1 -1 0x136 0xc1000000 20000000
rate -1 -1 0x135 0xc1000000 10000000
rate -1 -1 0x336 0xc1000000 12000000
rate -1 -1 0x335 0xc1000000 4000000
rate -1 -1 0x336 0xc0000000 20000000
rate -1 -1 0x335 0xc0000000 5000000
rate -1 -1 0x336 0xc0800000 30000000
rate -1 -1 0x335 0xc0800000 6000000
rate -1 -1 0x136 0xcf000000 42000000
rate -1 -1 0x135 0xcf000000 7000000
rate -1 -1 0x136 0xce000000 56000000
rate -1 -1 0x135 0xce000000 8000000
rate -1 -1 0x135 0xca000000 9000000
rate -1 -1 0x135 0xf2000000 10000000
rate -1 -1 0x135 0xf3000000 11000000
rate -1 -1 0x135 0xca800000 12000000
END
shows "-g power" "1.0 2.0 3.0 10.0 20.0 30.0 40.0 50.0 60.0 70.0" -g power
shows "-g latency" "1.0* 1.5* 2.0* 2.5* 3.0* 3.5*" -g latency
shows "latencies in clocks" "2.00* 7.00*" -m cbox_avg_tor_drd_latency,lat_pcie_write
cat >> "$FAKE/rules" << END
rate 109 -1 0xff -1 500000000
rate 110 -1 0xff -1 500000000
rate 111 -1 0xff -1 500000000
rate 112 -1 0xff -1 500000000
rate 7 0 0x2 -1 429496729600
rate 7 10 0x2 -1 214748364800
rate 7 -1 0x3 -1 42949672960
rate 8 -1 0x0 -1 2000000000
rate 8 -1 0x1 -1 300000000
rate 8 1 0x1 -1 600000000
rate 8 -1 0x2 -1 200000000
END
prints "-g total: bandwidth and its share of what the channels can do, watts, GHz" -qE '^[0-9:]* all  6000\.0   200\.0  6200\.0   9\.7  25\.0   150\.0  20\.0  3\.75$' -n 1 -g total
run -n 1 -m package_watts,dram_watts,busy_ghz
[ "$(row 3)" = "100.00 10.00 4.50" ] && [ "$(row 0)" = "50.00 10.00 3.00" ]
ok $? "watts and GHz of each socket" "$out"
run -m busy_ghz,package_watts -- sleep 0.1
ok $? "watts and GHz of a command" "$out"
mv "$FAKE/sys/bus/event_source/devices/power" "$tmp/power"
run -n 1 -g total
[ "$code" = 0 ] && grep -q '^  - this machine has no power box: load Linux.s driver (modprobe rapl)$' "$out"
ok $? "without Linux's power PMU: dashes, and how to get it" "$out"
mv "$tmp/power" "$FAKE/sys/bus/event_source/devices/power"
printf '%s\n' 'rate 113 -1 0x0b 0x1d 420000000' 'rate 113 -1 0x0c 0x1f00 430000000' 'rate 113 -1 0x0d 0x210000 440000000' 'rate 113 -1 0x0e 0x23000000 450000000' >> "$FAKE/rules"
shows "-m freq_NNNN: four bands at the same time" "42.00 43.00 44.00 45.00" -m freq_2900,freq_3100,freq_3300,freq_3500
! grep -q '~' "$out"
ok $? "-m freq_NNNN: they are not multiplexed" "$out"
shows "-g pcie" "3584.0* 4096.0* 4608.0* 5120.0* 5632.0* 96.00*" -g pcie
mv "$tmp/rules" "$FAKE/rules"

run -i 0.02 --json -m qpi_speed -- sleep 0.1
objects << 'END'
reads = sum('interval_seconds' in r and r['socket'] == 0 for r in rows) + 1
for r in rows[-2:]:
    assert r['total_seconds'] >= 0.1, r
    assert abs(r['qpi_speed_gigatransfers_per_second'] * r['total_seconds'] / reads / 8 - 1) < 1e-3, (reads, r)
END
ok $? "the total of a level is an average over the run" "$out"

# With a command
LD_PRELOAD=$fake "$stat" sh -c 'echo hello; exit 3' > "$tmp/stdout" 2> "$out"
[ $? = 3 ] && [ "$(cat "$tmp/stdout")" = hello ]
ok $? "with a command: its output and exit status" "$tmp/stdout" "$out"
same "with a command: its totals" "3000.0 100.0 25.0 8.00 2.00* 1000.0 2000.0 10.0 64.0* 65.6* 5.0 0.5 75.0"
run -- sh -c "until [ -e $tmp/ended ]; do sleep 0.1; done &"
: > "$tmp/ended"
[ "$code" = 0 ]
ok $? "with a command that leaves a program: ends before that does" "$out"
run --prometheus "$tmp/meanwhile.prom" -m mem_read -- sh -c "until grep -q mem_read_bytes_total $tmp/meanwhile.prom; do sleep 0.1; done"
[ "$code" = 0 ]
ok $? "with a command and without -i: OpenMetrics meanwhile" "$out"
run -i 0.02 --csv -m mem_read -- sh -c "until [ \"\$(grep -c ',,3000000000,' $out)\" -ge 4 ]; do sleep 0.02; done"
[ "$(grep -c '^time,.*mem_read_bytes_per_second,notes$' "$out") $(grep -c '^time,.*mem_read_bytes,notes$' "$out")" = "1 1" ] &&
	[ "$(grep -c '^2.*,[03],,3000000000,\("! late: [^"]*"\)\?$' "$out")" -ge 4 ] && [ "$(tail -n 2 "$out" | grep -c '^2.*,[03],,[0-9]*000000000,$')" = 2 ]
ok $? "with a command and -i: lines meanwhile, then totals below names of their own" "$out"
want=127 advice "no such command: 127, and no table" "no-such-command: No such file or directory" -- no-such-command
echo before > "$tmp/plot.svg"
run --svg "$tmp/plot.svg" -- no-such-command
[ "$code" = 127 ] && [ "$(cat "$tmp/plot.svg")" = before ]
ok $? "no such command: the last plot stays" "$tmp/plot.svg"
want=126 advice "not a program: 126, and no table" "/etc/passwd: Permission denied" -- /etc/passwd
run -- sh -c 'exit 127'
[ "$code" = 127 ] && [ "$(wc -l < "$out")" -gt 3 ]
ok $? "a command that exits with 127 has run" "$out"
run -- sh -c 'kill -KILL $$'
[ "$code" = 137 ]
ok $? "a command killed by a signal: 128 + the signal" "$out"

LD_PRELOAD=$fake "$stat" -- sleep 600 > "$out" 2>&1 &
pid=$!
child=
until grep -qsx sleep "/proc/${child% }/comm"; do
	sleep 0.02
	child=$(cat /proc/$pid/task/$pid/children) || break
done
kill -TERM $pid
wait $pid
[ $? = 143 ] && grep -q '^ *total' "$out" && ! kill -0 "${child% }" 2> /dev/null
ok $? "SIGTERM ends a command, too, and the totals follow" "$out"
prints "a command has no signals blocked" -q '^SigBlk:.0*$' -- grep SigBlk /proc/self/status

# Files for programs
run -n 1 --prometheus "$tmp/metrics.prom" --per box -g mem,qpi,llc
python3 -IS "$here/exposition.py" "$tmp/metrics.prom.last" > "$tmp/samples" 2>&1
ok $? "--prometheus --per box: the text format" "$tmp/samples"
set -- "$tmp"/metrics.prom*
[ "$*" = "$tmp/metrics.prom.last" ]
ok $? "--prometheus: the file goes when the program ends, and leaves no temporary file"
advice "--prometheus to where it cannot be written: exits before the run" "cannot write $tmp/no/such: No such file or directory" \
	-n 1 -i 0.05 --prometheus "$tmp/no/such"
ln -s victim "$tmp/link.prom"
mkfifo "$tmp/pipe.prom"
for file in "$tmp/link.prom" "$tmp/pipe.prom" "$tmp" /dev/null; do
	advice "--prometheus to what is not a regular file: ${file##*/}" ".* is not a regular file" -n 1 --prometheus "$file"
done
[ ! -e "$tmp/victim" ] && [ -L "$tmp/link.prom" ]
ok $? "--prometheus does not follow a link"
umask 027
run -n 2 --prometheus "$tmp/metrics.prom"
umask 022
[ "$(sort -u "$FAKE/temporary" | grep -c "^$tmp/metrics\.prom\.[A-Za-z0-9]\{6\}$")" -ge 3 ] && [ "$(stat -c %a "$tmp/metrics.prom.last")" = 640 ]
ok $? "--prometheus writes into new files whose names cannot be guessed and do not end in .prom" "$FAKE/temporary"
advice "--svg to where it cannot be written: exits before the run" "cannot write $tmp/no/such.svg: No such file or directory" \
	--svg "$tmp/no/such.svg" -n 1000
run -n 1 --csv -g default,llc,default -m mem_read,llc_miss
[ "$(head -n 1 "$out" | tr ',' '\n' | sort | uniq -d)" = "" ] && head -n 1 "$out" | grep -q llc_miss_ratio
ok $? "groups that share columns: each column once" "$out"
run -n 1 --prometheus "$tmp/metrics.prom" -g default,mem --per socket
[ "$(grep -c '^# TYPE uncorestat_mem_read_bytes_total ' "$tmp/metrics.prom.last")" = 1 ]
ok $? "--prometheus: a metric of two groups once" "$tmp/metrics.prom.last"
for format in per=socket csv json; do
	rm -f "$tmp/later.prom"
	LD_PRELOAD=$fake "$stat" -i 0.2 -m mem_read --$format --prometheus "$tmp/later.prom" > "$out" &
	pid=$!
	until grep -qs '^uncorestat_mem_read.*}' "$tmp/later.prom" || ! kill -0 $pid; do
		sleep 0.02
	done
	[ -s "$out" ]
	ok $? "--$format: a line is there as soon as its interval is over"
	kill $pid
	wait $pid
done
QUICK=1000000 LD_PRELOAD=$fake "$stat" -i 0.01 --prometheus "$tmp/read.prom" > /dev/null &
pid=$!
until [ -s "$tmp/read.prom" ] || ! kill -0 $pid; do
	sleep 0.02
done
perl -e 'for (1 .. 20000) { open F, $ARGV[0]; @lines = <F>; print $lines[-1] // "empty\n" }' "$tmp/read.prom" |
	sort | uniq -c > "$tmp/ends"
kill $pid && wait $pid && grep -qx ' *20000 uncorestat_freq_2000_ratio{socket="3"} 0.75' "$tmp/ends"
ok $? "--prometheus: a reader never sees a partial file" "$tmp/ends"

# The unit for systemd, and the dashboard for what it writes
unit=$TOP/tools/uncorestat/uncorestat.service
command=$(sed -n 's/^ExecStart=//p' "$unit")
file=${command##* }
[ "$file" = "%t/$(sed -n 's/^RuntimeDirectory=//p' "$unit")/uncore.prom" ] && grep -q "^ExecStartPre=+/bin/ln -sfT $file /var/lib/" "$unit"
ok $? "systemd unit: its command writes into its directory, and the link leads there" "$unit"
run $(echo "$command" | sed "s,^/usr/bin/uncorestat -i 15,-n 1,; s,%t/.*,$tmp/metrics.prom,")
python3 -IS "$here/exposition.py" "$tmp/metrics.prom.last" > "$tmp/samples" 2>&1
ok $? "systemd unit: its command writes metrics" "$out" "$tmp/samples"
grep -o 'uncorestat_[a-z0-9_]*' "$TOP/tools/uncorestat/grafana.json" | sort -u > "$tmp/plotted"
sed -n 's/^\(uncorestat_[a-z0-9_]*\){socket.*/\1/p' "$tmp/metrics.prom.last" | sort -u | diff - "$tmp/plotted" > "$tmp/diff"
ok $? "Grafana dashboard: plots exactly the metrics of the file" "$tmp/diff"
python3 -IS -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(len({p["id"] for p in d["panels"]}) != len(d["panels"]))' \
	"$TOP/tools/uncorestat/grafana.json" > "$out" 2>&1
ok $? "Grafana dashboard: valid JSON, with unique panel ids" "$out"

# A name with everything that a format has to escape
cp "$FAKE/rules" "$tmp/rules"
new_machine
mv "$FAKE/sys/bus/event_source/devices/snbep_uncore_imc_3" "$FAKE/sys/bus/event_source/devices/snbep_uncore_imc_3\"\\$(printf '\t')"
echo 'refuse 112 -1 19' > "$FAKE/rules"
run -n 1 --json -m mem_read
objects << 'END'
assert any('imc_3"\\\t: ' in n for n in rows[0]['notes']), rows
END
ok $? "--json escapes quotes, backslashes and control characters" "$out"
run -n 1 --csv -m mem_read
python3 -IS -c 'import csv, sys; sys.exit("imc_3\"\\\t: " not in list(csv.DictReader(open(sys.argv[1], newline="")))[0]["notes"])' "$out"
ok $? "--csv escapes quotes" "$out"
echo 'refuse -1 -1 19' > "$FAKE/rules"
run -n 1 --json --per box -g qpi,mem,default
cp "$out" "$tmp/json"
run -n 1 --csv --per box -g qpi,mem,default
python3 -IS - "$tmp/json" "$out" << 'END'
import csv, json, sys
notes = json.loads(open(sys.argv[1]).readline())['notes']
assert len('; '.join(notes)) > 5000, notes
assert next(csv.DictReader(open(sys.argv[2], newline='')))['notes'] == '; '.join(notes)
END
ok $? "--csv has all notes, however long" "$out"
new_machine
ASLEEP=5 run -n 2 -m mem_read
[ "$(grep -c '^  ! the machine was suspended for 5\.0 s' "$out")" = 1 ]
ok $? "a suspend during the run: a note for its interval" "$out"
SLEPT=86400 run -n 2 -m mem_read
! grep -q suspended "$out"
ok $? "a suspend before the run: no note" "$out"
mv "$tmp/rules" "$FAKE/rules"

# Ratios and averages of nothing
cp "$FAKE/rules" "$tmp/rules"
printf '%s\n' 'rate 108 0 -1 -1 0' 'rate 113 0 -1 -1 0' >> "$FAKE/rules"
ratios=mem_remote,cores_c0,ha_pct_rd_requests
run -n 1 -m $ratios --svg "$tmp/plot.svg"
[ "$(row 3)" = "- - -" ] && [ "$(row 0)" = "25.00 5.00 -" ] && grep -q '^  - in a ratio or average: there was nothing to divide by$' "$out" &&
	[ "$(grep -c '<path' "$tmp/plot.svg") $(grep -c 'd="M' "$tmp/plot.svg")" = "6 2" ]
ok $? "a ratio or average of nothing has no value, in the table and in the plot" "$out" "$tmp/plot.svg"
run -n 1 --csv -m $ratios
[ "$(sed -n '2,3p' "$out" | cut -d, -f3-7 | tr '\n' ' ')" = '0,,25,5, 3,,,, ' ]
ok $? "a ratio or average of nothing has no value in --csv" "$out"
mv "$tmp/rules" "$FAKE/rules"

# Notes and dashes
run -n 1 --json
echo 'share 109 -1 0.5' >> "$FAKE/rules"
run -n 1 -m mem_read
[ "$(row 0)" = "~3000.000" ] && grep -q '^  ~ multiplexed' "$out"
ok $? "multiplexed: marked, and the rate is scaled" "$out"
run -n 1 -m mem_read,llc_miss --json
objects << 'END'
assert all(r['multiplexed'] == ['mem_read_bytes_per_second'] and 'sampled' not in r for r in rows), rows
END
ok $? "multiplexed: --json names the metric" "$out"
echo 'share -1 -1 0.5' >> "$FAKE/rules"
run -n 1 --json
objects << 'END'
for r in rows:
    assert {'llc_misses_per_second', 'mem_read_bytes_per_second'} <= set(r['multiplexed']), r
    assert 'llc_misses_per_second' in r['sampled'] and 'mem_read_bytes_per_second' not in r['sampled'], r
END
ok $? "multiplexed and scaled from some slices: --json has it in both lists" "$out"
sed -i '$d' "$FAKE/rules"
run -n 3 -m mem_read
[ "$(grep -c '^  ~ multiplexed' "$out")" = 1 ]
ok $? "multiplexed: one note in three intervals" "$out"
run -n 3 -m mem_read --prometheus "$tmp/metrics.prom"
grep '^uncorestat_mem_read_bytes_total' "$tmp/metrics.prom.last" > "$tmp/samples"
[ "$(sort "$tmp/samples")" = 'uncorestat_mem_read_bytes_total{socket="0"} 9000000000
uncorestat_mem_read_bytes_total{socket="3"} 9000000000' ]
ok $? "multiplexed: amounts are scaled" "$tmp/samples"
sed -i '$d' "$FAKE/rules"
echo 'share 109 0 0.5' >> "$FAKE/rules"
prints "multiplexed in one socket: a note" -q '^  ~ multiplexed' -n 1 -m mem_read
sed -i '$d' "$FAKE/rules"

# Package IDs that are drawn, with gaps, and one online CPU in each
for packages in "$(shuf -i 0-31 -n 4 | xargs)" 5; do
	new_machine "$packages"
	sed -i 's/-[0-9]*//g' "$FAKE/sys/devices/system/cpu/online"
	printf '%s\n' 'rate -1 -1 0x14 -1 1000000000' 'rate 109 -1 0x304 -1 31250000' > "$FAKE/rules"
	run -n 1 --json -m qpi_speed,mem_read
	cp "$out" "$tmp/sockets"
	run -n 1 --csv -m mem_read
	cp "$out" "$tmp/csv"
	run -n 1 --json --per system -m qpi_speed,mem_read
	python3 -IS - "$tmp/sockets" "$out" "$packages" "$tmp/csv" << 'END'
import csv, json, sys
sockets, system = ([json.loads(line) for line in open(name)] for name in sys.argv[1:3])
packages = sorted(map(int, sys.argv[3].split()))
assert [r['socket'] for r in sockets] == packages, sockets
assert [int(r['socket']) for r in csv.DictReader(open(sys.argv[4]))] == packages, packages
assert {r['mem_read_bytes_per_second'] for r in sockets} == {2e9}, sockets
assert system[0]['mem_read_bytes_per_second'] == 2e9 * len(packages), system
assert {r['qpi_speed_gigatransfers_per_second'] for r in sockets + system} == {8}, sockets + system
END
	ok $? "packages $packages: each has a line, amounts add up, a speed does not" "$out" "$tmp/sockets" "$tmp/csv"
done

# Missing boxes
new_machine
rm -r "$FAKE"/sys/bus/event_source/devices/*qpi*
shows "no QPI: dashes" "0.0 0.0 - 0.00 0.00* - - - 0.0* 0.0* - - -"
[ "$(grep -c qpi "$out")" = 1 ] && grep -q '^  - this machine has no qpi box: absent or hidden by the BIOS, as on most boards$' "$out"
ok $? "no QPI: the reason, once" "$out"
for options in '-g qpi' '--per box -m qpi_out'; do
	advice "no QPI, $options" 'this machine has no qpi box: absent or hidden by the BIOS, as on most boards' -n 1 $options
done
run -n 1 -g mem,qpi --per box
[ "$code" = 0 ] && [ "$(grep -c qpi "$out")" = 1 ] && grep -q '^  - this machine has no qpi box' "$out"
ok $? "no QPI, per box with memory: the reason, once" "$out"
new_machine
echo 0 > "$FAKE/sys/bus/event_source/devices/snbep_uncore_imc_2/cpumask"
run -n 1 -m mem_read
[ "$(grep '^  ' "$out" | grep -v '^ *MB\|^ *S3\|time')" = "  ! socket 0 has 3 of 4 imc boxes: the rest is absent or hidden by the BIOS" ]
ok $? "a channel of one socket is hidden: a note for that socket" "$out"
prints "a hidden channel: a note with --per system" -q '^  ! socket 0 has 3 of 4 imc boxes' -n 1 -m mem_read --per system
new_machine
rm -r "$FAKE"/sys/bus/event_source/devices/*cbox_[67]
echo 'rate -1 -1 0xa35 -1 1000000' > "$FAKE/rules"
run -n 1
[ "$(row 0 | cut -d' ' -f5)" = "6.00*" ] && ! grep -q 'of 8 cbox' "$out" && [ "$(grep -c ' 0 0xa35 ' "$FAKE/opened")" = 3 ]
ok $? "six slices: a smaller processor, no note; half of them count misses" "$out" "$FAKE/opened"
rm -r "$FAKE"/sys/bus/event_source/devices/*cbox_[2345]
run -n 1
grep -q '~' "$out" || [ "$(awk '$1 < 102 && $2 == 0 { print $1, $5 }' "$FAKE/opened" | sort -u | wc -l)" -gt 2 ]
ok $? "two slices: multiplexed" "$out"
new_machine
printf '%s\n' 'refuse 113 0x4080 95' 'rate 113 -1 0x0 -1 1000' > "$FAKE/rules"
while read -r metrics want; do
	run -n 1 -m "$metrics"
	[ "$(row 0)" = "$want" ] && grep -q 'S3 cores_c0: socket 3 pcu: power_state_occupancy_cores_c0 is refused: Operation not supported$' "$out"
	ok $? "$metrics, of which a box refuses one: a dash, why, and the other" "$out"
done << END
cores_c0,cores_c6 - 0.00
cores_c6,cores_c0 0.00 -
END
echo 'refuse 113 0x4080 22' > "$FAKE/rules"
prints "an invalid event: where the reason is" -q ' is refused: Invalid argument (dmesg says why)$' -n 1 -m cores_c0
new_machine
printf '%s\n' 'alone 113 0x4080 22' 'rate 113 -1 0x4080 -1 800000000' 'rate 113 -1 0x0 -1 200000000' > "$FAKE/rules"
shows "an event that cannot join a group: counted alone" "0.00 4.00" -m cores_c6,cores_c0
new_machine
for i in 0 2 4 6; do
	echo 0 > "$FAKE/sys/bus/event_source/devices/snbep_uncore_cbox_$i/cpumask"
done
run -n 1
same "every other slice of a socket is hidden: the rest count all columns" "$(row 0)"

# Names and fields of intel_uncore
new_machine '3 0' uncore_
printf '%s\n' 'rate 113 -1 0x0 -1 1000' 'rate -1 -1 0x14 -1 1000' 'rate 108 -1 -1 -1 1000' 'rate -1 -1 0xff -1 1000' > "$FAKE/rules"
echo config:0-7 > "$FAKE/sys/bus/event_source/devices/uncore_pcu/format/event"
run -n 1
[ "$code" = 0 ] && ! row 0 | grep -q -e '- '
ok $? "uncore_*: the default display" "$out"
run -n 1 -m imc_pct_cycles_ppd
same "uncore_*: a fixed counter by its code" 0.00
rm "$FAKE/sys/bus/event_source/devices/uncore_pcu/format/occ_sel"
run -n 1 -m cores_c0,freq_2000
[ "$(row 0)" = "- 0.00" ] && grep -q 'pcu: its driver cannot express occ_sel=1' "$out"
ok $? "a field that the driver lacks: a dash, and why" "$out"
echo config:0-7 > "$FAKE/sys/bus/event_source/devices/uncore_qpi_0/format/event"
prints "an event wider than the driver's field: a note" -q 'qpi_0: its driver cannot express event=0x102' -n 1 -m qpi_drs_data_msgs_from_qpi

LD_PRELOAD=$fake "$stat" -n 1 -i 0.05 > /dev/full 2> "$out"
[ $? = 1 ] && grep -q 'cannot write the output' "$out"
ok $? "a full disk" "$out"

# Counting between enable and disable
new_machine
printf '%s\n' 'rate 109 -1 0x304 -1 15625000' > "$FAKE/rules"
mkfifo "$tmp/ctl" "$tmp/ack"
cat > "$tmp/regions" << 'END'
exec 8<> "$1" 9<> "$2"
say() { echo "$1" >&8; read -r answer <&9; echo "$1 $answer"; }
say ping
for i in 1 2; do say enable; sleep 0.2; say disable; sleep 0.2; done
say disable
END
for how in fifo fd; do
	if [ $how = fifo ]; then
		REAL=1 run --control "fifo:$tmp/ctl,$tmp/ack" --json -m mem_read -- sh "$tmp/regions" "$tmp/ctl" "$tmp/ack"
	else
		REAL=1 run --control fd:7,6 --json -m mem_read -- sh "$tmp/regions" /dev/fd/7 /dev/fd/6 7<> "$tmp/ctl" 6<> "$tmp/ack"
	fi
	[ "$code $(grep -v '^{' "$out" | tr '\n' ' ')" = "0 ping ack enable ack disable ack enable ack disable ack disable ack " ] &&
		sed -i '/^{/!d' "$out"
	objects << 'END'
for r in rows:
    assert 0.4 <= r['total_seconds'] < 0.4 + 2, r
    assert abs(r['mem_read_bytes'] / (1e9 * r['total_seconds']) - 1) < 0.2, r
END
	ok $? "--control $how: counts in both regions alone, and acknowledges" "$out"
done
LD_PRELOAD=$fake "$stat" -i 0.02 -m mem_read --control "fifo:$tmp/ctl" > "$out" 2>&1 &
pid=$!
sleep 0.3
[ ! -s "$out" ]
nothing=$?
echo enable > "$tmp/ctl"
until [ "$(grep -c S3 "$out")" -gt 3 ]; do
	kill -0 $pid || break
	sleep 0.02
done
printf 'nonsense\nstop\n' > "$tmp/ctl"
wait $pid
[ "$? $nothing" = "0 0" ] && grep -q 'no command nonsense' "$out"
ok $? "--control without a command: no lines before enable, and stop ends it" "$out"

# Statistics
new_machine
run -n 3 -m mem_read,mem_remote --summary
python3 -IS - "$out" << 'END'
import sys
lines = [l.split() for l in open(sys.argv[1]).read().split('\n\n')[1].split('\n')]
assert lines[0] == ['3', 'intervals'] and lines[2] == ['mem_read', 'mem_remote'], lines
rows = {(l[0], l[1]): l[2:] for l in lines[3:] if l}
assert rows == {(s, k): ['0.000', '-'] for s in ('min', 'mean', 'max', '99%') for k in ('S0', 'S3')}, rows
END
ok $? "--summary: no value, no statistic" "$out"
echo 'rate 109 -1 0x304 -1 15625000' > "$FAKE/rules"
LD_PRELOAD=$fake "$stat" -i 0.01 -n 400 -m mem_read --summary > "$out" &
pid=$!
while kill -0 $pid 2> /dev/null; do
	n=$(grep -c ' S3 ' "$out")
	[ "$n" -lt 398 ] || echo 'rate 109 -1 0x304 -1 156250000' > "$FAKE/rules"
done
wait $pid
python3 -IS - "$out" << 'END'
import math, re, sys
text = open(sys.argv[1]).read()
seen = sorted(float(m) for m in re.findall(r'^[\d:]+ S0 +([\d.]+)', text, re.M))
rows = {(m[0], m[1]): float(m[2]) for m in re.findall(r'^(min|mean|max|99%) +(S\d) +([\d.]+)', text, re.M)}
assert len(seen) == 400 and '400 intervals' in text and len(rows) == 8, (len(seen), rows)
want = {'min': seen[0], 'mean': sum(seen) / 400, 'max': seen[-1], '99%': seen[math.ceil(.99 * 400) - 1]}
assert all(abs(rows[k, 'S0'] - v) < 0.01 for k, v in want.items()), (rows, want)
END
ok $? "--summary: the statistics are those of the lines above" "$out"

# The plot
new_machine
cat > "$FAKE/rules" << END
rate 109 -1 0x304 -1 31250000
rate 108 -1 -1 -1 1000
rate 113 -1 0x0 -1 1000
rate -1 -1 0x14 -1 1000
END
run -n 4 --svg "$tmp/plot.svg"
python3 -IS - "$tmp/plot.svg" << 'END'
import sys, re, time
import xml.etree.ElementTree as tree
clock = re.search(r'Xeon E5-2600 \(Sandy Bridge-EP\), (\S+ \S+), 40\d\.\d s, 4 intervals', open(sys.argv[1]).read()).group(1)
# The start, in local time
assert abs(time.mktime(time.strptime(clock, '%Y-%m-%d %H:%M:%S')) - time.time()) < 600, clock
root = tree.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
panels = root.findall(ns + 'g')
assert [p.get('transform') for p in panels] == ['translate(%d %d)' % (24 + i % 2 * 484, 64 + i // 2 * 190) for i in range(13)]
for p in panels:
    curves = [(c.find(ns + 'title').text, re.findall(r'[ML]([\d.]+) ([\d.]+)H([\d.]+)', c.get('d')))
              for c in p.findall(ns + 'path')]
    assert [(name, len(points)) for name, points in curves] == [('S0', 4), ('S3', 4)], curves
    for x, y, to in curves[0][1] + curves[1][1]:
        assert 62 <= float(x) < float(to) <= 448 and 30 <= float(y) <= 156, curves
# 2 GB/s fills a panel whose axis ends there; the channel that is written to is empty.
assert [re.search(r' ([\d.]+)H', p.find(ns + 'path').get('d')).group(1) for p in panels[:2]] == ['30.0', '156.0']
assert 'slices' in ' '.join(t.text for t in root.findall(ns + 'text') if t.get('class') == 'note')
units = [[t.text or '-' for t in p if t.get('y') == '18'][1] for p in panels]
assert ' '.join(units) == 'MB/s MB/s % M/s M/s MB/s MB/s % MB/s MB/s - - %', units
marks = [t.text for t in root.iter(ns + 'text') if (t.text or '').endswith('*')]
assert marks == ['llc_miss *', 'pcie_read *', 'pcie_write *'], marks
END
ok $? "--svg: a panel for each column, a curve for each socket, at the right height" "$tmp/plot.svg"
printf '%s\n' 'share 109 0 0.5' 'rate 109 0 0x304 -1 15625000' >> "$FAKE/rules"
run -n 4 -i 100000 -m mem_read --svg "$tmp/plot.svg"
sed '/<style>/,/<\/style>/d; s/, 20[-0-9]* .* s,/, DATE TIME, SECONDS s,/' "$tmp/plot.svg" > "$tmp/text"
diff "$here/plot.svg" "$tmp/text" > "$tmp/diff"
ok $? "--svg: axes, a curve for each socket, legend and notes have their places" "$tmp/diff"

# Two intervals of 100 s, and the rest
rm -f "$FAKE/slow"
QUICK=2 run -i 100 -m mem_read --svg "$tmp/plot.svg" -- sh -c "until [ -e '$FAKE/slow' ]; do sleep 0.02; done; sleep 0.3"
python3 -IS - "$tmp/plot.svg" << 'END'
import re, sys
points = re.findall(r'[ML]([\d.]+) [\d.]+H([\d.]+)', re.search(r'class="curve".* d="(.*?)"', open(sys.argv[1]).read()).group(1))
widths = [float(to) - float(x) for x, to in points]
assert len(widths) == 3 and abs(widths[0] - widths[1]) < 0.15 and widths[0] > 185 and 0 < widths[2] < 15, points
END
ok $? "--svg: each interval is as wide as it was long" "$tmp/plot.svg"
new_machine
printf '%s\n' 'rate -1 -1 0xa35 -1 1000000' 'rate 113 -1 0x0 -1 1000' 'rate 113 -1 0xc -1 1002' 'rate 113 -1 0x4080 -1 3000' > "$FAKE/rules"
LD_PRELOAD=$fake "$stat" -i 0.05 -n 1000 -m llc_miss,freq_2000,cores_c0 --svg "$tmp/plot.svg" > "$out" 2>&1 &
pid=$!
for i in 1 2; do
	sleep 0.2
	kill -STOP $pid
	sleep 0.3
	kill -CONT $pid
done
sleep 0.2
kill $pid
wait $pid
python3 -IS - "$tmp/plot.svg" << 'END'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
notes = [t.text for t in root.findall(ns + 'text') if t.get('class') == 'note' and 'late' in t.text]
assert len(notes) == 1 and notes[0].startswith('! ') and ' late intervals, up to 0.' in notes[0], notes
texts = [[t.text for t in p.findall(ns + 'text')] for p in root.findall(ns + 'g')]
assert texts[0][2] == 'M misses/s' and '10' in texts[0] and '10000000' not in texts[0], texts[0]
assert texts[1][2] == '%' and '100' in texts[1] and '200' not in texts[1], texts[1]
assert ' 30.0H' in root.findall(ns + 'g')[1].find(ns + 'path').get('d')
assert '5' in texts[2], texts[2]
END
ok $? "--svg: one note for all late intervals, percent up to 100, millions as such" "$tmp/plot.svg"
run -n 1 --svg "$tmp/plot.svg" --per box -m llc_lookup
python3 -IS - "$tmp/plot.svg" << 'END'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
ns = '{http://www.w3.org/2000/svg}'
legend = [t for t in root.findall(ns + 'text') if t.get('class') == 'line']
assert len(legend) == 16, len(legend)
assert max(int(t.get('x')) + 8 * len(t.text) for t in legend) <= int(root.get('width'))
assert max(int(t.get('y')) for t in legend) < int(root.find(ns + 'g').get('transform').split()[1][:-1])
for lines in root.findall(ns + 'line'), root.findall(ns + 'g/' + ns + 'path'):
    assert len({(l.get('stroke'), l.get('stroke-dasharray')) for l in lines}) == 16
END
ok $? "--svg --per box: the legend is on the page, and no two lines look the same" "$tmp/plot.svg"
rm "$tmp/plot.svg"
LD_PRELOAD=$fake "$stat" -i 0.05 --svg "$tmp/plot.svg" 2> "$out" | head -n 1 >> "$out"
[ "$(wc -l < "$out")" = 1 ] && [ "$(tail -n 1 "$tmp/plot.svg")" = "</svg>" ]
ok $? "--svg: written although the reader of the lines has gone" "$out"
rm "$tmp/plot.svg"
: > "$out"
LD_PRELOAD=$fake "$stat" -i 0.05 --svg "$tmp/plot.svg" > "$out" 2>&1 &
until [ -s "$out" ]; do
	sleep 0.02
done
kill -HUP $!
wait $!
[ $? = 0 ] && [ "$(tail -n 1 "$tmp/plot.svg")" = "</svg>" ]
ok $? "--svg: written although the terminal was closed" "$out"
rm "$tmp/plot.svg"
LD_PRELOAD=$fake "$stat" -i 0.05 --svg "$tmp/plot.svg" > /dev/full 2> "$out"
[ $? = 1 ] && grep -q '1 intervals' "$tmp/plot.svg" && [ "$(tail -n 1 "$tmp/plot.svg")" = "</svg>" ]
ok $? "--svg: written although the lines could not be" "$out"

# All metrics
new_machine
printf '%s\n' 'rate -1 -1 -1 -1 1000' 'rate -1 -1 0x335 -1 500' > "$FAKE/rules"
"$stat" --list | sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\?$/\1/p' > "$tmp/metrics"
[ "$(wc -l < "$tmp/metrics")" -gt 110 ]
ok $? "--list names the metrics" "$tmp/metrics"
run -n 1 --json --per system -m "$(paste -sd, "$tmp/metrics")"
[ "$code" = 0 ] && ! grep -q null "$out"
ok $? "each metric gives a number" "$out"
for metric in $(cat "$tmp/metrics"); do
	run -n 1 --csv -m "$metric"
	[ "$code" = 0 ] && { read -r _ && read -r _ && read -r _ && ! read -r _; } < "$out" || echo "$metric: $(cat "$out")"
done > "$tmp/bad"
[ ! -s "$tmp/bad" ]
ok $? "each metric gives a number alone" "$tmp/bad"
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$TOP/events" > "$tmp/build" 2>&1
"$TOP/build/events/gen" metrics | sed -n 's/.*"MetricName": "\(.*\)",/\1/p' > "$tmp/names"
grep -vxF -f "$tmp/metrics" "$tmp/names" > "$tmp/missing"
[ "$(wc -l < "$tmp/names")" -gt 100 ] && [ ! -s "$tmp/missing" ]
ok $? "--list has all metrics of perf" "$tmp/missing"

# While it runs
new_machine
printf '%s\n' 'rate 109 -1 0x304 -1 31250000' 'rate 110 -1 0x304 -1 15625000' > "$FAKE/rules"
# begin: run uncorestat in the background until end
begin()
{
	: > "$out"
	LD_PRELOAD=$fake "$stat" -i 0.01 --json -m "${watched:-mem_read}" --prometheus "$tmp/later.prom" > "$out" 2>&1 &
	pid=$!
}

# more INTERVALS: wait for so many
more()
{
	until=$(($(grep -c '^{' "$out") + $1 * 2))
	until [ "$(grep -c '^{' "$out")" -ge $until ]; do
		kill -0 $pid || return 1
		sleep 0.02
	done
}

end()
{
	kill -TERM $pid
	wait $pid
	code=$?
}

# later COMMAND [COMMAND]: run a command after three intervals, another after three more, and ten
# intervals more
later()
{
	begin
	more 3
	eval "$1"
	more 3
	eval "${2:-:}"
	more 10
	end
}
# whole SOCKET NUMBERS [back]: test that each number is one of these, or null
whole()
{
	objects "$@" << 'END'
values = [r['mem_read_bytes_per_second'] for r in rows if r['socket'] == int(sys.argv[2])]
print('#', values)
assert set(values) <= {None, *map(float, sys.argv[3].split())}, values
assert values[0] == 3e9 and None in values, values
if len(sys.argv) > 4:
    assert values[-1] == 3e9, values
END
}
# shellcheck disable=SC2034 # commands that "later" is given use them
online=$FAKE/sys/devices/system/cpu/online
# shellcheck disable=SC2034,SC2125 # as above; a pattern
masks=$FAKE/sys/bus/event_source/devices/*/cpumask
later 'for f in $masks; do echo 10 > $f; done; echo "still -1 0" >> "$FAKE/rules"' \
	'sed -i "\$d" "$FAKE/rules"; for f in $masks; do echo 0,10 > $f; done'
whole 3 3e9 back
ok $? "socket offline and back: dashes, and no wrong number" "$out"
grep -q 'all CPUs of its socket are offline' "$out" && ! grep -q 'decreased' "$out"
ok $? "socket offline: a note" "$out"
objects "$tmp/later.prom.last" << 'END'
for socket in 0, 3:
    seen = sum(r['mem_read_bytes_per_second'] or 0 for r in rows if r['socket'] == socket)
    total = re.search(r'mem_read_bytes_total\{socket="%d"\} (\S+)' % socket, open(sys.argv[2]).read())
    # A line is a dash also while one of four channels is away.
    assert float(total.group(1)) >= seen, (total.group(1), seen)
END
ok $? "socket offline and back: the total of all intervals" "$tmp/later.prom.last"
# files: print how many it has open
files()
{
	ls /proc/$pid/fd | wc -l
}
# no_more_files: wait until it has no more than $before open, as it has between two intervals; 500
# looks mean never
no_more_files()
{
	for _ in $(seq 500); do
		[ "$(files)" -gt "$before" ] || return 0
		sleep 0.02
	done
	return 1
}
watched=mem_read,mem_write
begin
more 3
before=$(files)
printf '%s\n' 'refuse -1 0xc04 16' 'revoke -1 0' >> "$FAKE/rules"
more 6
grep '"socket": *3' "$out" | tail -n 1 > "$tmp/meanwhile"
no_more_files
refused=$?
sed -i '/^re/d' "$FAKE/rules"
echo 'rate 109 -1 0xc04 -1 46875000' >> "$FAKE/rules"
more 6
no_more_files
again=$?
end
watched=
[ "$refused $again" = "0 0" ] && grep -q 'read[^,]*: *null' "$tmp/meanwhile"
ok $? "an event is refused when its group is opened again: dashes, and all files are closed" "$tmp/meanwhile" "$out"
objects << 'END'
last = [r for r in rows if r['socket'] == 3][-1]
assert last['mem_read_bytes_per_second'] == last['mem_write_bytes_per_second'] == 3e9, last
END
ok $? "it is no longer refused: the group counts again" "$out"
sed -i '/0xc04/d' "$FAKE/rules"
later 'echo "refuse 109 -1 19" >> "$FAKE/rules"; echo "rate 109 10 -1 -1 0" >> "$FAKE/rules"'
objects << 'END'
first = [r for r in rows if r['socket'] == 0]
assert {r['mem_read_bytes_per_second'] for r in first} == {3e9, 1e9}, rows
for r in first:
    gone = any('imc_0: the box is gone' in n for n in r.get('notes', []))
    assert gone == (r['mem_read_bytes_per_second'] == 1e9), r
END
ok $? "a channel disappears: the others count, and a note from the first interval on" "$out"
new_machine
echo 'rate 109 -1 0x304 -1 46875000' > "$FAKE/rules"
later 'echo "lose 109 10" >> "$FAKE/rules"' 'sed -i "\$d" "$FAKE/rules"'
whole 0 3e9 back
ok $? "a count that decreases: a dash, never a spike" "$out"
grep -q 'its count decreased' "$out"
ok $? "a count that decreases: a note" "$out"
later 'echo "share -1 -1 0" >> "$FAKE/rules"' 'sed -i "\$d" "$FAKE/rules"'
objects "$tmp/later.prom.last" << 'END'
first = [r for r in rows if r['socket'] == 0]
values = [r['mem_read_bytes_per_second'] for r in first]
assert set(values) == {None, 3e9}, values
assert first[values.index(3e9, values.index(None))]['multiplexed'] == ['mem_read_bytes_per_second'], first
total = re.search(r'mem_read_bytes_total\{socket="0"\} (\S+)', open(sys.argv[2]).read()).group(1)
assert float(total) == 3e9 * len(first), (total, len(first))
END
ok $? "not scheduled for some intervals: dashes, and the next one stands for them" "$out" "$tmp/later.prom.last"
echo 'rate 109 -1 0xc04 -1 46875000' >> "$FAKE/rules"
watched=mem_read,mem_write
later 'echo "lose 109 10 0xc04" >> "$FAKE/rules"'
watched=
objects << 'END'
assert {r['mem_write_bytes_per_second'] for r in rows} == {None, 3e9}, rows
END
ok $? "a count of a group member that decreases: a dash" "$out"

# An interval that comes late
begin
more 2
kill -STOP $pid
sleep 0.3
kill -CONT $pid
more 2
end
objects << 'END'
late = [r for r in rows if any('late' in n for n in r.get('notes', []))]
# A busy machine may have others.
assert late and max(r['interval_seconds'] for r in late) >= 0.3, rows
assert {r['mem_read_bytes_per_second'] for r in rows} == {3e9}, rows
END
ok $? "a late interval: a note, and a correct rate" "$out"

tap_done
