# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the tools' tests: the programs, and libraries that fake a machine."""
import fcntl
import os
import subprocess

import pytest


@pytest.fixture(scope='session')
def built(top):
    """build/tools, with the programs; tests that run at the same time wait."""
    out = top / 'build/tools'
    out.mkdir(parents=True, exist_ok=True)
    with open(out / '.lock', 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        werror = 'WERROR=' + os.environ.get('WERROR', '-Werror')
        subprocess.run(['make', '-s', '-C', top / 'tools', f'O={out}', werror], check=True)
        sources = [top / 'tools/uncorestat/tests/fake.c', top / 'tools/lib/tests/fake.h']
        fake = out / 'fake-uncorestat.so'
        times = [source.stat().st_mtime for source in sources]
        if not fake.exists() or fake.stat().st_mtime <= max(times):
            subprocess.run(['cc', '-O2', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC',
                            '-o', fake.with_suffix('.new'), sources[0], '-ldl'], check=True)
            fake.with_suffix('.new').rename(fake)
    return out
