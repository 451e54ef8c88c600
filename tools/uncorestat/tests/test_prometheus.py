# SPDX-License-Identifier: GPL-2.0-only
"""Debian's Prometheus scrapes two machines through node_exporter, all on loopback, and is asked
each expression of grafana.json. promtool checks the names of all metrics."""
import json
import pathlib
import platform
import re
import socket
import subprocess
import threading
import time
import types
import urllib.error
import urllib.parse
import urllib.request

import pytest

from fake_pmus import (
    ABOVE_2000, ALL_METRICS, CORES_C0, CORES_C6, LOOKUPS, MISSES, PCIE, PCIE_READ, PCIE_WRITE,
    PCU_CLOCK, QPI_CLOCK, QPI_IN, QPI_OUT, READS, TO_CACHE, TO_QPI, WRITES, Machine, Uncorestat)

# One process has the fleet.
pytestmark = pytest.mark.xdist_group('prometheus')

# What each metric is with factor k of traffic
WANT = {
    'mem_read_bytes_total': lambda k: 64e6 * k, 'mem_write_bytes_total': lambda k: 44.8e6 * k,
    'mem_remote_numerator_total': lambda k: 10 * k / (10 * k + 30),
    'llc_lookups_total': lambda k: 8e6 * k,
    'llc_misses_total': lambda k: 2e6 * k, 'qpi_out_bytes_total': lambda k: 1e8 * k,
    'qpi_in_bytes_total': lambda k: 2e8 * k,
    'qpi_link_util_numerator_total': lambda k: 25e6 * k / 4e9,
    'pcie_read_bytes_total': lambda k: 64e6 * k, 'pcie_write_bytes_total': lambda k: 46.08e6 * k,
    'cores_c0_numerator_total': lambda k: k / 10, 'cores_c6_numerator_total': lambda k: k / 20,
    'freq_2000_numerator_total': lambda k: k / 100,
    'mem_util_numerator_total': lambda k: 1.7e6 * k * 4 / 4e9,
    'mem_total_bytes_total': lambda k: 108.8e6 * k,
    'package_joules_total': lambda k: 20 * k, 'dram_joules_total': lambda k: 5 * k,
    'package_celsius': lambda k: None, 'busy_ghz_numerator_total': lambda k: 3,
}


@pytest.fixture(scope='module')
def bin_directory(top):
    """Where Debian's Prometheus and node_exporter are"""
    suite = platform.freedesktop_os_release().get('VERSION_CODENAME', 'unknown')
    done = subprocess.run([top / 'scripts/suite-root', suite, 'prometheus',
                           'prometheus-node-exporter'], check=True, encoding='utf-8',
                          stdout=subprocess.PIPE)
    return f'{done.stdout.strip()}/usr/bin'


def make_traffic(machine, factor):
    """Twice as much in the second socket"""
    for cpu, k in (0, factor), (10, 2 * factor):
        for box, config, rate, config1 in (
                ('imc_0', READS, 1000000 * k, -1), ('imc_1', WRITES, 700000 * k, -1),
                ('ha', TO_QPI, 10000000 * k, -1), ('ha', TO_CACHE, 30000000, -1),
                ('*', LOOKUPS, 1000000 * k, -1), ('*', MISSES, 250000 * k, -1),
                ('*', PCIE, 125000 * k, PCIE_READ), ('*', PCIE, 90000 * k, PCIE_WRITE),
                ('qpi_0', QPI_OUT, 12500000 * k, -1), ('qpi_1', QPI_IN, 25000000 * k, -1),
                ('*', QPI_CLOCK, 1000000000, -1), ('pcu', PCU_CLOCK, 800000000, -1),
                ('pcu', CORES_C0, 80000000 * k, -1), ('pcu', CORES_C6, 40000000 * k, -1),
                ('pcu', ABOVE_2000, 8000000 * k, -1), ('*', 0xff, 1000000000, -1),
                ('power', 2, (20 * k) << 32, -1), ('power', 3, (5 * k) << 32, -1)):
            machine.rate(box, config, rate, config1, cpu)
    for cpu in 0, 1, 10, 11:
        for event, rate in (0, 2000000000), (1, 300000000), (2, 200000000):
            machine.rate('msr', event, rate, cpu=cpu)


def free_ports(number):
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


