# SPDX-License-Identifier: GPL-2.0-only
"""scripts/cache: damage to any file of an entry is noticed and named, and what is no longer used
goes, unless another run uses the cache."""
import fcntl
import os
import signal
import subprocess
import time

import pytest

DAY = 86400
# An entry of 200 files
MAKER = '''
dir=$CACHE/kernel/k
if must_make "$dir/ready" kernel-k 2> /dev/null; then
    rm -rf "$dir"
    mkdir -p "$dir"
    for i in $(seq 200); do echo "$i" > "$dir/$i"; done
    cache seal "$dir/ready" kernel-k .
    unlock
fi
[ "$(cat "$dir"/[1-9]* | awk '{ n += $1 } END { print n }')" = 20100 ]
'''


class Cache:
    """A cache, and scripts/cache for it"""

    def __init__(self, path, shell, run):
        self.path, self.shell, self.run_command = path, shell, run
        self.path.mkdir()

    def run(self, *arguments):
        """As scripts call it, which hold the cache's lock"""
        return self.run_command([*self.shell, 'hold_cache; cache "$@"', *map(str, arguments)])

    def entry(self, name, family='a', days=0):
        """A directory that is complete, last used so many days ago"""
        directory = self.path / name
        (directory / 'lib/empty').mkdir(parents=True)
        (directory / 'program').write_text('program\n')
        (directory / 'program').chmod(0o755)
        (directory / 'lib/file with a blank').write_text(f'a file of {name}\n')
        (directory / 'lib/nothing').write_text('')
        (directory / 'link').symlink_to('program')
        self.seal(directory / 'ready', family, '.', days=days)
        return directory

    def seal(self, ready, family, *paths, days=0):
        assert self.run('seal', ready, family, *paths).returncode == 0
        os.utime(ready, (time.time() - days * DAY,) * 2)

    def check(self, entry):
        """What it says about the entry: '' if that is complete"""
        done = self.run('check', entry / 'ready')
        assert (done.returncode == 0) == (done.stdout == '')
        return done.stdout


@pytest.fixture
def cache(tmp_path, shell, run, monkeypatch):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    return Cache(tmp_path / 'cache', shell, run)


@pytest.fixture
def entry(cache):
    """An entry that was last used three days ago"""
    return cache.entry('kernel/a-1', days=3)


def is_recent(path):
    return time.time() - 60 < path.stat().st_mtime <= time.time()


def overwrite(path):
    """Other contents of the same size"""
    with open(path, 'r+b') as file:
        file.write(b'X')


def other_contents(path):
    overwrite(path)
    os.utime(path, (time.time() + 3600,) * 2)


def link_elsewhere(path):
    path.unlink()
    path.symlink_to('/etc/passwd')


def test_complete_entry_is_good_and_its_date_that_of_the_last_use(cache, entry):
    assert cache.check(entry) == ''
    assert is_recent(entry / 'ready')


@pytest.mark.parametrize('file', ['program', 'lib/file with a blank'])
@pytest.mark.parametrize('damage, words', [
    (lambda path: os.truncate(path, 3), 'has 3 bytes in place of'),
    (lambda path: os.truncate(path, 0), 'has 0 bytes in place of'),
    (os.unlink, 'is gone'), (lambda path: path.chmod(0o646), 'can be written by others'),
    (other_contents, 'has other contents'), (link_elsewhere, 'is of another type')],
    ids=['cut', 'empty', 'gone', 'writable', 'overwritten', 'link'])
def test_damaged_file_is_named(cache, entry, file, damage, words):
    damage(entry / file)
    assert f'cache: {entry / file} is damaged: it {words}' in cache.check(entry)


@pytest.mark.parametrize('path, damage, words', [
    ('program', lambda path: path.chmod(0o644), 'is no program'),
    ('link', link_elsewhere, 'has 11 bytes'), ('lib/empty', os.rmdir, 'is gone'),
    ('lib', lambda path: path.chmod(0o775), 'can be written by others')],
    ids=['no program', 'other link', 'directory gone', 'writable directory'])
