# SPDX-License-Identifier: GPL-2.0-only
"""ktap.py reads what kselftest's runner and its programs print, and loses no failure."""
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
    ('a failed result, with its diagnostics', '''
1..1
# selftests: x: a
# 1..2
# ok 1 one
# # counted 3 of 4
# not ok 2 two
not ok 1 selftests: x: a # exit=1
''', ['two'], '''
KTAP version 1
1..1
  KTAP version 1
  1..2
  ok 1 - one
  # counted 3 of 4
  not ok 2 - two
not ok 1 - x:a (exit=1)
'''),
    ('a failed result of a program that says that it passed', '''
1..1
# selftests: x: a
# 1..1
# not ok 1 one
ok 1 selftests: x: a
''', ['one'], '''
KTAP version 1
1..1
  KTAP version 1
  1..1
  not ok 1 - one
not ok 1 - x:a
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
    ('fewer results than planned, more, and wrong numbers', '''
1..3
# selftests: x: a
# 1..3
# ok 1 one
ok 1 selftests: x: a
# selftests: x: b
# 1..2
# ok 2 one
# ok 1 two
ok 2 selftests: x: b
# selftests: x: c
# 1..0
# ok 1 one
ok 3 selftests: x: c
''', ['x:a', 'one', 'two', 'x:c'], '''
KTAP version 1
1..3
  KTAP version 1
  1..1
  ok 1 - one
not ok 1 - x:a: planned 3 results, printed 1
  KTAP version 1
  1..2
  not ok 1 - one: is number 2, not 1
  not ok 2 - two: is number 1, not 2
not ok 2 - x:b
  KTAP version 1
  1..1
  ok 1 - one
not ok 3 - x:c: planned 0 results, printed 1
'''),
    ('no plan, and two', '''
1..2
# selftests: x: a
# KTAP version 1
# ok 1 one
ok 1 selftests: x: a
# selftests: x: b
# 1..1
# ok 1 one
# 1..1
ok 2 selftests: x: b
''', ['x:a', 'x:b'], '''
KTAP version 1
1..2
  KTAP version 1
  1..1
  ok 1 - one
not ok 1 - x:a: printed no plan
  KTAP version 1
  1..1
  ok 1 - one
not ok 2 - x:b: printed two plans
'''),
    ('a machine that ends in the middle of a program', '''
1..3
# selftests: x: a
# 1..1
# ok 1 one
ok 1 selftests: x: a
# timeout set to 45
# selftests: x: b
# KTAP version 1
# 1..2
# ok 1 one
''', ['x:b', ''], '''
KTAP version 1
1..2
  KTAP version 1
  1..1
  ok 1 - one
ok 1 - x:a
  KTAP version 1
  1..1
  ok 1 - one
not ok 2 - x:b: planned 2 results, printed 1: did not end
'''),
    ('a time limit', '''
1..1
# selftests: x: a
# 1..1
not ok 1 selftests: x: a # TIMEOUT 45 seconds
''', ['x:a'], '''
KTAP version 1
1..1
not ok 1 - x:a: planned 1 results, printed 0 (45 seconds)
'''),
    ('results that are indented', '''
KTAP version 1
1..1
  KTAP version 1
  1..1
  not ok 1 inner
not ok 1 outer
''', ['inner'], '''
KTAP version 1
1..1
  KTAP version 1
  1..1
  not ok 1 - inner
not ok 1 - outer
'''),
]


@pytest.mark.parametrize('lines, failures, tap', [
    pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_no_failure_is_lost(lines, failures, tap):
    test = ktap.parse(lines.splitlines())
    assert [failure.name for failure in test.failures()] == failures
    assert [line for line in ktap.tap(test) if not line.startswith('# ')] == \
        tap.strip('\n').splitlines()


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
