# SPDX-License-Identifier: GPL-2.0-only
"""Over time: idle and busy intervals, the last one that is not full, --summary."""
import json
import re
import signal
import time

import pytest

from exposition import samples
from fake_pmus import (
    CORES_C0, PCU_CLOCK, READS, TO_CACHE, TO_QPI, default_traffic)


@pytest.fixture
def day(uncorestat, tmp_path):
    """A run with busy and idle intervals: a quarter of much traffic, then all of next to none."""
    machine = uncorestat.machine

    def run(*args, by=signal.SIGTERM):
        machine.rate('ha', TO_QPI, 10000000)
        machine.rate('ha', TO_CACHE, 30000000)
        machine.rate('pcu', PCU_CLOCK, 800000000)
        machine.rate('pcu', CORES_C0, 1600000000)
        out, prom = tmp_path / 'out', tmp_path / 'prom'

        def intervals():
            if not prom.exists():
                return 0
            found = re.search('^uncorestat_mem_remote_denominator_total.* (.*)$',
                              prom.read_text(), re.M)
            return float(found[1]) if found else 0

        with uncorestat.start('-i', 0.02, '--prometheus', prom, *args, out=out) as running:
            running.until(lambda: intervals() >= 400000000, 'ten busy intervals')
            with machine.at_once():
                machine.rate('ha', TO_QPI, 2000)
                machine.rate('ha', TO_CACHE, 0)
                machine.rate('pcu', CORES_C0, 0)
            running.until(lambda: 'S3' not in running.text or running.text.count('S3') >= 40,
                          'thirty idle intervals')
            return running.stop(by)

    return run


def test_mean_of_a_ratio_is_that_of_the_whole_time(day):
    output = day('-m', 'mem_remote,cores_c0', '--summary')
    low, mean, high, _ = output.text.split('seconds')[1].split('mem_remote')[1].split()[1:5]
    assert (low, high) == ('25.00', '100.00') and float(mean) == pytest.approx(25, abs=0.1)


def test_prometheus_divides_sums(day, tmp_path):
    day('-m', 'mem_remote,cores_c0')
    found = samples(tmp_path / 'prom.last')
    ratio = (found['uncorestat_mem_remote_numerator_total{socket="0"}'] /
             found['uncorestat_mem_remote_denominator_total{socket="0"}'])
    assert ratio == pytest.approx(0.25, abs=0.001)
    cores = (found['uncorestat_cores_c0_numerator_total{socket="0"}'] /
             found['uncorestat_cores_c0_denominator_total{socket="0"}'])
    assert 0 < cores < 1


def test_totals_of_a_command_divide_sums(uncorestat, tmp_path):
    """What the total line has is the mean of --summary."""
    default_traffic(uncorestat.machine)
    output = uncorestat.run('-i', 0.02, '-m', 'mem_remote', '--summary', '--', 'sleep', 0.2)
    mean = re.search(r'^mem_remote +% +[\d.]+ +([\d.]+)', output.text, re.M)
    assert output.line('S0') == mean[1] == '25.00'


# The last interval that is not full

ENDED_EARLY = re.compile(r'! ended early: this interval has [0-5]\.\d\d s')


