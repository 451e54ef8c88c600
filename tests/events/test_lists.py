# SPDX-License-Identifier: GPL-2.0-only
"""The uncore's event tables against others' lists, whose every difference has a reason.

A list of differences has a line for each, and * stands for anything:

    BOX NAME only-here[:EVENT,UMASK,COUNTERS] REASON...
    BOX NAME only-there REASON...
    BOX NAME EVENT,UMASK,COUNTERS REASON...     theirs; ours differs, or is not there

{a,b} ... {c,d} stands for a line with a and c, and one with b and d. Lines after "in EDITION" are
for that edition alone.
"""
import fnmatch
import json
import re
import subprocess

import pytest

from formulas import braces

BOXES = 'cbox ha imc pcu qpi r2pcie r3qpi ubox irp'.split()
JAKETOWN = 'tools/perf/pmu-events/arch/x86/jaketown'
# perf's units; those of two names have the second one in newer editions.
UNITS = {'CBO': 'cbox', 'CBOX': 'cbox', 'HA': 'ha', 'iMC': 'imc', 'PCU': 'pcu', 'QPI LL': 'qpi',
         'QPI': 'qpi', 'R2PCIe': 'r2pcie', 'R3QPI': 'r3qpi', 'UBOX': 'ubox', 'IRP': 'irp'}


def table(lines):
    """{'BOX NAME': 'EVENT,UMASK,COUNTERS'} of lines with these five words"""
    rows = {}
    for line in lines:
        box, name, event, umask, counters = line.split()
        assert f'{box} {name}' not in rows, f'{line} is there twice'
        rows[f'{box} {name}'] = f'{event},{umask},{counters}'
    assert rows
    return rows


def jaketown(directory):
    """perf's JSON of the Xeon E5-2600 as such lines"""
    for path in sorted(directory.glob('uncore-*.json')):
        for event in json.loads(path.read_text()):
            if 'EventName' not in event:
                continue
            name = re.fullmatch(r'UNC_[A-Z0-9]+?_(.*)', event['EventName'])[1]
            code = int(event.get('EventCode', '0'), 16) | int(event.get('ExtSel', 0)) << 8
            counters = event.get('Counter', '0').split(',')
            counters = '-'.join(counters[::len(counters) - 1] if len(counters) > 1 else counters)
            yield (f'{UNITS[event["Unit"]]} {name.replace(".", "_").lower()} {code:#04x} '
                   f'{int(event.get("UMask", "0"), 16):#04x} {counters}')


class Comparison:
    """Differences of two tables without a reason, and reasons without a difference"""

    def __init__(self, ours, theirs, path, edition):
        self.reasons = list(self.read(path, edition))
        self.same, self.unlisted, used = [], [], set()
        for key in sorted({*ours, *theirs}):
            our, their = ours.get(key), theirs.get(key)
            if our == their:
                self.same.append(key)
                continue
            if not their:
                texts = [f'only-here:{our}']
            else:
                texts = [their] if our else ['only-there', their]
            hits = {reason for reason in self.reasons if self.fits(reason, key, texts)}
            used |= hits
            if not hits:
                self.unlisted.append(f'{key}: ours {our}, theirs {their}')
        self.stale = [reason for reason in self.reasons if reason not in used]

    @staticmethod
    def read(path, edition):
        here = True
        for line in sum(map(braces, path.read_text().splitlines()), []):
            if line.startswith('in '):
                here = line == f'in {edition}'
            elif here and line.strip() and not line.startswith('#'):
                box, name, what, _ = line.split(maxsplit=3)
                yield f'{box} {name}', 'only-here:*' if what == 'only-here' else what

    @staticmethod
    def fits(reason, key, texts):
        return fnmatch.fnmatchcase(key, reason[0]) and any(
            fnmatch.fnmatchcase(text, reason[1]) for text in texts)


@pytest.fixture(scope='module', params=[
    'libpfm4', 'jaketown-6.1', 'jaketown-newest'])
def comparison(request, gen, top):
    """With libpfm4, and with perf's JSON in a kernel's source; 5.10 has other names."""
    name, _, kernel = request.param.partition('-')
    here = top / 'tests/events'
    if name == 'libpfm4':
        source = request.getfixturevalue('libpfm4')
        dump = request.getfixturevalue('tmp_path_factory').mktemp('libpfm4') / 'dump'
        subprocess.run(['cc', '-O2', '-Wall', f'-I{source}/lib', f'-I{source}/include', '-o', dump,
                        here / 'libpfm4-dump.c'], check=True)
        theirs = subprocess.run([dump], check=True, encoding='utf-8',
                                stdout=subprocess.PIPE).stdout.splitlines()
    else:
        theirs = jaketown(request.getfixturevalue('linux_lists')(kernel, JAKETOWN))
    return Comparison(table(gen.lines('rows')), table(theirs), here / f'{name}.differences',
                      '6.1' if kernel == '6.1' else 'newer')


@pytest.mark.parametrize('box', BOXES)
def test_every_difference_of_the_box_is_listed(comparison, box):
    assert [line for line in comparison.unlisted if line.startswith(f'{box} ')] == []


def test_boxes_have_rows_that_are_the_same(comparison):
    assert {key.split()[0] for key in comparison.same} >= set(BOXES) - {'irp'}


def test_every_listed_difference_is_one(comparison):
    assert comparison.stale == []
