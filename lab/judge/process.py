# SPDX-License-Identifier: GPL-2.0-only
"""Programs that run for the judge: what they print is data, and a series is built in a sandbox"""
import ctypes
import math
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable

TOP = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = TOP / 'scripts'
sys.path.append(str(SCRIPTS))
import ktap

# keyctl() of x86-64; 1 is KEYCTL_JOIN_SESSION_KEYRING
KEYCTL = 250
# What a stranger's program may print, and the size of a file that is taken from it
LIMIT = 256 << 20
# Neither the caller's hooks nor signatures are for the commits of the judge.
SOMEBODY = [word for name in (
    'user.name=test', 'user.email=test@example.org', 'commit.gpgsign=false', 'init.templateDir=',
    'core.hooksPath=/dev/null', 'core.fsmonitor=false', 'core.autocrlf=false',
    'log.showSignature=false')
            for word in ('-c', name)]


class CouldNot(Exception):
    """Why there is no verdict on the series: a word, and a line for people"""

    def __init__(self, why: object, verdict: str = 'error'):
        super().__init__('\n'.join(map(ktap.clean, str(why).split('\n'))))
        self.verdict = verdict


class DoesNotBuild(Exception):
    """A patch's fault; the text is the end of the log."""


def text_of(data: bytes) -> str:
    """What strangers' programs have written, as lines without control characters"""
    return '\n'.join(map(ktap.clean, data.decode(errors='replace').split('\n')))


def command(*words: object, environment: dict[str, str] | None = None,
            stderr: int | None = None,
            over: Callable[[], bool] | None = None) -> subprocess.CompletedProcess[str]:
    """A command that has ended, and printed no more than LIMIT; it is ended when OVER says so"""
    def watch(process, file):
        with open(file, 'rb'):
            while process.poll() is None:
                if os.stat(file).st_size > LIMIT or over and over():
                    process.terminate()
                time.sleep(0.2)

    with tempfile.TemporaryFile() as said, subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=said if stderr is None else stderr, env=environment) as process:
        threading.Thread(target=watch, args=[process, os.dup(said.fileno())], daemon=True).start()
        try:
            out = process.stdout.read(LIMIT)
            if len(out) == LIMIT:
                process.kill()
            process.wait()
        except BaseException:
            # Popen would wait for it.
            process.kill()
            raise
        said.seek(0)
        return subprocess.CompletedProcess(words, process.returncode, text_of(out),
                                           text_of(said.read(LIMIT)))


def run(program: object, *words: object) -> str:
    """What a program prints; CouldNot if it fails, after what it has said of it"""
    done = command(program, *words, stderr=2)
    if done.returncode:
        words = ' '.join(map(str, words))
        raise CouldNot(f'{os.path.basename(program)} {words}: exit status {done.returncode}')
    return done.stdout.strip()


def git(directory: object, *words: object) -> str:
    """What git prints; CouldNot with its error"""
    done = command('git', *SOMEBODY, '-C', directory, *words)
    if done.returncode:
        raise CouldNot(f'git {words[0]}: {(done.stderr or "it fails").splitlines()[0]}')
    return done.stdout.strip()


def processors() -> int:
    """Those that this process may use: by affinity, and by the quota of its control groups"""
    number = len(os.sched_getaffinity(0))
    group = re.search('^0::(.*)', pathlib.Path('/proc/self/cgroup').read_text(), re.M)
    for name in [group[1], *pathlib.PurePath(group[1]).parents] if group else ():
        file = pathlib.Path(f'/sys/fs/cgroup/{name}/cpu.max')
        quota, period = file.read_text().split() if file.exists() else ('max', 1)
        if quota != 'max':
            number = min(number, math.ceil(int(quota) / int(period)))
    return max(number, 1)


def read(path: pathlib.Path) -> str:
    """A file that a stranger made, if it is one; '' if there is none"""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ''
    with os.fdopen(file, 'rb') as f:
        regular = stat.S_ISREG(os.fstat(file).st_mode)
        return f.read(LIMIT).decode(errors='replace') if regular else ''


