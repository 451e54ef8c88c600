# SPDX-License-Identifier: GPL-2.0-only
"""What a mirror or a cache lacks is named, and leaves no kernel that is incomplete."""
import os
import re
import shutil

import pytest

import collector

# A fake apt-get, whose mirror has no security updates
APT_GET = '''#!/bin/sh
case " $* " in
*' update '*) ;;
*) exec /usr/bin/apt-get "$@" ;;
esac
list=$(printf '%s\\n' "$@" | sed -n 's/^Dir::Etc::sourcelist=//p')
grep -q -e '-security main$' "$list" || exit 0
echo "E: The repository 'http://mirror.example/debian-security bookworm-security Release' \\
does not have a Release file."
exit 100
'''
NO_PROXY = '''Acquire::http::Proxy "http://127.0.0.1:9";
Acquire::https::Proxy "http://127.0.0.1:9";
Acquire::Retries "0";
'''
# In a cache of its own, with $2 of options of mount and the package lists $3
KERNEL = '''mount -t tmpfs -o "mode=700,$2" none "$SNBEP_CACHE"
mkdir "$SNBEP_CACHE/apt" "$SNBEP_CACHE/lock" && cp -rp "$3" "$SNBEP_CACHE/apt/"
"$1" 6.1 || code=$?
find "$SNBEP_CACHE" -mindepth 1 -maxdepth 2 ! -path '*/apt*' ! -path '*/lock*' ! -path '*/log*' \\
    ! -path '*/kernel' ! -path '*/tmp'
exit ${code:-0}'''


def test_mirror_without_security_updates_is_named(run, top, tmp_path, monkeypatch):
    (tmp_path / 'apt-get').write_text(APT_GET)
    (tmp_path / 'apt-get').chmod(0o755)
    monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    assert 'suite-apt: the mirror has no bookworm-security: its packages are left out\n' in run(
        [top / 'scripts/suite-apt', '-t', 'bookworm']).stdout


@pytest.mark.parametrize('fails, said', [(0, ''), (2, 'sleep 5\n' * 2), (
    3, 'sleep 5\n' * 2 + 'a-test: a download failed: E: no x.deb\n')])
def test_download_is_tried_three_times_and_the_missing_file_named(
        run, shell, tmp_path, fails, said):
    program = f'echo >> {tmp_path}/n; [ $(wc -l < {tmp_path}/n) -gt {fails} ] || ! echo E: no x.deb'
    done = run([*shell, 'sleep() { echo "sleep $1"; }; downloaded sh -c "$1"', program])
    assert (done.returncode, done.stdout) == (fails == 3, said)


def test_kernel_that_the_mirror_lacks_has_a_status_of_its_own_and_newest_a_stand_in(
        run, top, tmp_path, monkeypatch):
    scripts = shutil.copytree(top / 'scripts', tmp_path / 'scripts')
    for suite in 'bookworm', 'trixie-backports':
        run([scripts / 'suite-apt', '-t', suite], check=True)
    (tmp_path / 'cache').mkdir(mode=0o700)
    (tmp_path / 'cache/apt').symlink_to(collector.cache() / 'apt')
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    (scripts / 'kernels').write_text('\n'.join(
        row if row.startswith('newer') else row.replace(r'\.', '0')
        for row in (scripts / 'kernels').read_text().splitlines()))
    done = run([scripts / 'kernel', '6.1'])
    assert (done.returncode, done.stdout) == (4, 'kernel: bookworm has no kernel 6.1\n')
    done = run([scripts / 'linux-source', '-v', 'newest'])
    assert done.returncode == 0 and done.stdout.startswith('linux-source-'), done.stdout
    # Without the archive, what the cache has is used.
    # A network that is down is no archive without the suite, for which tests are skipped.
    for status in 1, 4:
        (scripts / 'suite-apt').write_text(f'#!/bin/sh\nexit {status}\n')
        assert run([scripts / 'linux-source', '-v', 'newest']).stdout == done.stdout
        assert run([scripts / 'linux-source', '-v', '6.1']).returncode == status


@pytest.mark.ci
@pytest.mark.seconds(10)
@pytest.mark.parametrize('room, options, reason', [
    (130, '', 'space'), (4000, NO_PROXY, r'kernel: a download failed: .*127\.0\.0\.1')],
    ids=['a full cache', 'no network'])
def test_kernel_that_cannot_be_made_gives_one_line_and_leaves_nothing(
        run, mounts, shell, top, tmp_path, monkeypatch, room, options, reason):
    run([top / 'scripts/suite-apt', '-t', 'bookworm'])
    lists = run([*shell, 'echo "$CACHE/apt/bookworm-deb"']).stdout.strip()
    size = room + int(run(['du', '-sm', lists]).stdout.split()[0])
    (tmp_path / 'apt.conf').write_text(options)
    monkeypatch.setenv('APT_CONFIG', str(tmp_path / 'apt.conf'))
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    (tmp_path / 'cache').mkdir()
    done = mounts(KERNEL, top / 'scripts/kernel', f'size={size}m', lists)
    said = [line for line in done.stdout.splitlines(True) if not re.search(
        ': fetching the package lists of |: unpacking Debian.s linux-image', line)]
    assert done.returncode == 1 and len(said) == 1 and re.search(reason, said[0]), done.stdout


@pytest.mark.parametrize('path', ['x --checkpoint=1', '../x', '-T', '/etc', 'a//b', 'a/$(id)'])
def test_path_that_is_none_of_linux_is_refused(run, top, path):
    done = run([top / 'scripts/linux-source', 'newest', path])
    assert (done.returncode, done.stdout) == (
        1, f'linux-source: no path of Linux: {path}\n'.replace('x -', 'x?-'))
