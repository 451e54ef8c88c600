# SPDX-License-Identifier: GPL-2.0-only
"""Programs of a C library, and perf, on the emulated Itanium (make ia64-vm)."""
import re

import pytest

import ktap

pytestmark = [pytest.mark.slow, pytest.mark.ia64, pytest.mark.seconds(60),
              pytest.mark.timeout(3600), pytest.mark.xdist_group('ia64-perf')]


def check_tap(done):
    """All results of a program passed, and there are as many as it has planned."""
    test = ktap.parse(done.stdout.splitlines())
    assert test.children
    assert not ['\n'.join([bad.name, *bad.after]) for bad in test.failures()], done.stdout
    assert done.returncode == 0, done.stderr


def test_output_exit_status_and_files_are_the_commands(itanium, tmp_path):
    (tmp_path / 'typed').write_text('typed\n', encoding='ascii')
    done = itanium.vm('echo out; echo "an error" >&2; cat /extra/typed; mkdir /extra/new; '
                      'echo back > /extra/new/file; exit 42', '-e', tmp_path)
    assert (done.returncode, done.stdout) == (42, 'out\ntyped\n'), done.stderr
    assert 'an error' in done.stderr.splitlines()
    assert (tmp_path / 'new/file').read_text(encoding='ascii') == 'back\n'


def test_a_kernel_given_by_its_path_boots_without_the_module(itanium):
    built = itanium.run(itanium.linux / 'build', 'smp')
    assert built.returncode == 0, built.stderr
    done = itanium.vm('[ ! -e /sys/module/itanium_pmu ] && perf stat -x, -e task-clock true', '-k',
                      itanium.build / 'ia64/smp/vmlinux')
    assert done.returncode == 0 and 'task-clock' in done.stderr, done.stdout + done.stderr


def test_programs_of_a_c_library_run(top, itanium, tmp_path):
    made = itanium.run(f'{itanium.cross()}gcc', '-O2', '-Wall', '-Wextra', '-Werror', '-static',
                       f'-I{top}', '-o', tmp_path / 'libc', top / 'ia64/tests/libc.c',
                       '-lpthread')
    assert made.returncode == 0, made.stderr
    check_tap(itanium.vm('/extra/libc', '-e', tmp_path))


def test_selftest_passes_and_hwtest_says_what_is_true_of_the_machine(itanium, tmp_path):
    done = itanium.vm('hwtest > /extra/hwtest; selftest', '-e', tmp_path)
    check_tap(done)
    assert 'more are 81920 loads more' in done.stdout
    # The machine compares bundle by bundle, but pairs of them with a fine range, and answers
    # nothing that takes a pipeline. What is asked of the other kernel's PMU is not asked here.
    hwtest = (tmp_path / 'hwtest').read_text(encoding='utf-8')
    assert re.findall('^   answer: (.*)', hwtest, re.MULTILINE) == [
        'unknown', 'no: one by one',
        'pairs are compared, or the lower one is out and the upper one in', 'unknown', 'yes',
        'yes', 'unknown', 'unknown'], hwtest


def test_sampling_each_cycle_of_the_kernel_leaves_time_for_a_program(itanium):
    # An interrupt takes longer than its share of a tick: ticks alone would not throttle it.
    done = itanium.vm('perf record -q -a -g -e itanium/cpu_op_cycles_all/k -c 1 -o /tmp/data -- '
                      'stride 64K && dmesg | grep "interrupt took too long"')
    assert done.returncode == 0, done.stdout + done.stderr
