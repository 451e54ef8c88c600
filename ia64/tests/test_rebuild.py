# SPDX-License-Identifier: GPL-2.0-only
"""What the Itanium boots is built again when a source of it is newer, and only then: in a copy of
the tree whose build is a stub."""
import os
import shutil
import subprocess
import time

import pytest

SOURCES = ('scripts', 'itanium', 'itanium_pmu.c', 'common', 'events', 'Kbuild',
           'ia64/linux')
CHANGED = ('events/montecito.def', 'common/group.h', 'itanium/sched.c',
           'ia64/linux/guest/init', 'itanium_pmu.c', 'Kbuild')


@pytest.fixture(scope='module')
def tree(top, tmp_path_factory):
    """A copy of the tree, in which nothing has been built"""
    path = tmp_path_factory.mktemp('rebuild') / 'tree'
    for name in SOURCES:
        copy = shutil.copytree if (top / name).is_dir() else shutil.copy2
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        copy(top / name, path / name)
    for name, text in (('scripts/setup', '#!/bin/sh\n'), ('ia64/emulator/Makefile', 'all:\n'),
                       ('ia64/linux/build', '#!/bin/sh\necho built >&2\nexit 1\n'),
                       ('Documentation/index.rst', ''), ('build/ia64/smp/root.cpio', '')):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding='ascii')
    (path / 'ia64/linux/build').chmod(0o755)
    (path.parent / 'cache/log').mkdir(parents=True)
    return path


def run(tree, changed=None):
    """What a run prints after a file has changed"""
    now = time.time()
    for file in tree.rglob('*'):
        if file.is_file() and not file.is_symlink() and tree / 'build' not in file.parents:
            os.utime(file, (now - 120, now - 120))
    os.utime(tree / 'build/ia64/smp/root.cpio', (now - 60, now - 60))
    if changed:
        (tree / changed).touch()
    return subprocess.run([tree / 'ia64/linux/vm', '--', 'true'], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding='utf-8',
                          env={**os.environ, 'SNBEP_CACHE': str(tree.parent / 'cache'),
                               'SNBEP_BUILD': str(tree / 'build')}).stdout


@pytest.mark.parametrize('changed', CHANGED)
def test_a_change_builds_again(tree, changed):
    assert 'built' in run(tree, changed).splitlines()


@pytest.mark.parametrize('changed', [None, 'Documentation/index.rst'])
def test_without_a_change_or_for_a_page_nothing_is_built(tree, changed):
    # The machine is not there: without a build, the run ends later.
    out = run(tree, changed)
    assert 'built' not in out.splitlines() and 'ia64-machine' in out
