# SPDX-License-Identifier: GPL-2.0-only
"""manual.txt, what Intel's manual says of the monitors: each rule names a result that shows it, and
each row of chapter 4 is that of the monitors and of the driver's table."""
import re
import subprocess

import pytest

pytestmark = [pytest.mark.quick, pytest.mark.ia64, pytest.mark.seconds(20)]
CHECKER = 'machine/xeon/tests/reference/montecito'
PROGRAMS = (['ia64/emulator/tests/ia64-monitors'], ['ia64/emulator/tests/ia64-trace'], [CHECKER],
            ['ia64/emulator/tests/ia64-insns', 'ia64/emulator/tests/ia64-insns.txt'])
# Of libpfm4: on pages that the manual's text lacks
LOST = {0x0c, 0x0d, 0x0e, 0x0f, 0x20, 0x24, 0x28, 0x32}
SETS = {table: f'L1D({number})' for table, number in zip(range(11, 17), (0, 1, 2, 3, 4, 6))}
SETS |= {table: f'L2D({table - 21})' for table in range(21, 30)}
QUALS = {'Q_IAR': 1, 'Q_OPC': 2, 'Q_DAR': 4, 'Q_MESI': 8, 'Q_IBRP1': 16}
ALL, DUPLICATED, TEN = 0xfff0, 0x3f0, 0x400


@pytest.fixture(scope='module', name='manual')
def fixture_manual(top):
    return (top / 'ia64/emulator/manual.txt').read_text(encoding='ascii')


def run(top, program, *arguments):
    return subprocess.run([top / 'scripts/test-program', top / program, *arguments], check=True,
                          encoding='utf-8', stdout=subprocess.PIPE).stdout


def rules_of(manual):
    """(section, rule, proof)"""
    return [tuple(line.split(' | ')) for line in manual.splitlines()
            if ' | ' in line and not line.startswith('#')]


def counters_of(code):
    """3.3.3; L2D_MISSES is one of L2D's, too."""
    return TEN if code == 0x18 else DUPLICATED if code >> 4 in (8, 9, 0xa, 0xb, 0xe, 0xf) or \
        code == 0xcb else ALL


def rows_of(manual):
    """{code: {column: allowed values}}"""
    rows = {}
    for tables, code, iar, dar, opc, most, rest in re.findall(
            r'^4-([\d,]+) +0x(\w\w) \w+ +([YN-]) ([YN-]) ([YN-]) (\d)(.*)$', manual,
            re.MULTILINE):
        code, tables = int(code, 16), {int(table) for table in tables.split(',')}
        row = rows.setdefault(code, {'counters': counters_of(code), 'set': 'NO_SET', 'max': set(),
                                     'all': 'N' if code == 0x18 else 'Y', 'quals': None})
        if iar != '-':
            row['quals'] = ((iar == 'Y') + 2 * (opc == 'Y') + 4 * (dar == 'Y') |
                            8 * ('MESI' in rest) | 16 * ('IBRP1' in rest))
        row['max'].add(int(most))
        row['set'] = next((SETS[table] for table in tables & {*SETS}), row['set'])
        if 19 in tables and rest.strip() == 'N':
            row['all'] = 'N'
    return rows


def model(text):
    """{code: row} of the monitors"""
    rows = {}
    for line in text.splitlines():
        code, counters, number, quals, no_all = map(int, line.split())
        kind = {0: 'NO_SET', 1: f'L1D({number & 15})', 2: f'L2D({number & 15})'}[number >> 4]
        if counters:
            rows[code] = {'counters': counters, 'set': kind, 'quals': quals,
                          'all': 'YN'[no_all]}
    return rows


def driver(text):
    """{code: row} of montecito.def; of two rows, the second one may be qualified."""
    rows = {}
    for code, counters, kind, most, every, flags in re.findall(
            r'^EVENT(?:_PLAIN)?\(\w+, 0x(\w+), (\w+), ([\w()]+), \w, (\d+), A_(\w+),\s*([^,]*),',
            text, re.MULTILINE):
        rows[int(code, 16)] = {
            'counters': {'ANY': ALL, 'DUP': DUPLICATED, 'ONLY10': TEN}[counters], 'set': kind,
            'quals': sum(QUALS.get(flag, 0) for flag in flags.split(' | ')), 'max': int(most),
            'all': 'N' if every == 'NO' else 'Y'}
    return rows


def differences(manual, rows):
    """What is another event, or has another value in a column"""
    found = [f'{code:#x}' for code in {*manual} ^ {*rows} - LOST]
    for code, row in rows.items():
        for column, value in row.items():
            wanted = manual.get(code, row)[column]
            if wanted is not None and value != wanted and (column != 'max' or value not in wanted):
                found.append(f'{code:#x}: {column} is {value}, not {wanted}')
    return found


def changed(value, column):
    """The values next to one"""
    if column == 'quals':
        return [value ^ 1 << bit for bit in range(5)]
    if column == 'set':
        return ['L1D(5)', 'NO_SET' if value != 'NO_SET' else 'L2D(0)']
    if column == 'all':
        return ['N' if value == 'Y' else 'Y']
    return [value + 1 if column == 'max' else value ^ 1 << 10]


@pytest.fixture(scope='module', name='tables')
def fixture_tables(top):
    return {'monitors': model(run(top, CHECKER, 'codes')),
            'driver': driver((top / 'events/montecito.def').read_text(encoding='ascii'))}


def test_each_rule_has_a_result_or_says_why_it_is_open(top, manual):
    results = [line for program in PROGRAMS for line in run(top, *program).splitlines()]
    assert not [line for line in results if line.startswith('not ok')]
    rules = rules_of(manual)
    assert len(rules) > 150 and not [rule for rule in rules if len(rule) != 3]
    assert not [rule for rule in rules if not re.match('open: .', rule[2]) and not any(
        rule[2] in line for line in results)]


def test_each_section_and_table_has_rules(manual):
    text = ' '.join(rule[0] for rule in rules_of(manual)) + ' '
    assert not [n for n in range(3, 35) if f'table 3-{n} ' not in text]
    assert not [n for n in range(1, 13) if f'3.3.{n} ' not in text and f'3.3.{n}.' not in text]
    assert not [n for n in range(2, 14) if f' 4.{n} ' not in text and f' 4.{n}.' not in text]


@pytest.mark.parametrize('name', ['monitors', 'driver'])
def test_each_row_of_chapter_4_is_in_the_table(manual, tables, name, capsys):
    rows, wanted = tables[name], rows_of(manual)
    assert len(wanted) > 150 and differences(wanted, rows) == []
    noticed = missed = 0
    for code, row in rows.items():
        for column, value in row.items():
            for other in changed(value, column):
                new = differences(wanted, {**rows, code: {**row, column: other}})
                noticed += bool(new)
                if not new and code not in LOST:
                    missed += wanted[code][column] is not None
    with capsys.disabled():
        print(f' {noticed} of {noticed + missed} changed cells are noticed', end='')
    assert not missed
