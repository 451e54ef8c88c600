# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the scripts' tests."""
import functools
import subprocess

import pytest


@pytest.fixture
def shell(top):
    """A shell of lib.sh as a list, before its commands and their $1 ..."""
    return ['sh', '-c', '. "$1"; commands=$2; shift 2; eval "$commands"', top / 'scripts/a-test',
            top / 'scripts/lib.sh']


@pytest.fixture
def run():
    """Runs a command: its exit status in .returncode, all that it printed in .stdout."""
    return functools.partial(subprocess.run, check=False, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')
