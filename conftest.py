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
