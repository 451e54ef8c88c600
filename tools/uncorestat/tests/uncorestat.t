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

# Plan
new_machine
run -n 1
awk '$2 == 0 { n[$1 " " $5]++ } END { for (g in n) { split(g, a, " "); box[a[1]]++; events += n[g] }
	for (b in box) if (box[b] > 1) bad++; exit !(events == 39 && !bad) }' "$FAKE/opened"
ok $? "default: 39 events in each socket, one group in each box" "$FAKE/opened"
awk '$1 < 108 && $2 == 0 { $3 == "0x334" ? l[$1]++ : o[$1] = o[$1] $3 ($3 == "0x135" ? $4 : "") }
	END { for (i = 100; i < 108; i++) print l[i], o[i] }' "$FAKE/opened" | tr '\n' , > "$tmp/slices"
[ "$(cat "$tmp/slices")" = '1 0xa35,1 0x1350xcf000000,1 0xa35,1 0x1350xce000000,1 0xa35,1 0x1350xca000000,1 0xa35,1 0x1350xcf000000,' ]
ok $? "default: lookups in all slices, misses in half of them, a PCIe opcode in each of the others" "$tmp/slices"
run -n 1 -g llc
[ "$(awk '$2 == 10 && $1 < 108' "$FAKE/opened" | grep -c 0xa35)" = 12 ]
ok $? "-g llc: misses in all slices" "$FAKE/opened"
new_machine
run -n 1 -m pcie_read,cbox_cyc_used_upeven,pcie_uc_read
awk '$3 == "0x135" && n[$5] && n[$5] != $4 { bad++ } $3 == "0x135" { n[$5] = $4; all++ } END { exit bad || all < 8 }' "$FAKE/opened"
ok $? "no group has two values of a filter" "$FAKE/opened"
runs << 'END'
nor two of which one begins with the other; -n 1 -m llc_lookup,cbox_llc_drd_miss_pct; [*]; 0=~
an event moves off the only counter of another; -n 1 -m llc_miss,cbox_avg_ingress_depth; 0=[*~]
END
(ulimit -Sn 40 && run -n 1 && exit "$code")
ok $? "more events than the soft limit of open files" "$out"

# Numbers
new_machine
rates imc_0/0x304=31250000 imc_1/0x304=15625000 imc_3/0xc04=1562500 ha/0x410=10 ha/0x110=25 ha/0x210=5 \
	'*/0x334=1000000' '*/0xa35=250000' '*/0x135,0xcf000000=125000' '*/0x135,0xce000000=125000' '*/0x135,0xca000000=3125' \
	qpi_0/0x200=125000000 qpi_1/0x201=250000000 qpi_1/0x401=150000000 qpi_0/0x200802=125000 '*/0x14=1000000000' \
	pcu/0x0=800000000 pcu/0x4080=4000000000 pcu/0xc080=400000000 pcu/0x0c,0x1400=600000000
run -n 2
default="3000.0 100.0 25.0 8.00 2.00* 1000.0 2000.0 10.0 64.0* 65.6* 5.0 0.5 75.0"
same "default columns" "$default"
{
	cat "$out"
	run -n 1 --per box -g qpi
	cat "$out"
	run -m mem_read,llc_miss,qpi_speed -- true
	cat "$out"
} | sed -E 's/^[0-9:]{8} /HH:MM:SS /; s/^[0-9.]+ seconds/N seconds/; s/ +[0-9]+\.[0-9]{2}$/ N/' | diff "$here/tables" - > "$tmp/diff"
ok $? "a table's headings, columns and notes have their places" "$tmp/diff"
began=$(date +%s)
run -n 2
cp "$out" "$tmp/people"
run -n 2 --json
objects "$tmp/people" "$began" "$(date +%s)" "$minutes" << 'END'
began, ended, east = map(int, args[1:])
stamp = rows[0]['time'].replace('Z', '+00:00')
assert rows[0]['time'].endswith('Z') and began <= datetime.datetime.fromisoformat(stamp).timestamp() <= ended + 1, stamp
clock = re.search(r'^(\d\d:\d\d:\d\d) ', text(args[0]), re.M).group(1)
here = datetime.timezone(datetime.timedelta(minutes=east))
assert clock in (datetime.datetime.fromtimestamp(t, here).strftime('%H:%M:%S') for t in range(began, ended + 2)), clock
END
ok $? "times: UTC for programs, local for people ($TZ)" "$out"
objects << 'END'
assert [r['socket'] for r in rows] == [0, 3, 0, 3], rows
for r in rows:
    assert r['mem_read_bytes_per_second'] == 3e9 and r['llc_misses_per_second'] == 2e6, r
    assert r['mem_remote_percent'] == 25 and r['cores_c0'] == 5, r
    assert 'llc_misses_per_second' in r['sampled'] and 'multiplexed' not in r, r
    assert r['interval_seconds'] > 0, r
assert 'notes' in rows[0] and not any('notes' in r for r in rows[1::2]), rows
# Deadlines are multiples of an interval, however late the first one was seen.
assert rows[0]['interval_seconds'] >= 100 and rows[0]['interval_seconds'] + rows[2]['interval_seconds'] > 199.99, rows
END
ok $? "--json: parses, with the right values" "$out"
run -n 2 --csv
objects << 'END'
for r in rows:
    assert None not in r and None not in r.values(), r
    assert float(r['mem_read_bytes_per_second']) == 3e9 and float(r['freq_2000_percent']) == 75, r
