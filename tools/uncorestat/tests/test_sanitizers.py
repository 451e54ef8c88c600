# SPDX-License-Identifier: GPL-2.0-only
"""Each output under GCC's AddressSanitizer and UndefinedBehaviorSanitizer"""
import subprocess

import pytest

from fake_pmus import linux_fields

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
    '', '--csv', '--json', '--summary', '--csv --summary', '--svg FILE', '--prometheus FILE',
    '--record FILE'])
@pytest.mark.parametrize('args', ['', '-m *', '-m * --per system', '-g mem,qpi --per box'])
def test_no_fault_in(busy, program, tmp_path, output, args):
    words = [str(tmp_path / 'file') if word == 'FILE' else word
             for word in f'{output} {args}'.split()]
    done = busy.run('-n', 3, *words, program=program, env={
        'ASAN_OPTIONS': ASAN})
    assert done.code == 0, done.text[-4000:]
    if '--record' in words:
        file = words[1]
        for again in ('--replay', file, '--summary'), ('--diff', file, file):
            done = busy.run(*again, program=program, env={'ASAN_OPTIONS': ASAN})
            assert done.code == 0, done.text[-4000:]
    assert not any(word in done.text for word in ('runtime error', 'AddressSanitizer'))


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
    """What no interval has counted is a dash in the totals, not what is behind them."""
    groups.machine.root.joinpath('sys/fs/resctrl').rename(tmp_path / 'groups')
    groups.machine.resctrl(mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=0)
    done = groups.run('-g', 'resctrl', '--summary', '--svg', tmp_path / 'svg', '--', 'sh', '-c',
                      f'mv {tmp_path}/groups/job* {groups.machine.root}/sys/fs/resctrl',
                      program=program, env={'ASAN_OPTIONS': ASAN})
    assert done.code == 0, done.text[-4000:]
    assert done.line('S3 /job39') == '- - -' and '~' not in done.text
