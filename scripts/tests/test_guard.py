# SPDX-License-Identifier: GPL-2.0-only
"""Killed runs leave no process and no file: guard, and what lib.sh makes."""
import fcntl
import itertools
import os
import signal
import subprocess
import time

import pytest

# Whatever a command may do to stay: other sessions, orphans, and no regard for SIGTERM
STAYS = '''
trap '' TERM
mktemp -d > /dev/null
setsid sleep {number} &
sh -c "trap '' TERM; sleep {number}; true" &
(sleep {number} &)
echo started
sleep {number}
'''
SERIAL = itertools.count()


class Run:
    """A guarded command, and what is left of it"""

    def __init__(self, top, directory):
        self.guard, self.lock = top / 'scripts/guard', directory / 'new/lock'
        self.tmpdir = directory / 'tmp'
        self.tmpdir.mkdir()
        # No other process has these arguments.
        self.number = f'1000.{os.getpid()}{next(SERIAL)}'
        self.stays = STAYS.format(number=self.number)
        self.guarded = self.guard, self.lock, 'sh', '-c', self.stays

    def processes(self):
        return [int(pid) for pid in subprocess.run(
            ['pgrep', '-fx', f'sleep {self.number}'], check=False, stdout=subprocess.PIPE
        ).stdout.split()]

    def start(self, *command):
        """In the background, up to the line "started" """
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   encoding='utf-8')
        assert process.stdout.readline() == 'started\n'
        return process

    def wait_until_gone(self):
        """Wait until neither a process nor a file is left."""
        end = time.monotonic() + 100
        while left := [*self.processes(), *self.tmpdir.iterdir()]:
            assert time.monotonic() < end, left
            time.sleep(0.05)


@pytest.fixture
def guarded(top, tmp_path, monkeypatch):
    """Run(), whose programs have a TMPDIR of its own"""
    guarded = Run(top, tmp_path)
    monkeypatch.setenv('TMPDIR', str(guarded.tmpdir))
    yield guarded
    for pid in guarded.processes():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize('command, status', [
    ('mkdir $TMPDIR/d; touch $TMPDIR/d/f; chmod 0 $TMPDIR/d', 0),
    ('setsid sleep {} & mktemp > /dev/null; exit 7', 7), ('kill -9 $$', 137),
    ('exec no-such-program', 127)])
def test_status_is_the_commands_and_what_it_left_ends_with_it(guarded, command, status):
    assert subprocess.run([guarded.guard, guarded.lock, 'sh', '-c', command.format(guarded.number)],
                          check=False).returncode == status
    guarded.wait_until_gone()


# Two heed SIGTERM, for which five seconds pass else.
@pytest.mark.parametrize('name, caller, heeds', [
    ('SIGKILL', [], False), ('SIGTERM', [], False), ('SIGINT', [], True), ('SIGHUP', [], True),
    ('SIGKILL', ['sh', '-c', '"$@"; true', 'sh'], False)],
    ids=['killed', 'TERM', 'INT', 'HUP', 'parent'])
def test_signal_ends_processes_of_all_sessions_and_removes_tmpdir(guarded, name, caller, heeds):
    *command, stays = guarded.guarded
    stays = stays.replace("trap ''", 'trap -') if heeds else stays
    process = guarded.start(*caller, *command, stays)
    process.send_signal(signal.Signals[name])
    guarded.wait_until_gone()
    assert process.wait() == (-signal.SIGKILL if name == 'SIGKILL' else 130)


def test_signal_as_soon_as_there_is_a_tmpdir_leaves_none(guarded):
    for _ in range(10):
        guard = subprocess.Popen([guarded.guard, guarded.lock, 'sleep', guarded.number])
        while not list(guarded.tmpdir.iterdir()):
            assert guard.poll() is None
        guard.send_signal(signal.SIGTERM)
        guard.wait(100)
        guarded.wait_until_gone()


def test_status_of_what_cannot_begin_is_none_of_a_command(run, guarded):
    for name in 'lock', 'tmp/x':
        done = run([guarded.guard, f'/proc/{name}', 'true'])
        assert done.returncode == 128 and done.stdout.count('\n') == 1, done.stdout


def test_second_run_waits_for_the_processes_of_a_killed_first_one(guarded):
    first = guarded.start(*guarded.guarded)
    second = subprocess.Popen([guarded.guard, guarded.lock, 'pgrep', '-fx',
                               f'sleep {guarded.number}'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8')
    assert second.stderr.readline() == \
        f'guard: waiting for another run that holds {guarded.lock}\n'
    first.kill()
    assert second.communicate(timeout=100) == ('', '')


def test_killed_caller_ends_what_is_made_for_it(guarded, shell, monkeypatch, tmp_path):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    again = 'must_make "$CACHE/x/y" x "$@" && {' + guarded.stays + '} >&2'
    command = [*map(str, shell), again]
    guarded.start('sh', '-c', 'made=$("$@"); true', 'sh', *command, *command).kill()
    guarded.wait_until_gone()


def test_directories_of_killed_runs_go_after_a_day_and_those_in_use_stay(
        run, shell, tmp_path, monkeypatch):
    monkeypatch.setenv('TMPDIR', str(tmp_path))
    for name in 'snbep-vm.oldold', 'snbep-vm.locked', 'snbep-x.oldold', 'snbep-vm.newnew':
        (tmp_path / name / 'x').mkdir(parents=True)
        if 'new' not in name:
            os.utime(tmp_path / name, (0, 0))
    lock = os.open(tmp_path / 'snbep-vm.locked', os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    done = run([*shell, 'make_tmp vm; flock -n "$tmp" true || ls "$TMPDIR"; rmdir "$tmp"'])
    os.close(lock)
    found = done.stdout.split()
    assert len(found) == 4 and {*found} > {'snbep-vm.locked', 'snbep-vm.newnew', 'snbep-x.oldold'}