assert 'slices' in rows[0]['notes'] and not rows[1]['notes'], rows
assert [r['socket'] for r in rows] == ['0', '3'] * 2, rows
END
ok $? "--csv: parses, with the right values" "$out"
# samples NAME: test that the file of the last run is in the text format
samples()
{
	python3 -IS "$here/exposition.py" "$tmp/metrics.prom.last" > "$tmp/samples" 2>&1
	ok $? "$1: the text format" "$tmp/samples"
}
run -n 3 --prometheus "$tmp/metrics.prom"
samples --prometheus
grep -qxF 'uncorestat_mem_read_bytes_total{socket="3"} 9e+09' "$tmp/samples" &&
	grep -qxF 'uncorestat_mem_write_bytes_total{socket="3"} 300000000' "$tmp/samples" &&
	grep -qxF 'uncorestat_mem_remote_ratio{socket="0"} 0.25' "$tmp/samples" &&
	grep -qx 'uncorestat_info{version="[0-9.]*",generation="Xeon E5-2600 (Sandy Bridge-EP)",driver="snbep_uncore"} 1' "$tmp/samples" &&
	grep -q '^# HELP uncorestat_mem_read_bytes_total [A-Z]' "$tmp/metrics.prom.last"
ok $? "--prometheus: amounts since the start, ratios of the last interval" "$tmp/samples"
for lines in 24 13; do
	QUICK=1000000 script -qc "stty rows $lines; LD_PRELOAD=$fake exec $stat -i 100 -n 30 -m mem_read" /dev/null < /dev/null > "$out"
	grep -c 'time mem_read' "$out"
done > "$tmp/headings"
[ "$(paste -sd ' ' "$tmp/headings")" = "3 6" ]
ok $? "in a terminal, each screen has a heading" "$tmp/headings" "$out"
shows "-g llc" "8.00 2.00 25.0" -g llc
runs << 'END'
--per system; -n 1 --per system; ^[0-9:]* all *6000\.0 *200\.0 *25\.0 *16\.00
-m: decimals, divisors and units by kind of metric; -n 1 -m mem_remote,llc_miss,qpi_speed,mem_read; S0=25.00 2000000 8.00 3000.000; S3=25.00 2000000 8.00 3000.000; ^ *% *misses/s *GT/s *MB/s$
-m with patterns; -n 1 -m 'mem_[rw]*,freq_2*'; ^ *time *mem_read *mem_write *mem_remote *freq_2000 *freq_2600$
-m name=expression, per box; -n 1 --per box -m 'r=[imc:cas_count_rd] * 64'; S3 imc_0=2000000000.00
--csv --per box: a line for each box, with its own metrics; -n 1 --csv --per box -m mem_read,qpi_out; ,0,imc_0,2000000000,,$; ,0,imc_1,1000000000,,$; ,0,qpi_0,,1000000000,; 13=,
groups per socket and per box together: a line per socket; -n 1 -g llc,qpi; ^ *S3\( *[-0-9.*]*\)\{7\}$; 0=qpi_
groups that share columns: each column once; -n 1 --csv -g default,llc,default -m mem_read,llc_miss; ,llc_miss_ratio_percent,; 0=^time.*\(,llc_misses[^,]*\),.*\1,; 0=^time.*\(,mem_read[^,]*\),.*\1,
END
run -n 1 --csv -m 'gb=([imc:cas_count_rd] + [imc:event=0x04,umask=0x0c]) * 64 / 1e9,mem_read,both=d_ratio([cbox:tor_inserts_miss_all], [pcu:clockticks]) - 0.001'
[ "$(sed 1d "$out" | cut -d, -f3- | tr '\n' ' ')" = "0,,3.1,3000000000,0.0015, 3,,3.1,3000000000,0.0015, " ] &&
	head -n 1 "$out" | grep -q ',gb,mem_read_bytes_per_second,both,notes$'
ok $? "-m name=expression: aliases and codes, of one box type and of two" "$out"
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
shows "a field of two ranges of bits" "1.000" -m qpi_drs_data_msgs_from_qpi
rates imc_1/0x1=3125000 imc_1/0x102=781250
# CPU 0 is of the second socket that is printed, and its QPI ports differ.
cp "$FAKE/rules" "$tmp/rules"
rates qpi_0@0/0x200=1000000 qpi_1@0/0x200=2000000 qpi_0@10/0x200=3000000 qpi_1@10/0x200=4000000
runs << 'END'
--per box -g mem; -n 1 --per box -g mem; S0 imc_1=1000.0 0.0 80.0 15.0 5.0; ^ *S3 imc_3 *0\.0 *100\.0
each socket has its own numbers; -n 1 -m qpi_out; S0=56.000; S3=24.000
each box has its own numbers; -n 1 --per box -m qpi_out; S0 qpi_0=24.000; S0 qpi_1=32.000; S3 qpi_0=8.000; S3 qpi_1=16.000
END
new_machine
rates 'cbox_[0246]/0x334=1000000' 'cbox_[0246]/0xa35=100000' 'cbox_[1357]/0x334=4000000' 'cbox_[1357]/0xa35=400000'
run -n 1 -g default -m llc_miss_ratio
[ "$(row 0 | cut -d ' ' -f 4,5,14)" = "20.00 0.80* 10.00*" ]
ok $? "a ratio is of the slices that count both events" "$out"
cp "$tmp/rules" "$FAKE/rules"

