# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the tests on the emulated Itanium."""
import os
import re
import subprocess

import pytest

import collector


class Itanium:
    """The machine, with a build directory of a module's own, as others may be writing theirs"""

    def __init__(self, top, build, log):
        self.linux = top / 'ia64/linux'
        self.build = build
        self.log = log

    def run(self, *command, **options):
        """Runs a command in this build directory: its output and exit status"""
        return subprocess.run(command, check=False, stdin=options.pop('stdin', subprocess.DEVNULL),
                              capture_output=True, encoding='utf-8', errors='replace',
                              env={**os.environ, 'SNBEP_BUILD': str(self.build)}, **options)

    def vm(self, command, *options):
        """Runs a command in the guest, whose kernel must have nothing to complain of."""
        done = self.run(self.linux / 'vm', '-t', '3000', '-l', self.log, *options, '--', command)
        assert self.log.exists(), done.stderr
        assert not self.complaints(self.log.read_text(encoding='utf-8', errors='replace'))
        return done

    @staticmethod
    def complaints(log, words=r'warning|\bbug\b|oops|unaligned'):
        """The lines of a kernel's log that have such words; one for several processors does not
        use the first page of memory."""
        return [line for line in log.splitlines() if re.search(words, line, re.IGNORECASE) and
                'warning: skipping physical page 0' not in line]

    def cross(self):
        """The prefix of the compiler's programs"""
        return self.run(self.linux / 'toolchain').stdout.strip()


@pytest.fixture(scope='module')
def itanium(top, tmp_path_factory, request):
    """The machine, where its compiler is in the cache or can be built for what is there"""
    if not list(collector.cache().glob('ia64/programs-*[0-9a-f]')):
        pytest.skip('the cache has no ia64/programs-*, which take long to make')
    subprocess.run([top / 'scripts/setup'], check=True)
    policy = subprocess.run(['apt-cache', 'policy', 'binutils-ia64-linux-gnu'], check=True,
                            encoding='utf-8', stdout=subprocess.PIPE).stdout
    if not re.search(r'Candidate: (?!\(none\))', policy):
        pytest.skip('this Debian has no binutils for ia64, as Debian 12 has')
    return Itanium(top, top / 'build' / f'ia64-{request.path.stem}',
                   tmp_path_factory.mktemp('ia64') / 'log')
