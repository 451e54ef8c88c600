#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # variables of fake.sh
#
# prometheus.t: Debian's Prometheus scrapes two machines through node_exporter, all on loopback, and
# is asked each expression of grafana.json. The machines are fake PMUs, whose traffic in a second is
# known. promtool checks every metric's name.

. "$(dirname "$(readlink -f "$0")")/fake.sh"

root=$("$SCRIPTS/suite-root" "$(host_suite)" prometheus prometheus-node-exporter 2> "$tmp/log")
ok $? "Debian's Prometheus and node_exporter" "$tmp/log"
[ -x "$root/usr/bin/prometheus" ] || { tap_done; exit 1; }
pids=
trap 'kill $pids 2> /dev/null; wait; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP

# Every metric that uncorestat has
new_machine
printf '%s\n' 'rate -1 -1 -1 -1 1000' 'rate -1 -1 0x335 -1 500' > "$FAKE/rules"
"$stat" --list | sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\?$/\1/p' > "$tmp/metrics"
run -n 1 -m "$(paste -sd, "$tmp/metrics")" --prometheus "$tmp/all.prom"
[ "$(grep -c '^# TYPE' "$tmp/all.prom.last")" -gt "$(wc -l < "$tmp/metrics")" ]
ok $? "every metric is in the file" "$out"
for file in all.prom.last boxes.prom.last; do
	[ $file = all.prom.last ] || run -n 1 -g mem,qpi --per box --prometheus "$tmp/boxes.prom"
	"$root/usr/bin/promtool" check metrics < "$tmp/$file" > "$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
	ok $? "promtool has nothing against $file" "$tmp/log"
done

