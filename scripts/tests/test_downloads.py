# SPDX-License-Identifier: GPL-2.0-only
"""What a mirror or a cache lacks is named, and leaves no kernel that is incomplete."""
import concurrent.futures
import os
import pathlib
import re
import time

import pytest

# A fake apt-get, whose mirror lacks the suites $LOST, or answers nothing if they are a dash
APT_GET = r"""#!/bin/sh
list=$(printf '%s\n' "$@" | sed -n 's/^Dir::Etc::sourcelist=//p')
case " $* " in
*' indextargets --format $(FILENAME) '*) echo x ;;
*' indextargets '*) printf "$TARGETS" ;;
*' update '*)
    sleep 0.2; echo >> "$UPDATES"
    [ "$LOST" != - ] || { echo 'E: Failed to fetch x'; exit; }
    for name in $LOST; do
        grep -q " $name main$" "$list" || continue
        echo "E: The repository 'http://m $name Release' does not have a Release file."
        exit 100
    done ;;
*) printf '%s\n' "$*"; cat "$list" ;;
esac
"""
TARGETS = ('x|main|bookworm|http://x/\nDebian|contrib|bookworm|http://y/\n'
           'Debian|main|bookworm-updates|http://z/\nDebian|main|bookworm|http://m/\n'
           'Debian|main|bookworm-security|http://s/\nDebian|main|bookworm-security|http://t/\n')
LACKS = 'suite-apt: the mirror has no {}: its packages are left out\n'
GONE = "suite-apt: Debian's {} is no longer available on this machine's mirror\n"
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


@pytest.fixture
def suite_apt(run, top, tmp_path, monkeypatch):
    """suite-apt with the fake apt-get: its exit status, and what it said but that it fetches"""
    (tmp_path / 'apt-get').write_text(APT_GET)
    (tmp_path / 'apt-get').chmod(0o755)
    monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    monkeypatch.setenv('UPDATES', str(tmp_path / 'updates'))

    def call(*arguments, lost='', targets=TARGETS):
        monkeypatch.setenv('LOST', lost)
        monkeypatch.setenv('TARGETS', targets)
        done = run([top / 'scripts/suite-apt', *arguments])
        return done.returncode, re.sub(
            '.*: (fetching the package lists|waiting for) .*\n', '', done.stdout)
    return call


@pytest.mark.parametrize('suite, lost, status, said, suites', [
    ('bookworm', '', 0, '', ['m bookworm', 'm bookworm-updates', 's bookworm-security']),
    ('trixie-backports', 'trixie-security trixie-updates', 0,
     LACKS.format('trixie-security') + LACKS.format('trixie-updates'),
     ['m trixie', 'm trixie-backports']),
    ('bullseye', 'bullseye', 4, GONE.format('bullseye'), []),
    *(('trixie-backports', name, 4, GONE.format('trixie-backports'), [])
      for name in ('trixie', 'trixie-backports')),
    ('sid', '-', 1, 'suite-apt: the package lists of sid cannot be fetched: Failed to fetch x\n',
     [])])
def test_lists_are_of_the_suites_that_the_mirror_has(suite_apt, suite, lost, status, said, suites):
    for option, kind in ([], 'deb'), (['-s'], 'deb-src'):
        code, text = suite_apt(*option, suite, 'apt-get', 'x', lost=lost)
        assert code == status and text.startswith(said), text
        assert re.findall('^deb.*', text, re.M) == [
            f'{kind} [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] '
            f'http://{name.replace(" ", "/ ")} main' for name in suites]
        assert status or re.search(
            rf'APT::Default-Release={suite if "-" in suite else ""} .* x\n', text), text


