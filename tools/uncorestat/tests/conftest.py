# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of uncorestat's tests: the program, a machine of fake PMUs, and both together."""
import fcntl
import functools
import itertools
import os
import pathlib
import subprocess

import pytest

from fake_pmus import Machine, Uncorestat, default_traffic


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


@pytest.fixture
def busy(uncorestat):
    """uncorestat over default_traffic()"""
    default_traffic(uncorestat.machine)
    return uncorestat


@pytest.fixture(scope='session')
def linux_source(top):
    """Gets files of Linux's source into the cache: linux_source('6.1'), its directory"""
    @functools.cache
    def source(kernel):
        lists = 'tools/perf/pmu-events/arch/x86'
        done = subprocess.run(
            [top / 'scripts/linux-source', kernel, 'arch/x86/events/intel', f'{lists}/ivytown',
             f'{lists}/haswellx', f'{lists}/broadwellx'],
            check=False, encoding='utf-8', stdout=subprocess.PIPE)
        if done.returncode == 4:
            pytest.skip(f'the Debian suite of Linux {kernel} is no longer on the mirror')
        assert done.returncode == 0, f'no source of Linux {kernel}'
        return pathlib.Path(done.stdout.strip())

    return source
