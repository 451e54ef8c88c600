# SPDX-License-Identifier: GPL-2.0-only
"""The cache: its user's alone, entries that are made beside and renamed, what a month's disuse
removes, and answers of apt."""
import os
import re
import signal
import subprocess
import time

import pytest

# An entry of 200 files
MAKER = '''
dir=$CACHE/kernel/k
if must_make "$dir" kernel-k 2> /dev/null; then
    mkdir "$NEW"
    for i in $(seq 200); do echo "$i" > "$NEW/$i"; done
    made
fi
[ "$(cat "$dir"/* | awk '{ n += $1 } END { print n }')" = 20100 ]
'''


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The path of a cache that is not there"""
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'a/cache'))
    return tmp_path / 'a/cache'


def test_new_cache_is_its_users_alone_whatever_the_umask(run, shell, cache):
    run(['sh', '-c', 'umask 0; exec "$@"', 'sh', *shell, 'lock a'], check=True)
    assert cache.stat().st_mode & 0o777 == 0o700
    assert [path for path in cache.rglob('*') if path.stat().st_mode & 0o022] == []


@pytest.mark.parametrize('mode, owner', [(0o770, None), (0o707, None), (0o700, 'games')])
def test_cache_of_somebody_else_or_open_to_others_is_refused(run, top, cache, as_root, mode, owner):
    cache.mkdir(parents=True)
    cache.chmod(mode)
    if owner:
        as_root('chown', owner, cache)
    done = run([top / 'scripts/files', 'NEWS'])
    if owner:
        as_root('rmdir', cache)
    assert done.returncode == 1 and re.fullmatch(
        f'files: the cache {cache} is not yours alone .*\n', done.stdout), done.stdout


def test_cache_that_somebody_makes_between_check_and_use_is_refused(run, shell, cache):
    done = run([*shell, 'mkdir -p "$CACHE"; chmod 777 "$CACHE"; lock x; echo locked'])
    assert done.returncode == 1 and 'is not yours alone' in done.stdout


def test_killed_maker_leaves_nothing_that_is_taken_for_complete(run, shell, cache):
    for tenths in range(1, 10):
        with subprocess.Popen([*shell, MAKER], start_new_session=True) as maker:
            time.sleep(tenths / 20)
            os.killpg(maker.pid, signal.SIGKILL)
        assert len(list(cache.glob('kernel/k/*'))) in (0, 200)
    assert run([*shell, MAKER]).returncode == 0
    assert os.listdir(cache / 'kernel') == ['k']
    for name in 'INT', 'TERM', 'HUP':
        run([*shell, 'mkdir "$1" && removed_at_exit "$1" && kill -s "$2" $$', cache / 'half', name])
        assert not (cache / 'half').exists()


def test_one_of_several_that_want_the_same_makes_it(run, shell, cache):
    makers = [subprocess.Popen([*shell, MAKER]) for _ in range(4)]
    assert [maker.wait() for maker in makers] == [0] * 4
    # What another run has made as the lock is got is not locked afterwards.
    done = run([*shell, 'flock() { mkdir "$CACHE/a"; }; must_make "$CACHE/a" b || '
                        'readlink /proc/$$/fd/*'])
    assert '/dev/null' in done.stdout and str(cache) not in done.stdout


def test_time_of_builds_counts_once_and_without_that_of_downloads(
        run, shell, cache, tmp_path, monkeypatch):
    monkeypatch.setenv('SNBEP_TIMES', str(tmp_path / 'times'))
    run([*shell, """for name in a b; do must_make "$CACHE/$name/x" "$name" && mkdir "$NEW"
        (spent downloads 3; must_make "$CACHE/$name/y" x && mkdir "$NEW" && made); sleep 1; made
        done; spent downloads 4"""], check=True)
    assert re.fullmatch(2 * 'downloads 3\nbuilds -3\nbuilds [1-9]\n' + 'downloads 4\n',
                        (tmp_path / 'times').read_text())


@pytest.fixture
def a_month_passes(tmp_path, monkeypatch):
    """What find(1) of other programs is to take for older than a month from now on"""
    def passes():
        time.sleep(0.1)
        (tmp_path / 'find').write_text(f'''#!/bin/sh
for word; do
    shift
    case $word in
    -ctime) set -- "$@" ! -newerct ;;
    +30) set -- "$@" @{time.time()} ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec /usr/bin/find "$@"
''')
        (tmp_path / 'find').chmod(0o755)
        monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
        time.sleep(0.1)
    return passes


@pytest.mark.parametrize('link', [False, True], ids=['a directory', 'a link'])
def test_what_was_not_used_for_a_month_goes_and_nothing_else_does(
        run, shell, top, cache, a_month_passes, link):
    if link:
        cache.parent.mkdir()
        cache.with_name('disk').mkdir(mode=0o700)
        cache.symlink_to(cache.with_name('disk'))
    run([*shell, MAKER], check=True)
    for name in 'kernel/old', 'tmp/abcdef', 'linux/6.1/tarball':
        (cache / name).mkdir(parents=True)
    a_month_passes()
    (cache / 'kernel/new.new').mkdir()
    # As tar sets the date of what it unpacks
    os.utime(cache / 'kernel/new.new', (0, 0))
    # This use is one.
    run([*shell, f'is_ready "$CACHE/linux/6.1/tarball"; {MAKER}'], check=True)
    run([top / 'scripts/clean-cache'], check=True)
    assert {str(path.relative_to(cache)) for path in cache.glob('*/*')} == {
        'kernel/new.new', 'kernel/k', 'linux/6.1', 'lock/kernel-k'}


def test_directory_with_files_of_others_keeps_them(run, top, cache, a_month_passes):
    (cache / 'photos/old').mkdir(parents=True)
    a_month_passes()
    run([top / 'scripts/clean-cache'], check=True)
    assert (cache / 'photos/old').exists()


@pytest.mark.parametrize('stamp, told', [('today, recipe 1', 'two\nlines\n'), ('today', ''),
                                         ('today, recipe 1\ntwo', '')])
def test_answer_of_apt_is_remembered_for_its_stamp_alone(run, shell, cache, stamp, told):
    answer = cache / 'kernel/current-6.1'
    run([*shell, 'remember "$@"', answer, 'today, recipe 1', 'two\nlines'], check=True)
    done = run([*shell, 'remembered "$@"', answer, stamp])
    assert (done.returncode == 0, done.stdout) == (told != '', told)
