# SPDX-License-Identifier: GPL-2.0-only
"""Each output under GCC's AddressSanitizer and UndefinedBehaviorSanitizer"""
import random
import subprocess

import pytest

from fake_pmus import linux_fields
from test_outputs import Recording

# One process builds it.
pytestmark = [pytest.mark.seconds(20), pytest.mark.xdist_group('sanitizers')]

ASAN = 'verify_asan_link_order=0:detect_leaks=0'


@pytest.fixture(scope='module')
def program(top, tmp_path_factory):
    """uncorestat with both; statically, as fake.c has to come first"""
    out = tmp_path_factory.mktemp('sanitizers')
    flags = '-fsanitize=address,undefined -fno-sanitize-recover=undefined -static-libasan'
    subprocess.run(['make', '-s', '-C', top / 'tools', f'O={out}', f'CFLAGS=-O1 -g {flags}',
                    out / 'uncorestat'], check=True)
    return out / 'uncorestat'


@pytest.mark.parametrize('output', [
    '', '--csv', '--json', '--summary', '--csv --summary', '--svg FILE', '--prometheus FILE'])
def test_no_fault_in(busy, program, tmp_path, output):
    words = output.replace('FILE', str(tmp_path / 'file')).split()
    for args in ['-m', '*', '--per', 'system'], ['-g', 'mem,qpi', '--per', 'box']:
        done = busy.run('-n', 3, *words, *args, program=program, env={'ASAN_OPTIONS': ASAN})
        assert done.code == 0, done.text[-4000:]


@pytest.mark.parametrize('nth', range(8))
def test_no_fault_in_a_drawn_recording(uncorestat, program, tmp_path, nth):
    seed = random.randrange(1 << 32)
    print(f'seed {seed}, {nth} of 8')
    file = tmp_path / 'file'
    Recording(random.Random(seed), file)
    for words in ([], ['--csv'], ['--json'], ['--summary'], ['--svg', tmp_path / 'svg'],
                  ['--prometheus', tmp_path / 'prom'], ['--csv', '--summary']):
        done = uncorestat.run('--replay', file, *words, program=program, env={'ASAN_OPTIONS': ASAN})
        assert done.code == 0, done.text[-4000:]
    assert uncorestat.run('--diff', file, file, program=program,
                          env={'ASAN_OPTIONS': ASAN}).code == 0


@pytest.fixture
def groups(uncorestat, machines, linux_source):
    """uncorestat over a v4 with 40 groups of resctrl"""
    uncorestat.machine = machines(prefix='uncore_', model=79, boxes=['imc_0', 'ha_0'],
                                  fields=linux_fields(linux_source('6.1'), 'bdx'))
    for n in range(40):
        uncorestat.machine.resctrl(f'job{n}', mbm_total_bytes=0, mbm_local_bytes=0,
                                   llc_occupancy=n)
    return uncorestat


def test_no_fault_in_groups_of_resctrl(groups, program, tmp_path):
    """The list of PMUs grows"""
    done = groups.run('-n', 2, '-g', 'resctrl,mem,total', '--per', 'socket,box,resctrl',
                      '--record', tmp_path / 'file', program=program,
                      env={'ASAN_OPTIONS': ASAN})
    assert done.code == 0, done.text[-4000:]
    assert 'S0 imc_0' in done.text and 'S0 /job39' in done.text


def test_no_fault_in_groups_that_are_found_at_the_end(groups, program, tmp_path):
    groups.machine.root.joinpath('sys/fs/resctrl').rename(tmp_path / 'groups')
    groups.machine.resctrl(mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=0)
    done = groups.run('-g', 'resctrl', '--summary', '--svg', tmp_path / 'svg', '--', 'sh', '-c',
                      f'mv {tmp_path}/groups/job* {groups.machine.root}/sys/fs/resctrl',
                      program=program, env={'ASAN_OPTIONS': ASAN})
    assert done.code == 0, done.text[-4000:]
    # Nobody has counted them.
    assert '/job39' not in done.text and '~' not in done.text
