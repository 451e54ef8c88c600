# SPDX-License-Identifier: GPL-2.0-only
"""The drivers and their machine without lab/ and ia64/, which are projects of their own"""
import subprocess

import pytest

HOUSES = 'lab/', 'ia64/'
COMMANDS = ['/usr/bin/python3 -m pytest --collect-only -q -p no:cacheprovider',
            'maintainer/check-includes', 'make -n demo vm check deb']


@pytest.fixture(scope='module')
def alone(top, tmp_path_factory):
    tree = tmp_path_factory.mktemp('alone')
    names = [name for name in subprocess.run(
        [top / 'scripts/files'], check=True, encoding='utf-8',
        stdout=subprocess.PIPE).stdout.splitlines() if not name.startswith(HOUSES)]
    subprocess.run(['cp', '-a', '--parents', '-t', tree, *names], cwd=top, check=True)
    subprocess.run(['git', 'init', '-q', tree], check=True)
    subprocess.run(['git', '-C', tree, 'add', '.'], check=True)
    return tree


@pytest.mark.ci
@pytest.mark.parametrize('command', COMMANDS)
def test_what_is_left_needs_neither_house(run, alone, command):
    done = run(command.split(), cwd=alone)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.slow
@pytest.mark.seconds(1500)
@pytest.mark.timeout(9000)
@pytest.mark.parametrize('goal', ['style', 'demo', 'check'])
def test_what_is_left_passes(run, alone, goal):
    done = run(['make', '-s', goal], cwd=alone)
    assert done.returncode == 0, done.stdout[-4000:]
