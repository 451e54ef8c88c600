# SPDX-License-Identifier: GPL-2.0-only
"""Every output of a drawn recording has the same numbers: any sign, no number, marks, sockets,
boxes and groups that come and go, parts of intervals."""
import datetime
import functools
import json
import math
import os
import random
import re
import xml.etree.ElementTree as tree

import pytest

from fake_pmus import Output, samples
from test_values import BESIDE

pytestmark = pytest.mark.sanitizers
SVG = '{http://www.w3.org/2000/svg}'
# Metrics: their kind, box type, and the name and divisor of their counters for Prometheus
METRICS = {
    'mem_read': ('amount', 'imc', 'mem_read_bytes', 1), 'mem_remote': ('ratio', 'ha', None, 1),
    'llc_miss': ('amount', 'cbox', 'llc_misses', 1), 'cores_c0': ('level', 'pcu', 'cores_c0', 1),
    'uncore_ghz': ('level', 'cbox', None, 1),
    'lat_read_ns': ('level', 'cbox', 'lat_read_seconds', 1e9),
    'package_celsius': ('level', 'coretemp', None, 1),
    'package_watts': ('power', 'power', 'package_joules', 1),
    'x=[imc:cas_count_rd]-[imc:cas_count_wr]': ('own', 'imc', None, 1),
    'z=[imc:cas_count_rd]*2': ('own amount', 'imc', 'z', 1),
    'y(%)=[imc:cas_count_rd]/[imc:cas_count_wr]': ('own ratio', 'imc', None, 1),
}
BOXES = 'imc_0', 'imc_1', 'cbox_7', 'pcu', '/', '/a/' + 'long' * 15, '/b/' + 'long' * 15
# Kinds whose counter for Prometheus is one number
COUNTED = 'amount', 'own amount', 'power'
MARKS = {'*': 'sampled', '~': 'multiplexed', '!': 'implausible'}


class Recording:
    """A recording, and what is known of it"""

    def __init__(self, draw, path, like=None):
        """@like: has some of this one's sockets"""
        self.path, self.draw = path, draw
        self.columns = draw.sample(list(METRICS), draw.randint(1, len(METRICS)))
        self.sockets = sorted(draw.sample(range(70), draw.randint(1, 5)))
        if like:
            self.columns, self.sockets = draw.sample(list(METRICS), 10), like.sockets[:2] + [70]
        lines = [{'socket': socket} for socket in self.sockets] + [{}] * draw.randint(0, 1)
        lines += [{'socket': socket, 'box': box} for socket in self.sockets for box in BOXES[:4]
                  if draw.random() < 0.5]
        self.lines = draw.sample(lines, draw.randint(1, len(lines)))
        self.start = draw.randrange(1 << 41)
        head = {'uncorestat_record': 1, 'start_ms': self.start,
                'interval_seconds': draw.choice([0.1, 1, 15.0]), 'host': 'h<&', 'model': 79,
                'driver': 'd', 'command': "c'&<", 'sockets': self.sockets,
                'lines': list(self.lines),
                'columns': [{'metric': name} for name in self.columns]}
        self.intervals = []
        with open(path, 'w', encoding='ascii') as file:
            file.write(json.dumps(head) + '\n')
            for _ in range(draw.randint(1, 12)):
                file.write(json.dumps(self._interval(draw)) + '\n')

    def _interval(self, draw):
        new = [{'socket': draw.choice(self.sockets), 'box': draw.choice(BOXES + 2 * BOXES[-2:])}
               for _ in range(draw.choice([0, 0, 1, 5]))]
        new = [line for n, line in enumerate(new) if line not in self.lines + new[:n]]
        self.lines += new
        part = draw.random() < 0.2
        interval = {
            'time_ms': draw.randrange(1 << 41), 'part': part, 'late': draw.random() < 0.2,
            'seconds': draw.choice([1e-9, 0.004, 1.0, 1.03, 100.0, 1e6]),
            'values': [None if line.get('box', '').startswith('/') and draw.random() < 0.3 else
                       [self._value(draw, name) for name in self.columns] for line in self.lines],
            'notes': draw.sample(['! one', '- two <&>', '~ three; 4', '- ' + 'x' * 6000],
                                 draw.randint(0, 4))}
        if new:
            interval['lines'] = new
        self.intervals.append(interval)
        return interval

    @staticmethod
    def _value(draw, name):
        kind = METRICS[name][0]
        value = [draw.choice([0.0, -1e-300, 1e308, draw.uniform(-1e12, 0),
                              draw.uniform(-1e3, 1e12)]),
                 draw.choice([0.0, 1.0, 0.25, draw.uniform(1e-3, 1e3)])]
        if kind == 'own' and draw.random() < 0.3:
            value[1] *= -1
        elif kind in ('own ratio', 'own amount'):
            value[0] = abs(value[0])
        marks = ''.join(mark for mark in '*!' if draw.random() < 0.2)
        return value + draw.choice([[], [marks], [marks, round(draw.random(), 3)]])


    def cells(self):
        """(index of the line, line, index of the column, metric) of each value that a line has"""
        return [(at, line, column, name) for at, line in enumerate(self.lines)
                for column, name in enumerate(self.columns) if applies(line, name)]

    @functools.cached_property
    def totals(self):
        """{(line, column): (sum of numbers, sum of divisors, [number of each interval])}"""
        found = {(at, column): (0, 0, []) for at, _, column, _ in self.cells()}
        for interval in self.intervals:
            for at, _, column, name in self.cells():
                if at >= len(interval['values']) or interval['values'][at] is None:
                    continue
                num, den, *_ = interval['values'][at][column]
                all_num, all_den, each = found[at, column]
                have = number(METRICS[name][0], num, den)
                if have is not None and not interval['part']:
                    each.append(have)
                num = num if 'own' in METRICS[name][0] else max(num, 0)
                found[at, column] = all_num + num, all_den + den, each
        return found

    def means(self):
        """{(box, metric): mean of all intervals, or None}"""
        return {(str(line), name): number('own ' + METRICS[name][0], *self.totals[at, column][:2])
                for at, line, column, name in self.cells()}