# fleet NAME FACTOR: a machine that runs, and its node_exporter
ports=$(python3 -IS -c 'import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(i.getsockname()[1] for i in s))')
fleet()
{
	FAKE=$tmp/$1
	"$here/fake-root" "$FAKE" '0 3'
	for s in 0 1; do
		cpu=$((10 * s)) k=$(($2 * (s + 1)))
		echo "rate 109 $cpu 0x304 -1 $((1000000 * k))"
		echo "rate 110 $cpu 0xc04 -1 $((700000 * k))"
		echo "rate 108 $cpu 0x410 -1 $((10000000 * k))"
		echo "rate 108 $cpu 0x110 -1 30000000"
		echo "rate -1 $cpu 0x334 -1 $((1000000 * k))"
		echo "rate -1 $cpu 0xa35 -1 $((250000 * k))"
		echo "rate -1 $cpu 0x135 0xcf000000 $((125000 * k))"
		echo "rate -1 $cpu 0x135 0xce000000 $((90000 * k))"
		echo "rate 114 $cpu 0x200 -1 $((12500000 * k))"
		echo "rate 115 $cpu 0x201 -1 $((25000000 * k))"
		echo "rate -1 $cpu 0x14 -1 1000000000"
		echo "rate 113 $cpu 0x0 -1 800000000"
		echo "rate 113 $cpu 0x4080 -1 $((80000000 * k))"
		echo "rate 113 $cpu 0xc080 -1 $((40000000 * k))"
		echo "rate 113 $cpu 0xc -1 $((8000000 * k))"
	done > "$FAKE/rules"
	mkdir "$tmp/$1.text" "$tmp/$1.run"
	REAL=1 LD_PRELOAD=$fake "$stat" -i 1 -o /dev/null --prometheus "$tmp/$1.run/uncore.prom" &
	pids="$pids $!"
	# As the unit has it
	ln -s "../$1.run/uncore.prom" "$tmp/$1.text/uncore.prom"
	port=${ports%% *}
	ports=${ports#* }
	"$root/usr/bin/prometheus-node-exporter" --collector.disable-defaults --collector.textfile "--collector.textfile.directory=$tmp/$1.text" \
		"--web.listen-address=127.0.0.1:$port" > "$tmp/$1.log" 2>&1 &
	pids="$pids $!"
	targets="${targets:+$targets, }'127.0.0.1:$port'"
}
targets=
fleet a 1
first=${pids# }
first=${first% *}
fleet b 5
cat > "$tmp/prometheus.yml" << END
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
- job_name: node
  static_configs: [{targets: [$targets]}]
END
"$root/usr/bin/prometheus" "--config.file=$tmp/prometheus.yml" "--storage.tsdb.path=$tmp/tsdb" "--web.listen-address=127.0.0.1:$ports" \
	> "$tmp/prometheus.log" 2>&1 &
pids="$pids $!"

# ask: each expression of the dashboard, until a rate has 15 scrapes
cat > "$tmp/ask.py" << 'END'
import json, re, sys, time, urllib.parse, urllib.request
dashboard, port, targets = sys.argv[1], sys.argv[2], re.findall(r'[\d.]+:\d+', sys.argv[3])
factors = dict(zip(targets, (1, 5)))


def query(expr):
    url = f'http://127.0.0.1:{port}/api/v1/query?' + urllib.parse.urlencode({'query': expr})
    return json.load(urllib.request.urlopen(url, timeout=20))['data']['result']


def until(what, seconds=120):
    end = time.time() + seconds
    while True:
        try:
            if what():
                return
        except OSError:
            pass
        if time.time() > end:
            sys.exit('nothing came')
        time.sleep(0.5)


want = {
    'mem_read_bytes_total': lambda k: 64e6 * k, 'mem_write_bytes_total': lambda k: 44.8e6 * k,
    'mem_remote_ratio': lambda k: 10 * k / (10 * k + 30), 'llc_lookups_total': lambda k: 8e6 * k, 'llc_misses_total': lambda k: 2e6 * k,
    'qpi_out_bytes_total': lambda k: 1e8 * k, 'qpi_in_bytes_total': lambda k: 2e8 * k, 'qpi_link_util_ratio': lambda k: 25e6 * k / 4e9,
    'pcie_read_bytes_total': lambda k: 64e6 * k, 'pcie_write_bytes_total': lambda k: 46.08e6 * k, 'cores_c0': lambda k: k / 10,
    'cores_c6': lambda k: k / 20, 'freq_2000_ratio': lambda k: k / 100,
}
if len(sys.argv) > 4:
    # One machine has ended: its series end, the other's go on.
    until(lambda: {r['metric']['instance'] for r in query('uncorestat_cores_c0')} == {targets[1]})
    sys.exit()
until(lambda: min((float(r['value'][1]) for r in query('count_over_time(uncorestat_cores_c0[30s])')), default=0) >= 15)
bad, asked = [], set()
for panel in json.load(open(dashboard))['panels']:
    for target in panel['targets']:
        expr = target['expr'].replace('$instance', '.*').replace('$__rate_interval', '12s')
        name = re.search(r'uncorestat_(\w+)', expr).group(1)
        asked.add(name)
        got = {(r['metric']['instance'], r['metric']['socket']): float(r['value'][1]) for r in query(expr)}
        for instance, factor in factors.items():
            for socket, k in ('0', factor), ('3', 2 * factor):
                expected, value = want[name](k), got.pop((instance, socket), None)
                # A busy machine is late with scrapes and intervals.
                most = 0.25 if 'rate(' in expr else 1e-3
                if value is None or abs(value / expected - 1) > most:
                    bad.append(f'{expr} {instance} {socket}: {value}, not {expected}')
        if got:
            bad.append(f'{expr}: {got}')
if asked != set(want):
    bad.append(f'not asked: {set(want) - asked}')
types = json.load(urllib.request.urlopen(f'http://127.0.0.1:{port}/api/v1/metadata', timeout=20))['data']
for name in asked:
    entry = types.get('uncorestat_' + name, [{}])[0]
    if entry.get('type') != ('counter' if name.endswith('_total') else 'gauge') or not entry.get('help'):
        bad.append(f'{name}: {entry}')
info = {(r['metric']['driver'], r['metric']['generation']) for r in query('uncorestat_info')}
if info != {('snbep_uncore', 'Xeon E5-2600 (Sandy Bridge-EP)')}:
    bad.append(f'info: {info}')
sys.exit('\n'.join(bad) or 0)
END
python3 -IS "$tmp/ask.py" "$TOP/tools/uncorestat/grafana.json" "$ports" "$targets" > "$out" 2>&1
ok $? "each expression of the dashboard gives the traffic of both sockets of both machines" "$out" "$tmp/prometheus.log" "$tmp/a.log"
kill "$first"
python3 -IS "$tmp/ask.py" "$TOP/tools/uncorestat/grafana.json" "$ports" "$targets" ended > "$out" 2>&1
ok $? "uncorestat ends on one machine: so do its series, and the other's go on" "$out"

tap_done