@pytest.fixture(scope='module')
def fleet(built, bin_directory, tmp_path_factory):
    """Two machines that run, the second with five times the traffic, and Prometheus"""
    directory = tmp_path_factory.mktemp('fleet')
    ports, programs, processes, factors = free_ports(3), [], [], {}

    def run(*command, env=None, name):
        with open(directory / f'{name}.log', 'wb') as log:
            processes.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                              stderr=subprocess.STDOUT, env=env))
        return processes[-1]

    try:
        for name, factor in ('a', 1), ('b', 5):
            machine = Machine(directory / name, packages=(0, 3))
            make_traffic(machine, factor)
            text = directory / f'{name}.text'
            text.mkdir()
            (directory / f'{name}.run').mkdir()
            uncorestat = Uncorestat(built / 'uncorestat', built / 'fake-uncorestat.so', machine)
            programs.append(run(
                uncorestat.program, '-i', '1', '-g', 'default,total', '-o', '/dev/null',
                '--prometheus',
                directory / f'{name}.run/uncore.prom', env=uncorestat.environment(REAL='1'),
                name=f'uncorestat.{name}'))
            # As the unit has it
            (text / 'uncore.prom').symlink_to(f'../{name}.run/uncore.prom')
            address = f'127.0.0.1:{ports.pop()}'
            factors[address] = factor
            run(f'{bin_directory}/prometheus-node-exporter', '--collector.disable-defaults',
                '--collector.textfile', f'--collector.textfile.directory={text}',
                f'--web.listen-address={address}', name=f'exporter.{name}')
        (directory / 'prometheus.yml').write_text(
            'global: {scrape_interval: 1s, scrape_timeout: 1s}\n'
            'scrape_configs:\n- job_name: node\n'
            f'  static_configs: [{{targets: {json.dumps(list(factors))}}}]\n')
        address = f'127.0.0.1:{ports.pop()}'
        run(f'{bin_directory}/prometheus', f'--config.file={directory}/prometheus.yml',
            f'--storage.tsdb.path={directory}/tsdb', f'--web.listen-address={address}',
            name='prometheus')
        yield types.SimpleNamespace(url=f'http://{address}', factors=factors, programs=programs)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)


def ask(fleet, path):
    with urllib.request.urlopen(f'{fleet.url}/api/v1/{path}', timeout=20) as answer:
        return json.load(answer)['data']


def query(fleet, expression):
    return ask(fleet, 'query?' + urllib.parse.urlencode({'query': expression}))['result']


def wait_for(condition, seconds=20):
    """Scrapes take a second each."""
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except OSError:
            # It does not listen yet.
            pass
        assert time.monotonic() < end, f'nothing came in {seconds} s'
        time.sleep(0.5)


@pytest.fixture(scope='module')
def expressions(fleet, top):
    """What the dashboard asks for each metric; a rate has 15 scrapes."""
    count = 'count_over_time(uncorestat_info[30s])'
    wait_for(lambda: min((float(result['value'][1]) for result in query(fleet, count)),
                         default=0) >= 15)
    panels = json.loads((top / 'tools/uncorestat/grafana.json').read_text())['panels']
    found = [target['expr'] for panel in panels for target in panel['targets']]
    return {re.search(r'uncorestat_(\w+)', expression)[1]: expression for expression in found}


def test_dashboard_asks_for_every_metric_of_the_default_group(expressions):
    assert set(expressions) == set(WANT)


@pytest.mark.parametrize('name', WANT)
def test_dashboard_shows_the_traffic_of_both_sockets_of_both_machines(fleet, expressions, name):
    expression = expressions[name].replace('$instance', '.*').replace('$__rate_interval', '12s')
    # The quotient of two rates is exact, however late the scrapes are.
    exact = ' / ' in expression
    found = {(result['metric']['instance'], result['metric']['socket']): float(result['value'][1])
             for result in query(fleet, expression)}
    want = {(instance, package): WANT[name](k) or 40 + int(package)
            for instance, factor in fleet.factors.items()
            for package, k in (('0', factor), ('3', 2 * factor))}
    # A busy machine is late with scrapes and intervals.
    assert found == pytest.approx(want, rel=1e-3 if exact else 0.25)


def test_prometheus_knows_type_and_help_of_each_metric_and_the_processor(fleet, expressions):
    metadata = ask(fleet, 'metadata')
    for name in expressions:
        [entry] = metadata['uncorestat_' + name]
        assert entry['type'] == ('counter' if name.endswith('_total') else 'gauge')
        assert entry['help']
    info = {(result['metric']['driver'], result['metric']['generation'])
            for result in query(fleet, 'uncorestat_info')}
    assert info == {('snbep_uncore', 'Xeon E5-2600 (Sandy Bridge-EP)')}


def test_series_of_a_machine_end_with_uncorestat_and_the_others_go_on(fleet, expressions):
    assert expressions
    fleet.programs[0].terminate()
    _, other = fleet.factors
    wait_for(lambda: {result['metric']['instance']
                      for result in query(fleet, 'uncorestat_info')} == {other})


