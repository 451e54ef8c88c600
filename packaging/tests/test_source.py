# SPDX-License-Identifier: GPL-2.0-only
"""packaging/source copies the files of a tree, whatever their names."""
import os
import subprocess

import pytest


@pytest.mark.parametrize('place', ['relative', 'absolute'])
def test_names_with_blanks_and_a_relative_directory(tree, tmp_path, place):
    out = tmp_path / 'out of it'
    (tree / 'a b').chmod(0o600)
    subprocess.run([tree / 'packaging/source', '-v', '9', '-p',
                    out.name if place == 'relative' else out], check=True, cwd=tmp_path)
    taken = {os.path.relpath(path, out) for path in out.rglob('*') if not path.is_dir()}
    assert {'a b', "it's", 'VERSION', 'packaging/source'} <= taken
    assert not taken & {'link', 'lab/c d'}
    assert {path.stat().st_mode & 0o777 for path in out.rglob('*')} == {0o644, 0o755}
    assert (out / 'VERSION').read_text(encoding='ascii').startswith('9 ')


def test_shallow_clone_and_copy_without_git_are_refused(tree, tmp_path, run):
    run(['git', 'clone', '-q', '--depth=1', f'file://{tree}', tmp_path / 'shallow'], check=True)
    (tree / '.git').rename(tmp_path / 'git')
    for place, word in (tmp_path / 'shallow', 'shallow'), (tree, 'unknown'):
        done = run([place / 'packaging/source', tmp_path / 'out'])
        assert done.returncode == 1 and f'.{word}: packages are of a whole clone' in done.stdout
