# SPDX-License-Identifier: GPL-2.0-only
"""What Debian's promtool and node_exporter make of the numbers: each alert, a gap in
what a run has written, and the endpoint of --listen."""
import contextlib
import json
import pathlib
import random
import re
import select
import socket
import subprocess
import threading
import types
import urllib.error
import urllib.request

import pytest

from fake_pmus import ALL_METRICS, HANGS, READS, samples, wait_for

SCRAPE = 15


def assert_is(promtool, directory, top, series, tests):
    """With alerts.yml, each (expression, time, samples) of a series {name: values} is so."""
    file = directory / 'test.json'
    file.write_text(json.dumps({
        'rule_files': [str(top / 'tools/uncorestat/alerts.yml')],
        'evaluation_interval': f'{SCRAPE}s',
        'tests': [{'interval': f'{SCRAPE}s', 'input_series': [
            {'series': name, 'values': values} for name, values in series.items()],
                   'promql_expr_test': [
                       {'expr': expression, 'eval_time': when, 'exp_samples': [
                           {'labels': labels, 'value': value} for labels, value in found.items()]}
                       for expression, when, found in tests]}]}))
    code, said = promtool('test', 'rules', file)
    assert code == 0, said


def test_gap_is_a_gap_and_no_spike_follows(uncorestat, promtool, top, tmp_path):
    """Somebody else holds the counters of memory for nine intervals, which was half busy."""
    machine = uncorestat.machine
    machine.rate('imc_*', 0xff, 1000000000)
    machine.rate('imc_*', READS, 125000000)
    prom, series, nr = tmp_path / 'prom', {}, 0
    with uncorestat.start('-i', SCRAPE, '--prometheus', prom, '-m', 'mem_read,mem_util', '-o',
                          '/dev/null', out=tmp_path / 'out') as running:
        for share, intervals in (1, 20), (0, 9), (1, 60):
            machine.rule('share', 'imc_*', -1, share)
            for _ in range(intervals):
                running.step(SCRAPE)
                found = samples(prom)
                for name in found | series:
                    values = series.setdefault(name, ['_'] * nr)
                    values.append(repr(found[name]) if name in found else 'stale')
                nr += 1
    total = 'uncorestat_mem_read_bytes_total'
    sockets = {f'{{socket="{package}"}}': 32e9 for package in (0, 3)}
    panel = json.loads((top / 'tools/uncorestat/grafana.json').read_text())['panels'][0]
    reads = panel['targets'][0]['expr'].replace('$instance', '').replace('$__rate_interval', '1m')
    series = {name: ' '.join(values) for name, values in series.items()}
    assert_is(promtool, tmp_path, top, series, [
        (f'round({reads})', '4m', sockets), (reads, '7m', {}), (f'round({reads})', '12m', sockets),
        # Of 20 scrapes before the gap and 20 after it
        (total, '12m', {total + socket: 40 * SCRAPE * 32e9 for socket in sockets}),
        ('count(uncorestat_marked{mark="not_counted"})', '6m', {'{}': 4}),
        ('count(uncorestat_marked{mark="not_counted"})', '12m', {}),
        ('ALERTS{alertname="UncoreMemoryBusy"}', '12m', {})])


def test_promtool_has_nothing_against_any_metric(uncorestat, promtool, tmp_path):
    uncorestat.machine.rate('*', -1, 1000)
    uncorestat.machine.rate('*', 0x335, 500)
    listed = uncorestat.run('--list').text
    names = re.findall(ALL_METRICS, listed, re.M)
    uncorestat.run('-n', 1, '-m', ','.join(names), '--prometheus', tmp_path / 'prom')
    text = (tmp_path / 'prom').read_text()
    counted = text.count('# TYPE') - text.count('_denominator_total counter')
    assert counted == len(names) + 1 - listed.count('not available: ') + (
        'uncorestat_marked' in text)
    assert promtool('check', 'metrics', input=text) == (0, '')