@pytest.mark.parametrize('by', [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
@pytest.mark.parametrize('form', ['table', 'json', 'svg', 'summary', 'prometheus'])
def test_interval_that_a_signal_ends_counts(busy, tmp_path, by, form):
    args = {'table': [], 'json': ['--json'], 'svg': ['--svg', tmp_path / 'svg'],
            'summary': ['--summary', '--json'],
            'prometheus': ['--prometheus', tmp_path / 'prom']}[form]
    with busy.start('-i', 5, '-m', 'mem_read', *args, out=tmp_path / 'out') as running:
        opened = busy.machine.root / 'opened'
        running.until(lambda: opened.read_text().count('\n') >= 8, 'it counts')
        time.sleep(0.2)
        output = running.stop(by)
    assert output.code == 0
    if form == 'json':
        rows = output.json()
        assert len(rows) == 2 and rows[0]['mem_read_bytes_per_second'] == 3e9
        assert ENDED_EARLY.fullmatch(rows[0]['notes'][0]) and rows[0]['interval_seconds'] < 5
    elif form == 'svg':
        assert (tmp_path / 'svg').read_text().count('d="M') == 2
    elif form == 'summary':
        assert [(row['mean'], row['intervals']) for row in output.json()] == [(3e9, 1)] * 2
    elif form == 'prometheus':
        found = samples(tmp_path / 'prom.last')
        assert found['uncorestat_mem_read_bytes_total{socket="0"}'] == 3e9
    else:
        assert output.line('S0') == '3000.000' and any(map(ENDED_EARLY.fullmatch, output.notes()))


def test_interval_that_the_command_ends_counts(busy):
    output = busy.run('-i', 5, '-m', 'mem_read', '--json', '--', 'sleep', 0.1)
    assert ['interval_seconds' in row for row in output.json()] == [True, True, False, False]


def test_short_interval_weighs_less(uncorestat):
    """1 GB/s for 0.5 s, whatever the intervals are"""
    uncorestat.machine.rate('imc_0', READS, 15625000)
    output = uncorestat.run('-i', 0.3, '-m', 'mem_read', '--summary', '--json', '--', 'sleep', 0.5,
                            env={'REAL': '1'})
    row = output.json()[0]
    assert row['intervals'] == 2 and row['seconds'] < 0.6 + 2
    assert row['mean'] == pytest.approx(1e9, rel=0.2)


# --summary

def test_summary_has_a_line_for_each_value_and_sockets_beside_each_other(busy):
    text = busy.run('-n', 3, '--summary').text.split('\n\n')
    heading = text[-1].splitlines()
    assert re.fullmatch(r'3 intervals, 30\d\.\d\d seconds', text[-2].splitlines()[-1])
    assert re.fullmatch(' +-+ S0 -+ -+ S3 -+', heading[0])
    assert heading[1].split() == ['min', 'mean', 'max', '99%'] * 2
    assert len(heading) == 2 + 13 and all(len(line) <= 80 for line in heading)
    rows = {line.split()[0]: line.split()[1:] for line in heading[2:]}
    assert rows['mem_read'] == ['MB/s'] + ['3000.0'] * 8
    assert rows['mem_remote'] == ['%'] + ['25.0'] * 8
    assert rows['qpi_link_util'] == ['%'] + ['10.0'] * 8
    assert rows['llc_miss*'] == ['M/s'] + ['2.00'] * 8


def test_summary_per_box_has_blocks_of_80_columns(busy):
    text = busy.run('-n', 1, '--summary', '-g', 'mem,qpi', '--per', 'box').text
    lines = text.split('seconds\n')[1].splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert [label for line in lines for label in re.findall(r'S\d \w+', line)] == [
        f'S{s} {box}' for s in (0, 3)
        for box in ('imc_0', 'imc_1', 'imc_2', 'imc_3', 'qpi_0', 'qpi_1')]


def test_summary_of_long_numbers_has_one_socket_in_a_block(uncorestat):
    uncorestat.machine.rate('imc_0', READS, 123456789)
    text = uncorestat.run('-n', 1, '--summary', '-m', 'x=[imc:cas_count_rd]').text
    assert re.search(r'^x +123456789 +123456789 +123456789 +123456789$', text, re.M)


def test_summary_of_no_value_is_a_dash(uncorestat):
    text = uncorestat.run('-n', 3, '-m', 'mem_read,mem_remote', '--summary').text
    assert re.search(r'^mem_read +MB/s( +0\.000){8}$', text, re.M)
    assert re.search(r'^mem_remote +%( +-){8}$', text, re.M)


def test_summary_has_the_statistics_of_the_lines_above(uncorestat, tmp_path):
    machine = uncorestat.machine
    machine.rate('imc_0', READS, 15625000)
    with uncorestat.start('-i', 0.01, '-n', 400, '-m', 'mem_read', '--summary',
                          out=tmp_path / 'out') as running:
        running.until(lambda: running.text.count(' S3 ') >= 390, '390 intervals')
        # A few of the last intervals, so that 99 % are below
        machine.rate('imc_0', READS, 156250000)
        output = running.finish()
    seen = sorted(float(n) for n in re.findall(r'^[\d:.]+ S0 +([\d.]+)', output.text, re.M))
    assert len(seen) == 400 and '400 intervals' in output.text
    low, mean, high, most = map(float, re.search(
        r'^mem_read +MB/s +(\S+) +(\S+) +(\S+) +(\S+)', output.text, re.M).groups())
    assert (low, high) == pytest.approx((seen[0], seen[-1]), abs=0.5)
    assert mean == pytest.approx(sum(seen) / 400, abs=0.5)
    # By time, which a late interval has more of
    assert most in (pytest.approx(seen[0], abs=0.5), pytest.approx(seen[-1], abs=0.5))


@pytest.mark.parametrize('lengths, high, most', [
    ([1] * 400, 4, 1), ([1] * 400, 5, 1000), ([1] * 100, 1, 1), ([1] * 100, 2, 1000),
    ([0.1] * 400, 4, 1), ([0.1] * 400, 5, 1000), ([0.3] * 1000, 10, 1), ([0.3] * 1000, 11, 1000),
    # By time: one late interval is a hundredth of it, or more.
    ([1] * 99 + [1.01], 1, 1000), ([1], 1, 1000), ([1], 0, 1)])
def test_99_percent_of_the_time_is_at_or_below_that_mark(uncorestat, tmp_path, lengths, high,
                                                         most):
    recording = tmp_path / 'recording'
    uncorestat.run('-n', 1, '-m', 'n=[imc:cas_count_rd]', '--per', 'system', '--record', recording)
    head, line = map(json.loads, recording.read_text().splitlines())
    lines = [{**line, 'seconds': length,
              'values': [[[1000 if n >= len(lengths) - high else 1, 1]]]}
             for n, length in enumerate(lengths)]
    recording.write_text(''.join(json.dumps(one) + '\n' for one in [head, *lines]))
    [row] = uncorestat.run('--replay', recording, '--summary', '--json').json()
    assert row['percentile_99'] == most


@pytest.mark.parametrize('form', ['--csv', '--json'])
def test_summary_for_programs_has_all_of_it_and_no_lines_of_intervals(busy, form):
    busy.machine.rule('share', 'imc_0', 0, 0.5)
    output = busy.run('-n', 2, '--summary', form)
    rows = output.json() if form == '--json' else output.csv()
    assert len(rows) == 26
    found = {(row['name'], str(row['socket'])): row for row in rows}
    for socket, marks in ('0', ''), ('3', '~'):
        row = found['mem_read_bytes_per_second', socket]
        assert {float(row[key]) for key in ('min', 'mean', 'max', 'percentile_99')} == {3e9}
        assert row['marks'] == marks and int(row['intervals']) == 2
    assert found['llc_misses_per_second', '0']['marks'] == '*'
    assert float(found['mem_remote_percent', '0']['mean']) == 25