# Groups whose columns have numbers of their own
rates '*/0x0,0x0=2000000000' pcu/0x0=1000000000 pcu/0x4080=1000000000 pcu/0x8080=2000000000 pcu/0xc080=3000000000 \
	pcu/0x0b,0xc=100000000 pcu/0x0c,0x1400=200000000 pcu/0x0d,0x1a0000=300000000 \
	pcu/0x06=400000000 pcu/0x05=500000000 pcu/0x04=600000000 pcu/0x07=700000000 \
	'*/0x136,0xc1000000=20000000' '*/0x135,0xc1000000=10000000' '*/0x336,0xc1000000=12000000' '*/0x335,0xc1000000=4000000' \
	'*/0x336,0xc0000000=20000000' '*/0x335,0xc0000000=5000000' '*/0x336,0xc0800000=30000000' '*/0x335,0xc0800000=6000000' \
	'*/0x136,0xcf000000=42000000' '*/0x135,0xcf000000=7000000' '*/0x136,0xce000000=56000000' '*/0x135,0xce000000=8000000' \
	'*/0x135,0xca000000=9000000' '*/0x135,0xf2000000=10000000' '*/0x135,0xf3000000=11000000' '*/0x135,0xca800000=12000000'
shows "-g power" "1.0 2.0 3.0 10.0 20.0 30.0 40.0 50.0 60.0 70.0" -g power
shows "-g latency" "1.0* 1.5* 2.0* 2.5* 3.0* 3.5*" -g latency
shows "latencies in clocks" "2.00* 7.00*" -m cbox_avg_tor_drd_latency,lat_pcie_write
rates 'imc_?/0xff=500000000' power@0/0x2=429496729600 power@10/0x2=214748364800 power/0x3=42949672960 \
	msr/0x0=2000000000 msr/0x1=300000000 msr@1/0x1=600000000 msr/0x2=200000000
