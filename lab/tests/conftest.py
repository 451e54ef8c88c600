# SPDX-License-Identifier: GPL-2.0-only
"""Intel's event lists"""
import os
import random
import subprocess
import time

import pytest


@pytest.fixture(scope='session')
def git(top):
    """git in a directory, as somebody: git(directory, word...)"""
    return lambda directory, *words: subprocess.run(
        ['git', '-c', 'user.name=test', '-c', 'user.email=test@example.org', '-C', directory,
         *words], check=True, encoding='utf-8', stdout=subprocess.PIPE).stdout


@pytest.fixture(scope='session')
def perfmon(top, git, tmp_path_factory):
    """A clone of intel/perfmon, as it was when our patches were made"""
    if not os.environ.get('PERFMON'):
        pytest.skip('it needs PERFMON=DIR, a clone of github.com/intel/perfmon')
    clone = tmp_path_factory.mktemp('perfmon') / 'perfmon'
    git('.', 'clone', '-q', os.environ['PERFMON'], clone)
    git(clone, 'checkout', '-q', (top / 'lab/perfmon/base').read_text().strip())
    return clone


@pytest.fixture
def draw(record_property):
    """An iterator over random generators, for DRAW seconds; the log says how many there were."""
    def chances():
        number, end = 0, time.monotonic() + float(os.environ.get('DRAW', '2'))
        while time.monotonic() < end:
            yield random.Random(number)
            number += 1
        record_property('inputs', number)
        print(f'{number} inputs')
    return chances