@pytest.mark.parametrize('args', ['every metric', '-g mem,qpi --per box'])
def test_promtool_has_nothing_against(uncorestat, bin_directory, tmp_path, args):
    uncorestat.machine.rate('*', -1, 1000)
    uncorestat.machine.rate('*', 0x335, 500)
    listed = uncorestat.run('--list').text
    names = re.findall(ALL_METRICS, listed, re.M)
    words = ['-m', ','.join(names)] if args == 'every metric' else args.split()
    uncorestat.run('-n', 1, *words, '--prometheus', tmp_path / 'prom')
    text = (tmp_path / 'prom').read_text()
    counted = text.count('# TYPE') - text.count('_denominator_total counter')
    assert args != 'every metric' or counted == len(names) + 1 - listed.count(
        'not available: ') + ('uncorestat_marked' in text)
    said = subprocess.run([f'{bin_directory}/promtool', 'check', 'metrics'], input=text,
                          check=True, capture_output=True, encoding='utf-8')
    assert said.stdout + said.stderr == ''


def test_promtool_takes_the_alerts_and_they_name_what_the_unit_writes(bin_directory, top):
    file = top / 'tools/uncorestat/alerts.yml'
    said = subprocess.run([f'{bin_directory}/promtool', 'check', 'rules', file], check=True,
                          capture_output=True, encoding='utf-8')
    assert '4 rules found' in said.stdout
    names = set(re.findall(r'uncorestat_\w+', file.read_text()))
    assert names == {'uncorestat_info', 'uncorestat_mem_util_numerator_total',
                     'uncorestat_mem_util_denominator_total', 'uncorestat_package_celsius'}


ALERTS = """
rule_files: [{file}]
evaluation_interval: 15s
tests:
- interval: 15s
  input_series:
  # Not counted for two minutes: a gap, after which the counters go on where they were
  - {{series: 'uncorestat_mem_util_numerator_total{{socket="0"}}', values: '0+800x40 _x8 32800+800x60'}}
  - {{series: 'uncorestat_mem_util_denominator_total{{socket="0"}}', values: '0+1000x40 _x8 41000+1000x60'}}
  - {{series: 'uncorestat_mem_util_numerator_total{{socket="1"}}', values: '0+600x100'}}
  - {{series: 'uncorestat_mem_util_denominator_total{{socket="1"}}', values: '0+1000x100'}}
  - {{series: 'uncorestat_package_celsius{{socket="0"}}', values: '95x100'}}
  - {{series: 'uncorestat_package_celsius{{socket="1"}}', values: '85x100'}}
  - {{series: 'node_textfile_mtime_seconds{{file="/var/x/uncore.prom"}}', values: '0x100'}}
  - {{series: 'uncorestat_info{{instance="killed"}}', values: '1x80'}}
  - {{series: 'uncorestat_info{{instance="alive"}}', values: '1x200'}}
  promql_expr_test:
  - expr: ALERTS{{alertname="UncoreAbsent"}}
    eval_time: 26m
    exp_samples:
    - labels: 'ALERTS{{alertname="UncoreAbsent", alertstate="firing", severity="warning",
        instance="killed"}}'
      value: 1
  - expr: ALERTS{{alertname="UncoreAbsent"}}
    eval_time: 19m
    exp_samples: []
  - expr: ALERTS{{alertstate="firing", alertname=~"Uncore(MemoryBusy|Hot)"}}
    eval_time: 20m
    exp_samples:
    - labels: 'ALERTS{{alertname="UncoreMemoryBusy", alertstate="firing", severity="warning",
        socket="0"}}'
      value: 1
    - labels: 'ALERTS{{alertname="UncoreHot", alertstate="firing", severity="warning",
        socket="0"}}'
      value: 1
  - expr: count(ALERTS{{alertstate="firing", alertname="UncoreStale"}})
    eval_time: 2m
    exp_samples: [{{labels: '{{}}', value: 1}}]
  - expr: count(ALERTS{{alertname="UncoreStale"}})
    eval_time: 45s
    exp_samples: []
"""


def test_alerts_fire_when_they_should(bin_directory, top, tmp_path):
    (tmp_path / 'test.yml').write_text(ALERTS.format(file=top / 'tools/uncorestat/alerts.yml'))
    said = subprocess.run([f'{bin_directory}/promtool', 'test', 'rules', tmp_path / 'test.yml'],
                          check=False, capture_output=True, encoding='utf-8')
    assert said.returncode == 0, said.stdout + said.stderr


# --listen

def get(port, path='/metrics', method='GET'):
    request = urllib.request.Request(f'http://127.0.0.1:{port}{path}', method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode(), answer.headers['Content-Type']
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), ''