def about(value, rel=1e-13):
    return value if value is None else pytest.approx(value, rel=rel)


def marks_of(value):
    """Of a recorded value, as JSON lists them"""
    return {MARKS[mark] for mark in (value[2:] or [''])[0]} | (
        {'multiplexed'} if len(value) > 3 and value[3] < 1 else set())


def csv_marks(cells):
    """{name: as JSON lists them} of a line in CSV"""
    return {key: {MARKS[mark] for mark in marks} for key, marks in (
        re.fullmatch(r'(.*?)([*~!]+)', word).groups() for word in cells['marks'].split())}


def number(kind, num, den, total=False):
    """What is printed, or None for what would be too large in percent"""
    value = math.nan if not den else num if total and kind == 'amount' else num / den
    if not math.isfinite(value * 100):
        return None
    value = value if value > 0 or 'own' in kind and value < 0 else 0
    return value * 100 if 'ratio' in kind else value


@pytest.fixture(params=range(12))
def recording(request, tmp_path):
    seed = int(os.environ.get('SEED') or random.randrange(1 << 32))
    print(f'seed {seed} {request.param}')
    draw = random.Random(f'{seed} {request.param}')
    return Recording(draw, tmp_path / 'file')


def applies(line, name):
    """Whether a metric is one of the line's boxes"""
    kind = line.get('box', '').partition('_')[0]
    return not kind or METRICS[name][1] == kind


def test_lines_have_the_numbers_and_marks_of_the_recording(uncorestat, recording):
    want = [(interval, line, values) for interval in recording.intervals if not interval['part']
            for line, values in zip(recording.lines, interval['values']) if values is not None]
    # The totals follow.
    rows = uncorestat.run('--replay', recording.path, '--json').json()[:len(want)]
    table = uncorestat.run('--replay', recording.path, '--csv').csv()[:len(want)]
    assert len(rows) == len(table) == len(want)
    for row, cells, (interval, line, values) in zip(rows, table, want):
        assert {key: row[key] for key in ('socket', 'box') if key in row} == line
        assert row['interval_seconds'] == pytest.approx(interval['seconds'], abs=1e-6)
        assert cells['notes'] == '; '.join(row.get('notes', []))
        found = [key for key in row if key not in BESIDE]
        csv = {key: cell for key, cell in cells.items() if key not in {*BESIDE, 'marks'}}
        marks = csv_marks(cells)
        for name, value, (column, cell) in zip(recording.columns, values, csv.items()):
            if not applies(line, name):
                assert cell == '' and column not in row
                continue
            key = found.pop(0)
            have = number(METRICS[name][0], *value[:2])
            assert row[key] == about(have, 1e-14)
            assert key == column and (float(cell) if cell else None) == row[key]
            assert marks_of(value) == {word for word in MARKS.values() if key in row.get(word, [])}
            assert marks_of(value) == marks.get(key, set())
        assert not found


