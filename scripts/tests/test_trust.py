# SPDX-License-Identifier: GPL-2.0-only
"""A command trusts no cache and no TMPDIR that another user can change, and says so in one line;
what only its user and root can change is taken. daemon is the caller, games another user: both
have a group of their own."""
import pathlib
import subprocess

import pytest


class Place:
    """A directory that every user gets to, with a copy of the scripts and directories of others"""

    def __init__(self, base, as_root):
        self.base, self.as_root = base, as_root
        self.files, self.lib = base / 'tree/scripts/files', base / 'tree/scripts/lib.sh'

    def make(self, name, owner='daemon:daemon', mode='755'):
        """A directory of somebody"""
        user, _, group = owner.partition(':')
        self.as_root('install', '-d', '-o', user, '-g', group or user, '-m', mode,
                     self.base / name)

    def link(self, name, target, owner='daemon'):
        self.as_root('ln', '-s', target, self.base / name)
        self.as_root('chown', '-h', owner, self.base / name)

    def command(self, *command, cache, tmpdir='/tmp', user='daemon'):
        """A command of a user, with this cache and TMPDIR"""
        return ['setpriv', f'--reuid={user}', f'--regid={user}', '--clear-groups', 'env', '-u',
                'XDG_CACHE_HOME', f'SNBEP_CACHE={self.base / cache}',
                f'TMPDIR={self.base / tmpdir}', *command]

    def run(self, *command, **options):
        """Run it: exit status and standard error"""
        try:
            self.as_root(*self.command(*command, **options), stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding='utf-8',
                         timeout=60)
        except subprocess.CalledProcessError as error:
            return error.returncode, error.stderr
        return 0, ''

    def refusal(self, cache, tmpdir='/tmp'):
        """Why scripts/files refuses them, or ''"""
        code, said = self.run(self.files, '*.sh', cache=cache, tmpdir=tmpdir)
        assert code == (said != '') and said.count('\n') == code, said
        return said


