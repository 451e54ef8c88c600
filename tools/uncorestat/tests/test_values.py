# SPDX-License-Identifier: GPL-2.0-only
"""Every metric of each generation, of drawn counts, by its formula in metrics.formulas of
tests/events: of all sockets, of each and of each box, in JSON and in the tables of the groups."""
import collections
import contextlib
import fractions
import math
import operator
import random
import re

import pytest

from fake_pmus import COMMON_FIELDS, GENERATIONS, drawn, encode, numbered
from formulas import formulas

# The box of a metric whose name does not begin with it
BOX = re.compile('(?P<ha>mem_remote)|(?P<imc>mem|lat_imc)|(?P<cbox>llc|numa|pcie|lat|uncore)|'
                 '(?P<pcu>cores|freq)|(?P<linux>package|dram|busy|resctrl)|([a-z0-9]+)')
# An event; 32 and 64 are bytes of a transfer
EVENT = re.compile(r'(?<![\w.])(?!32\b|64\b)([01]?[\da-f]{2})(?:\.([\da-f]{2}))?((?:,\w+=\w+)*)'
                   r'(?![\w.])')
# In uncorestat's JSON, beside the columns
BESIDE = {'time', 'interval_seconds', 'total_seconds', 'socket', 'box', 'sampled', 'multiplexed',
          'implausible', 'notes'}


def kind_of(box):
    return box.partition('_')[0]


Event = collections.namedtuple('Event', 'box code umask fields')


class Metric:
    """A metric and its value"""

    def __init__(self, name, formula, unit):
        match = BOX.match(name)
        self.name, self.box = name, match.lastgroup or match[0]
        self.percent = 100 if unit == '%' else 1
        self.events = []

        def number(match):
            fields = [term.split('=') for term in match[3].split(',')[1:]]
            event = Event(self.box, int(match[1], 16), int(match[2] or '0', 16),
                          tuple((field, int(value, 0)) for field, value in fields))
            if event not in self.events:
                self.events.append(event)
            return f'count({self.events.index(event)})'

        if self.box != 'linux':
            self.formula = EVENT.sub(number, formula).replace('#', '')

    def truth(self, count, boxes):
        """Its value where count(event) has happened in so many boxes, in a second"""
        return self.percent * eval(self.formula, {
            'count': lambda number: count(self.events[number]), 'duration_time': 1,
            'd_ratio': lambda a, b: a / b if b else math.nan, 'num_boxes': boxes,
            'num_packages': boxes / 2, '__builtins__': {}})  # The speed is of two ports.


@pytest.fixture(params=GENERATIONS)
def processor(request, uncorestat, generation):
    """uncorestat over a machine whose events count drawn numbers, in one to four packages"""
    uncorestat.seed = random.randrange(1 << 32)
    print(f'seed {uncorestat.seed}')
    random.seed(uncorestat.seed)
    uncorestat.packages = random.sample(range(32), random.randint(1, 4))
    uncorestat.generation = request.param[1]
    agents, prefix = (['ha'], 'snbep_uncore_') if request.param == 'v1' else (
        numbered('ha', 2), 'uncore_')
    boxes = [*numbered('cbox', 5), *agents, *numbered('imc', 4), 'pcu', *numbered('qpi', 2),
             'r2pcie', *numbered('r3qpi', 2), 'ubox']
    uncorestat.machine = machine = generation(
        request.param, packages=uncorestat.packages, prefix=prefix, boxes=boxes)
    machine.rule('drawn', '*', uncorestat.seed)
    return uncorestat


def counted(processor, event, socket, box):
    """What an event of a formula counts in a box"""
    machine = processor.machine
    terms = {'event': event.code, 'umask': event.umask, **dict(event.fields)}
    kind = kind_of(box) if kind_of(box) in machine.fields else box
    fields = machine.fields.get(kind, COMMON_FIELDS)
    return drawn(processor.seed, machine.types[box], 10 * processor.packages.index(socket),
                 *encode(fields, terms))


def assert_no_group_has_two_values_of_a_filter(machine):
    groups = collections.defaultdict(list)
    for event in machine.opened():
        groups[event.box, event.cpu, event.group].append(event)
    for (box, *_), events in groups.items():
        fields = machine.fields.get(kind_of(box), {})
        for low, high in re.findall(r'config1:(\d+)-(\d+)', ' '.join(
                bits for field, bits in fields.items() if field.startswith('filter_'))):
            mask = (2 << int(high)) - (1 << int(low))
            assert len({event.config1 & mask for event in events} - {0}) <= 1, (box, events)


