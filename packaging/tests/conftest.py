# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the packages' tests."""
import os
import shutil
import subprocess

import pytest

DOC = 'share/doc/snbep-uncore-tools/'
# What make install puts below PREFIX, by its Debian package
INSTALLED = {
    'uncorestat': {'bin/uncorestat', 'lib/systemd/system/uncorestat.service',
                   'share/bash-completion/completions/uncorestat', 'share/man/man8/uncorestat.8',
                   'share/uncorestat/alerts.yml', 'share/uncorestat/grafana.json'},
    'snbep-uncore-tools': {
        'sbin/uncore-hwtest', 'libexec/snbep-uncore/uncore-hwtest-measure',
        'share/man/man8/uncore-hwtest.8', f'{DOC}NEWS',
        *(f'{DOC}{page}.rst' for page in (
            'comparison cookbook messages offcore_rsp snbep-guide-errata snbep_uncore '
            'uncore-hwtest uncorestat').split()),
        *(f'{DOC}events/{page}.rst' for page in (
            'cbox ha imc index metrics pcu qpi r2pcie r3qpi ubox').split())}}


@pytest.fixture(scope='session')
def installed():
    return INSTALLED


@pytest.fixture
def tree(top, tmp_path):
    """A small tree with one commit: what scripts of packaging/ need, and names that a shell would
    part"""
    tree = tmp_path / 'tree'
    names = [path.relative_to(top) for pattern in ('scripts/*.sh', 'packaging/*',
                                                   'packaging/debian/*')
             for path in top.glob(pattern) if path.is_file()]
    for name in [*names, 'scripts/files', 'scripts/version', 'tools/uncorestat/Containerfile',
                 'NEWS']:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(top / name, tree / name)
    for name in 'a b', "it's", 'lab/c d':
        (tree / name).parent.mkdir(exist_ok=True)
        (tree / name).write_text(name, encoding='ascii')
    (tree / 'link').symlink_to('/etc/passwd')
    for command in 'init -q', 'add .', 'commit -q -m one':
        subprocess.run(['git', '-C', tree, '-c', 'user.name=name', '-c', 'user.email=a@localhost',
                        *command.split()], check=True)
    return tree


@pytest.fixture(scope='session')
def run_as_root(as_root):
    """Runs a command as root: its exit status in .returncode, its output in .stdout and .stderr.
    Skips where root may not mount."""
    def run(*command, **options):
        return as_root(*command, **{
            'check': False, 'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE,
            'stderr': subprocess.PIPE, 'encoding': 'utf-8', 'errors': 'replace', **options})

    done = run('unshare', '--mount', 'true')
    if done.returncode:
        pytest.skip(f'this machine does not let root mount: {done.stderr}')
    return run


@pytest.fixture(scope='session')
def fresh(top, run):
    """Calls packaging/tests/fresh, of which nothing stays; the test fails if it does."""
    if os.environ.get('SNBEP_FRESH'):
        pytest.skip('this is the bare Debian of make fresh')

    def call(*arguments):
        done = run([top / 'scripts/guard', '-', top / 'packaging/tests/fresh', *arguments],
                   stderr=None if arguments[0] == '-b' else subprocess.STDOUT)
        assert done.returncode == 0, done.stdout[-8000:]
        return done.stdout.strip()

    return call


@pytest.fixture(scope='session')
def lib_sh(shell, run):
    """What commands with the functions of lib.sh print, with their $1 ..."""
    def call(commands, *arguments):
        done = run([*shell, commands, *arguments])
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    return call
