# SPDX-License-Identifier: GPL-2.0-only
"""Killed runs leave no process and no file: guard, limit, and what lib.sh makes."""
import fcntl
import itertools
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
GUARD, LIMIT = SCRIPTS / 'guard', SCRIPTS / 'limit'
# A shell of lib.sh: its arguments are the file and the test's own.
LIB = 'sh', '-c', '. "$1"; eval "$2"', SCRIPTS / 'a-test', SCRIPTS / 'lib.sh'

# Whatever a command may do to stay: other sessions, orphans, and no regard for SIGTERM
STAYS = '''
trap '' TERM
mktemp -d > {made}
setsid sleep {number} &
sh -c "trap '' TERM; sleep {number}; true" &
(sleep {number} &)
echo started
sleep {number}
'''


class Run:
    """Programs of a test in the background, and what is left of them"""

    serial = itertools.count()

    def __init__(self, directory):
        self.lock, self.made = directory / 'lock', directory / 'made'
        self.tmpdir = directory / 'tmp'
        self.tmpdir.mkdir()
        # No other process has these arguments.
        self.number = f'1000.{os.getpid()}{next(self.serial)}'
        self.stays = STAYS.format(number=self.number, made=self.made)
        self.guarded = GUARD, self.lock, 'sh', '-c', self.stays

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
        end = time.monotonic() + 20
        while left := [*self.processes(), *self.tmpdir.iterdir()]:
            assert time.monotonic() < end, left
            time.sleep(0.05)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run(), whose programs have a TMPDIR of its own"""
    run = Run(tmp_path)
    monkeypatch.setenv('TMPDIR', str(run.tmpdir))
    yield run
    for pid in run.processes():
        os.kill(pid, signal.SIGKILL)


def test_status_is_the_commands_and_what_it_left_in_the_background_ends_with_it(run):
    done = subprocess.run(
        [GUARD, run.lock.parent / 'new/lock', 'sh', '-c',
         f'setsid sleep {run.number} & mktemp > {run.made}; exit 7'], check=False)
    assert done.returncode == 7
    run.wait_until_gone()
    assert run.made.read_text().startswith(f'{run.tmpdir}/snbep-check')


@pytest.mark.parametrize('command, status', [
    (['sh', '-c', 'kill -9 $$'], 137), (['/nonexistent'], 127)])
def test_status_of_a_command_that_fails_is_a_shells(run, command, status):
    assert subprocess.run([GUARD, run.lock, *command], check=False).returncode == status


@pytest.mark.parametrize('name', ['SIGKILL', 'SIGTERM', 'SIGINT'])
def test_signal_ends_processes_of_all_sessions_and_removes_tmpdir(run, name):
    run.start(*run.guarded).send_signal(signal.Signals[name])
    run.wait_until_gone()


def test_sigterm_to_both_processes_of_guard_as_pkill_sends_it(run):
    run.start(*run.guarded)
    subprocess.run(['pkill', '-f', f'guard {run.lock}'], check=True)
    run.wait_until_gone()


def test_killed_second_process_of_guard_keeps_the_lock_until_all_is_gone(run):
    guard = run.start(*run.guarded)
    subprocess.run(['pkill', '-KILL', '-P', str(guard.pid), '-f', f'guard {run.lock}'], check=True)
    with open(run.lock, encoding='ascii') as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    run.wait_until_gone()


def test_killed_parent_ends_guard_and_its_command(run):
    run.start('sh', '-c', '"$@"; true', 'sh', *run.guarded).kill()
    run.wait_until_gone()


@pytest.mark.parametrize('name', ['SIGTERM', 'SIGINT'])
def test_signal_as_soon_as_there_is_a_tmpdir_leaves_none(run, name):
    for _ in range(20):
        guard = subprocess.Popen([GUARD, run.lock, 'sleep', run.number])
        while not list(run.tmpdir.iterdir()):
            assert guard.poll() is None
        guard.send_signal(signal.Signals[name])
        guard.wait(20)
        run.wait_until_gone()


def test_second_run_waits_for_the_processes_of_a_killed_first_one(run):
    first = run.start(*run.guarded)
    second = subprocess.Popen([GUARD, run.lock, 'pgrep', '-fx', f'sleep {run.number}'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding='utf-8')
    assert second.stderr.readline() == \
        f'guard: waiting for another run that holds {run.lock}\n'
    first.kill()
    assert second.communicate(timeout=20) == ('', '')


@pytest.mark.parametrize('caller', [[], ['sh', '-c', '"$@"; true', 'sh']])
def test_killed_limit_or_its_caller_ends_the_command(run, caller):
    run.start(*caller, LIMIT, '1000', 'sh', '-c',
              f"trap '' TERM; echo started; exec sleep {run.number}").kill()
    run.wait_until_gone()


def test_killed_caller_ends_what_is_made_for_it(run, monkeypatch, tmp_path):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    maker = f'must_make "$CACHE/x/ready" x sh -c "$3" "$0" "$1" "$2" "$3" && {{ {run.stays} }} >&2'
    run.start('sh', '-c', 'made=$("$@"); true', 'sh', *LIB, maker, LIB[2]).kill()
    run.wait_until_gone()


def test_leftovers_of_killed_runs_go_after_a_day_and_nothing_else_does(
        run, monkeypatch, tmp_path):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    gone = {'cache/tmp.abcdef', 'cache/qemu/tree-0123456789ab.new', 'tmp/snbep-vm.abcdef'}
    stay = {'cache/tmp.Recent', 'cache/tmp.theirs', 'cache/qemu/theirs.new',
            'cache/kernel/tree/keep', 'tmp/snbep-vm.Recent', 'tmp/snbep-vm.Locked',
            'tmp/snbep-other'}
    for name in gone | stay:
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / 'file').write_text('x')
        private = name in ('cache/tmp.abcdef', 'cache/tmp.Recent')
        (tmp_path / name).chmod(0o700 if private else 0o755)
        if 'Recent' not in name:
            os.utime(tmp_path / name, (time.time() - 2 * 86400,) * 2)
    locked = os.open(tmp_path / 'tmp/snbep-vm.Locked', os.O_RDONLY)
    fcntl.flock(locked, fcntl.LOCK_EX)
    subprocess.run([*LIB, 'lock a; make_tmp vm'], check=True)
    os.close(locked)
    found = {str(path.parent.relative_to(tmp_path)) for path in tmp_path.glob('**/file')}
    assert found == stay
    made, = set(os.listdir(run.tmpdir)) - {path.removeprefix('tmp/') for path in stay}
    assert re.fullmatch(r'snbep-vm\..{6}', made)


@pytest.fixture
def crowd():
    """taskset for a processor on which ten other programs run"""
    taskset = ['taskset', '-c', str(min(os.sched_getaffinity(0)))]
    others = [subprocess.Popen([*taskset, 'sh', '-c', 'while :; do :; done']) for _ in range(10)]
    yield taskset
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.slow
# On a processor with ten other programs, a command mostly waits.
@pytest.mark.parametrize('seconds, command, status', [
    ('2', ['perl', '-e', '1 while (times)[0] < 0.5'], 0),
    ('1', ['sh', '-c', 'while :; do :; done'], 124)], ids=['waits', 'works'])
def test_limit_is_reached_by_work_and_not_by_waiting_for_a_processor(
        crowd, seconds, command, status):
    assert subprocess.run([LIMIT, seconds, *crowd, *command], check=False).returncode == status


@pytest.mark.parametrize('seconds, command, status', [
    ('1', 'exec sleep 100', 124), ('100', 'exit 7', 7)], ids=['sleep', 'below the limit'])
def test_limit_is_reached_by_sleep_and_below_it_the_status_is_the_commands(
        seconds, command, status):
    assert subprocess.run([LIMIT, seconds, 'sh', '-c', command], check=False).returncode == status