@pytest.mark.sanitizers
def test_each_metric_is_what_its_formula_gives(processor):
    machine, packages = processor.machine, processor.packages
    metrics = {name: Metric(name, *formula)
               for name, formula in formulas(processor.generation).items()}
    if 'freq_2000' in metrics:
        # Any frequency, of which the tables have three; Linux loses values of v3's other bands.
        other = '0c,filter_band1' if processor.generation in '12' else '0b,filter_band0'
        metrics['freq_2900'] = Metric('freq_2900', 'd_ratio(0b,filter_band0=0x1d, 00)', '%')
        metrics['freq_2800'] = Metric('freq_2800', f'd_ratio({other}=0x1c, 00)', '%')
    metrics = [metric for metric in metrics.values() if metric.box != 'linux']
    rows = processor.run('-n', 1, '--json', '--per', 'system,socket,box', '-m',
                         ','.join(metric.name for metric in metrics)).json()
    assert_no_group_has_two_values_of_a_filter(machine)
    compared = 0
    assert [row.get('socket') for row in rows if 'box' not in row] == [*sorted(packages), None]
    for row in rows:
        values = [value for key, value in row.items() if key not in BESIDE]
        for metric in metrics:
            if 'box' in row and kind_of(row['box']) != metric.box:
                continue
            boxes = [(socket, box) for socket in packages for box in machine.boxes
                     if kind_of(box) == metric.box and row.get('socket') in (None, socket) and
                     row.get('box') in (None, box)]
            want = metric.truth(lambda event, of=boxes: sum(
                counted(processor, event, *box) for box in of), len(boxes))
            value = values.pop(0)
            compared += 1
            # What is subtracted may be more.
            assert value == pytest.approx(max(want, 0), rel=1e-9), (
                row.get('socket'), row.get('box'), metric.name)
        assert not values
    assert compared > 500
    print(f'{compared} values of {len(metrics)} metrics')


# What -m computes with two operands
OPERATIONS = [('({}+{})', operator.add), ('({}-{})', operator.sub), ('({}*{})', operator.mul),
              ('({}/{})', operator.truediv), ('d_ratio({},{})', operator.truediv)]


def expression(depth, counts):
    """A drawn expression of -m, and its value, exact and as a float; None: divided by 0"""
    if not depth or random.random() < 0.2:
        text, number = random.choice([*counts.items(), ('3', 3), ('0.5', 0.5), ('0', 0)])
        return text, fractions.Fraction(number), float(number)
    (one, *left), (two, *right) = expression(depth - 1, counts), expression(depth - 1, counts)
    text, operate = random.choice(OPERATIONS)
    values = []
    for pair in zip(left, right):
        with contextlib.suppress(TypeError, ZeroDivisionError):
            values.append(operate(*pair))
            continue
        values.append(None)
    return text.format(one, two), *values


def test_metric_of_ones_own_is_what_its_expression_gives(processor):
    """Of counts and metrics, in any order: quotients are kept as two sums."""
    first = min(processor.packages)
    scope, boxes = random.choice([
        ('system', [(socket, f'imc_{n}') for socket in processor.packages for n in range(4)]),
        ('socket', [(first, f'imc_{n}') for n in range(4)]), ('box', [(first, 'imc_0')])])
    counts = {f'[imc:event={event:#x},umask={umask:#x}]': sum(
        counted(processor, Event('imc', event, umask, ()), *box) for box in boxes)
              for event, umask in ((4, 3), (4, 12), (1, 1))}
    reads, writes, _ = counts.values()
    counts |= {'mem_read': 64 * reads, 'mem_total': 64 * (reads + writes)}
    drawn = []
    while len(drawn) < 100:
        text, exact, rounded = expression(4, counts)
        # A number is none of a box. A difference of floats may have lost its digits.
        if scope == 'box' and not re.search('imc|mem', text):
            continue
        if exact == rounded or None not in (exact, rounded) and rounded == pytest.approx(
                float(exact), rel=1e-9, abs=0):
            drawn.append((f'x{len(drawn)}', text, rounded))
    output = processor.run('-n', 1, '--json', '--per', scope, '-m',
                           ','.join(f'{name}={text}' for name, text, _ in drawn))
    assert not output.code, output.text
    row = output.json()[0]
    for name, text, value in drawn:
        assert row[name] == (value if value is None else pytest.approx(value, rel=1e-6, abs=1e-6)
                             ), text


def scale_of(key):
    """What a number of a table is multiplied with, to be that of JSON"""
    return 1e6 if key.endswith(('bytes_per_second', 's_per_second')) and '_giga' not in key else 1


def test_table_of_each_group_has_those_numbers_in_its_units(processor):
    listed = processor.run('--list').text.partition('\nMetrics')[0]
    groups = re.findall(r'^  (\w+): .*\n    (.*)', listed, re.M)
    assert len(groups) >= 8
    for group, names in groups:
        if group == 'resctrl':
            continue
        table = processor.run('-n', 1, '-g', group)
        rows = processor.run('-n', 1, '--json', '-g', group).json()
        for row in rows:
            label = ('all' if 'socket' not in row else
                     f'S{row["socket"]}' + (f' {row["box"]}' if 'box' in row else ''))
            values = [(key, value) for key, value in row.items() if key not in BESIDE]
            cells = [cell.strip('~*!') for cell in table.line(label).split()]
            assert len(cells) == len(values) <= len(names.split()), (group, label)
            for cell, (key, value) in zip(cells, values):
                assert (cell == '-') == (value is None), (group, label, key)
                if cell != '-':
                    half = 0.50001 * 10 ** -len(cell.partition('.')[2])
                    assert abs(float(cell) - value / scale_of(key)) <= half, (group, label, key)


@pytest.mark.parametrize('group', ['default', 'numa'])
def test_view_has_one_group_of_events_in_each_box(processor, group):
    """Two would be multiplexed."""
    processor.run('-n', 1, '-g', group)
    opened = processor.machine.opened()
    assert len({(event.box, event.cpu) for event in opened}) == len(
        {(event.box, event.cpu, event.group) for event in opened}) >= 5
    assert max(collections.Counter((event.box, event.cpu, event.group) for event in opened
                                   ).values()) <= 4