def test_lists_are_fetched_again_after_a_day_and_old_ones_used_without_a_network(
        suite_apt, tmp_path):
    stamp, updates = tmp_path / 'cache/apt/sid-deb/stamp', tmp_path / 'updates'
    with concurrent.futures.ThreadPoolExecutor() as pool:
        said = list(pool.map(lambda _: suite_apt('-t', 'sid'), range(3)))
    assert said[0] == said[1] == said[2] == (0, stamp.read_text()) and updates.read_text() == '\n'
    for hours, fetches in (-23, 0), (-25, 1), (1, 1):
        updates.write_text('')
        os.utime(stamp, (time.time() + 3600 * hours,) * 2)
        assert (suite_apt('-t', 'sid') != said[0]) == (updates.read_text() != '') == fetches
        said[0] = 0, stamp.read_text()
    for _ in range(2):
        os.utime(stamp, (0, 0))
        code, text = suite_apt('-t', 'sid', lost='-')
        assert code == 0 and text.endswith(f': the old ones are used\n{said[0][1]}'), text
        assert suite_apt('-t', 'sid', lost='-') == said[0]
    assert suite_apt('sid-x', 'x', targets='')[1] == \
        'suite-apt: apt knows no Debian mirror on this machine\n'


@pytest.mark.parametrize('suite, name, wanted, other', [
    ('bookworm', 'git', 'libc6=2.36-', 'ca-certificates='),
    ('trixie-backports', 'linux-libc-dev', 'linux-libc-dev=.*~bpo13', '.*~deb13')])
def test_closure_has_all_that_is_needed_and_is_of_the_suite_whatever_the_host_prefers(
        run, shell, tmp_path, monkeypatch, suite, name, wanted, other):
    (tmp_path / 'none').write_text('Package: *\nPin: version *\nPin-Priority: -1\n')
    (tmp_path / 'apt.conf').write_text(
        f'APT::Install-Recommends "true"; Dir::Etc::preferences "{tmp_path}/none";'
        f'APT::Default-Release "sid"; Dir::State::status "{tmp_path}/none";')
    monkeypatch.setenv('APT_CONFIG', str(tmp_path / 'apt.conf'))
    lines = run([*shell, 'closure "$@"', suite, name]).stdout.splitlines()
    assert any(re.match(wanted, line) for line in lines) and not any(
        re.match(other, line) for line in lines), lines


@pytest.mark.parametrize('fails, words, said', [
    (0, '', ''), (2, '', ''), (3, 'a\nE: no x.deb\nW: b', 'E: no x.deb\n'),
    (3, 'a\nno x.deb', 'sh ./get: no x.deb\n')])
def test_download_is_tried_three_times_and_the_missing_file_named(
        run, shell, tmp_path, monkeypatch, fails, words, said):
    monkeypatch.setenv('SNBEP_TIMES', str(tmp_path / 'times'))
    (tmp_path / 'get').write_text(f'echo >> n; [ $(wc -l < n) -gt {fails} ] || ! echo "{words}"')
    done = run([*shell, 'sleep() { echo "sleep $1"; }; downloaded sh ./get'], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (fails == 3, 'sleep 5\n' * min(fails, 2) + (
        said and f'a-test: a download failed: {said}'))
    assert re.fullmatch(r'downloads \d\n', (tmp_path / 'times').read_text())


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


@pytest.mark.ci
@pytest.mark.parametrize('row', [
    row for row in (pathlib.Path(__file__).parents[1] / 'kernels').read_text().splitlines()
    if row[0] != '#'])
def test_debian_has_each_kernel_and_its_source(run, top, row):
    name, suite, release, _ = row.split()
    done = run([top / 'scripts/linux-source', '-v', name])
    if done.returncode == 4:
        pytest.skip(f'the mirror has no Linux {name}')
    number = re.match('[0-9.]*', name)[0]
    assert re.search(f'^linux-source-{number}[0-9.]* {number}', done.stdout, re.M), done.stdout
    found = run([top / 'scripts/suite-apt', suite, 'apt-cache', 'search', '-n',
                 f'^linux-(image|headers)-{release}-amd64$']).stdout
    # The mirror may have a newer one in place of newest.
    assert len(re.findall(f'^linux-.*-{number}.*-amd64 ', found, re.M)) >= 2 or name == 'newest'


@pytest.mark.parametrize('path', ['x --checkpoint=1', '../x', '-T', '/etc', 'a//b', 'a/$(id)'])
def test_path_that_is_none_of_linux_is_refused(run, top, path):
    done = run([top / 'scripts/linux-source', 'newest', path])
    assert (done.returncode, done.stdout) == (
        1, f'linux-source: no path of Linux: {path}\n'.replace('x -', 'x?-'))
