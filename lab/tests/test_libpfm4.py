# SPDX-License-Identifier: GPL-2.0-only
"""The tests that lab/libpfm4 adds fail on Debian's libpfm4, and pass with the patches. With
PERFMON=DIR, a clone of github.com/intel/perfmon, its tables are compared with Intel's lists."""
import collections
import json
import re
import shutil
import subprocess

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.ci, pytest.mark.seconds(20),
              pytest.mark.xdist_group('libpfm4')]
LISTS = {'ivbep': 'IVT/events/ivytown', 'hswep': 'HSX/events/haswellx',
         'bdx': 'BDX/events/broadwellx'}
# The first is a fixed counter, which has no code. The guides disagree on the second.
UNCLEAR = 'UNC_M_CLOCKTICKS', 'UNC_P_FREQ_MIN_PERF_P_CYCLES'


class Tree:
    """libpfm4 with the patches, and with or without those to its tables: validated[BOOL] is the
    status of its own tests and what they print, and tables[BOOL] all events"""

    def __init__(self, directory, git, patches, lister):
        self.directory, self.lister = directory, lister
        for words in (['init', '-q'], ['add', '-A', '-f'], ['commit', '-q', '-m', 'libpfm4'],
                      ['tag', 'base'], ['am', '-q', *patches]):
            git(directory, *words)
        self.added = len(re.findall(r'^\+.*SRC_LINE', git(
            directory, 'diff', 'base', 'HEAD', '--', 'tests'), re.M))
        self.validated, self.tables = {}, {}
        for patched in False, True:
            git(directory, 'checkout', '-q', 'HEAD' if patched else 'base', '--', 'lib')
            self.build(patched)

    def build(self, patched):
        self.run('make', '-s', '-j2', 'lib')
        self.run('make', '-s', '-C', 'tests')
        done = self.run('./tests/validate', '-A', check=False)
        self.validated[patched] = done.returncode, done.stdout
        self.run('gcc', '-Iinclude', '-o', 'list', self.lister, 'lib/libpfm.a')
        self.tables[patched] = collections.defaultdict(dict)
        for line in self.run('./list').stdout.splitlines():
            pmu, event, umask, code = line.upper().split()
            self.tables[patched][pmu.partition('_UNC_')[0].lower(), event][umask] = int(code, 16)

    def run(self, *command, check=True):
        return subprocess.run(command, check=check, cwd=self.directory, encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


@pytest.fixture(scope='module')
def tree(libpfm4, git, top, tmp_path_factory):
    copy = tmp_path_factory.mktemp('libpfm4') / 'tree'
    shutil.copytree(libpfm4, copy, symlinks=True)
    return Tree(copy, git, sorted((top / 'lab/libpfm4').glob('0*.patch')),
                top / 'lab/tests/libpfm4-list.c')


def differences(table, perfmon):
    """Codes and unit masks that differ from Intel's lists"""
    for processor, path in LISTS.items():
        events = json.loads((perfmon / f'{path}_uncore.json').read_text())['Events']
        for event in events:
            name, _, umask = event['EventName'].upper().partition('.')
            found = table.get((processor, name), {})
            # The extended select is above the code in libpfm4, and apart in the list.
            wanted = {'-': int(event['EventCode'], 16) & 0xff,
                      umask.replace('.', '_'): int(event['UMask'], 16)}
            for key in wanted.keys() & found.keys():
                value = found[key] & 0xff if key == '-' else found[key]
                if value != wanted[key] and name not in UNCLEAR:
                    yield f'{processor} {event["EventName"]} {wanted[key]:#x}, not {value:#x}'


def test_added_tests_fail_without_the_patches_to_the_tables(tree):
    status, text = tree.validated[False]
    assert status and tree.added
    assert re.findall(r' x86 events: (\d+) errors', text) == [str(tree.added)]


def test_all_tests_pass_with_the_patches(tree):
    status, text = tree.validated[True]
    assert status == 0, text


def test_tables_differ_from_intels_lists_without_the_patches_alone(tree, perfmon):
    assert len(list(differences(tree.tables[False], perfmon))) > 100
    assert list(differences(tree.tables[True], perfmon)) == []
