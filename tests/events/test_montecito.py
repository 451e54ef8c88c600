# SPDX-License-Identifier: GPL-2.0-only
"""Montecito's event table against libpfm4's. montecito.reasons has a line for each difference:

    rename THEIRS OURS | why
    theirs NAME | why
    ours NAME ROW | why                     ROW: all that our table says
    FIELD NAMES THEIR-VALUE OUR-VALUE | why     NAMES: a pattern with *
"""
import re

import pytest

# The bit-fields of libpfm4's pfmlib_montecito_priv.h
UNITS = ['', 'etb', 'iear_tlb', 'iear_cache', 'dear_tlb', 'dear_cache', 'dear_alat', '']
NUMBERS = {'ANY': 0xfff0, 'DUP': 0x3f0, 'ONLY10': 0x400, 'Q_IAR': 1, 'Q_OPC': 2, 'Q_DAR': 4,
           'Q_MESI': 16}


def row(code, umask, counters, group, kind, most, quals):
    """An event as words FIELD=VALUE"""
    return (f'code={number(code)} umask={number(umask)} counters={number(counters)} set={group} '
            f'type={kind} max_inc={most} quals={number(quals)}')


def number(value):
    """As montecito.reasons has it"""
    return f'{value:#x}' if value else '0'


def libpfm4s(text):
    """{name: row} of montecito_events.h"""
    rows = {}
    for name, *numbers in re.findall(
            r'^\{\s*"(\w+)",\s*\{(\w+)\},\s*(\w+),\s*(\d+),\s*\{(\w+)\}', text, re.MULTILINE):
        code, counters, most, quals = (int(text, 0) for text in numbers)
        group, unit = quals >> 16 & 7, UNITS[code >> 8 & 7]
        rows[name.lower()] = f'unit={unit} umask={number(code >> 16)}' if 'ear' in unit else row(
            code & 255, code >> 16, counters, '-' if group == 7 else f'l{group}d{quals >> 20 & 15}',
            'AFCS'[code >> 11 & 3], most, quals & 0x17)
    return rows


def ours(text):
    """{name: row} of montecito.def, where an alias follows its event"""
    rows, event = {}, []
    text = re.sub(r'\n\s+', ' ', re.sub(r'^#if.*?^#endif', '', text, flags=re.M | re.S))
    for kind, arguments in re.findall(r'^(EVENT|EVENT_PLAIN|UMASK|EAR)\(([^"\n]*)', text, re.M):
        name, *rest = re.split(r'[,)]\s*', re.sub(r'\((\d)\)', r'\1', arguments))
        umask = 0
        if kind.startswith('EVENT'):
            event = rest
        if kind == 'EVENT':
            continue
        if kind == 'EAR':
            rows[name] = f'unit={rest[0].lower()} umask={number(int(rest[1], 16))}'
            continue
        if kind == 'UMASK':
            name, umask = f'{name}_{rest[0]}', int(rest[1], 16)
        code, counters, group, kind, most, _, flags = event[:7]
        assert name not in rows, f'{name} is there twice'
        rows[name] = row(int(code, 16), umask, NUMBERS[counters],
                         '-' if group == 'NO_SET' else group.lower(), kind, most,
                         sum(NUMBERS.get(flag, 0) for flag in flags.split(' | ')))
    return rows


class Comparison:
    """What differs without a reason, and reasons without a difference"""

    def __init__(self, theirs, our, reasons):
        self.our, self.reasons = our, []
        for line in reasons.splitlines():
            if line.strip() and not line.startswith('#'):
                kind, name, rest = re.fullmatch(r'(\w+) (\S+)\s*(.*?)\s+\|\s+\S.*', line).groups()
                pattern = re.compile('(.*)'.join(map(re.escape, name.split('*'))))
                self.reasons.append((kind, pattern, rest))
        self.used, self.bad = set(), []
        found = set()
        for name, fields in theirs.items():
            new = self.renamed(name)
            found.add(new)
            if new in our:
                self.compare(new, fields, our[new])
            elif not self.excused('theirs', name, ''):
                self.bad.append(f'only in libpfm4: {name} {fields}')
        self.bad += [f'not in libpfm4: {name} {fields}' for name, fields in our.items()
                     if name not in found and not self.excused('ours', name, fields)]

    def renamed(self, name):
        for reason in self.reasons:
            match = reason[1].fullmatch(name)
            if name not in self.our and reason[0] == 'rename' and match:
                self.used.add(reason)
                # Keep the text that the star matches.
                return reason[2].replace('*', ''.join(match.groups()))
        return name

    def compare(self, name, theirs, our):
        their = dict(word.split('=') for word in theirs.split())
        our = dict(word.split('=') for word in our.split())
        for field in {*their, *our}:
            pair = their.get(field, 'none'), our.get(field, 'none')
            if pair[0] != pair[1] and not self.excused(field, name, ' '.join(pair)):
                self.bad.append(f'{name}: {field} is {pair[1]}, in libpfm4 {pair[0]}')

    def excused(self, kind, name, rest):
        fit = {reason for reason in self.reasons
               if reason[0] == kind and reason[1].fullmatch(name) and reason[2] == rest}
        self.used |= fit
        return bool(fit)


@pytest.fixture(scope='module')
def reasons(top):
    return (top / 'tests/events/montecito.reasons').read_text()


@pytest.fixture(scope='module')
def comparison(top, libpfm4, reasons):
    theirs = libpfm4s((libpfm4 / 'lib/events/montecito_events.h').read_text())
    assert theirs
    return Comparison(theirs, ours((top / 'events/montecito.def').read_text()), reasons)


def test_every_difference_from_libpfm4_has_a_reason(comparison):
    assert comparison.bad == []


def test_every_reason_has_a_difference(comparison):
    assert [reason for reason in comparison.reasons if reason not in comparison.used] == []


def test_names_that_differ_are_on_the_page_for_users(top, reasons):
    page = (top / 'Documentation/itanium_pmu.rst').read_text()
    names = re.findall(r'^rename (\S+) (\S+)', reasons, re.MULTILINE)
    assert names and [name for name in names if not re.search(
        rf'^{re.escape(name[0].upper())} +{re.escape(name[1])}$', page, re.MULTILINE)] == []
