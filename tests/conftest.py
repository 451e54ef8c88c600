# SPDX-License-Identifier: GPL-2.0-only
"""The event tables, others' sources, and commands in the machine"""
import collections
import csv
import functools
import json
import pathlib
import subprocess

import pytest


class Generator:
    """build/events/gen, and files that it made beside it"""

    def __init__(self, directory):
        self.directory = directory

    def run(self, *arguments):
        return subprocess.run([self.directory / 'gen', *arguments], check=False, encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    @functools.cache
    def text(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def lines(self, *arguments):
        return self.text(*arguments).splitlines()

    def json(self, what):
        return json.loads(self.text(what))

    def csv(self):
        """A dictionary for each alias; without a column, KeyError"""
        return list(csv.DictReader(self.lines('csv'), strict=True))


@pytest.fixture(scope='session')
def gen(top):
    """Generator(), built"""
    subprocess.run(['make', '-s', '-C', top / 'events'], check=True)
    return Generator(pathlib.Path(top / 'build/events'))


@pytest.fixture(scope='session')
def linux_lists(top):
    """A directory of a Linux's source, which has at least that: linux_lists('6.1', 'tools/perf')"""
    def get(kernel, path, fetched=None):
        done = subprocess.run([top / 'scripts/linux-source', kernel, fetched or path], check=False,
                              encoding='utf-8', stdout=subprocess.PIPE)
        if done.returncode == 4:
            pytest.skip(f'the Debian suite of Linux {kernel} is no longer on the mirror')
        assert done.returncode == 0, f'no source of Linux {kernel}'
        return pathlib.Path(done.stdout.strip()) / path
    return get


@pytest.fixture(scope='session')
def libpfm4(top):
    """The directory of libpfm4's source, which is Debian's"""
    done = subprocess.run([top / 'scripts/libpfm4'], check=True, encoding='utf-8',
                          stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.strip())


Done = collections.namedtuple('Done', 'status text')


@pytest.fixture(scope='session')
def guest(top, kernel, tmp_path_factory):
    """Commands of one shell in the machine, which is booted once: guest({name: command}, '-k',
    '6.1').get(name) has the status of each and what it printed. They run in DIRECTORY."""
    def boot(commands, *options, directory=None):
        if '-k' in options:
            kernel(options[options.index('-k') + 1])
        directory = directory or tmp_path_factory.mktemp('guest')
        (directory / 'commands').write_text(''.join(
            f'{{ {command}\n}} > {number}.out 2>&1\necho $? > {number}.status\n'
            for number, command in enumerate(commands.values())))
        # -W: the kernel's log has no warning.
        done = subprocess.run(
            [top / 'bin/vm', '-W', '-t', '900', '-e', directory, *options, '--',
             'cd /extra && . ./commands'], check=False, encoding='utf-8',
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        return {name: Done(int((directory / f'{number}.status').read_text()),
                           (directory / f'{number}.out').read_text(errors='replace'))
                for number, name in enumerate(commands)}
    return boot