def test_totals_of_the_command_have_the_sums_and_all_marks(uncorestat, recording):
    rows = uncorestat.run('--replay', recording.path, '--json').json()
    rows = [row for row in rows if 'total_seconds' in row]
    # In CSV they have a heading of their own.
    text = uncorestat.run('--replay', recording.path, '--csv').text
    table = Output(re.split('^(?=time,)', text, flags=re.M)[-1]).csv()
    assert len(rows) == len(table) == len(recording.lines)
    for at, (row, line, cells) in enumerate(zip(rows, recording.lines, table)):
        keys = [key for key in row if key not in BESIDE]
        assert {key: float(cells[key]) if cells[key] else None for key in keys} == {
            key: row[key] for key in keys}
        for column, name in enumerate(recording.columns):
            if not applies(line, name):
                continue
            key = keys.pop(0)
            num, den, _ = recording.totals[at, column]
            assert row[key] == about(number(METRICS[name][0], num, den, True))
            marks = [marks_of(interval['values'][at][column]) for interval in recording.intervals
                     if at < len(interval['values']) and interval['values'][at]]
            assert set().union(*marks) == csv_marks(cells).get(key, set()) == {
                word for word in MARKS.values() if key in row.get(word, [])}
    # The last part of an interval has no line that explains its marks and those before.
    parts = [n for n, interval in enumerate(recording.intervals, 1) if interval['part']] or [0]
    assert set().union(*(
        marks_of(value) for interval in recording.intervals[:parts[-1]]
        for line, values in zip(recording.lines, interval['values'])
        for name, value in zip(recording.columns, values or []) if applies(line, name))) == {
            word for word, note in zip(MARKS.values(), ('* from', '~ multi', '! behind'))
            if note in ' '.join(rows[0].get('notes', []))}


def test_summary_has_the_means_of_the_recording(uncorestat, recording):
    rows = uncorestat.run('--replay', recording.path, '--json', '--summary').json()
    assert len(rows) == len(recording.cells())
    for row, (at, line, column, name) in zip(rows, recording.cells()):
        assert {key: row[key] for key in ('socket', 'box') if key in row} == line
        each = recording.totals[at, column][2]
        if not each:
            assert row['mean'] is row['min'] is None
            continue
        assert row['mean'] == about(recording.means()[str(line), name])
        assert (row['min'], row['max']) == pytest.approx((min(each), max(each)), rel=1e-14)


def test_counters_for_prometheus_are_the_sums_of_the_recording(
        uncorestat, recording, promtool, tmp_path):
    uncorestat.run('--replay', recording.path, '--prometheus', tmp_path / 'prom')
    found = samples(tmp_path / 'prom')
    assert promtool('check', 'metrics', input=(tmp_path / 'prom').read_text()) == (0, '')
    assert not [name for name in found if name.startswith('uncorestat_x_')]
    last = recording.intervals[-1]['values']
    for at, line, column, metric in recording.cells():
        num, den, _ = recording.totals[at, column]
        kind, _, name, divisor = METRICS[metric]
        labels = ','.join(f'{key}="{value}"' for key, value in line.items())
        labels = f'{{{labels}}}' if labels else '{}'
        if not name or last[at] is None or None in (
                number(kind, num, den, True), number(kind, *last[at][column][:2])):
            continue
        parts = {f'uncorestat_{name}_total': num} if kind in COUNTED else {
            f'uncorestat_{name}_numerator_total': num / divisor,
            f'uncorestat_{name}_denominator_total': den}
        for name, value in parts.items():
            if name + labels in found or not recording.intervals[-1]['part']:
                assert found[name + labels] == pytest.approx(value, rel=1e-14)


