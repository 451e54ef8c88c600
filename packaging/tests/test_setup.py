# SPDX-License-Identifier: GPL-2.0-only
"""Where packages cannot be installed, scripts/setup stops and prints the list of them."""
import fnmatch
import os
import pathlib
import re

import pytest


@pytest.fixture
def setup(top, run):
    """Calls scripts/setup"""
    return lambda *arguments, **options: run([top / 'scripts/setup', *arguments], **options)


@pytest.fixture
def path_without(tmp_path):
    """Makes an environment whose PATH has every program but those that match a pattern"""
    def make(*patterns):
        for place in '/usr/local/bin', '/usr/bin', '/bin':
            for program in pathlib.Path(place).iterdir():
                if not any(fnmatch.fnmatch(program.name, pattern) for pattern in patterns):
                    link = tmp_path / program.name
                    link.unlink(missing_ok=True)
                    link.symlink_to(program)
        return {**os.environ, 'PATH': str(tmp_path)}

    return make


def test_each_package_is_listed_once_with_its_purpose(top, setup):
    lines = setup('-l').stdout.splitlines()
    assert all(re.match('[^:]*[^: ]: [a-z0-9]', line) for line in lines)
    text = (top / 'scripts/packages').read_text(encoding='ascii')
    packages = re.findall('^[^#\n].*', text, re.M)
    listed = [name for line in lines for name in line.partition(': ')[2].split()]
    assert sorted(listed) == sorted(packages)


def test_a_machine_without_apt_gets_the_list(setup, path_without):
    done = setup(env=path_without('apt*', 'dpkg*'))
    assert done.returncode == 1 and 'There is no apt-get on this machine' in done.stdout
    assert re.findall('^  (.*)', done.stdout, re.M) == setup('-l').stdout.splitlines()
    assert 'installing' not in done.stdout


def test_a_user_without_sudo_is_told_what_root_has_to_install(setup, path_without, tmp_path):
    environment = path_without('sudo', 'id')
    (tmp_path / 'id').write_text('#!/bin/sh\necho 1000\n', encoding='ascii')
    (tmp_path / 'id').chmod(0o755)
    (tmp_path / 'list').write_text('# A list\n\n# nothing\nno-such-package\nheld ready\nremoved\n',
                                   encoding='ascii')
    (tmp_path / 'states').mkdir()
    (tmp_path / 'states/status').write_text(''.join(
        f'Package: {name}\nStatus: {state}\nVersion: 1\nArchitecture: all\n\n' for name, state in {
            'held': 'hold ok installed', 'ready': 'install ok installed',
            'removed': 'deinstall ok config-files'}.items()), encoding='ascii')
    environment['DPKG_ADMINDIR'] = str(tmp_path / 'states')
    done = setup(tmp_path / 'list', env=environment)
    assert done.returncode == 1
    assert done.stdout == ('setup: you are not root, and there is no sudo; as root, run: apt-get '
                           'install --no-install-recommends no-such-package removed\n')
