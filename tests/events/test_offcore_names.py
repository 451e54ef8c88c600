# SPDX-License-Identifier: GPL-2.0-only
"""The names of offcore_rsp against Intel's, of perf's lists, and libpfm4's.

Every event of a list is looked up in the tables of Documentation/offcore_rsp.rst, which have their
names that are not ours in upper case. It is encoded by the module's own code, and has to have the
list's value.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

LISTS = 'tools/perf/pmu-events/arch/x86'
# By perf's list: the processor of the page's tables, and of offcore_names.c, where Westmere-EX is
# an NHM with two registers
INTEL = {'nehalemep': ('NHM', 'NHM'), 'nehalemex': ('NHM', 'NHM'), 'westmereex': ('NHM', 'WSM-EX'),
         'westmereep-sp': ('WSM', 'WSM'), 'westmereep-dp': ('WSM-EP', 'WSM-EP'),
         'sandybridge': ('SNB', 'SNB'), 'jaketown': ('SNB-EP', 'SNB-EP')}
# By libpfm4's name of a processor: its file, and our name
LIBPFM4 = {'NHM': ('nhm', 'NHM'), 'WSM': ('wsm', 'WSM'), 'WSM_DP': ('wsm', 'WSM-EP'),
           'SNB': ('snb', 'SNB'), 'SNB_EP': ('snb', 'SNB-EP')}
ALIASES = {'NHM': 25, 'WSM': 25, 'WSM-EP': 21, 'WSM-EX': 25, 'SNB': 19, 'SNB-EP': 27}
# Aliases that no list has, by the bits of the manual's tables 18-36 to 18-38
OWN = {'SNB rfos_miss': 0x3f80400002, 'SNB prefetches': 0x103f0,
       'SNB prefetches_local_dram': 0x3004003f0, 'SNB llc_misses': 0x3f80408fff,
       'SNB requests': 0x18fff, 'SNB-EP data_reads_remote_cache': 0x187fc20001,
       'SNB-EP rfos_miss': 0x3fffc20002, 'SNB-EP rfos_remote_dram': 0x67f800002,
       'SNB-EP rfos_remote_cache_hitm': 0x107fc00002, 'SNB-EP prefetches': 0x103f0,
       'SNB-EP prefetches_local_dram': 0x6004003f0, 'SNB-EP prefetches_remote_dram': 0x67f8003f0,
       'SNB-EP llc_misses': 0x3fffc28fff, 'SNB-EP requests': 0x18fff}


class Page:
    """The page's tables: {(processor, name): (line, terms)} each"""

    def __init__(self, text):
        self.tables, self.rows, self.used = [], set(), set()
        pattern = r'^(?:Intel|libpfm4) +offcore_rsp +processors\n=.*\n((?:[^=\n].*\n)*)'
        for match in re.finditer(pattern, text, re.MULTILINE):
            table = {}
            # A line without a name continues the terms of the row above it.
            for row in re.split(r'\n(?=\S)', match[1].strip()):
                first, *more = row.splitlines()
                name, ours, cpus = re.split(r'\s{2,}', first)
                ours += ''.join(map(str.strip, more))
                self.rows.add((len(self.tables), row))
                for cpu in ALIASES if cpus == 'all' else cpus.split():
                    assert (cpu, name) not in table, f'{name} of {cpu} is there twice'
                    table[cpu, name] = (len(self.tables), row), ours
            self.tables.append(table)
        self.requests, self.responses, self.whole, libpfm4 = self.tables
        self.libpfm4 = {**self.requests, **self.responses, **libpfm4}

    def terms(self, table, cpu, name):
        """Those of the name's row, or the same name in lower case"""
        if (cpu, name) not in table:
            return name.lower()
        row, terms = table[cpu, name]
        self.used.add(row)
        return terms

    def translate(self, cpu, event):
        """Our terms for an event of Intel's"""
        request, response = re.fullmatch(r'OFFCORE_RESPONSE\.(\w+)\.(\S+)', event).groups()
        if (cpu, f'{request}.{response}') in self.whole:
            return self.terms(self.whole, cpu, f'{request}.{response}')
        return (self.terms(self.requests, cpu, request) + ',' +
                self.terms(self.responses, cpu, response))


@pytest.fixture(scope='session')
def page(top):
    return Page((top / 'Documentation/offcore_rsp.rst').read_text())


@pytest.fixture(scope='session')
def ask(top, tmp_path_factory):
    """Asks the module's code: ask(mode, lines), a line for each"""
    program, here = tmp_path_factory.mktemp('names') / 'names', top / 'tests/events'
    # The kernel's u64 is an unsigned long long everywhere, the C library's is not.
    subprocess.run(
        [os.environ.get('CC', 'cc'), '-O2', '-Wall', '-Wextra', '-Wno-format',
         *os.environ.get('WERROR', '-Werror').split(), f'-I{here}/shim',
         f'-I{top}/tests/mock-kernel/shim', f'-I{top}', here / 'offcore_names.c',
         top / 'offcore/tables.c', top / 'offcore/encode.c', '-o', program], check=True)

    def answers(mode, lines=()):
        return subprocess.run([program, mode], input=''.join(f'{line}\n' for line in lines),
                              check=True, encoding='utf-8', stdout=subprocess.PIPE
                              ).stdout.splitlines()
    return answers


