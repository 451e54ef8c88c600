# SPDX-License-Identifier: GPL-2.0-only
"""packaging/source copies the files of a tree, whatever their names."""
import os
import shutil
import subprocess

import pytest


@pytest.fixture
def tree(top, tmp_path):
    """A small tree in git, with what packaging/source needs and names that a shell would part"""
    tree = tmp_path / 'tree'
    names = [f'scripts/{path.name}' for path in (top / 'scripts').glob('*.sh')]
    for name in names + ['packaging/source', 'scripts/files', 'scripts/version', 'NEWS']:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(top / name, tree / name)
    for name in 'a b', "it's", 'upstream/c d':
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(name, encoding='ascii')
    (tree / 'link').symlink_to('/etc/passwd')
    subprocess.run(['git', 'init', '-q', tree], check=True)
    return tree


@pytest.mark.parametrize('place', ['relative', 'absolute'])
def test_names_with_blanks_and_a_relative_directory(tree, tmp_path, place):
    out = tmp_path / 'out of it'
    subprocess.run([tree / 'packaging/source', '-v', '9', '-x', 'upstream/*',
                    out.name if place == 'relative' else out], check=True, cwd=tmp_path)
    taken = {os.path.relpath(path, out) for path in out.rglob('*') if not path.is_dir()}
    assert {'a b', "it's", 'VERSION', 'packaging/source'} <= taken
    assert not taken & {'link', 'upstream/c d'}
    assert (out / 'VERSION').read_text(encoding='ascii').startswith('9 ')
