# SPDX-License-Identifier: GPL-2.0-only
"""packaging/release collects files of one commit, or says what is missing."""
import os
import shutil
import subprocess
import tarfile

import pytest


@pytest.fixture
def release(tree, tmp_path):
    """Calls packaging/release over empty files with the names of what the commands build"""
    version = subprocess.run([tree / 'scripts/version'], check=True, encoding='utf-8',
                             stdout=subprocess.PIPE).stdout.strip()
    build = tmp_path / 'build'
    names = [f'deb/snbep-uncore_{version}.orig.tar.xz',
             f'deb/snbep-uncore_{version}-1.debian.tar.xz',
             f'deb/snbep-uncore_{version}-1.dsc',
             f'deb/snbep-uncore-dkms_{version}-1_amd64.deb',
             f'deb/snbep-uncore-tools_{version}-1_amd64.deb',
             f'deb/uncorestat_{version}-1_amd64.deb',
             f'deb/snbep-uncore-tools-dbgsym_{version}-1_amd64.deb',
             f'rpm/SOURCES/snbep-uncore-{version}.tar.xz',
             f'rpm/SRPMS/snbep-uncore-tools-{version}-1.src.rpm',
             f'rpm/RPMS/x86_64/snbep-uncore-tools-{version}-1.x86_64.rpm',
             'dist/Containerfile.test']
    for name in names:
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).touch()
    (tmp_path / 'VERSION').write_text(f'{version}\n', encoding='ascii')
    for machine in 'uncore-machine', 'itanium-machine':
        with tarfile.open(build / f'dist/{machine}.tar.gz', 'w:gz') as tar:
            for name in 'VERSION', 'programs/usr/bin/uncorestat':
                tar.add(tmp_path / 'VERSION', f'{machine}/{name}')

    def run():
        return subprocess.run([tree / 'packaging/release', tmp_path / 'out'], check=False,
                              env={**os.environ, 'SNBEP_BUILD': str(build)}, encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    run.build = build
    run.out = tmp_path / 'out'
    return run


def test_all_files_are_taken_with_their_checksums(release):
    done = release()
    assert done.returncode == 0, done.stderr
    taken = {path.name for path in release.out.iterdir()}
    assert len(taken) == 15 and not [name for name in taken if 'dbgsym' in name]
    subprocess.run(['sha256sum', '--status', '-c', 'SHA256SUMS'], cwd=release.out, check=True)
    assert len((release.out / 'SHA256SUMS').read_text(encoding='ascii').splitlines()) == 14


@pytest.mark.parametrize('name', ['NEWS', 'untracked', '.git/shallow'])
def test_a_tree_that_differs_from_its_commit_is_refused(tree, release, name):
    head, = tree.glob('.git/refs/heads/*')
    (tree / name).write_text(head.read_text(encoding='ascii') if 'shallow' in name else
                             'snbep-uncore 1.0, 2026-01-02\n', encoding='ascii')
    done = release()
    assert done.returncode == 1 and 'git status' in done.stderr
    assert not release.out.exists()


@pytest.mark.parametrize('place', ['deb', 'rpm/RPMS', 'dist'])
def test_what_is_not_built_is_an_error(release, place):
    shutil.rmtree(release.build / place)
    done = release()
    assert done.returncode and f'{place}/' in done.stderr
    assert not release.out.exists()


def test_parts_of_another_commit_are_an_error(release, tmp_path):
    (tmp_path / 'VERSION').write_text('1.0+1.g0123456\n', encoding='ascii')
    for machine in 'itanium-machine', 'uncore-machine':
        with tarfile.open(release.build / f'dist/{machine}.tar.gz', 'w:gz') as tar:
            tar.add(tmp_path / 'VERSION', f'{machine}/VERSION')
        assert f'{machine}.tar.gz of ' in release().stderr
    tarball, = release.build.glob('rpm/SOURCES/*')
    tarball.write_bytes(b'other')
    assert 'different sources' in release().stderr
