# SPDX-License-Identifier: GPL-2.0-only
"""scripts/setup installs what is missing; where it cannot, it stops and prints the list."""
import fnmatch
import os
import pathlib
import re

import pytest

# What a fake apt-get does, which fails $FAILS times to install, and never has "lost"
APT_GET = """
echo "${DEBIAN_FRONTEND:-} $*" >> "$DIR/calls"
case " $* " in
*' indextargets '*) cat "$DIR/lists" ;;
*' update '*) echo x > "$DIR/lists" ;;
*' install '*)
    echo >> "$DIR/tries"
    [ "$(wc -l < "$DIR/tries")" -gt "$FAILS" ] || { echo E: no such file >&2; exit 100; }
    for name; do [ "$name" = lost ] || echo "ii  $name" >> "$DIR/states"; done ;;
esac
"""


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
    done = setup('-l')
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and all(re.match('[^:]*[^: ]: [a-z0-9]', line) for line in lines)
    text = (top / 'scripts/packages').read_text(encoding='ascii')
    packages = re.findall('^[^#\n].*', text, re.M)
    listed = [name for line in lines for name in line.partition(': ')[2].split()]
    assert sorted(listed) == sorted(packages)


def test_a_machine_without_apt_gets_the_list(setup, path_without):
    done = setup(env=path_without('apt*', 'dpkg*'))
    assert done.returncode == 1 and 'There is no apt-get on this machine' in done.stdout
    assert re.findall('^  (.*)', done.stdout, re.M) == setup('-l').stdout.splitlines()
    assert 'installing' not in done.stdout


@pytest.mark.parametrize('release, status', [
    ('debian\nVERSION_ID=12', 0), ('debian\nVERSION_ID="13"', 0), ('debian\nVERSION_ID=11', 1),
    ('x\nPRETTY_NAME=Xy', 1)])
def test_debian_12_and_13_are_supported(mounts, top, tmp_path, release, status):
    (tmp_path / 'release').write_text(f'ID={release}\n')
    (tmp_path / 'list').write_text('\n# purpose\ndpkg\n')
    done = mounts('mount --bind "$1" /etc/os-release; "$2" "$3"', tmp_path / 'release',
                  top / 'scripts/setup', tmp_path / 'list')
    assert (done.returncode, 'no Debian 12 or 13 but ' in done.stdout) == (status, status == 1)


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


@pytest.mark.parametrize('user, lists', [('0', 'x\n'), ('1000', '')])
@pytest.mark.parametrize('fails, more, said', [
    (0, '', ''), (1, '', ''), (0, 'lost', 'setup: still missing after the installation: lost\n'),
    (2, '', 'E: no such file\nsetup: failed: as_root env DEBIAN_FRONTEND=')])
def test_missing_packages_are_installed(
        setup, path_without, tmp_path, user, lists, fails, more, said):
    environment = path_without('sudo', 'id', 'apt-get', 'dpkg-query')
    for name, text in {'id': f'echo {user}', 'sudo': 'echo >> "$DIR/asked"; exec "$@"',
                       'apt-get': APT_GET, 'dpkg-query': 'cat "$DIR/states"'}.items():
        (tmp_path / name).write_text(f'#!/bin/sh\n{text}\n')
        (tmp_path / name).chmod(0o755)
    (tmp_path / 'list').write_text(f'# A list\n\n# purpose\nhave\nb1 # why\na1\n{more}\n')
    (tmp_path / 'states').write_text('ii  have\nrc  a1\n')
    (tmp_path / 'lists').write_text(lists)
    environment |= {'DIR': str(tmp_path), 'FAILS': str(fails), 'SNBEP_CACHE': f'{tmp_path}/cache'}
    done = setup(tmp_path / 'list', env=environment)
    names = f'a1 b1 {more}'.strip()
    assert (done.returncode != 0) == (said != '')
    assert re.fullmatch(f'setup: installing {names}\n{said}' + '.*\n' * ('DEBIAN' in said),
                        done.stdout), done.stdout
    calls = [line.split() for line in (tmp_path / 'calls').read_text().splitlines()]
    update, install = ['update'], ['install', *names.split()]
    wanted = [['Packages'], *[update] * (not lists), install, *[update, install] * (fails > 0)]
    assert [call[-len(want):] for call, want in zip(calls, wanted)] == wanted
    assert len(calls) == len(wanted) and all(
        call[0] == 'noninteractive' and '--no-install-recommends' in call and '-y' in call
        for call in calls if 'install' in call)
    assert (tmp_path / 'asked').exists() == (user != '0')
    if not said:
        assert setup(tmp_path / 'list', env=environment).stdout == ''
