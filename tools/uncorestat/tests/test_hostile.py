# SPDX-License-Identifier: GPL-2.0-only
"""Input that nobody means well: expressions, names, events of --why, sysfs of strange drivers."""
import re

import pytest


def one_line(output, pattern):
    """It ends with 1 and one line of advice."""
    assert output.code == 1, output.text
    assert re.fullmatch(rf'uncorestat: {pattern}\n', output.text), output.text


@pytest.mark.parametrize('expression, character', [
    ('{5}', "'{'"), ('{511}', "'{'"), ('{99999999}', "'{'"), ('{-1}', "'{'"), ('1}', "'}'"),
    ('[imc:event={0}]', "'{'"), ('1+\n2', 'character 0x0a'), ('1+\t2', 'character 0x09'),
    ('[imc:event=4,\numask=3]', 'character 0x0a'), ('1\x1b[31m', 'character 0x1b'),
    ('[imc:cas\\n]', "'\\\\'"), ('[imc:cas"]', "'\"'"),
    ('[imc:<b>]', "'<'"), ('2\u00d73', 'character 0xc3'), ('1%2', "'%'"),
    ('\x7f', 'character 0x7f'),
])
def test_expression_has_only_characters_of_expressions(uncorestat, expression, character):
    one_line(uncorestat.run('-n', 1, '-m', 'x=' + expression),
             f'x: no {character} in an expression')


@pytest.mark.parametrize('number', ['inf', 'nan', 'infinity', 'nan(1)', '-1', '+1', '- 1', '.',
                                    'a number'])
def test_number_begins_with_a_digit(uncorestat, number):
    one_line(uncorestat.run('-n', 1, '-m', f'x=1*{number}'),
             rf'-m x=.*: wrong from here on: {re.escape(number)}')


@pytest.mark.parametrize('expression', [
    '1e308*1e308', '1e999', '1e308+1e308', 'd_ratio(1e308, 1e-308)', '1e308/1e-308',
    '1e308*10-1e308*10', '0-1e308-1e308', '0*(1e308*10)', '[pcu:clockticks]*1e308*1e308',
])
def test_too_large_a_number_is_not_available_and_says_why(uncorestat, tmp_path, expression):
    uncorestat.machine.rate('pcu', 0, 1000)
    metric = '-m', 'x=' + expression
    for row in uncorestat.run('-n', 1, '--json', *metric).json():
        assert row['x'] is None
    rows = uncorestat.run('-n', 1, '--csv', *metric).csv()
    assert [row['x'] for row in rows] == ['', ''] and 'x: too large a number' in rows[0]['notes']
    uncorestat.run('-n', 1, '--prometheus', tmp_path / 'prom', *metric)
    assert '\nuncorestat_x' not in (tmp_path / 'prom').read_text()
    table = uncorestat.run('-n', 1, *metric, '--summary', '--svg', tmp_path / 'svg')
    assert table.line('S0') == '-' and '- S0 x: too large a number' in table.notes()
    assert not re.search('inf|nan', table.text + (tmp_path / 'svg').read_text())


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
    one_line(uncorestat.run('-n', 1, '-m', events(33)), '-m x=.*: more than 32 events')
    many = ','.join(events(32).replace('x=', f'x{i}=').replace('event=4', f'event={i}')
                    for i in range(40))
    one_line(uncorestat.run('-n', 1, '-m', many), '.*: too many events')
    many = ','.join(f'x{i}=1' for i in range(300))
    one_line(uncorestat.run('-n', 1, '-m', many), 'more than 256 metrics')


@pytest.mark.parametrize('event', ['', ':', 'imc:', ':event=1', 'imc:,', 'imc::event=1', 'imc:='])
def test_event_without_its_parts_is_an_error(uncorestat, event):
    one_line(uncorestat.run('-n', 1, '-m', f'x=[{event}]'), '.*')


@pytest.mark.parametrize('name', ['x' * 33, '2', '_', '1e5'])
def test_name_is_a_word_of_32_letters_at_most(uncorestat, name):
    one_line(uncorestat.run('-n', 1, '-m', name + '=1'),
             f'{name}: not a name of lower case letters, digits and _, a letter first, 32 at most')
    assert uncorestat.run('-n', 1, '--json', '-m', 'x' * 32 + '=1').json()[0]['x' * 32] == 1


