#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""dashboard.py GRAFANA.JSON PORT TARGETS [ended]: ask Prometheus each expression of the dashboard, once a rate has 15 scrapes, and
compare with the traffic of both machines of prometheus.t; or, when the first one has ended, wait until its series have."""
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
