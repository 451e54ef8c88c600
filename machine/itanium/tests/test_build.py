# SPDX-License-Identifier: GPL-2.0-only
"""`make` where the sources are: with either compiler, and git sees nothing of what it leaves."""
import shutil
import subprocess

import pytest


@pytest.mark.ci
@pytest.mark.seconds(10)
@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_emulator_builds_in_its_directory_and_leaves_nothing_for_git(top, tmp_path, compiler):
    if not shutil.which(compiler):
        pytest.skip(f'there is no {compiler} on this machine')
    for name in 'machine/itanium', 'machine/montecito':
        shutil.copytree(top / name, tmp_path / name, ignore=shutil.ignore_patterns(
            'objects', 'ia64-machine', 'linux'))
    shutil.copy(top / '.gitignore', tmp_path)
    for words in ['init', '-q'], ['add', '-A']:
        subprocess.run(['git', *words], cwd=tmp_path, check=True)
    subprocess.run(['make', '-s', f'CC={compiler}', 'CFLAGS=-O0'], cwd=tmp_path / 'machine/itanium',
                   check=True)
    assert (tmp_path / 'machine/itanium/ia64-machine').exists()
    status = subprocess.run(['git', 'status', '--porcelain'], cwd=tmp_path, check=True,
                            encoding='utf-8', stdout=subprocess.PIPE)
    assert [line for line in status.stdout.splitlines() if line.startswith('??')] == []
