# SPDX-License-Identifier: GPL-2.0-only
"""packaging/release collects files of one commit, or says what is missing."""
import os
import subprocess
import tarfile

import pytest


@pytest.fixture
def release(tree, tmp_path, run):
    """Calls packaging/release over empty files with the names of what the commands build"""
    version = run([tree / 'scripts/version']).stdout.strip()
    build = tmp_path / 'build'
    names = [f'deb/{name}' for name in (
        f'snbep-uncore_{version}.orig.tar.xz', f'snbep-uncore_{version}-1.debian.tar.xz',
        f'snbep-uncore_{version}-1.dsc', *(f'{package}_{version}-1_amd64.deb' for package in (
            'snbep-uncore-dkms', 'snbep-uncore-tools', 'uncorestat')))]
    names += [f'rpm/SOURCES/snbep-uncore-{version}.tar.xz',
              f'rpm/SRPMS/snbep-uncore-tools-{version}-1.fc40.src.rpm',
              f'rpm/RPMS/x86_64/snbep-uncore-tools-{version}-1.fc40.x86_64.rpm',
              'dist/Containerfile.test']
    more = [f'deb/snbep-uncore-tools-dbgsym_{version}-1_amd64.deb',
            'deb/snbep-uncore_0-1.dsc', f'rpm/RPMS/i686/snbep-uncore-tools-{version}-1.i686.rpm']
    for name in names + more:
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text('source' if name.endswith(f'{version}.tar.xz') or
                                  '.orig.' in name else name, encoding='ascii')
    (tmp_path / 'VERSION').write_text(f'{version}\n', encoding='ascii')
    for machine in 'uncore-machine', 'itanium-machine':
        with tarfile.open(build / f'dist/{machine}.tar.gz', 'w:gz') as tar:
            for name in 'VERSION', 'programs/usr/bin/uncorestat':
                tar.add(tmp_path / 'VERSION', f'{machine}/{name}')

    def call(*words):
        return run([tree / 'packaging/release', *(words or ['../a/out'])], cwd=build,
                   env={**os.environ, 'SNBEP_BUILD': str(build)})

    call.build, call.version = build, version
    call.names = names + ['dist/uncore-machine.tar.gz', 'dist/itanium-machine.tar.gz']
    call.out = tmp_path / 'a/out'
    return call


def test_all_files_are_taken_with_their_checksums(release, tree):
    done = release()
    assert done.returncode == 0, done.stdout
    want = {name.rpartition('/')[2]: (release.build / name).read_bytes() for name in release.names}
    want['Containerfile.uncorestat'] = (tree / 'tools/uncorestat/Containerfile').read_bytes()
    program = f'uncorestat-{release.version}-x86_64'
    assert f'-f Containerfile.uncorestat --build-arg PROGRAM={program} .\n'.replace(
        release.version, '1.0').encode() in want['Containerfile.uncorestat']
    want[program] = f'{release.version}\n'.encode()
    assert {path.name: path.read_bytes() for path in release.out.iterdir()
            if path.name != 'SHA256SUMS'} == want
    assert (release.out / program).stat().st_mode & 0o777 == 0o755
    subprocess.run(['sha256sum', '--status', '-c', 'SHA256SUMS'], cwd=release.out, check=True)
    sums = (release.out / 'SHA256SUMS').read_text(encoding='ascii').splitlines()
    assert {line.split('  ')[1] for line in sums} == {*want}
    assert {line.split()[-1] for line in done.stdout.splitlines()[1:]} == {*want, 'SHA256SUMS'}
    for words in ([str(release.out)], ['a', 'b']):
        assert 'release: usage: release DIR' in release(*words).stdout


@pytest.mark.parametrize('name', ['NEWS', 'untracked', '.git/shallow'])
def test_a_tree_that_differs_from_its_commit_is_refused(tree, release, name):
    head, = tree.glob('.git/refs/heads/*')
    (tree / name).write_text(head.read_text(encoding='ascii') if 'shallow' in name else
                             'snbep-uncore 1.0, 2026-01-02\n', encoding='ascii')
    done = release()
    assert done.returncode == 1 and 'git status' in done.stdout
    assert not release.out.exists()


def test_each_file_that_is_not_built_is_an_error(release):
    for name in release.names:
        (release.build / name).rename(release.build / 'away')
        done = release()
        assert done.returncode and name.partition('-1.fc')[0] in done.stdout
        assert not release.out.exists()
        (release.build / 'away').rename(release.build / name)


def test_parts_of_another_commit_are_an_error(release, tmp_path):
    (tmp_path / 'VERSION').write_text('1.0+1.g0123456\n', encoding='ascii')
    for machine in 'itanium-machine', 'uncore-machine':
        with tarfile.open(release.build / f'dist/{machine}.tar.gz', 'w:gz') as tar:
            tar.add(tmp_path / 'VERSION', f'{machine}/VERSION')
        assert f'{machine}.tar.gz of ' in release().stdout
    tarball, = release.build.glob('rpm/SOURCES/*')
    tarball.write_bytes(b'other')
    assert 'different sources' in release().stdout