@pytest.mark.parametrize('metrics, name', [
    ('time=1', 'time'), ('socket=1', 'socket'), ('box=1', 'box'), ('notes=1', 'notes'),
    ('interval_seconds=1', 'interval_seconds'), ('total_seconds=1', 'total_seconds'),
    ('sampled=1', 'sampled'), ('multiplexed=1', 'multiplexed'), ('info=1', 'info'),
    ('mem_read,mem_read_bytes_per_second=1', 'mem_read_bytes_per_second'),
    ('mem_read_bytes=1,mem_read', 'mem_read_bytes'),
    ('mem_remote,mem_remote_percent=1', 'mem_remote_percent'),
    ('mem_remote,mem_remote_numerator=1', 'mem_remote_numerator'),
    ('mem_remote_denominator=1', 'mem_remote_denominator'), ('marked=1', 'marked'),
    ('x_m_y=1,x_modified_y=2', 'x_modified_y'),
])
def test_name_of_another_column_is_refused(uncorestat, tmp_path, metrics, name):
    output = uncorestat.run('-n', 1, '--json', '--prometheus', tmp_path / 'prom', '-m', metrics)
    one_line(output, f'-m {name}: the output has another column of this name')


# Boxes of strange names; a driver's are a type and a number.
@pytest.mark.parametrize('box', [
    'imc_3"\\\t', 'imc_\x1b[31m', 'imc_3,', 'imc_3\n', 'imc_', 'imc__3', 'imc_-1', 'imc_+1',
    'imc_4294967296', 'imc_3x', 'imc_99999999999999999999', 'imc_1_2', 'imc_<',
], ids=ascii)
def test_device_whose_name_is_no_box_is_left_alone(uncorestat, box):
    machine = uncorestat.machine
    machine.rate('imc_?', 0x304, 1000000)
    machine.device('imc_3').rename(machine.device(box))
    machine.rule('refuse', 'imc_3', -1, 19)
    rows = uncorestat.run('-n', 1, '--json', '--per', 'box', '-m', 'mem_read').json()
    assert [row['box'] for row in rows] == ['imc_0', 'imc_1', 'imc_2'] * 2
    assert {row['mem_read_bytes_per_second'] for row in rows} == {64e6}
    assert not machine.types['imc_3'] in {event.box for event in machine.opened()}


@pytest.mark.parametrize('label', ['99999999', '-1', '2147483647', '99999999999999999999'])
def test_package_number_that_is_none(uncorestat, label):
    (uncorestat.machine.hwmon / 'hwmon0/temp1_label').write_text(f'Package id {label}\n')
    output = uncorestat.run('-n', 1, '-m', 'package_celsius')
    assert output.code == 0 and output.line('S0') == '-', output.text


@pytest.mark.parametrize('text', ['', 'x', '99999999999999999999', '2147483648', '\0' * 30])
def test_temperature_that_is_no_number(uncorestat, text):
    (uncorestat.machine.hwmon / 'hwmon0/temp1_input').write_text(text)
    output = uncorestat.run('-n', 2, '-m', 'package_celsius')
    assert (output.line('S3'), output.line('S0')) == ('-', '40.00'), output.text


# 0 is perf's own hardware events: cycles and so on
@pytest.mark.parametrize('text', ['', 'x', '-1', '0', '4294967396', '100x'])
def test_device_without_a_type_counts_nothing(uncorestat, text):
    machine = uncorestat.machine
    machine.rate('*', 0x304, 1000000)
    (machine.device('imc_3') / 'type').write_text(text + '\n')
    rows = uncorestat.run('-n', 1, '--json', '--per', 'box', '-m', 'mem_read').json()
    assert [row['box'] for row in rows] == ['imc_0', 'imc_1', 'imc_2'] * 2


@pytest.mark.parametrize('field', ['', 'config', 'config3:0-7', 'config9:0', 'config-1:0', ':0-7',
                                   'confi', 'config\0:0-7', 'config:', 'xconfig:0-7'], ids=ascii)
def test_field_that_cannot_be_read_is_missing(uncorestat, field):
    (uncorestat.machine.device('imc_0') / 'format/umask').write_text(field + '\n')
    output = uncorestat.run('-n', 1, '-m', 'mem_read')
    assert 'its driver cannot express umask=0x03' in output.text


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
    one_line(output, f'.* has no field for {re.escape(term)}, or its bits .*')
    assert machine.opened() == []


def test_leading_zero_is_no_octal_number_as_perf_has_it(uncorestat):
    output = uncorestat.run('--why', 'snbep_uncore_cbox_0/event=010/')
    assert 'the cbox has no event 0xa\n' in output.text


@pytest.mark.parametrize('fd', ['4294967297', '-1', '18446744073709551617', '1x', ''])
def test_control_takes_only_an_open_descriptor(uncorestat, fd):
    one_line(uncorestat.run('--control', f'fd:{fd}', '-n', 1),
             f'--control: no open file descriptor: {fd}')
