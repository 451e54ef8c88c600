# SPDX-License-Identifier: GPL-2.0-only
"""Input that nobody means well: expressions, names, events of --why, sysfs of strange drivers."""
import re

import pytest


@pytest.mark.parametrize('expression', [
    '1e308*1e308', '1e999', '1e308+1e308', 'd_ratio(1e308, 1e-308)', '1e308/1e-308',
    '1e308*10-1e308*10', '0-1e308-1e308', '0*(1e308*10)', '[pcu:clockticks]*1e308*1e308',
])
def test_too_large_a_number_is_not_available_and_says_why(uncorestat, expression):
    uncorestat.machine.rate('pcu', 0, 1000)
    rows = uncorestat.run('-n', 1, '--json', '-m', 'x=' + expression).json()
    assert [row['x'] for row in rows] == [None] * 2
    assert '- S0 x: too large a number' in rows[0]['notes']


def test_number_wider_than_its_column_is_not_cut(uncorestat):
    assert uncorestat.run('-n', 1, '-m', 'x=1e300,y=0-1e300').line('S0') == '1e+300 -1e+300'
    assert uncorestat.run('-n', 1, '-m', 'x=123456789012').line('S0') == '123456789012.00'


@pytest.mark.parametrize('opening', ['(', 'd_ratio(1,', '((1)+'], ids=['plain', 'd_ratio', 'sum'])
def test_deep_nesting_is_an_error_not_a_crash(uncorestat, opening):
    def nested(depth):
        return uncorestat.run('-n', 1, '--json', '-m', f'x={opening * depth}1{")" * depth}')

    assert nested(30).json()[0]['x'] >= 1
    deep = nested(120000 // (len(opening) + 1))
    assert deep.code == 1 and deep.lines[-1].endswith('nested too deeply'), deep.lines[-1][-200:]


def test_long_sum_is_right(uncorestat):
    uncorestat.machine.rate('pcu', 0, 1000)
    terms = '+'.join(['[pcu:clockticks]'] * 5000)
    assert uncorestat.run('-n', 1, '--json', '-m', 'x=' + terms).json()[0]['x'] == 5000000


def test_more_events_than_an_expression_can_have_is_an_error(uncorestat):
    def events(number):
        return 'x=' + '+'.join(f'[imc:event=4,umask={i}]' for i in range(number))

    assert uncorestat.run('-n', 1, '-m', events(32)).code == 0
    uncorestat.run('-n', 1, '-m', events(33)).advises('-m x=.*: more than 32 events')
    many = ','.join(events(32).replace('x=', f'x{i}=').replace('event=4', f'event={i}')
                    for i in range(40))
    uncorestat.run('-n', 1, '-m', many).advises('.*: too many events')
    many = ','.join(f'x{i}=1' for i in range(300))
    uncorestat.run('-n', 1, '-m', many).advises('more than 256 metrics')


# A box's name is a type and a number, its type a number, of which 0 is that of perf's own events:
# cycles and so on
@pytest.mark.parametrize('box, number', [
    *((f'imc_{name}', None) for name in (
        '3"\\\t', '\x1b[31m', '3,', '3\n', '', '_3', '-1', '+1', '4294967296', '3x',
        '99999999999999999999', '1_2', '<')),
    *(('imc_3', number) for number in ('', 'x', '-1', '0', '4294967396', '100x'))], ids=ascii)
def test_device_without_a_box_or_a_type_is_left_alone(uncorestat, box, number):
    machine = uncorestat.machine
    machine.rate('imc_?', 0x304, 1000000)
    machine.device('imc_3').rename(machine.device(box))
    if number is None:
        machine.rule('refuse', 'imc_3', -1, 19)
    else:
        (machine.device(box) / 'type').write_text(number + '\n')
    rows = uncorestat.run('-n', 1, '--json', '--per', 'box', '-m', 'mem_read').json()
    assert [row['box'] for row in rows] == ['imc_0', 'imc_1', 'imc_2'] * 2
    assert {row['mem_read_bytes_per_second'] for row in rows} == {64e6}
    assert not machine.types['imc_3'] in {event.box for event in machine.opened()}


# A field of all 64 bits holds what strtoull() makes of a sign, or of too many digits.
@pytest.mark.parametrize('term', [
    *(f'event={value}' for value in ('-1', '+1', ' 1', '99999999999999999999', '0x', '1x', 'x', '',
                                     '0x1ffffffffffffffff')),
    'config=x', 'config1=', 'config=1x', 'config2=-1', 'config= 1', 'config=99999999999999999999',
    'r-1', 'r 1', 'r0x4', 'r', 'r11111111111111111'])
def test_value_that_is_no_number_has_no_field(uncorestat, term):
    machine = uncorestat.machine
    (machine.device('imc_0') / 'format/event').write_text('config:0-63\n')
    output = uncorestat.run('--why', f'snbep_uncore_imc_0/umask=4,{term}/')
    output.advises(f'.* has no field for {re.escape(term)}, or its bits .*')
    assert machine.opened() == []


def test_leading_zero_is_no_octal_number_as_perf_has_it(uncorestat):
    output = uncorestat.run('--why', 'snbep_uncore_cbox_0/event=010/')
    assert 'the cbox has no event 0xa\n' in output.text
