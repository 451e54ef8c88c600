# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the packages' tests."""
import shutil
import subprocess

import pytest


@pytest.fixture
def tree(top, tmp_path):
    """A small tree with one commit: what scripts of packaging/ need, and names that a shell would
    part"""
    tree = tmp_path / 'tree'
    names = [f'scripts/{path.name}' for path in (top / 'scripts').glob('*.sh')]
    for name in names + ['packaging/source', 'packaging/release', 'scripts/files',
                         'scripts/version', 'NEWS']:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(top / name, tree / name)
    for name in 'a b', "it's", 'upstream/c d':
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(name, encoding='ascii')
    (tree / 'link').symlink_to('/etc/passwd')
    for command in 'init -q', 'add .', 'commit -q -m one':
        subprocess.run(['git', '-C', tree, '-c', 'user.name=name', '-c', 'user.email=name@localhost',
                        *command.split()], check=True)
    return tree
