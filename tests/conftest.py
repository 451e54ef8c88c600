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
    done = subprocess.run(['make', '-s', '-C', top / 'events'], check=False, encoding='utf-8',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        pytest.fail(done.stdout, pytrace=False)
    return Generator(pathlib.Path(top / 'build/events'))