runs << 'END'
-g total: bandwidth and its share of what the channels can do, watts, GHz, temperature; -n 1 -g total; ^[0-9:]* all  6000\.0   200\.0  6200\.0   9\.7  25\.0   150\.0  20\.0  3\.75  41\.5$
watts and GHz of each socket; -n 1 -m package_watts,dram_watts,busy_ghz; S3=100.00 10.00 4.50; S0=50.00 10.00 3.00
watts and GHz of a command; -m busy_ghz,package_watts -- sleep 0.1; seconds
END
hwmon=$FAKE/sys/class/hwmon
mkdir "$hwmon/hwmon1"
cp "$hwmon/hwmon10/temp1_label" "$hwmon/hwmon1"
echo acpitz > "$hwmon/hwmon1/name"
echo 99000 > "$hwmon/hwmon1/temp1_input"
runs << 'END'
temperature: of each socket, where package IDs have a gap; -n 2 -m package_celsius --prometheus $tmp/metrics.prom; S0=40.00; S3=43.00
temperature: the average over a command's time; -m package_celsius -- sleep 0.3; ^[0-9: ]* S0 *\(39\.9\|40\.0\); ^[0-9: ]* S3 *\(42\.9\|43\.0\)
END
grep -q '^uncorestat_package_celsius{socket="3"} 4\(3\|2\.9[0-9]*\)$' "$tmp/metrics.prom.last"
ok $? "temperature: its name is one of Prometheus" "$tmp/metrics.prom.last"
KERNEL_RELEASE=6.9.0-rc1 run -n 1 -m package_celsius
same_order="$(row 0) $(row 3)"
cp "$hwmon/hwmon10/temp1_label" "$tmp/label"
cp "$hwmon/hwmon0/temp1_label" "$hwmon/hwmon10/temp1_label"
cp "$tmp/label" "$hwmon/hwmon0/temp1_label"
KERNEL_RELEASE=6.8.12 run -n 1 -m package_celsius
[ "$same_order $(row 0) $(row 3)" = "40.00 43.00 40.00 43.00" ]
ok $? "temperature: before Linux 6.9, packages are numbered in the order of CPUs" "$out"
cp "$hwmon/hwmon10/temp1_label" "$hwmon/hwmon0/temp1_label"
cp "$tmp/label" "$hwmon/hwmon10/temp1_label"
celsius=$hwmon/hwmon0/temp1_input
: > "$celsius"
runs << 'END'
temperature: none at a command's start: the average of the rest; -m package_celsius -- sh -c "echo 43000 > $celsius && sleep 0.3"; ^[0-9: ]* S3 *\(42\.[89]\|43\.0\)
temperature: none at a command's end: a dash, and why; -m package_celsius -- sh -c "sleep 0.3 && : > $celsius"; S3=-; S3 package_celsius: socket 3 coretemp: it cannot be read
END
rm "$celsius"
runs << 'END'
temperature: a file that is gone: the other socket has its number; -n 1 -m package_celsius,mem_read; S0=40.00 3000.000; S3=- 3000.000; S3 package_celsius: socket 3 coretemp: package is refused: No such file
END
mkdir "$hwmon/hwmon0/temp1_input"
runs << 'END'
temperature: a file that gives an error: the other socket has its number; -n 2 -m package_celsius; S0=40.00; S3=-; S3 package_celsius: socket 3 coretemp: it cannot be read
END
rm -r "$hwmon/hwmon0"
runs << 'END'
temperature: one package alone has coretemp: no number, as it could be of either socket; -n 1 -m package_celsius; S0=-; S3=-
END
rm -r "$hwmon"
runs << 'END'
without coretemp: dashes, and how to get it; -n 1 -g total; 3\.75     -$; ^  - this machine has no coretemp box: load Linux.s driver (modprobe coretemp)$
END
mv "$devices/power" "$tmp/power"
runs << 'END'
without Linux's power PMU: dashes, and how to get it; -n 1 -g total; ^  - this machine has no power box: load Linux.s driver (modprobe rapl)$
END
mv "$tmp/power" "$devices/power"
rates pcu/0x0b,0x1d=420000000 pcu/0x0c,0x1f00=430000000 pcu/0x0d,0x210000=440000000 pcu/0x0e,0x23000000=450000000
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
same "with a command: its totals" "$default"
run -- sh -c "until [ -e $tmp/ended ]; do sleep 0.1; done &"
: > "$tmp/ended"
ok $code "with a command that leaves a program: ends before that does" "$out"
run --prometheus "$tmp/meanwhile.prom" -m mem_read -- sh -c "until grep -q mem_read_bytes_total $tmp/meanwhile.prom; do sleep 0.1; done"
ok $code "with a command and without -i: --prometheus meanwhile" "$out"
echo before > "$tmp/plot.svg"
runs << 'END'
no such command: 127, and no table; 127: --svg $tmp/plot.svg -- no-such-command; ^uncorestat: no-such-command: No such file or directory$; 1=
not a program: 126, and no table; 126: -- /etc/passwd; ^uncorestat: /etc/passwd: Permission denied$; 1=
a command that exits with 127 has run; 127: -- sh -c 'exit 127'; ^ *total
a command killed by a signal: 128 + the signal; 137: -- sh -c 'kill -KILL $$'
a command has no signals blocked; -- grep SigBlk /proc/self/status; ^SigBlk:.0*$
END
[ "$(cat "$tmp/plot.svg")" = before ]
ok $? "no such command: the last plot stays" "$tmp/plot.svg"
run -i 0.02 --csv -m mem_read -- sh -c "until [ \"\$(grep -c ',,3000000000,' $out)\" -ge 4 ]; do sleep 0.02; done"
[ "$(grep -c '^time,.*mem_read_bytes_per_second,notes$' "$out") $(grep -c '^time,.*mem_read_bytes,notes$' "$out")" = "1 1" ] &&
	[ "$(grep -c '^2.*,[03],,3000000000,\("! late: [^"]*"\)\?$' "$out")" -ge 4 ] && [ "$(tail -n 2 "$out" | grep -c '^2.*,[03],,[0-9]*000000000,$')" = 2 ]
ok $? "with a command and -i: lines meanwhile, then totals below names of their own" "$out"
start -- sleep 600
child=
meanwhile 'grep -qsx sleep "/proc/${child% }/comm" || ! child=$(cat /proc/$pid/task/$pid/children)'
stop
[ "$code" = 143 ] && grep -q '^ *total' "$out" && ! kill -0 "${child% }" 2> /dev/null
ok $? "SIGTERM ends a command, too, and the totals follow" "$out"

# Files for programs
run -n 1 --prometheus "$tmp/metrics.prom" --per box -g mem,qpi,llc
samples "--prometheus --per box"
set -- "$tmp"/metrics.prom*
[ "$*" = "$tmp/metrics.prom.last" ]
ok $? "--prometheus: the file goes when the program ends, and leaves no temporary file"
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
for option in --prometheus --svg; do
	advice "$option to where it cannot be written: exits before the run" "cannot write $tmp/no/such: No such file or directory" \
		-i 0.05 -n 1000 $option "$tmp/no/such"
done
run -n 1 --prometheus "$tmp/metrics.prom" -g default,mem --per socket
[ "$(grep -c '^# TYPE uncorestat_mem_read_bytes_total ' "$tmp/metrics.prom.last")" = 1 ]
ok $? "--prometheus: a metric of two groups once" "$tmp/metrics.prom.last"
for format in per=socket csv json; do
	rm -f "$tmp/later.prom"
	start -i 0.2 -m mem_read --$format --prometheus "$tmp/later.prom"
	meanwhile 'grep -qs "^uncorestat_mem_read.*}" "$tmp/later.prom"'
	[ -s "$out" ]
	ok $? "--$format: a line is there as soon as its interval is over"
	stop
done
QUICK=1000000 start -i 0.01 --prometheus "$tmp/read.prom"
meanwhile '[ -s "$tmp/read.prom" ]'
perl -e 'for (1 .. 20000) { open F, $ARGV[0]; @lines = <F>; print $lines[-1] // "empty\n" }' "$tmp/read.prom" |
	sort | uniq -c > "$tmp/ends"
stop
[ "$code" = 0 ] && grep -qx ' *20000 uncorestat_freq_2000_ratio{socket="3"} 0.75' "$tmp/ends"
ok $? "--prometheus: a reader never sees a partial file" "$tmp/ends"

# The unit for systemd, and the dashboard for what it writes
unit=$TOP/tools/uncorestat/uncorestat.service
command=$(sed -n 's/^ExecStart=//p' "$unit")
file=${command##* }
[ "$file" = "%t/$(sed -n 's/^RuntimeDirectory=//p' "$unit")/uncore.prom" ] && grep -q "^ExecStartPre=+/bin/ln -sfT $file /var/lib/" "$unit"
ok $? "systemd unit: its command writes into its directory, and the link leads there" "$unit"
# shellcheck disable=SC2046 # words
run $(echo "$command" | sed "s,^/usr/bin/uncorestat -i 15,-n 1,; s,%t/.*,$tmp/metrics.prom,")
samples "systemd unit: its command writes metrics"
grep -o 'uncorestat_[a-z0-9_]*' "$TOP/tools/uncorestat/grafana.json" | sort -u > "$tmp/plotted"
sed -n 's/^\(uncorestat_[a-z0-9_]*\){socket.*/\1/p' "$tmp/metrics.prom.last" | sort -u | diff - "$tmp/plotted" > "$tmp/diff"
ok $? "Grafana dashboard: plots exactly the metrics of the file" "$tmp/diff"
objects "$TOP/tools/uncorestat/grafana.json" > "$tmp/log" 2>&1 << 'END'
panels = json.load(open(args[0]))['panels']
assert len({p['id'] for p in panels}) == len(panels)
END
ok $? "Grafana dashboard: valid JSON, with unique panel ids" "$tmp/log"

cp "$FAKE/rules" "$tmp/rules"
new_machine
echo 'refuse -1 -1 19' > "$FAKE/rules"
run -n 1 --json --per box -g qpi,mem,default
cp "$out" "$tmp/json"
run -n 1 --csv --per box -g qpi,mem,default
objects "$tmp/json" << 'END'
notes = '; '.join(json.loads(text(args[0]).split('\n')[0])['notes'])
assert len(notes) > 5000 and rows[0]['notes'] == notes, notes
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
runs << 'END'
a ratio or average of nothing has no value; -n 1 -m mem_remote,cores_c0,ha_pct_rd_requests --svg $tmp/plot.svg; S3=- - -; S0=25.00 5.00 -; ^  - in a ratio or average: there was nothing to divide by$
a ratio or average of nothing has no value in --csv; -n 1 --csv -m mem_remote,cores_c0,ha_pct_rd_requests; ,0,,25,5,,; ,3,,,,,
END
[ "$(grep -c '<path' "$tmp/plot.svg") $(grep -c 'd="M' "$tmp/plot.svg")" = "6 2" ]
ok $? "a ratio or average of nothing has no value in the plot" "$tmp/plot.svg"
mv "$tmp/rules" "$FAKE/rules"

# Notes and dashes
echo 'share 109 -1 0.5' >> "$FAKE/rules"
runs << 'END'
multiplexed: marked, and the rate is scaled; -n 1 -m mem_read; S0=~3000.000; ^  ~ multiplexed
multiplexed: one note in three intervals; -n 3 -m mem_read; 1=^  ~ multiplexed
multiplexed: --json names the metric; -n 1 -m mem_read,llc_miss --json; 2="multiplexed":\["mem_read_bytes_per_second"\]; 0="sampled"
END
run -n 3 -m mem_read --prometheus "$tmp/metrics.prom"
[ "$(grep -c '^uncorestat_mem_read_bytes_total{socket="[03]"} 9000000000$' "$tmp/metrics.prom.last")" = 2 ]
ok $? "multiplexed: amounts are scaled" "$tmp/metrics.prom.last"
echo 'share -1 -1 0.5' >> "$FAKE/rules"
run -n 1 --json
objects << 'END'
for r in rows:
    assert {'llc_misses_per_second', 'mem_read_bytes_per_second'} <= set(r['multiplexed']), r
    assert 'llc_misses_per_second' in r['sampled'] and 'mem_read_bytes_per_second' not in r['sampled'], r
END
ok $? "multiplexed and scaled from some slices: --json has it in both lists" "$out"
sed -i '/^share/d' "$FAKE/rules"
echo 'share 109 0 0.5' >> "$FAKE/rules"
runs << 'END'
multiplexed in one socket: a note; -n 1 -m mem_read; ^  ~ multiplexed
END

# Package IDs that are drawn, with gaps, and one online CPU in each
for packages in "$(shuf -i 0-31 -n 4 | xargs)" 5; do
	new_machine "$packages"
	sed -i 's/-[0-9]*//g' "$FAKE/sys/devices/system/cpu/online"
	rates '*/0x14=1000000000' imc_0/0x304=31250000
	run -n 1 --json -m qpi_speed,mem_read
	cp "$out" "$tmp/sockets"
	run -n 1 --csv -m mem_read
	cp "$out" "$tmp/csv"
	run -n 1 --json --per system -m qpi_speed,mem_read
	objects "$tmp/sockets" "$tmp/csv" "$packages" << 'END'
sockets, packages = load(args[0]), sorted(map(int, args[2].split()))
assert [r['socket'] for r in sockets] == packages, sockets
assert [int(r['socket']) for r in load(args[1])] == packages, packages
assert {r['mem_read_bytes_per_second'] for r in sockets} == {2e9}, sockets
assert rows[0]['mem_read_bytes_per_second'] == 2e9 * len(packages), rows
assert {r['qpi_speed_gigatransfers_per_second'] for r in sockets + rows} == {8}, sockets + rows
END
	ok $? "packages $packages: each has a line, amounts add up, a speed does not" "$out" "$tmp/sockets" "$tmp/csv"
done

# Missing boxes
new_machine
rm -r "$devices"/*qpi*
runs << 'END'
no QPI: dashes, and the reason, once; -n 1; S0=0.0 0.0 - 0.00 0.00* - - - 0.0* 0.0* - - -; 1=qpi; ^  - this machine has no qpi box: absent or hidden by the BIOS, as on most boards$
no QPI, per box with memory: the reason, once; -n 1 -g mem,qpi --per box; 1=qpi; ^  - this machine has no qpi box
END
for options in '-g qpi' '--per box -m qpi_out'; do
	# shellcheck disable=SC2086 # words
	advice "no QPI, $options" 'this machine has no qpi box: absent or hidden by the BIOS, as on most boards' -n 1 $options
done
new_machine
echo 0 > "$devices/snbep_uncore_imc_2/cpumask"
runs << 'END'
a channel of one socket is hidden: a note for that socket; -n 1 -m mem_read; ^  ! socket 0 has 3 of 4 imc boxes: the rest is absent or hidden by the BIOS$; 1=^  [-!~*]
a hidden channel: a note with --per system; -n 1 -m mem_read --per system; ^  ! socket 0 has 3 of 4 imc boxes
END
new_machine
rm -r "$devices"/*cbox_[67]
rates '*/0xa35=1000000'
run -n 1
[ "$(row 0 | cut -d' ' -f5)" = "6.00*" ] && ! grep -q 'of 8 cbox' "$out" && [ "$(grep -c ' 0 0xa35 ' "$FAKE/opened")" = 3 ]
ok $? "six slices: a smaller processor, no note; half of them count misses" "$out" "$FAKE/opened"
rm -r "$devices"/*cbox_[2345]
run -n 1
grep -q '~' "$out" || [ "$(awk '$1 < 102 && $2 == 0 { print $1, $5 }' "$FAKE/opened" | sort -u | wc -l)" -gt 2 ]
ok $? "two slices: multiplexed" "$out"
new_machine
rates pcu/0x0=1000
echo 'refuse 113 0x4080 95' >> "$FAKE/rules"
runs << 'END'
a box refuses the first of two: a dash, why, and the other; -n 1 -m cores_c0,cores_c6; S0=- 0.00; S3 cores_c0: socket 3 pcu: power_state_occupancy_cores_c0 is refused: Operation not supported$
a box refuses the second of two: a dash, why, and the other; -n 1 -m cores_c6,cores_c0; S0=0.00 -; S3 cores_c0: socket 3 pcu: power_state_occupancy_cores_c0 is refused: Operation not supported$
END
echo 'refuse 113 0x4080 22' > "$FAKE/rules"
runs << 'END'
an invalid event: where the reason is; -n 1 -m cores_c0;  is refused: Invalid argument (dmesg says why)$
END
new_machine
echo 'alone 113 0x4080 22' > "$FAKE/rules"
rates pcu/0x4080=800000000 pcu/0x0=200000000
shows "an event that cannot join a group: counted alone" "0.00 4.00" -m cores_c6,cores_c0
new_machine
for i in 0 2 4 6; do
	echo 0 > "$devices/snbep_uncore_cbox_$i/cpumask"
done
run -n 1
same "every other slice of a socket is hidden: the rest count all columns" "$(row 0)"

# Names and fields of intel_uncore
new_machine '3 0' uncore_
rates pcu/0x0=1000 '*/0x14=1000' ha/-1=1000 '*/0xff=1000'
echo config:0-7 > "$devices/uncore_pcu/format/event"
runs << 'END'
uncore_*: the default display; -n 1; 0=^[0-9: ]* S0.* - 
uncore_*: a fixed counter by its code; -n 1 -m imc_pct_cycles_ppd; S0=0.00; S3=0.00
END
rm "$devices/uncore_pcu/format/occ_sel"
echo config:0-7 > "$devices/uncore_qpi_0/format/event"
runs << 'END'
a field that the driver lacks: a dash, and why; -n 1 -m cores_c0,freq_2000; S0=- 0.00; pcu: its driver cannot express occ_sel=1
an event wider than the driver's field: a note; -n 1 -m qpi_drs_data_msgs_from_qpi; qpi_0: its driver cannot express event=0x102
END
LD_PRELOAD=$fake "$stat" -n 1 -i 0.05 > /dev/full 2> "$out"
[ $? = 1 ] && grep -q 'cannot write the output' "$out"
ok $? "a full disk" "$out"

# Counting between enable and disable
new_machine
rates imc_0/0x304=15625000
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
assert len(rows) == 2
for r in rows:
    assert 0.4 <= r['total_seconds'] < 0.4 + 2, r
    assert abs(r['mem_read_bytes'] / (1e9 * r['total_seconds']) - 1) < 0.2, r
END
	ok $? "--control $how: counts in both regions alone, and acknowledges" "$out"
done
start -i 0.02 -m mem_read --control "fifo:$tmp/ctl"
sleep 0.3
[ ! -s "$out" ]
nothing=$?
echo enable > "$tmp/ctl"
meanwhile '[ "$(grep -c S3 "$out")" -gt 3 ]'
printf 'nonsense\nstop\n' > "$tmp/ctl"
wait $pid
[ "$? $nothing" = "0 0" ] && grep -q 'no command nonsense' "$out"
ok $? "--control without a command: no lines before enable, and stop ends it" "$out"

# Statistics
new_machine
run -n 3 -m mem_read,mem_remote --summary
objects << 'END'
lines = [line.split() for line in text(sys.argv[1]).split('\n\n')[1].split('\n')]
assert lines[0] == ['3', 'intervals'] and lines[2] == ['mem_read', 'mem_remote'], lines
found = {(line[0], line[1]): line[2:] for line in lines[3:] if line}
assert found == {(s, k): ['0.000', '-'] for s in ('min', 'mean', 'max', '99%') for k in ('S0', 'S3')}, found
END
ok $? "--summary: no value, no statistic" "$out"
rates imc_0/0x304=15625000
start -i 0.01 -n 400 -m mem_read --summary
meanwhile '[ "$(grep -c " S3 " "$out")" -lt 398 ] || rates imc_0/0x304=156250000'
wait $pid
objects << 'END'
seen = sorted(float(m) for m in re.findall(r'^[\d:]+ S0 +([\d.]+)', text(sys.argv[1]), re.M))
found = {m[:2]: float(m[2]) for m in re.findall(r'^(min|mean|max|99%) +(S\d) +([\d.]+)', text(sys.argv[1]), re.M)}
assert len(seen) == 400 and '400 intervals' in text(sys.argv[1]) and len(found) == 8, (len(seen), found)
want = {'min': seen[0], 'mean': sum(seen) / 400, 'max': seen[-1], '99%': seen[math.ceil(.99 * 400) - 1]}
assert all(abs(found[k, 'S0'] - v) < 0.01 for k, v in want.items()), (found, want)
END
ok $? "--summary: the statistics are those of the lines above" "$out"

# The plot
new_machine
rates imc_0/0x304=31250000 ha/-1=1000 pcu/0x0=1000 '*/0x14=1000'
svg=$tmp/plot.svg
run -n 4 --svg "$svg"
objects "$svg" << 'END'
clock = re.search(r'Xeon E5-2600 \(Sandy Bridge-EP\), (\S+ \S+), 40\d\.\d s, 4 intervals', text(args[0])).group(1)
# The start, in local time
assert abs(time.mktime(time.strptime(clock, '%Y-%m-%d %H:%M:%S')) - time.time()) < 600, clock
assert [p.get('transform') for p in panels] == ['translate(%d %d)' % (24 + i % 2 * 484, 64 + i // 2 * 190) for i in range(13)]
for p in panels:
    assert [(name, len(of)) for name, of in points(p)] == [('S0', 4), ('S3', 4)], points(p)
    for x, y, to in sum((of for _, of in points(p)), []):
        assert 62 <= float(x) < float(to) <= 448 and 30 <= float(y) <= 156, points(p)
# 2 GB/s fills a panel whose axis ends there; the channel that is written to is empty.
assert [points(p)[0][1][0][1] for p in panels[:2]] == ['30.0', '156.0']
assert any(of == 'note' and 'slices' in t for of, t in texts)
units = [[t.text or '-' for t in p if t.get('y') == '18'][1] for p in panels]
assert ' '.join(units) == 'MB/s MB/s % M/s M/s MB/s MB/s % MB/s MB/s - - %', units
marks = [t.text for t in root.iter(SVG + 'text') if (t.text or '').endswith('*')]
assert marks == ['llc_miss *', 'pcie_read *', 'pcie_write *'], marks
END
ok $? "--svg: a panel for each column, a curve for each socket, at the right height" "$svg"
echo 'share 109 0 0.5' >> "$FAKE/rules"
rates imc_0@0/0x304=15625000
run -n 4 -i 100000 -m mem_read --svg "$svg"
sed '/<style>/,/<\/style>/d; s/, 20[-0-9]* .* s,/, DATE TIME, SECONDS s,/' "$svg" | diff "$here/plot.svg" - > "$tmp/diff"
ok $? "--svg: axes, a curve for each socket, legend and notes have their places" "$tmp/diff"
# Two intervals of 100 s, and the rest
rm -f "$FAKE/slow"
QUICK=2 run -i 100 -m mem_read --svg "$svg" -- sh -c "until [ -e '$FAKE/slow' ]; do sleep 0.02; done; sleep 0.3"
objects "$svg" << 'END'
widths = [float(to) - float(x) for x, _, to in points(panels[0])[0][1]]
assert len(widths) == 3 and abs(widths[0] - widths[1]) < 0.15 and widths[0] > 185 and 0 < widths[2] < 15, widths
END
ok $? "--svg: each interval is as wide as it was long" "$svg"
new_machine
rates '*/0xa35=1000000' pcu/0x0=1000 pcu/0xc=1002 pcu/0x4080=3000
start -i 0.05 -n 1000 -m llc_miss,freq_2000,cores_c0 --svg "$svg"
for i in STOP CONT STOP CONT; do
	sleep 0.25
	kill -$i $pid
done
sleep 0.2
stop
objects "$svg" << 'END'
late = [t for of, t in texts if of == 'note' and 'late' in t]
assert len(late) == 1 and late[0].startswith('! ') and ' late intervals, up to 0.' in late[0], late
labels = [[t.text for t in p.findall(SVG + 'text')] for p in panels]
assert labels[0][2] == 'M misses/s' and '10' in labels[0] and '10000000' not in labels[0], labels[0]
assert labels[1][2] == '%' and '100' in labels[1] and '200' not in labels[1], labels[1]
assert points(panels[1])[0][1][0][1] == '30.0' and '5' in labels[2], labels[2]
END
ok $? "--svg: one note for all late intervals, percent up to 100, millions as such" "$svg"
run -n 1 --svg "$svg" --per box -m llc_lookup
objects "$svg" << 'END'
legend = [t for t in root.findall(SVG + 'text') if t.get('class') == 'line']
assert len(legend) == 16, len(legend)
assert max(int(t.get('x')) + 8 * len(t.text) for t in legend) <= int(root.get('width'))
assert max(int(t.get('y')) for t in legend) < int(panels[0].get('transform').split()[1][:-1])
for lines in root.findall(SVG + 'line'), root.findall(SVG + 'g/' + SVG + 'path'):
    assert len({(l.get('stroke'), l.get('stroke-dasharray')) for l in lines}) == 16
END
ok $? "--svg --per box: the legend is on the page, and no two lines look the same" "$svg"
# written NAME CONDITION: test that there is a whole plot
written()
{
	eval "$2" && [ "$(tail -n 1 "$svg")" = "</svg>" ]
	ok $? "--svg: written although $1" "$out"
	rm -f "$svg"
}
rm "$svg"
LD_PRELOAD=$fake "$stat" -i 0.05 --svg "$svg" 2> "$out" | head -n 1 >> "$out"
written "the reader of the lines has gone" '[ "$(wc -l < "$out")" = 1 ]'
start -i 0.05 --svg "$svg"
meanwhile '[ -s "$out" ]'
stop HUP
written "the terminal was closed" '[ "$code" = 0 ]'
LD_PRELOAD=$fake "$stat" -i 0.05 --svg "$svg" > /dev/full 2> "$out"
code=$?
written "the lines could not be" "[ $code = 1 ] && grep -q '1 intervals' $svg"

# All metrics
new_machine
printf '%s\n' 'rate -1 -1 -1 -1 1000' 'rate -1 -1 0x335 -1 500' > "$FAKE/rules"
"$stat" --list | sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\?$/\1/p' > "$tmp/metrics"
[ "$(wc -l < "$tmp/metrics")" -gt 110 ]
ok $? "--list names the metrics" "$tmp/metrics"
runs << 'END'
each metric gives a number; -n 1 --json --per system -m "$(paste -sd, "$tmp/metrics")"; 0=null
END
for metric in $(cat "$tmp/metrics"); do
	run -n 1 --csv -m "$metric"
	[ "$code" = 0 ] && { read -r _ && read -r _ && read -r _ && ! read -r _; } < "$out" || echo "$metric: $(cat "$out")"
done > "$tmp/bad"
empty "each metric gives a number alone" "$tmp/bad"
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$TOP/events" > "$tmp/build" 2>&1
"$TOP/build/events/gen" metrics | sed -n 's/.*"MetricName": "\(.*\)",/\1/p' > "$tmp/names"
grep -vxF -f "$tmp/metrics" "$tmp/names" > "$tmp/missing"
[ "$(wc -l < "$tmp/names")" -gt 100 ] && [ ! -s "$tmp/missing" ]
ok $? "--list has all metrics of perf" "$tmp/missing"

# While it runs
new_machine
rates imc_0/0x304=31250000 imc_1/0x304=15625000
# begin: run uncorestat in the background until stop
begin()
{
	start -i 0.01 --json -m "${watched:-mem_read}" --prometheus "$tmp/later.prom"
}

# more INTERVALS: wait for so many
more()
{
	meanwhile "[ \$(grep -c '^{' '$out') -ge $(($(grep -c '^{' "$out") + $1 * 2)) ]"
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
	stop
}

# whole SOCKET NUMBERS [back]: test that each number is one of these, or null
whole()
{
	objects "$@" << 'END'
values = [r['mem_read_bytes_per_second'] for r in rows if r['socket'] == int(args[0])]
print('#', values)
assert set(values) <= {None, *map(float, args[1].split())}, values
assert values[0] == 3e9 and None in values, values
if len(args) > 2:
    assert values[-1] == 3e9, values
END
}
# shellcheck disable=SC2034,SC2125 # a command that "later" is given uses the pattern
masks=$devices/*/cpumask
later 'for f in $masks; do echo 10 > $f; done; echo "still -1 0" >> "$FAKE/rules"' \
	'sed -i "\$d" "$FAKE/rules"; for f in $masks; do echo 0,10 > $f; done'
whole 3 3e9 back && grep -q 'all CPUs of its socket are offline' "$out" && ! grep -q 'decreased' "$out"
ok $? "socket offline and back: dashes, a note, and no wrong number" "$out"
objects "$tmp/later.prom.last" << 'END'
for socket in 0, 3:
    seen = sum(r['mem_read_bytes_per_second'] or 0 for r in rows if r['socket'] == socket)
    total = re.search(r'mem_read_bytes_total\{socket="%d"\} (\S+)' % socket, text(args[0])).group(1)
    # A line is a dash also while one of four channels is away.
    assert float(total) >= seen, (total, seen)
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
rates imc_0/0xc04=46875000
more 6
no_more_files
again=$?
stop
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
rates imc_0/0x304=46875000
later 'echo "lose 109 10" >> "$FAKE/rules"' 'sed -i "\$d" "$FAKE/rules"'
whole 0 3e9 back && grep -q 'its count decreased' "$out"
ok $? "a count that decreases: a dash and a note, never a spike" "$out"
later 'echo "share -1 -1 0" >> "$FAKE/rules"' 'sed -i "\$d" "$FAKE/rules"'
objects "$tmp/later.prom.last" << 'END'
first = [r for r in rows if r['socket'] == 0]
values = [r['mem_read_bytes_per_second'] for r in first]
assert set(values) == {None, 3e9}, values
assert first[values.index(3e9, values.index(None))]['multiplexed'] == ['mem_read_bytes_per_second'], first
total = re.search(r'mem_read_bytes_total\{socket="0"\} (\S+)', text(args[0])).group(1)
assert float(total) == 3e9 * len(first), (total, len(first))
END
ok $? "not scheduled for some intervals: dashes, and the next one stands for them" "$out" "$tmp/later.prom.last"
rates imc_0/0xc04=46875000
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
stop
objects << 'END'
late = [r for r in rows if any('late' in n for n in r.get('notes', []))]
# A busy machine may have others.
assert late and max(r['interval_seconds'] for r in late) >= 0.3, rows
assert {r['mem_read_bytes_per_second'] for r in rows} == {3e9}, rows
END
ok $? "a late interval: a note, and a correct rate" "$out"

tap_done