@pytest.fixture(scope='session')
def intel(linux_lists):
    """{list: {event: value}}"""
    lists = linux_lists('6.1', LISTS, 'tools')

    def events(directory):
        for path in directory.glob('*.json'):
            for event in json.loads(path.read_text()):
                if re.search('0x1a[67]', event.get('MSRIndex', ''), re.IGNORECASE):
                    yield event['EventName'], int(event['MSRValue'].split(',')[0], 16)
    return {name: dict(events(pathlib.Path(lists, name))) for name in INTEL}


@pytest.fixture(scope='session')
def aliases(ask):
    """Processor, alias, value, and Intel's name of each"""
    return [(cpu, alias, int(value, 16), name)
            for cpu, alias, value, name in map(str.split, ask('aliases'))]


def differences(ask, mode, questions):
    """Questions, {terms: value}, with another answer"""
    got = ask(mode, questions)
    assert got and len(got) == len(questions)
    return [f'{question} is {answer}, not {value:#x}' for (question, value), answer
            in zip(questions.items(), got) if answer != f'{value:#x}']


@pytest.mark.parametrize('name', INTEL)
def test_events_of_perfs_list_have_the_value_of_our_names(page, ask, intel, name):
    column, cpu = INTEL[name]
    asked = {f'{cpu} {page.translate(column, event)}': value
             for event, value in intel[name].items()}
    assert differences(ask, 'values', asked) == []


@pytest.mark.parametrize('name', INTEL)
def test_values_of_perfs_list_are_taken_by_rsp(ask, intel, name):
    asked = {f'{INTEL[name][1]} rsp={value:#x}': value for value in intel[name].values()}
    assert differences(ask, 'values', asked) == []


@pytest.mark.parametrize('name', INTEL)
def test_alias_has_the_value_of_the_event_that_it_names_or_no_event_has_it(aliases, intel, name):
    events, matched = intel[name], 0
    for cpu, alias, value, event in aliases:
        if cpu != INTEL[name][1]:
            continue
        if f'OFFCORE_RESPONSE.{event}' in events:
            matched += 1
            assert value == events[f'OFFCORE_RESPONSE.{event}'], alias
        else:
            assert value not in events.values(), f'{alias} does not name its event'
    assert matched


def test_aliases_that_no_list_has_are_what_their_names_say(aliases):
    assert {f'{cpu} {alias}': value for cpu, alias, value, name in aliases if name == '-'} == OWN


@pytest.mark.parametrize('cpu', ALIASES)
def test_processor_has_its_aliases(aliases, cpu):
    assert sum(alias[0] == cpu for alias in aliases) == ALIASES[cpu]


def unit_masks(page, libpfm4, model):
    """libpfm4's: {question: value} of those that we have, and questions of those that we refuse.
    Bits 8 and up of a unit mask are the register."""
    name, cpu = LIBPFM4[model]
    text = (libpfm4 / f'lib/events/intel_{name}_events.h').read_text()
    table = re.search(r'_offcore_response(?:_0)?\[\]\s*=\s*\{(.*?)^\};', text, re.M | re.S)[1]
    same, refused = {}, []
    for umask, rest in re.findall(r'\{\s*\.uname\s*=\s*"(\w+)"(.*?)\n\s*\}', table, re.DOTALL):
        only = re.search(r'\.umodel\s*=\s*PFM_PMU_INTEL_(\w+)', rest)
        if only and only[1] != model:
            continue
        code = re.search(r'\.ucode\s*=\s*([^,]+),', rest)[1].replace('ULL', '')
        assert re.fullmatch(r'(?:\b(?:0x[0-9a-f]+|\d+)\b|[()<>|+ -])+', code)
        value = eval(code) >> 8  # an expression of constants, as just matched
        ours = page.terms(page.libpfm4, cpu, umask)
        if ours == r'\-':
            refused.append(f'{cpu} rsp={value | 1 | 1 << 31:#x}')
        else:
            same[f'{cpu} {ours}'] = value
    return same, refused


@pytest.mark.parametrize('model', LIBPFM4)
def test_unit_masks_of_libpfm4_have_the_value_of_our_names_or_are_refused(
        page, ask, libpfm4, model):
    same, refused = unit_masks(page, libpfm4, model)
    assert differences(ask, 'bits', same) == []
    assert all('offcore_rsp: ' in answer for answer in ask('bits', refused))


def test_sets_that_no_list_has_alone_have_their_value(ask):
    asked = {'SNB any_dram': 0x300400000, 'SNB-EP remote_cache': 0x187fc20000}
    assert differences(ask, 'bits', asked) == []


def test_bit_of_the_event_is_one_sets(top):
    seen = {}
    text = (top / 'events/offcore_sandybridge.def').read_text()
    for kind, name, bit in re.findall(r'^SET\(OFFCORE_(\w+), (\w+), \w+, (\d+),', text, re.M):
        for cpu in ('SNB', 'SNB_EP') if kind == 'SNBS' else (kind,):
            assert seen.setdefault((cpu, bit), name) == name
    assert seen


def test_every_row_of_the_page_is_of_some_list(page, intel, libpfm4):
    for name, (column, _) in INTEL.items():
        for event in intel[name]:
            page.translate(column, event)
    for model in LIBPFM4:
        unit_masks(page, libpfm4, model)
    assert page.rows - page.used == set()
