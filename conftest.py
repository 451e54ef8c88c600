# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of all host-side tests: where the sources are, and a clean environment."""
import collections
import functools
import os
import pathlib
import random
import shutil
import subprocess
import time

import pytest

pytest_plugins = 'collector', 'pytester'
TOP = pathlib.Path(__file__).parent
Done = collections.namedtuple('Done', 'status text')
SINCE = time.monotonic()


@pytest.hookimpl(tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """Each reason to skip once, with its number; and where the time of scripts/check went"""
    reasons = collections.Counter(report.longrepr[2].removeprefix('Skipped: ')
                                  for report in terminalreporter.stats.get('skipped', ()))
    for reason, number in sorted(reasons.items()):
        terminalreporter.write_line(f'SKIPPED [{number}] {reason}')
    for report in terminalreporter.stats.get('passed', ()):
        for name, value in report.user_properties:
            terminalreporter.write_line(f'{report.nodeid}: {value} {name} drawn')
    if 'SNBEP_TIMES' in os.environ:
        spent, file = collections.Counter(), pathlib.Path(os.environ['SNBEP_TIMES'])
        for row in file.read_text('ascii').splitlines() if file.exists() else ():
            spent[row.split()[0]] += int(row.split()[1])
        terminalreporter.write_line(
            f'{time.monotonic() - SINCE:.0f} s of tests; before and beside them '
            f'{spent["downloads"]} s of downloads, {spent["builds"]} s of builds for the cache')


@pytest.fixture
def draw(record_property):
    """An iterator over random generators, for DRAW seconds; the log says how many there were."""
    def chances():
        number, end = 0, time.monotonic() + float(os.environ.get('DRAW', '2'))
        while time.monotonic() < end:
            yield random.Random(number)
            number += 1
        record_property('inputs', number)
    return chances


@pytest.fixture(scope='session')
def top():
    """The top of the sources"""
    return TOP


@pytest.fixture(scope='session', autouse=True)
def clean_environment():
    """Programs under test speak English, and take no options of a make that runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name in 'MAKEFLAGS', 'MFLAGS', 'MAKEOVERRIDES', 'MAKELEVEL', 'GNUMAKEFLAGS', 'TMUX':
            patch.delenv(name, raising=False)
        # Of a hook, or of an alias in a worktree
        for name in [name for name in os.environ if name.startswith('GIT_')]:
            patch.delenv(name)
        patch.setenv('LC_ALL', 'C')
        patch.setenv('PATH', os.environ.get('PATH', '/usr/bin:/bin') + ':/usr/sbin:/sbin')
        yield


@pytest.fixture(scope='session')
def as_root():
    """Runs a command as root, by sudo if need be."""
    sudo = [] if os.geteuid() == 0 else ['sudo']
    if sudo and not shutil.which('sudo'):
        pytest.skip('this needs root, and there is no sudo on this machine')
    return lambda *command, **options: subprocess.run([*sudo, *command],
                                                      **{'check': True, **options})


@pytest.fixture(scope='session')
def run():
    """Runs a command: its exit status in .returncode, all that it printed in .stdout."""
    return functools.partial(subprocess.run, check=False, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8',
                             errors='replace')


@pytest.fixture(scope='session')
def output(top):
    """What a script of the project prints, such as a path"""
    def printed(script, *arguments):
        done = subprocess.run([top / script, *arguments], check=False, stdout=subprocess.PIPE,
                              encoding='utf-8')
        if done.returncode == 4:
            pytest.skip(f'Debian\'s mirror has no Linux {arguments[0]}')
        assert done.returncode == 0, f'{script} fails'
        return done.stdout.strip()
    return printed


@pytest.fixture(scope='session')
def kernel(output):
    """The directory of a kernel of scripts/kernels"""
    return lambda name: pathlib.Path(output('scripts/kernel', name))


@pytest.fixture(scope='session')
def linux_lists(output):
    """A directory of a Linux's source, which has at least that: linux_lists('6.1', 'tools/perf')"""
    return lambda kernel, path, fetched=None: pathlib.Path(
        output('scripts/linux-source', kernel, fetched or path)) / path


@pytest.fixture(scope='session')
def libpfm4(output):
    """The directory of libpfm4's source, which is Debian's"""
    return pathlib.Path(output('scripts/libpfm4'))


@pytest.fixture(scope='session')
def copy_programs(top):
    """Copies programs to a directory for the guest, with their libraries, from packages of Debian
    13, or from this machine: what runs a program there, before its path."""
    def copy(directory, packages, *programs):
        script = """. "$1"; root=; packages=$2 to=$3; shift 3
            [ ! "$packages" ] || root=$("$SCRIPTS/suite-root" trixie $packages)
            copy_programs "$root" "$to" "$@" """
        subprocess.run(['sh', '-c', script, top / 'scripts/a-test', top / 'scripts/lib.sh',
                        packages, directory, *programs], check=True)
        return ('lib64/ld-linux-x86-64.so.2 --library-path '
                'lib/x86_64-linux-gnu:usr/lib/x86_64-linux-gnu ')
    return copy


@pytest.fixture(scope='session')
def guest(top, kernel, tmp_path_factory):
    """Commands of one shell in the machine, which is booted once: guest({name: command}, '-k',
    '6.1').get(name) has the status of each and what it printed. They run in DIRECTORY."""
    # -W: the kernel's log has no warning.
    def boot(commands, *options, directory=None, vm=('bin/vm', '-W')):
        if '-k' in options:
            kernel(options[options.index('-k') + 1])
        directory = directory or tmp_path_factory.mktemp('guest')
        (directory / 'commands').write_text(''.join(
            f'{{ {command}\n}} > {number}.out 2>&1\necho $? > {number}.status\n'
            for number, command in enumerate(commands.values())))
        done = subprocess.run(
            [top / vm[0], *vm[1:], '-t', '3000', '-e', directory, *options, '--',
             'cd /extra && . ./commands'], check=False, encoding='utf-8',
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        return {name: Done(int((directory / f'{number}.status').read_text()),
                           (directory / f'{number}.out').read_text(errors='replace'))
                for number, name in enumerate(commands)}
    return boot


@pytest.fixture(scope='session')
def shell(top):
    """A shell of lib.sh as a list, before its commands and their $1 ..."""
    return ['sh', '-c', '. "$1"; commands=$2; shift 2; eval "$commands"', top / 'scripts/a-test',
            top / 'scripts/lib.sh']


@pytest.fixture(scope='session')
def model(top):
    """Rows of the Xeon model's events: model(generation)"""
    def rows(*generation, what='events'):
        return subprocess.run(
            [top / 'scripts/test-program', top / 'machine/xeon/tests/reference/uncore', what,
             *generation], check=True, encoding='utf-8',
            stdout=subprocess.PIPE).stdout.splitlines()
    return rows


@pytest.fixture(scope='session')
def mounts(run):
    """Runs a shell's commands, with their $1 ..., where they may mount and the host sees none."""
    if run(['unshare', '-rm', 'true']).returncode:
        pytest.skip('unshare gives no mounts here')
    return lambda commands, *arguments, **options: run(
        ['unshare', '-rm', 'sh', '-euc', commands, 'sh', *arguments], **options)


@pytest.fixture(scope='session')
def vm(run, top):
    """A shell command in the machine: vm('uname -r', '-k', '6.1')"""
    return lambda command, *options, **more: run(
        [top / 'machine/xeon/vm/vm', *options, '--', command], **more)


@pytest.fixture(scope='session')
def bin_vm(run, top):
    """The same with the drivers. Standard error is apart, in .stderr."""
    return lambda command, *options, **more: run(
        [top / 'bin/vm', *options, '--', command], **{'stderr': subprocess.PIPE, **more})
