# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of all host-side tests: where the sources are, and a clean environment."""
import functools
import os
import pathlib
import shutil
import subprocess

import pytest

pytest_plugins = 'collector', 'pytester'
TOP = pathlib.Path(__file__).parent


@pytest.fixture(scope='session')
def top():
    """The top of the sources"""
    return TOP


@pytest.fixture(scope='session', autouse=True)
def clean_environment():
    """Programs under test speak English, and take no options of a make that runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in 'MAKEFLAGS', 'MFLAGS', 'MAKEOVERRIDES', 'MAKELEVEL', 'GNUMAKEFLAGS', 'TMUX':
            patch.delenv(name, raising=False)
        patch.setenv('LC_ALL', 'C')
        patch.setenv('PATH', os.environ.get('PATH', '/usr/bin:/bin') + ':/usr/sbin:/sbin')
        yield


@pytest.fixture(scope='session')
def as_root():
    """Runs a command as root, by sudo if need be."""
    sudo = [] if os.geteuid() == 0 else ['sudo']
    if sudo and not shutil.which('sudo'):
        pytest.skip('this needs root, and there is no sudo on this machine')
    return lambda *command, **options: subprocess.run([*sudo, *command], check=True, **options)


@pytest.fixture(scope='session')
def run():
    """Runs a command: its exit status in .returncode, all that it printed in .stdout."""
    return functools.partial(subprocess.run, check=False, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8',
                             errors='replace')


@pytest.fixture(scope='session')
def kernel(top):
    """The directory of a kernel of scripts/kernels"""
    def directory(name):
        done = subprocess.run([top / 'scripts/kernel', name], check=False,
                              stdout=subprocess.PIPE, encoding='utf-8')
        if done.returncode == 4:
            pytest.skip(f'the Debian suite of Linux {name} is no longer on the mirror')
        assert done.returncode == 0
        return top / done.stdout.strip()

    return directory


@pytest.fixture(scope='session')
def copy_programs(top):
    """Copies programs to a directory for the guest, with their libraries, from packages of Debian
    13, or from this machine: what runs a program there, before its path."""
    def copy(directory, packages, *programs):
        script = """. "$1"; root=; packages=$2 to=$3; shift 3
            [ ! "$packages" ] || root=$("$SCRIPTS/suite-root" trixie $packages)
            copy_programs "$root" "$to" "$@" """
        subprocess.run(['sh', '-c', script, top / 'scripts/a-test', top / 'scripts/lib.sh',
                        packages, directory, *programs], check=True)
        return ('lib64/ld-linux-x86-64.so.2 --library-path '
                'lib/x86_64-linux-gnu:usr/lib/x86_64-linux-gnu ')
    return copy


@pytest.fixture(scope='session')
def output(top):
    """The path that a script of the project prints"""
    def printed(script, *arguments):
        return subprocess.run([top / script, *arguments], check=True, stdout=subprocess.PIPE,
                              encoding='utf-8').stdout.strip()

    return printed
