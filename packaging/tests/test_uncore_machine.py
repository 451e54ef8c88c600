# SPDX-License-Identifier: GPL-2.0-only
"""What uncore-machine starts; test_dist.py runs it."""
import shutil
import subprocess

import pytest

DRIVERS = ['-b', '{}/drivers', '-m', 'snbep_uncore']
# Its process, its environment and its words
PROGRAM = """#!/bin/sh
echo $$
echo "$PATH:${SNBEP_CACHE:-}:${LD_PRELOAD:-}:${LD_LIBRARY_PATH:-}:${SNBEP_QEMU:-}"
printf '%s\\n' "${0#"$PLACE"/}" "$@"
"""


@pytest.fixture
def machine(top, tmp_path):
    """A directory with the script, and programs that print how they are called: a call of the
    script, which prints (whether it is the same process, environment, words)"""
    place = tmp_path / 'a place'
    for name in 'machine/xeon/vm/vm', 'lab/smoke/smoke', 'snbep-uncore-1/lab/test':
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text(PROGRAM, encoding='ascii')
        (place / name).chmod(0o755)
    subprocess.run(['tar', '-C', place, '--remove-files', '-czf', place / 'source.tar.gz',
                    'snbep-uncore-1'], check=True)
    (place / 'scripts').mkdir()
    shutil.copy(top / 'packaging/dist/uncore-machine', place)
    shutil.copy(top / 'scripts/guard', place / 'scripts')
    (tmp_path / 'tmp').mkdir()

    def run(*words):
        with subprocess.Popen(
                [place / 'uncore-machine', *words], encoding='utf-8', stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, cwd=tmp_path, env={
                    'PATH': '/usr/bin:/bin', 'LD_LIBRARY_PATH': '/x', 'LD_PRELOAD': '',
                    'PLACE': str(place), 'TMPDIR': f'{tmp_path}/tmp'}) as process:
            text, _ = process.communicate()
        run.status = process.returncode
        pid, environment, *words = text.splitlines() or ['0', '']
        return int(pid) == process.pid, environment, words
    run.place = place
    return run


@pytest.mark.parametrize('words, want', [
    ([], [*DRIVERS, '-i']), (['--', '-k  x'], [*DRIVERS, '--', '-k  x']),
    (['-o', 'traffic', '--', 'true'], [*DRIVERS, '-o', 'traffic', '--', 'true']),
    *((own + ['-m', 'intel_uncore', *command], [*own, '-m', 'intel_uncore', *(command or ['-i'])])
      for own in (['-k', 'a bzImage'], ['-kbzImage']) for command in ([], ['--', 'true']))])
def test_drivers_are_for_the_kernel_that_is_here(machine, words, want):
    place = machine.place
    assert machine(*words) == (
        True, f'{place}/bin:/usr/bin:/bin:{place}/busybox:/nonexistent:::',
        ['machine/xeon/vm/vm', *(word.format(place) for word in ['-f', '{}/programs', *want])])


def test_smoke_gets_its_words(machine):
    same, environment, words = machine('smoke', '-k', 'a b')
    assert same and environment.endswith('/busybox:/nonexistent:::')
    assert words == ['lab/smoke/smoke', '-k', 'a b']


def test_series_is_tested_with_the_qemu_that_is_here_in_a_tree_that_goes(machine, tmp_path):
    _, environment, words = machine('test', '-g', 'a b')
    assert environment == f'/usr/bin:/bin:::/x:{machine.place}/bin/qemu'
    assert words[0].startswith(f'{tmp_path}/tmp/') and words[0].endswith('/lab/test')
    assert words[1:] == ['-g', 'a b'] and not list((tmp_path / 'tmp').iterdir())


def test_fault_of_the_host_ends_a_bisection(machine):
    (machine.place / 'source.tar.gz').unlink()
    machine('test', 'a series')
    assert machine.status == 128