def take(out: pathlib.Path, name: str, to: pathlib.Path) -> None:
    """Copy a file that a stranger's makefiles made in OUT, which may have links to anywhere."""
    path = out / name
    if path.resolve() != out.resolve() / name or not path.is_file() or \
            path.stat().st_size > LIMIT:
        raise DoesNotBuild(f'{name} is no file of the build')
    # TO may be a link, too, where makefiles install what they have built.
    to.unlink(missing_ok=True)
    shutil.copyfile(path, to)
    to.chmod(path.stat().st_mode & 0o755)


class Sandbox:
    """Where the makefiles and the code of a series run at build time"""

    SECONDS = 3600
    # Of the file system, for all files together
    DISK = 16 << 30
    LIMITS = ['--fsize=4294967296', '--as=8589934592', '--nproc=4096', f'--cpu={SECONDS}',
              '--core=0']
    ENVIRONMENT = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': '/tmp', 'LC_ALL': 'C.UTF-8'}

    def __init__(self, kind: str):
        self.kind = kind
        # No namespace keeps the caller's keys from a build: join a session keyring without any.
        ctypes.CDLL(None).syscall(KEYCTL, 1, None)
        if kind != 'none' and (not shutil.which('bwrap') or
                               command(*self._words((), ()), 'true').returncode):
            raise CouldNot('bubblewrap cannot make a sandbox here (apt-get install bubblewrap; in '
                           'a container that is one: --sandbox=none)')

    def place(self, path: pathlib.Path, name: str) -> tuple[pathlib.Path, pathlib.Path]:
        """A directory, and its name in the sandbox: kbuild makes all anew in another one"""
        return path, pathlib.Path(name) if self.kind == 'bwrap' else path

    def _words(self, shown: Iterable, written: Iterable) -> list[str]:
        words = ['bwrap', '--unshare-all', '--die-with-parent', '--new-session', '--cap-drop',
                 'ALL', '--uid', '65534', '--gid', '65534', '--ro-bind', '/usr', '/usr',
                 '--proc', '/proc', '--dev', '/dev', '--size', str(1 << 30),
                 '--tmpfs', '/dev/shm', '--remount-ro', '/dev', '--size', str(1 << 30),
                 '--tmpfs', '/tmp', '--chdir', '/tmp']
        for name in '/bin', '/sbin', '/lib', '/lib64', '/etc/alternatives', '/etc/ld.so.cache':
            if os.path.islink(name):
                words += ['--symlink', os.readlink(name), name]
            else:
                words += ['--ro-bind-try', name, name]
        for option, paths in ('--ro-bind', shown), ('--bind', written):
            for path in paths:
                outside, inside = path if isinstance(path, tuple) else (path, path)
                words += [option, str(outside), str(inside)]
        # The root is a tmpfs without a size.
        return [*words, '--remount-ro', '/']

    def make(self, log: pathlib.Path, *words: object, shown: Iterable, written: Iterable) -> None:
        """Run make"""
        self.run(log, 'make', f'-j{processors()}', *words, shown=shown, written=written)

    def run(self, log: pathlib.Path, *words: object, shown: Iterable, written: Iterable) -> str:
        """Run a program, which sees these directories and the system's, each by its path or as
        place() has it; its output goes to a file, too."""
        around = self._words(shown, written) if self.kind != 'none' else ()
        least = shutil.disk_usage(log.parent).free - self.DISK
        full: list[str] = []

        def over():
            if shutil.disk_usage(log.parent).free < least:
                full[:] = [f'\nit took more than {self.DISK >> 20} MiB of disk']
            return bool(full)

        # Time limit and environment are of bwrap, too: those inside can stop a process beside
        # them, and read the environment of the first.
        done = command('timeout', '-k', '10', self.SECONDS, *around, 'prlimit', *self.LIMITS, '--',
                       *words, environment=self.ENVIRONMENT, stderr=subprocess.STDOUT, over=over)
        done.stdout += ''.join(full)
        log.write_text(done.stdout, encoding='utf-8')
        if done.returncode:
            raise DoesNotBuild(failure(done.stdout, log.parent))
        return done.stdout


def failure(log: str, work: pathlib.Path) -> str:
    """The errors in the log of a build, or its end, with paths as in the tree"""
    lines = log.splitlines()
    errors = [line for line in lines if re.search('error:|ERROR:|Error:|undefined reference', line)]
    return re.sub(rf'(?:{re.escape(str(work))}/(?:whole|linux|built\w*)|(?<![\w.-])/linux)/', '',
                  '\n'.join(errors[:10] or lines[-10:]))