def test_plot_has_a_step_for_each_number_of_the_recording(uncorestat, recording, tmp_path):
    svg = tmp_path / 'svg'
    uncorestat.run('--replay', recording.path, '--svg', svg, '-o', '/dev/null',
                   env={'TZ': 'HERE-7:30'})
    text = svg.read_text()
    assert not re.search('nan|inf', re.sub('<text.*?</text>', '', text))
    root = tree.fromstring(text)
    panels = root.findall(SVG + 'g')
    have = any(not interval['part'] for interval in recording.intervals)
    assert len(panels) == len(recording.columns)
    for column, (name, panel) in enumerate(zip(recording.columns, panels)):
        curves = panel.findall(SVG + 'path')
        want = [len(recording.totals[at, column][2])
                for at, line in enumerate(recording.lines) if have and applies(line, name)]
        assert [len(re.findall('H', curve.get('d'))) for curve in curves] == want
        # Heights between the tick marks, in this unit or in that of the column
        _, low, *_, high = [tick.text for tick in panel if tick.get('text-anchor') == 'end']
        low, high = float(low), float(high)
        steps = []
        for curve, at in zip(curves, [at for at, line in enumerate(recording.lines)
                                      if applies(line, name)]):
            heights = [float(y) for y in re.findall(r'[ML]\S+ ([\d.]+)H', curve.get('d'))]
            assert all(29.9 <= height <= 156.1 for height in heights)
            steps += [(low + (156 - height) / 126 * (high - low), value)
                      for height, value in zip(heights, recording.totals[at, column][2])
                      if height > 30]
        assert math.isinf(high) or any(all(abs(height * unit - value) <= (high - low) * unit / 1000
                                           for height, value in steps)
                                       for unit in (1, 1e3, 1e6, 1e9)), steps
        marks = {mark for interval in recording.intervals
                 for line, values in zip(recording.lines, interval['values'])
                 if values and applies(line, name) for mark in marks_of(values[column])}
        title = name.partition('=')[0].partition('(')[0] + ' *' * ('sampled' in marks) + (
            ' ~' * ('multiplexed' in marks))
        assert title in [tick.text for tick in panel if tick.get('y') == '4']
    texts = root.findall(SVG + 'text')
    start = datetime.datetime(2000, 1, 1) + datetime.timedelta(
        milliseconds=recording.start - 946684800000, hours=7.5)
    shown_ones = sum(not interval['part'] for interval in recording.intervals)
    assert re.fullmatch(re.escape(f'Xeon E5-2600 v4 (Broadwell-EP), {start:%Y-%m-%d %H:%M:%S}, ') +
                        rf"[\d.]+ s, {shown_ones} intervals, h<&: c'&<", texts[1].text)
    assert len([text for text in texts if text.get('class') == 'line']) == len(recording.lines)
    # Notes are below each other, and the last one ends the page.
    notes = {text.text: int(text.get('y')) for text in texts if text.get('class') == 'note'}
    assert [*notes.values()] == [*range(min(notes.values(), default=0),
                                        int(root.get('height')) * bool(notes), 16)]
    assert {note[:9] for interval in recording.intervals for note in interval['notes']
            if not interval['part']} <= {note[:9] for note in notes}


@pytest.mark.parametrize('same', [True, False])
def test_difference_is_that_of_the_means_of_what_both_have(uncorestat, recording, tmp_path, same):
    other = recording
    if not same:
        other = Recording(recording.draw, tmp_path / 'other', recording)
    output = uncorestat.run('--diff', recording.path, other.path, '--csv', stderr=-3)
    lines = [line for line in recording.lines if line in other.lines]
    both = {*recording.columns} & {*other.columns}
    want = [(line, name) for _, line, _, name in recording.cells()
            if line in lines and name in both]
    rows = output.csv()
    assert output.code == (not lines or not both) and len(rows) == len(want) * (not output.code)
    means = recording.means(), other.means()
    for row, (line, name) in zip(rows, want):
        assert (row['socket'], row['box']) == (str(line.get('socket', '')), line.get('box', ''))
        numbers = [mean[str(line), name] for mean in means]
        for key, number in zip('ab', numbers):
            assert (float(row[key]) if row[key] else None) == about(number)
        if None in numbers:
            assert row['difference'] == row['change_percent'] == ''
            continue
        error = 1e-12 * max(map(abs, numbers))
        assert float(row['difference']) == pytest.approx(numbers[1] - numbers[0], abs=error)
        if row['change_percent']:
            assert float(row['change_percent']) == pytest.approx(
                (numbers[1] - numbers[0]) / abs(numbers[0]) * 100, rel=1e-9,
                abs=100 * error / abs(numbers[0]))
