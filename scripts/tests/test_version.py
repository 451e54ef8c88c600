# SPDX-License-Identifier: GPL-2.0-only
"""scripts/version and scripts/files, in copies of what they need of this tree"""
import shutil
import subprocess

import pytest


@pytest.fixture
def tree(top, tmp_path):
    """Runs a command in a small tree with one commit, where scripts/version is"""
    place = tmp_path / 'tree'
    (place / 'scripts').mkdir(parents=True)
    for name in ('scripts/version', 'scripts/files', 'scripts/lib.sh',
                  '.gitattributes', '.gitignore'):
        shutil.copy(top / name, place / name)
    (place / 'NEWS').write_text('snbep-uncore 1.4, 2026-01-02\n\n - News\n', encoding='ascii')

    def run(command, where=place):
        return subprocess.run(command.split(), cwd=where, check=True, encoding='utf-8',
                              stdout=subprocess.PIPE).stdout.strip()

    run.place = place
    for command in ('init -q', 'config user.name name', 'config user.email name@localhost',
                    'add .', 'commit -q -m one'):
        run(f'git {command}')
    return run


def named(tree, sign):
    """The version of a commit before (~) or after (+) the release"""
    date = tree('git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S')
    return f'1.4{sign}{date}.g{tree("git rev-parse --short=7 HEAD")}'


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv('TZ', 'UTC')


def test_commit_is_before_or_after_its_release_by_date_and_hash(tree, tmp_path):
    before = named(tree, '~')
    assert tree('scripts/version') == before
    tree('git tag v1.4')
    tree('git commit -q --allow-empty -m two')
    assert tree('scripts/version') == named(tree, '+')
    tree(f'dpkg --compare-versions {before} lt 1.4')
    tree(f'git clone -q --depth=1 --no-tags file://{tree.place} {tmp_path}/copy')
    assert tree('scripts/version', tmp_path / 'copy') == named(tree, '~') + '.shallow'


def test_differences_are_dirty(tree):
    clean = named(tree, '~')
    (tree.place / 'build').mkdir()
    (tree.place / 'build/ignored').touch()
    assert tree('scripts/version') == clean
    assert tree('scripts/version -d') == tree('git log -1 --format=%ct')
    (tree.place / 'new').touch()
    assert tree('scripts/version') == f'{clean}.dirty'
    (tree.place / 'new').unlink()
    (tree.place / 'NEWS').open('a').write('\n')
    assert tree('scripts/version') == f'{clean}.dirty'


@pytest.mark.parametrize('tag', ['v1.3', 'v1.4', 'v1.4-rc1'])
def test_tag_of_the_release_is_its_version_also_in_a_tarball_of_git(tree, tmp_path, tag):
    tree(f'git tag {tag}')
    version = '1.4' if tag == 'v1.4' else named(tree, '~')
    assert tree('scripts/version') == version
    (tmp_path / 'unpacked').mkdir()
    tree(f'git archive -o {tmp_path}/tar HEAD')
    tree(f'tar -C {tmp_path}/unpacked -xf {tmp_path}/tar')
    assert tree('scripts/version', tmp_path / 'unpacked') == version
    assert tree('scripts/version -d', tmp_path / 'unpacked') == tree('git log -1 --format=%ct')


def test_copy_without_git_says_that_its_commit_is_unknown(tree):
    shutil.rmtree(tree.place / '.git')
    assert tree('scripts/version') == '1.4.unknown'
    (tree.place / 'VERSION').write_text('1.5 1700000000\n', encoding='ascii')
    assert (tree('scripts/version'), tree('scripts/version -d')) == ('1.5', '1700000000')


def test_files_are_what_git_tracks_or_would_add_also_without_git(tree):
    for name in 'a b.c', 'sub/build/x', 'sub/b.c', 'sub/x.o', 'build/y', 'gone':
        (tree.place / name).parent.mkdir(parents=True, exist_ok=True)
        (tree.place / name).touch()
    (tree.place / 'link').symlink_to('NEWS')
    tree('git add sub/b.c gone link')
    (tree.place / 'gone').unlink()
    for _ in 'git', 'none':
        assert {*tree('scripts/files').splitlines()} == {
            'NEWS', '.gitattributes', '.gitignore', 'a b.c', 'sub/b.c', 'scripts/files',
            'scripts/lib.sh', 'scripts/version'}
        assert tree('scripts/files sub/*.c N*S *EWS').splitlines() == ['NEWS', 'sub/b.c']
        shutil.rmtree(tree.place / '.git', ignore_errors=True)
