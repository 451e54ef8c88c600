# SPDX-License-Identifier: GPL-2.0-only
"""ktap.py reads what kselftest's runner and its programs print, and loses no failure."""
import random

import pytest

import ktap

# What it is about, lines, the tests that fail, and the KTAP in which they end
CASES = [
    ('a program that passes, and one that skips all', '''
TAP version 13
1..2
# timeout set to 45
# selftests: drivers/perf/x: a
# KTAP version 1
# 1..2
# # detail
# ok 1 one
# ok 2 two # SKIP not here
ok 1 selftests: drivers/perf/x: a
# timeout set to 45
# selftests: drivers/perf/x: b
# KTAP version 1
# 1..0 # SKIP no such hardware
ok 2 selftests: drivers/perf/x: b # SKIP
# Totals: pass:1 fail:0 xfail:0 xpass:0 skip:1 error:0
''', [], '''
KTAP version 1
1..2
  KTAP version 1
  1..2
  ok 1 - one
  ok 2 - two # SKIP not here
ok 1 - drivers/perf/x:a
ok 2 - drivers/perf/x:b # SKIP no such hardware
'''),
    ('two tests that bail out for one reason', '''
1..1
# selftests: x: a
# 1..2
# # one: begins
# Bail out! no PMU
# not ok 1 one
# Bail out! no PMU
# not ok 2 two
not ok 1 selftests: x: a # exit=1
''', ['one', 'two', 'x:a'], '''
KTAP version 1
1..1
  KTAP version 1
  1..2
  # one: begins
  # Bail out! no PMU
  not ok 1 - one
  # Bail out! no PMU
  not ok 2 - two
not ok 1 - x:a: Bail out! no PMU (exit=1)
'''),
    ('one that is known to fail', '''
1..4
not ok 1 one # TODO later
ok 2 two # XFAIL known
not ok 3 three # xfail known
ok 4 number #4
''', [], '''
KTAP version 1
1..4
ok 1 - one # TODO later
ok 2 - two # TODO known
ok 3 - three # TODO known
ok 4 - number 4
'''),
]


@pytest.mark.parametrize('lines, failures, tap', [
    pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_no_failure_is_lost(lines, failures, tap):
    test = ktap.parse(lines.splitlines())
    assert [failure.name for failure in test.failures()] == failures
    assert [line for line in ktap.tap(test) if not line.startswith('# ')] == \
        tap.strip('\n').splitlines()


# What may go wrong with a program, besides its results; and whether its own line can say "ok"
FAULTS = {'no plan': 'printed no plan', 'two plans': 'printed two plans', 'bail': 'Bail out! x',
          'fewer': 'planned', 'more': 'planned', 'middle': 'did not end'}
EXCUSES = {'TODO': True, 'XFAIL': True, 'xfail': True, 'SKIP': False, 'TIMEOUT': False,
           'ERROR': False}


def drawn_program(draw, name, last):
    """A program's lines as the runner prints them, and the names and faults of what failed"""
    fault = draw.choice([*FAULTS, *[None] * 9])
    if fault == 'middle' and not last:
        fault = None
    lines, failed = [], []
    for number in range(1, 1 + draw.randrange(1, 5)):
        good, directive = draw.random() < 0.6, draw.choice([*EXCUSES, *[None] * 9])
        wrong = draw.random() < 0.05
        lines.append(f'{"" if good else "not "}ok {number + wrong} {name}-{number}' +
                     (f' # {directive} why' if directive else ''))
        if draw.random() < 0.2:
            lines.insert(len(lines) - 1, '# a diagnostic')
        if wrong or not (good or EXCUSES.get(directive)):
            failed.append((f'{name}-{number}',
                           [f'is number {number + 1}, not {number}'] if wrong else []))
        results = number
    plan = results + {'fewer': 1, 'more': -1}.get(fault, 0)
    if fault != 'no plan':
        lines.insert(0, f'1..{plan}')
    lines = ['KTAP version 1', *lines]
    lines += {'two plans': ['1..9'], 'bail': ['Bail out! x']}.get(fault, [])
    good = draw.random() < 0.8
    lines = [f'# selftests: x: {name}', *(f'# {line}' for line in lines)]
    if fault != 'middle':
        lines.append(f'{"" if good else "not "}ok {{number}} selftests: x: {name}' +
                     ('' if good else ' # exit=1'))
    if fault or not good and not failed:
        failed.append((f'x:{name}', [FAULTS[fault]] if fault else []))
    return lines, failed


def test_no_failure_of_a_drawn_run_is_lost():
    draw = random.Random(1)
    for _ in range(1000):
        lines, failed, programs = [], [], draw.randrange(1, 5)
        for number in range(1, programs + 1):
            more, bad = drawn_program(draw, 'abcde'[number], number == programs)
            lines += (line.format(number=number) for line in more)
            failed += bad
        test = ktap.parse([f'1..{programs}', *lines])
        found = [(failure.name, failure.faults) for failure in test.failures()]
        assert [name for name, _ in found] == [name for name, _ in failed], lines
        for (_, got), (_, want) in zip(found, failed):
            assert all(any(text in fault for fault in got) for text in want), (got, lines)
        # What is printed again has the same outcome.
        again = ktap.parse(list(ktap.tap(test)))
        assert [child.good for child in again.children] == [
            not child.failures() for child in test.children]


@pytest.mark.parametrize('lines, faults', [
    pytest.param(['1..1', 'y\rok 1 - all is well\x1b[K', 'ok 1 - \x1b]0;x\x07\u202e'], [[]],
                 id='controls'),
    pytest.param(['1..' + '9' * 5000, 'ok 1'], [['printed no plan']], id='plan of 5,000 digits'),
    pytest.param(['1..1', 'ok ' + '9' * 5000], [['is number 999999, not 1']],
                 id='number of 5,000 digits'),
    pytest.param([' ' * k + '1..1' for k in range(400)]
                 + [' ' * k + 'ok 1 - x' for k in range(399, -1, -1)], [['nested too deep']],
                 id='400 nested tests'),
    pytest.param(['1..1', 'ok 1 - ' + ' ' * 1000000 + 'x'], [[]], id='a million blanks')])
def test_lines_of_a_stranger_are_bounded_and_printable(lines, faults):
    test = ktap.parse(lines)
    assert [failure.faults for failure in test.failures()] == [fault for fault in faults if fault]
    assert all(line.isprintable() and len(line) < 3000 for line in ktap.tap(test))
