# SPDX-License-Identifier: GPL-2.0-only
"""
`make` where the sources are: with either compiler, git sees nothing of what it leaves, and the
emulator refuses wrong numbers of processors.
"""
import shutil
import subprocess

import pytest

WRONG = ('', '0', '3', '5', '-1', '1e9', '02', ' 2', '2 ', '2x', 'x2', '2x3', '2x0', '2x 2', '2x-1',
         '212', '2x2x')


def check_processors(machine, directory):
    for number in '1', '2', '1x1', '1x2', '2x2', *WRONG:
        done = subprocess.run([machine, '-k', 'none', '-n', number], cwd=directory,
                              encoding='utf-8', stderr=subprocess.PIPE)
        assert (done.returncode, f"'{number}' is not 1, 2, 1x2 or 2x2" in done.stderr) == (
            2, number in WRONG), number


@pytest.mark.ci
@pytest.mark.seconds(10)
@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_emulator_builds_in_its_directory_and_leaves_nothing_for_git(top, tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f'there is no {compiler} on this machine')
    for name in 'ia64/emulator', 'machine/montecito':
        shutil.copytree(top / name, tmp_path / name, ignore=shutil.ignore_patterns(
            'objects', 'ia64-machine', 'linux'))
    shutil.copy(top / '.gitignore', tmp_path)
    for words in ['init', '-q'], ['add', '-A']:
        subprocess.run(['git', *words], cwd=tmp_path, check=True)
    subprocess.run(['make', '-s', f'CC={compiler}', 'CFLAGS=-O0'], cwd=tmp_path / 'ia64/emulator',
                   check=True)
    check_processors(tmp_path / 'ia64/emulator/ia64-machine', tmp_path)
    status = subprocess.run(['git', 'status', '--porcelain'], cwd=tmp_path, check=True,
                            encoding='utf-8', stdout=subprocess.PIPE)
    assert [line for line in status.stdout.splitlines() if line.startswith('??')] == []