def test_alerts_fire_when_they_should(promtool, top, tmp_path):
    def alert(name, labels):
        return {f'ALERTS{{alertname="{name}", alertstate="firing", severity="warning", {labels}}}':
                1}

    firing = 'ALERTS{{alertstate="firing", alertname=~"{}"}}'.format
    assert_is(promtool, tmp_path, top, {
        # Not counted for two minutes: a gap, after which the counters go on where they were
        'uncorestat_mem_util_numerator_total{socket="0"}': '0+800x40 _x8 32800+800x60',
        'uncorestat_mem_util_denominator_total{socket="0"}': '0+1000x40 _x8 41000+1000x60',
        'uncorestat_mem_util_numerator_total{socket="1"}': '0+600x100',
        'uncorestat_mem_util_denominator_total{socket="1"}': '0+1000x100',
        'uncorestat_package_celsius{socket="0"}': '95x100',
        'uncorestat_package_celsius{socket="1"}': '85x100',
        'node_textfile_mtime_seconds{file="/var/x/uncore.prom"}': '0x100',
        'uncorestat_info{instance="killed"}': '1x80',
        'uncorestat_info{instance="alive", version="1", driver="a"}': '1x3000',
        # After an update
        'uncorestat_info{instance="alive", version="2", driver="b"}': '_x3001 1x3000'}, [
            (firing('UncoreAbsent'), '20h', alert('UncoreAbsent', 'instance="killed"')),
            ('ALERTS{alertname="UncoreAbsent"}', '19m', {}),
            (firing('Uncore(MemoryBusy|Hot)'), '20m',
             alert('UncoreMemoryBusy', 'socket="0"') | alert('UncoreHot', 'socket="0"')),
            (f'count({firing("UncoreStale")})', '2m', {'{}': 1}),
            ('count(ALERTS{alertname="UncoreStale"})', '45s', {})])


def test_memory_does_not_grow(busy, tmp_path):
    """A service runs for months."""
    def memory(intervals):
        with busy.start('-i', 1, '--prometheus', tmp_path / 'file',
                        out=tmp_path / 'out') as running:
            running.step(intervals)
            status = pathlib.Path(f'/proc/{running.pid}/status').read_text()
        return int(re.search(r'RssAnon:\s*(\d+)', status)[1])

    assert memory(2000) < memory(100) + 400


# --listen and node_exporter, in real time, whose results do not depend on how much passes

def free_port():
    with socket.create_server(('127.0.0.1', 0)) as one:
        return one.getsockname()[1]


def ask(port, path='/metrics', method='GET', host=None):
    """The status, body and type of an answer"""
    request = urllib.request.Request(f'http://127.0.0.1:{port}{path}', method=method,
                                     headers={'Host': host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=HANGS) as answer:
            return answer.status, answer.read().decode(), answer.headers['Content-Type']
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), error.headers.get('Allow', '')


@pytest.fixture
def listening(request, uncorestat, races, tmp_path):
    """uncorestat with an endpoint, at an address or a parameter"""
    port = free_port()
    uncorestat.program = races / 'uncorestat'
    uncorestat.machine.rate('imc_0', READS, 1000000)
    with uncorestat.start('-i', 0.1, '--listen', f'{getattr(request, "param", "")}{port}', '-o',
                          '/dev/null', '--prometheus', tmp_path / 'prom', out=tmp_path / 'out',
                          env={'REAL': '1'}) as running:
        wait_for(lambda: ask(port)[0] == 200)
        yield types.SimpleNamespace(port=port, running=running)
        assert 'ThreadSanitizer' not in running.text


@pytest.mark.parametrize('listening, address', [('', '0100007F'), (':', '00000000')],
                         indirect=['listening'])
def test_endpoint_has_the_metrics_and_is_bound_as_asked(listening, promtool, address):
    status, text, kind = ask(listening.port)
    assert status == 200 and kind.startswith('text/plain; version=0.0.4')
    reads = re.search(r'^uncorestat_mem_read_bytes_total\{socket="0"\} (.*)', text, re.M)
    assert float(reads[1]) > 0
    assert promtool('check', 'metrics', input=text) == (0, '')
    with open('/proc/net/tcp', encoding='ascii') as sockets:
        bound = [line.split()[1] for line in sockets if line.split()[3] == '0A']
    assert [one for one in bound if one.endswith(f':{listening.port:04X}')] == [
        f'{address}:{listening.port:04X}']
    # Loopback is reached by names of web pages, too.
    assert ask(listening.port, host='evil.example')[0] == (403 if address != '00000000' else 200)


