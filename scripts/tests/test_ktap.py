# SPDX-License-Identifier: GPL-2.0-only
"""ktap.py reads what kselftest's runner and its programs print, and loses no failure; and what
tap.sh prints."""
import random

import pytest

import ktap


def test_no_failure_is_lost():
    test = ktap.parse('''
TAP version 13
1..5
# timeout set to 45
# selftests: x: a
# KTAP version 1
# 1..3
# # detail
# ok 1 one
# ok 2 two # SKIP not here
# not ok 3 number #4 # xfail known
ok 1 selftests: x: a
# timeout set to 45
# selftests: x: b
# KTAP version 1
# 1..0 # SKIP no such hardware
ok 2 selftests: x: b # SKIP
# selftests: x: c
# 1..2
# # one: begins
# Bail out! no PMU
# not ok 1 one
# Bail out! no PMU
# not ok 2 two
not ok 3 selftests: x: c # exit=1
not ok 4 one # TODO later
ok 5 two # XFAIL known
'''.splitlines())
    assert [failure.name for failure in test.failures()] == ['one', 'two', 'x:c']
    assert [line for line in ktap.tap(test) if not line.startswith('# ')] == '''
KTAP version 1
1..5
  KTAP version 1
  1..3
  ok 1 - one
  ok 2 - two # SKIP not here
  ok 3 - number 4 # TODO known
ok 1 - x:a
ok 2 - x:b # SKIP no such hardware
  KTAP version 1
  1..2
  # one: begins
  # | Bail out! no PMU
  not ok 1 - one
  # | Bail out! no PMU
  not ok 2 - two
not ok 3 - x:c: Bail out! no PMU (exit=1)
ok 4 - one # TODO later
ok 5 - two # TODO known
'''.strip().splitlines()


# What may go wrong with a program, besides its results; and whether its own line can say "ok"
FAULTS = {'no plan': 'printed no plan', 'two plans': 'printed two plans', 'bail': 'Bail out! x',
          'bail alone': 'Bail out! x', 'fewer': 'planned', 'more': 'planned',
          'middle': 'did not end'}
EXCUSES = {'TODO': True, 'XFAIL': True, 'xfail': True, 'SKIP': False, 'TIMEOUT': False,
           'ERROR': False, 'TODOs': False}

# Lines of a guest that look like KTAP's
GUEST = ['ok 1 - x', '  not ok 9 x', '1..3', '1..0 # SKIP x', 'TAP version 13', ' KTAP version 1',
         'Bail out! x']


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
    lines += {'two plans': ['1..9'], 'bail': [draw.choice(['', '  ']) + 'Bail out! x']}.get(
        fault, [])
    if fault == 'bail alone':
        lines, failed = ['Bail out! x'], []
    good = draw.random() < 0.8
    lines = [f'# selftests: x: {name}', *(f'# {line}' for line in lines)]
    if fault != 'middle':
        lines.append(f'{"" if good else "not "}ok {{number}} selftests: x: {name}' +
                     ('' if good else ' # exit=1'))
    if fault or not good and not failed:
        failed.append((f'x:{name}', [FAULTS[fault]] if fault else []))
    return lines, failed


def outcomes(test):
    return [(bool(child.failures()), outcomes(child)) for child in test.children]


def test_no_failure_of_a_drawn_run_is_lost():
    draw = random.Random(1)
    for _ in range(1000):
        lines, failed, programs = [], [], draw.randrange(1, 5)
        for number in range(1, programs + 1):
            more, bad = drawn_program(draw, 'abcde'[number], number == programs)
            lines += (line.format(number=number) for line in more)
            failed += bad
        test = ktap.parse([f'1..{programs}', *lines])
        found = [(failure.name.split()[0], failure.faults) for failure in test.failures()]
        assert [name for name, _ in found] == [name for name, _ in failed], lines
        for (_, got), (_, want) in zip(found, failed):
            assert all(any(text in fault for fault in got) for text in want), (got, lines)
        # What is printed again has the same failures, whatever a guest has printed.
        for child in test.children:
            child.diagnostics += draw.sample(GUEST, 2)
        again = ktap.parse(list(ktap.tap(test)))
        assert outcomes(again) == outcomes(test)


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


@pytest.mark.parametrize('commands, said', [
    ('ok 0 "one | 5 s"; empty two /dev/null', '# 5 s\nok 1 - one\nok 2 - two\n1..2\n0\n'),
    ('ok 2 one /dev/null file; ok 0 two file; empty three file',
     'not ok 1 - one\n{0}ok 2 - two\nnot ok 3 - three\n{0}1..3\n1\n'.format('# a\n' * 100))])
def test_shell_prints_tap(run, top, tmp_path, commands, said):
    (tmp_path / 'file').write_text('a\n' * 200)
    done = run(['sh', '-c', f'. "{top}/scripts/tap.sh"; {commands}; tap_done; echo $?'],
               cwd=tmp_path)
    assert (done.stdout, done.returncode) == (said, 0)
