# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of uncorestat's tests: the program, a machine of fake PMUs, and both together."""
import fcntl
import itertools
import os
import subprocess

import pytest

from fake_pmus import Machine, Uncorestat


@pytest.fixture(scope='session')
def built(top):
    """build/tools, with uncorestat and the fake PMUs; tests that run at the same time wait."""
    out = top / 'build/tools'
    out.mkdir(parents=True, exist_ok=True)
    sources = [top / 'tools/uncorestat/tests/fake.c', top / 'tools/lib/tests/fake.h']
    fake = out / 'fake.so'
    with open(out / '.lock', 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        werror = 'WERROR=' + os.environ.get('WERROR', '-Werror')
        subprocess.run(['make', '-s', '-C', top / 'tools', f'O={out}', werror], check=True)
        times = [source.stat().st_mtime for source in sources]
        if not fake.exists() or fake.stat().st_mtime <= max(times):
            subprocess.run(['cc', '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC',
                            '-o', fake.with_suffix('.new'), sources[0], '-ldl'], check=True)
            fake.with_suffix('.new').rename(fake)
    return out


@pytest.fixture
def machines(tmp_path):
    """Makes machines: machines(packages=(0, 1), prefix='uncore_')"""
    numbers = itertools.count()
    return lambda **options: Machine(tmp_path / f'machine{next(numbers)}', **options)


@pytest.fixture
def machine(machines):
    """An E5-2600 with two packages, 3 and 0, whose boxes count nothing"""
    return machines()


@pytest.fixture
def uncorestat(built, machine):
    """uncorestat over that machine, or over another: uncorestat.machine = machines(...)"""
    return Uncorestat(built / 'uncorestat', built / 'fake.so', machine)
