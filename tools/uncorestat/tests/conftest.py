# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of uncorestat's tests: the program, a machine of fake PMUs, and both together."""
import functools
import itertools
import pathlib
import platform
import shutil
import subprocess

import pytest

from fake_pmus import (
    GENERATIONS, SNBEP_FIELDS, Machine, Uncorestat, default_traffic, linux_fields)


@pytest.fixture
def machines(tmp_path):
    """Makes machines: machines(packages=(0, 1), prefix='uncore_')"""
    numbers = itertools.count()
    yield lambda **options: Machine(tmp_path / f'machine{next(numbers)}', **options)
    # Of hundreds of thousands of files, whoever removes them later reads each inode from the disk.
    for machine in tmp_path.glob('machine*'):
        shutil.rmtree(machine, ignore_errors=True)


@pytest.fixture
def generation(machines, linux_source):
    """Makes the machine of a generation, which has Linux's driver: generation('v3', boxes=[])"""
    def machine(name, **options):
        model, driver, _ = GENERATIONS[name]
        fields = SNBEP_FIELDS if name == 'v1' else linux_fields(linux_source('6.1'), driver)
        return machines(**{'prefix': 'uncore_', 'model': model, 'fields': fields, **options})

    return machine


@pytest.fixture
def machine(machines):
    """An E5-2600 with two packages, 3 and 0, whose boxes count nothing"""
    return machines()


@pytest.fixture
def uncorestat(request, built, machine):
    """uncorestat over that machine, or over another: uncorestat.machine = machines(...)"""
    name = 'sanitized' if request.node.get_closest_marker('sanitizers') else 'built'
    program = request.getfixturevalue(name) / 'uncorestat'
    return Uncorestat(program, built / 'fake-uncorestat.so', machine)


@pytest.fixture
def busy(uncorestat):
    """uncorestat over default_traffic()"""
    default_traffic(uncorestat.machine)
    return uncorestat


@pytest.fixture(scope='session')
def linux_source(output):
    """Gets files of Linux's source into the cache: linux_source('6.1'), its directory"""
    lists = 'tools/perf/pmu-events/arch/x86'
    return functools.cache(lambda kernel: pathlib.Path(output(
        'scripts/linux-source', kernel, 'arch/x86/events/intel', f'{lists}/jaketown',
        f'{lists}/ivytown', f'{lists}/haswellx', f'{lists}/broadwellx')))


@pytest.fixture(scope='session')
def prometheus(output):
    """Where Debian's promtool and node_exporter are"""
    suite = platform.freedesktop_os_release().get('VERSION_CODENAME', 'unknown')
    root = output('scripts/suite-root', suite, 'prometheus', 'prometheus-node-exporter')
    return f'{root}/usr/bin'


@pytest.fixture(scope='session')
def promtool(prometheus):
    """The exit status of promtool, and what it says"""
    def run(*words, **options):
        done = subprocess.run([f'{prometheus}/promtool', *words], check=False, encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
        return done.returncode, done.stdout

    return run