@pytest.fixture
def listening(request, uncorestat, tmp_path):
    """uncorestat with an endpoint: its port, after an interval of 0.1 s or a parameter"""
    [port] = free_ports(1)
    make_traffic(uncorestat.machine, 1)
    with uncorestat.start('-i', getattr(request, 'param', 0.1), '--listen', port, '-o', '/dev/null',
                          out=tmp_path / 'out', env={'QUICK': '1'}) as running:
        wait_for(lambda: get(port)[0] == 200)
        yield types.SimpleNamespace(port=port, running=running)


def test_endpoint_has_the_metrics_and_is_on_loopback_alone(listening, bin_directory):
    status, text, kind = get(listening.port)
    assert status == 200 and kind.startswith('text/plain; version=0.0.4')
    reads = re.search(r'^uncorestat_mem_read_bytes_total\{socket="0"\} (.*)', text, re.M)
    assert float(reads[1]) >= 64e6
    said = subprocess.run([f'{bin_directory}/promtool', 'check', 'metrics'], input=text,
                          check=True, capture_output=True, encoding='utf-8')
    assert said.stdout + said.stderr == ''
    with open('/proc/net/tcp', encoding='ascii') as sockets:
        bound = [line.split()[1] for line in sockets if line.split()[3] == '0A']
    assert [address for address in bound if address.endswith(f':{listening.port:04X}')] == [
        f'0100007F:{listening.port:04X}']


def test_endpoint_refuses_other_paths_and_methods(listening):
    assert get(listening.port, '/')[0] == 404 and get(listening.port, '/metrics/..')[0] == 404
    assert get(listening.port, method='POST')[0] == 405
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f'http://127.0.0.1:{listening.port}/metrics', data=b'x', timeout=20)
    assert refused.value.headers['Allow'] == 'GET, HEAD'


def test_endpoint_answers_head_without_a_body(listening):
    status, text, kind = get(listening.port, method='HEAD')
    assert (status, text) == (200, '') and kind.startswith('text/plain; version=0.0.4')


def test_memory_does_not_grow(busy, tmp_path):
    """A service runs for months."""
    def memory(intervals):
        slow = busy.machine.root / 'slow'
        slow.unlink(missing_ok=True)
        with busy.start('-i', 1000, '--prometheus', tmp_path / 'file', out=tmp_path / 'out',
                        env={'QUICK': str(intervals)}) as running:
            running.until(slow.exists, 'all intervals')
            status = pathlib.Path(f'/proc/{running.pid}/status').read_text()
        return int(re.search(r'RssAnon:\s*(\d+)', status)[1])

    assert memory(4000) < memory(100) + 500


@pytest.mark.parametrize('listening', [1000], indirect=True)
def test_scrapers_that_dawdle_for_ever_do_not_stop_it(listening):
    """Each byte begins libmicrohttpd's own timeout anew, and no interval ends."""
    slow = [socket.create_connection(('127.0.0.1', listening.port)) for _ in range(8)]
    ended = threading.Event()

    def dawdle():
        while not ended.wait(0.5):
            for one in slow:
                try:
                    one.send(b'G')
                except OSError:
                    pass

    thread = threading.Thread(target=dawdle)
    thread.start()
    try:
        assert get(listening.port)[0] == 200
    finally:
        ended.set()
        thread.join()
        for one in slow:
            one.close()


def test_scrapers_that_say_nothing_do_not_stop_it(listening):
    idle = [socket.create_connection(('127.0.0.1', listening.port)) for _ in range(20)]
    time.sleep(0.5)
    assert listening.running.process.poll() is None
    for one in idle:
        one.close()
    wait_for(lambda: get(listening.port)[0] == 200)
    assert listening.running.stop().code == 0


def test_prometheus_scrapes_the_endpoint_and_up_is_0_after_a_kill(
        listening, bin_directory, tmp_path):
    [port] = free_ports(1)
    (tmp_path / 'prometheus.yml').write_text(
        'global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n- job_name: uncore\n'
        f'  static_configs: [{{targets: ["127.0.0.1:{listening.port}"]}}]\n')
    fleet = types.SimpleNamespace(url=f'http://127.0.0.1:{port}')
    with subprocess.Popen([f'{bin_directory}/prometheus',
                           f'--config.file={tmp_path}/prometheus.yml',
                           f'--storage.tsdb.path={tmp_path}/tsdb',
                           f'--web.listen-address=127.0.0.1:{port}'],
                          stderr=subprocess.DEVNULL) as one:
        try:
            wait_for(lambda: len(query(fleet, 'uncorestat_mem_read_bytes_total')) == 2)
            assert query(fleet, 'up')[0]['value'][1] == '1'
            listening.running.process.kill()
            wait_for(lambda: query(fleet, 'up')[0]['value'][1] == '0')
        finally:
            one.terminate()