@pytest.fixture(scope='module')
def place(top, as_root):
    try:
        as_root('setpriv', '--reuid=daemon', '--regid=daemon', '--clear-groups', 'true')
        as_root('id', 'games', stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        pytest.skip('this machine does not let root become another user')
    base = pathlib.Path(as_root('mktemp', '-d', '/tmp/snbep-trust.XXXXXX', encoding='ascii',
                                stdout=subprocess.PIPE).stdout.strip())
    place = Place(base, as_root)
    as_root('chmod', '755', base)
    as_root('mkdir', base / 'tree')
    as_root('cp', '-R', top / 'scripts', top / '.gitignore', base / 'tree')
    for name, *who in DIRECTORIES:
        place.make(name, *who)
    for name, *target in LINKS:
        place.link(name, *target)
    yield place
    as_root('rm', '-rf', base)


# Directories by owner and mode: the caller's, or another's
THEIRS, OPEN, STICKY = ('games',), ('daemon', '777'), ('daemon', '1777')
DIRECTORIES = [
    ('home',), ('home/cache',), ('home/cache/kernel',), ('home/disk',),
    ('other', *THEIRS), ('other/cache', *THEIRS), ('other/ours',), ('home/cache2', *THEIRS),
    ('home/deep',), ('home/deep/cache', *THEIRS), ('root', 'root'), ('root/cache', 'root'),
    ('tmp', 'root', '1777'), ('tmp/theirs', *THEIRS), ('tmp/ours',), ('tmp/ours/cache',),
    ('open', *OPEN), ('open/cache',), ('sticky', *STICKY), ('home/group', 'daemon:games', '775'),
    ('home/private', 'daemon', '2775'), ('home/split',), ('home/mixed',)]
LINKS = [('link', 'home/../home/cache'), ('link2', 'other'), ('tmp/link', '../home/cache', 'games'),
         ('loop', 'loop'), ('home/split/kernel', '../disk'), ('home/mixed/root', '../../other')]


@pytest.mark.parametrize('cache', [
    pytest.param('home/cache', id="the caller's"),
    pytest.param('home/none/cache', id='none'),
    pytest.param('root/cache', id="root's"),
    pytest.param('tmp/none/cache', id='none, in a directory as /tmp'),
    pytest.param('tmp/ours/cache', id="the caller's, in one as /tmp"),
    pytest.param('home/private', id="writable by the caller's private group"),
    pytest.param('link', id="a link to the caller's"),
    pytest.param('home/split', id="with a link to a directory of the caller's")])
def test_cache_that_nobody_else_can_change_is_taken(place, cache):
    assert place.refusal(cache) == ''


@pytest.mark.parametrize('cache, reason', [
    pytest.param('home/cache2', '{}/home/cache2 belongs to games', id="another user's"),
    pytest.param('other/none', '{}/other belongs to games', id="none, in another's directory"),
    pytest.param('other/ours', '{}/other belongs to games', id="in another's directory"),
    pytest.param('home/deep', '{}/home/deep/cache belongs to games', id="with another's directory"),
    pytest.param('tmp/theirs/cache', '{}/tmp/theirs belongs to games', id='theirs, as in /tmp'),
    pytest.param('open/cache', 'others can write to {}/open, whose mode is 777',
                 id='in a directory to which all can write'),
    pytest.param('sticky', 'others can write to {}/sticky, whose mode is 1777', id='as /tmp'),
    pytest.param('home/group', 'others can write to {}/home/group, whose mode is 775',
                 id='to which another group can write'),
    pytest.param('link2/x', '{}/other belongs to games', id="by a link to another's directory"),
    pytest.param('tmp/link', '{}/tmp/link belongs to games', id="by another user's link"),
    pytest.param('loop', '{}/loop has too many links', id='a link to itself'),
    pytest.param('home/mixed', '{}/other belongs to games', id="with a link to another's")])
def test_cache_that_another_user_can_change_is_refused(place, cache, reason):
    assert f'cannot be trusted: {reason.format(place.base)}' in place.refusal(cache)


def test_tmpdir_as_tmp_is_taken(place):
    assert place.refusal('home/cache', tmpdir='tmp') == ''


@pytest.mark.parametrize('tmpdir, reason', [('other', '{}/other belongs to games'),
                                            ('open', 'others can write to {}/open')])
def test_tmpdir_that_another_user_can_change_is_refused(place, tmpdir, reason):
    assert f'cannot be trusted: {reason.format(place.base)}' in place.refusal('home/cache', tmpdir)


@pytest.fixture
def container(place):
    """A user namespace, in which root has no number"""
    if place.run('unshare', '-r', 'true', cache='home/cache')[0]:
        pytest.skip('this machine has no user namespaces for users')
    return lambda cache: place.run('unshare', '-r', place.files, '*.sh', cache=cache)


def test_parents_whose_owner_has_no_number_in_a_container_are_trusted(container):
    assert container('home/cache') == (0, '')


def test_cache_whose_owner_has_no_number_in_a_container_is_refused(container, place):
    code, said = container('other/cache')
    assert code and f'cannot be trusted: {place.base}/other/cache belongs to nobody' in said


def shell(place, commands, *arguments):
    """A shell of lib.sh in the copy"""
    return 'sh', '-c', f'. "$1"; shift; {commands}', place.files, place.lib, *arguments


def test_cache_that_another_user_makes_between_check_and_use_is_refused(place):
    wait = 'echo started; until [ -e "$CACHE" ]; do sleep 0.1; done; lock x; echo locked'
    command = place.command(*shell(place, wait), cache='tmp/race')
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding='utf-8') as process:
        assert process.stdout.readline() == 'started\n'
        place.make('tmp/race', 'games', '777')
        out, said = process.communicate(timeout=60)
    assert out == '' and f'cannot be trusted: {place.base}/tmp/race belongs to games' in said


@pytest.fixture
def locks(place):
    """What another user found when it was open: a file of root's, and locks that are links to it.
    Makes them in a cache, and returns whether root takes each."""
    base, as_root = place.base, place.as_root

    def take(cache):
        directory = base / cache / 'lock'
        as_root('rm', '-rf', directory, base / 'secret')
        as_root('mkdir', directory)
        for path in base / 'secret', directory / 'held':
            as_root('tee', path, input='secret\n', encoding='ascii', stdout=subprocess.DEVNULL)
        as_root('ln', '-s', base / 'secret', directory / 'link')
        as_root('ln', '-s', base / 'none', directory / 'new')
        as_root('mkfifo', directory / 'fifo')
        codes = {name: place.run(*shell(place, 'lock "$1"', name), cache=cache, user='root')[0]
                 for name in ('held', 'link', 'new', 'fifo')}
        texts = as_root('cat', base / 'secret', directory / 'held', encoding='ascii',
                        stdout=subprocess.PIPE).stdout
        assert texts == 'secret\nsecret\n' and not (base / 'none').exists()
        return codes

    return take


def test_root_takes_no_lock_in_another_users_cache(locks):
    assert locks('home/cache') == {'held': 1, 'link': 1, 'new': 1, 'fifo': 1}


def test_lock_is_a_regular_file_and_neither_followed_nor_emptied(locks):
    assert locks('root/cache') == {'held': 0, 'link': 1, 'new': 1, 'fifo': 1}


def test_cache_is_not_writable_by_others_whatever_the_umask(run, shell, tmp_path, monkeypatch):
    monkeypatch.delenv('SNBEP_CACHE', raising=False)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    done = run(['sh', '-c', 'umask 0; exec "$@"', 'sh', *shell, 'lock a; stat -c %a "$CACHE"/*'])
    assert done.stdout == '755\n'