@pytest.mark.parametrize('path, method, host, status, text', [
    ('/', 'GET', None, 200, '<a href="/metrics">'), ('/metrics/..', 'GET', None, 404, ''),
    ('/metrics', 'POST', None, 405, ''), ('/metrics', 'HEAD', None, 200, ''),
    ('/metrics', 'GET', 'localhost:1', 200, 'uncorestat_info'),
    ('/metrics', 'GET', '[::1]:9180', 200, 'uncorestat_info'),
    ('/metrics', 'GET', '127.0.0.1.evil.example', 403, ''), ('/', 'GET', 'localhosts', 403, ''),
])
def test_endpoint_answers(listening, path, method, host, status, text):
    found, body, allow = ask(listening.port, path, method, host)
    assert found == status and text in body and (method != 'HEAD' or not body)
    assert status != 405 or allow == 'GET, HEAD'


def test_connections_without_a_request_do_not_stop_it(listening):
    """Silent ones, and those that send a byte at times; new ones come as they are ended."""
    ended, dawdling = threading.Event(), []

    def dawdle(byte):
        while not ended.is_set():
            try:
                with socket.create_connection(('127.0.0.1', listening.port), HANGS) as one:
                    dawdling.append(one)
                    while not ended.wait(0.1) and (not byte or one.send(b'G')):
                        if not byte and select.select([one], [], [], 0)[0]:
                            break
            except OSError:
                pass

    threads = [threading.Thread(target=dawdle, args=[n % 2]) for n in range(24)]
    for thread in threads:
        thread.start()
    try:
        wait_for(lambda: len(dawdling) > 48)
        assert [ask(listening.port)[0] for _ in range(5)] == [200] * 5
        wait_for(lambda: 'sent no request in 2 s' in listening.running.text)
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def test_slow_request_is_answered_although_others_come(listening):
    def answered():
        with socket.create_connection(('127.0.0.1', listening.port), HANGS) as slow:
            slow.sendall(b'GET / HTTP/1.1\r\n')
            ask(listening.port)
            slow.sendall(b'\r\n')
            return slow.recv(15) == b'HTTP/1.1 200 OK'
    wait_for(answered)


def test_requests_that_are_drawn_do_not_stop_it(listening):
    draw = random.Random(seed := random.randrange(1 << 32))
    print(f'seed {seed}: 200 requests')
    base = [b'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n', b'OPTIONS * HTTP/1.1\r\n\r\n',
            b'POST / HTTP/1.1\r\nHost: ::\r\nTransfer-Encoding: chunked\r\n\r\n'
            b'5\r\nhello\r\n0\r\n\r\n',
            b'GET http://a/metrics?x=%00 HTTP/1.0\r\nHost: [\r\n\r\n', b'PRI * HTTP/2.0\r\n\r\n',
            b'HEAD / HTTP/1.1\r\nCookie: ' + b'a' * 40000 + b'\r\n\r\n']
    for _ in range(200):
        data = bytearray(draw.choice(base))
        for _ in range(draw.randrange(6)):
            at = draw.randrange(len(data))
            data[at:at + draw.randrange(4)] = draw.choice([b'', b'\0', b'\r\n', b':', b' ', b'-1'])
        with contextlib.suppress(OSError), socket.create_connection(
                ('127.0.0.1', listening.port), HANGS) as one:
            one.sendall(data)
    assert ask(listening.port)[0] == 200 and listening.running.stop().code == 0


def test_node_exporter_has_the_file_while_it_runs(listening, prometheus, tmp_path):
    port = free_port()
    (tmp_path / 'text').mkdir()
    # As the unit has it
    (tmp_path / 'text/uncore.prom').symlink_to('../prom')
    with subprocess.Popen(
            [f'{prometheus}/prometheus-node-exporter', '--collector.disable-defaults',
             '--collector.textfile', f'--collector.textfile.directory={tmp_path}/text',
             f'--web.listen-address=127.0.0.1:{port}'],
            stderr=subprocess.DEVNULL) as exporter, contextlib.ExitStack() as stack:
        stack.callback(exporter.terminate)
        wait_for(lambda: 'uncorestat_mem_read_bytes_total{socket="0"}' in ask(port)[1])
        listening.running.stop()
        assert 'uncorestat_' not in re.sub('^#.*', '', ask(port)[1], flags=re.M)
