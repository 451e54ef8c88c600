# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the tools' tests: the programs, and libraries that fake a machine."""
import contextlib
import fcntl
import os
import subprocess
import warnings

import pytest


@contextlib.contextmanager
def made(top, out, *words):
    """Makes tools in a directory; tests that run at the same time wait."""
    out.mkdir(parents=True, exist_ok=True)
    with open(out / '.lock', 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(['make', '-s', '-C', top / 'tools', f'O={out}', *words], check=True)
        yield


@pytest.fixture(scope='session')
def built(top):
    """build/tools, with the programs"""
    out = top / 'build/tools'
    with made(top, out, 'WERROR=' + os.environ.get('WERROR', '-Werror')):
        source, fake = top / 'tools/uncorestat/tests/fake.c', out / 'fake-uncorestat.so'
        if not fake.exists() or fake.stat().st_mtime <= source.stat().st_mtime:
            subprocess.run(['cc', '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC',
                            '-o', fake.with_suffix('.new'), source, '-ldl'], check=True)
            fake.with_suffix('.new').rename(fake)
    return out


@pytest.fixture(scope='session')
def sanitized(top):
    """build/tools-sanitizers, with uncorestat under GCC's AddressSanitizer and
    UndefinedBehaviorSanitizer; statically, as fake.c has to come first"""
    out = top / 'build/tools-sanitizers'
    flags = '-fsanitize=address,undefined -fno-sanitize-recover=undefined -static-libasan'
    with made(top, out, f'CFLAGS=-O1 -g {flags}', out / 'uncorestat'):
        return out


@pytest.fixture(scope='session')
def races(top, built):
    """build/tools-threads, with uncorestat under GCC's ThreadSanitizer; or build/tools where a
    kernel's random addresses leave that no place"""
    out = top / 'build/tools-threads'
    with made(top, out, 'CFLAGS=-O1 -g -fsanitize=thread -static-libtsan', out / 'uncorestat'):
        done = subprocess.run([out / 'uncorestat', '--version'], check=False,
                              stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    if b'unexpected memory mapping' in done.stderr:
        warnings.warn('ThreadSanitizer has no room among this kernel\'s random addresses')
        return built
    return out