def test_other_damage_is_named(cache, entry, path, damage, words):
    damage(entry / path)
    assert f'cache: {entry / path} is damaged: it {words}' in cache.check(entry)


def test_another_users_file_is_damage(cache, entry, as_root):
    as_root('chown', 'games', entry / 'program')
    assert f'cache: {entry / "program"} is damaged: it belongs to games' in cache.check(entry)
    as_root('chown', 'games', entry / 'ready')
    assert f'cache: {entry / "ready"} is damaged' in cache.check(entry)


def test_date_in_the_future_is_set_right(cache, entry):
    os.utime(entry / 'program', (time.time() + DAY,) * 2)
    assert cache.check(entry) == ''
    assert is_recent(entry / 'program')


@pytest.mark.parametrize('size', [0, 1, 100, -2])
def test_list_that_is_cut_is_damage(cache, entry, size):
    ready = entry / 'ready'
    os.truncate(ready, size if size >= 0 else ready.stat().st_size + size)
    assert cache.run('check', ready).returncode == 1


def test_verify_finds_a_list_with_other_words(cache, entry):
    text = (entry / 'ready').read_text()
    (entry / 'ready').write_text(text.replace('family a', 'family b'))
    assert cache.run('verify', entry / 'ready').returncode == 1 and not (entry / 'ready').exists()


def test_list_from_the_future_is_of_now(cache, entry):
    os.utime(entry / 'ready', (time.time() + 365 * DAY,) * 2)
    assert cache.check(entry) == ''
    assert is_recent(entry / 'ready')


def test_verify_finds_what_has_the_right_size_and_date_and_has_it_made_anew(cache, entry):
    date = (entry / 'program').stat()
    overwrite(entry / 'program')
    os.utime(entry / 'program', ns=(date.st_atime_ns, date.st_mtime_ns))
    assert cache.check(entry) == ''
    done = cache.run('verify', entry / 'ready')
    assert done.returncode == 1 and 'program is damaged: it has other contents' in done.stdout
    assert not (entry / 'ready').exists()


def test_entry_that_needs_another_uses_it_and_is_damaged_with_it(cache, entry):
    needed = cache.entry('root/r-1', 'r', days=40)
    cache.run('seal', '-n', needed / 'ready', entry / 'ready', 'a', '.')
    assert cache.check(entry) == ''
    assert is_recent(needed / 'ready')
    os.truncate(needed / 'program', 1)
    assert 'root/r-1/program is damaged: it has 1 bytes' in cache.check(entry)


# What is used and what is not: path, family, days since the last use, whether it stays
USED = [('kernel/a-1', 'a', 3, 'replaced by one that was used since', False),
        ('kernel/a-2', 'a', 1, 'replaced, but used yesterday', True),
        ('kernel/a-3', 'a', 0, 'current', True),
        ('kernel/b-1', 'b', 20, 'current, and not used for some time', True),
        ('kernel/c-1', 'c', 40, 'not used for a month', False),
        ('root/a-1', 'a', 3, 'of another kind', True),
        ('ia64/linux-1', 'x', 40, 'of ia64', False),
        ('linux-source-1/1', 's', 3, 'a source that another replaced', False),
        ('linux-source-1/2', 's', 0, 'current source', True)]


@pytest.fixture
def used(cache):
    """A cache with the entries of USED, single files, and what may be in the making"""
    for name, family, days, _, _ in USED:
        cache.entry(name, family, days)
    (cache.path / 'initramfs').mkdir()
    for name in 'x', 'y':
        (cache.path / 'initramfs' / name).write_text(name)
    cache.seal(cache.path / 'initramfs/x.ready', 'initramfs', 'x', days=40)
    for name in 'kernel/killed', 'fuzz/corpus':
        (cache.path / name).mkdir(parents=True)
        os.utime(cache.path / name, (time.time() - 1000 * DAY,) * 2)
    return cache


