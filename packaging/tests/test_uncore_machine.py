# SPDX-License-Identifier: GPL-2.0-only
"""What uncore-machine starts; test_dist.py runs it."""
import shutil
import subprocess

import pytest

DRIVERS = ['-b', '{}/drivers', '-m', 'snbep_uncore']


@pytest.fixture
def machine(top, tmp_path):
    """A directory with the script, and a machine that prints its words: a call of the script"""
    place = tmp_path / 'a place'
    (place / 'machine/xeon/vm').mkdir(parents=True)
    (place / 'scripts').mkdir()
    shutil.copy(top / 'packaging/dist/uncore-machine', place)
    shutil.copy(top / 'scripts/guard', place / 'scripts')
    vm = place / 'machine/xeon/vm/vm'
    vm.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding='ascii')
    vm.chmod(0o755)

    def run(*words):
        return subprocess.run([place / 'uncore-machine', *words], check=False, encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.place = place
    return run


@pytest.mark.parametrize('words, want', [
    ([], [*DRIVERS, '-i']), (['--', '-k  x'], [*DRIVERS, '--', '-k  x']),
    *((own + ['-m', 'intel_uncore', *command], [*own, '-m', 'intel_uncore', *(command or ['-i'])])
      for own in (['-k', 'a bzImage'], ['-kbzImage']) for command in ([], ['--', 'true']))])
def test_drivers_are_for_the_kernel_that_is_here(machine, words, want):
    assert machine(*words).stdout.splitlines() == [
        word.format(machine.place) for word in ['-f', '{}/programs', *want]]


def test_fault_of_the_host_ends_a_bisection(machine):
    assert machine('test', 'a series').returncode == 128
