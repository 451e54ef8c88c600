# SPDX-License-Identifier: GPL-2.0-only
"""What the event tables' generator prints."""
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