@pytest.fixture
def other(used):
    """Another run that uses that cache: a lock, which it holds until it is closed"""
    with open(used.path / 'lock/use', 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield lock


def test_replaced_entries_go_after_two_days_and_others_after_a_month(used):
    done = used.run('prune')
    assert done.returncode == 0
    wrong = [(name, why) for name, _, _, why, stays in USED if (used.path / name).exists() != stays]
    assert wrong == [], done.stdout


def test_single_file_goes_with_its_list_and_what_is_no_entry_stays(used):
    used.run('prune')
    assert os.listdir(used.path / 'initramfs') == ['y']
    assert (used.path / 'kernel/killed').exists() and (used.path / 'fuzz/corpus').exists()


def test_nothing_goes_while_another_run_uses_the_cache(used, other):
    done = used.run('prune')
    assert (done.returncode, done.stdout) == (0, '')
    assert len(os.listdir(used.path / 'kernel')) == 6


def test_run_keeps_its_lock_when_another_one_uses_the_cache(used, other):
    with subprocess.Popen([*used.shell, 'hold_cache; cache prune; echo pruned; read -r _'],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding='ascii') as run:
        assert run.stdout.readline() == 'pruned\n'
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_clean_waits_for_another_run(used, other, top):
    with subprocess.Popen([top / 'scripts/clean-cache'], stderr=subprocess.PIPE,
                          encoding='utf-8') as clean:
        assert clean.stderr.readline() == \
            f'cache: waiting for other runs that use {used.path}\n'
        other.close()
        assert clean.wait(20) == 0


def test_clean_removes_what_is_damaged_or_incomplete_as_well(used):
    os.truncate(used.path / 'kernel/a-3/program', 2)
    (used.path / 'kernel/b-1/unfinished').touch()
    done = used.run('clean')
    assert 'kernel/a-3/program is damaged: it has 2 bytes' in done.stdout
    for name in 'kernel/a-3', 'kernel/b-1', 'kernel/killed', 'initramfs/y':
        assert not (used.path / name).exists(), name
    assert (used.path / 'root/a-1').exists()


def test_killed_maker_leaves_nothing_that_is_taken_for_complete(cache):
    ready = cache.path / 'kernel/k/ready'
    for tenths in range(1, 10):
        ready.unlink(missing_ok=True)
        with subprocess.Popen([*cache.shell, MAKER], start_new_session=True) as maker:
            time.sleep(tenths / 10)
            os.killpg(maker.pid, signal.SIGKILL)
        assert not ready.exists() or cache.run('verify', ready).returncode == 0
    assert cache.run_command([*cache.shell, MAKER]).returncode == 0


def test_one_of_several_that_want_the_same_makes_it(cache):
    makers = [subprocess.Popen([*cache.shell, MAKER]) for _ in range(4)]
    assert [maker.wait(60) for maker in makers] == [0] * 4


@pytest.fixture
def answer(cache):
    """The file of an answer of apt that is remembered with the stamp "today, recipe 1\""""
    answer = cache.path / 'kernel/current-6.1'
    cache.run_command([*cache.shell, 'remember "$@"', answer, 'today, recipe 1', 'two\nlines'])
    return answer


@pytest.mark.parametrize('stamp, told', [
    ('today, recipe 1', 'two\nlines\n'), ('tomorrow, recipe 1', ''), ('today, recipe 2', ''),
    ('today, recipe 1\ntwo', '')])
def test_answer_is_remembered_for_its_stamp_alone(cache, answer, stamp, told):
    done = cache.run_command([*cache.shell, 'remembered "$@"', answer, stamp])
    assert (done.returncode == 0, done.stdout) == (told != '', told)


def test_answer_whose_end_is_missing_is_forgotten(cache, answer):
    answer.write_text('today, recipe 1\ntwo\n')
    done = cache.run_command([*cache.shell, 'remembered "$@"', answer, 'today, recipe 1'])
    assert (done.returncode, done.stdout) == (1, '')
