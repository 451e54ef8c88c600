# SPDX-License-Identifier: GPL-2.0-only
"""scripts/version, in copies of what it needs of this tree."""
import shutil
import subprocess

import pytest


@pytest.fixture
def tree(top, tmp_path):
    """Calls scripts/version, or another program, in a small tree with one commit"""
    place = tmp_path / 'tree'
    (place / 'scripts').mkdir(parents=True)
    for name in 'scripts/version', 'scripts/lib.sh', '.gitattributes':
        shutil.copy(top / name, place / name)
    (place / 'NEWS').write_text('snbep-uncore 1.4, 2026-01-02\n\n - News\n', encoding='ascii')

    def run(*command, where=place):
        return subprocess.run(command, cwd=where, check=True, encoding='utf-8',
                              stdout=subprocess.PIPE).stdout.strip()

    run.place, run.top = place, top
    run('git', 'init', '-q')
    run('git', 'config', 'user.name', 'name')
    run('git', 'config', 'user.email', 'name@localhost')
    run('git', 'add', '.')
    run('git', 'commit', '-q', '-m', 'one')
    return run


def test_a_commit_has_release_number_and_hash(tree):
    commit = tree('git', 'rev-parse', '--short=7', 'HEAD')
    assert tree('scripts/version') == f'1.4+1.g{commit}'
    assert tree('scripts/version', '-d') == tree('git', 'log', '-1', '--format=%ct')


@pytest.mark.parametrize('name', ['NEWS', 'new'], ids=['changed', 'untracked'])
def test_a_tree_that_differs_from_its_commit_is_dirty(tree, name):
    with open(tree.place / name, 'a', encoding='ascii') as file:
        file.write('\n')
    assert tree('scripts/version').endswith('.dirty')


def test_ignored_files_leave_a_tree_clean(tree):
    shutil.copy(tree.top / '.gitignore', tree.place)
    tree('git', 'add', '.gitignore')
    tree('git', 'commit', '-q', '-m', 'two')
    (tree.place / 'build').mkdir()
    (tree.place / 'build/new').touch()
    assert not tree('scripts/version').endswith('.dirty')


def test_the_tag_of_a_release_is_its_version(tree):
    tree('git', 'tag', 'v1.3')
    assert tree('scripts/version') != '1.4'
    tree('git', 'tag', 'v1.4')
    assert tree('scripts/version') == '1.4'


@pytest.mark.parametrize('tag', [False, True])
def test_a_tarball_of_git_has_a_version(tree, tmp_path, tag):
    commit = tree('git', 'rev-parse', '--short', 'HEAD')
    if tag:
        tree('git', 'tag', 'v1.4')
    unpacked = tmp_path / 'unpacked'
    unpacked.mkdir()
    tree('git', 'archive', '-o', tmp_path / 'tar', 'HEAD')
    tree('tar', '-C', unpacked, '-xf', tmp_path / 'tar')
    assert tree('scripts/version', where=unpacked) == ('1.4' if tag else f'1.4+0.g{commit}')
    assert tree('scripts/version', '-d', where=unpacked) == tree('git', 'log', '-1', '--format=%ct')


def test_a_copy_without_git_says_that_its_commit_is_unknown(tree):
    shutil.rmtree(tree.place / '.git')
    assert tree('scripts/version') == '1.4+0.unknown'
    (tree.place / 'VERSION').write_text('1.5 1700000000\n', encoding='ascii')
    assert tree('scripts/version') == '1.5'
    assert tree('scripts/version', '-d') == '1700000000'
