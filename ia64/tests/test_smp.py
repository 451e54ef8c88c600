# SPDX-License-Identifier: GPL-2.0-only
"""Linux on several processors of the emulated Itanium: two cores of two threads each."""
import re

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.ia64, pytest.mark.seconds(60),
              pytest.mark.timeout(3600)]

SCRIPT = r'''
cpu=/sys/devices/system/cpu
dmesg | grep -o 'Brought up.*'
for nr in 0 1 2 3; do
	cat $cpu/cpu$nr/topology/thread_siblings_list $cpu/cpu$nr/cache/index4/shared_cpu_map
done
cat $cpu/cpu3/topology/core_siblings_list
for nr in 3 1 1; do
	echo 0 > $cpu/cpu$nr/online && cat $cpu/online
	echo 1 > $cpu/cpu$nr/online && cat $cpu/online
done
for mask in 1 2 4 8; do
	perf stat -a -A -x, -e itanium/loads_retired/u -- taskset $mask stride 64K 40 2>&1
done
'''


@pytest.fixture(scope='module')
def lines(itanium):
    done = itanium.vm(SCRIPT, '-n', '2x2')
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'monitors:' not in done.stderr, done.stderr
    return done.stdout.splitlines()


def test_linux_brings_up_all_processors_and_knows_their_cores(lines):
    assert lines[:10] == ['Brought up 1 node, 4 CPUs', '0-1', '3', '0-1', '3', '2-3', 'c', '2-3',
                          'c', '0-3']


def test_processors_go_offline_and_come_back(lines):
    assert lines[10:16] == ['0-2', '0-3', '0,2-3', '0-3', '0,2-3', '0-3']


def test_a_program_is_counted_on_the_processor_where_it_runs(lines):
    # 40 rounds of 512 loads, of a program that does little else
    counts = [int(count) for count in re.findall(r'^CPU\d,(\d+),,itanium/loads_retired/u',
                                                 '\n'.join(lines), re.MULTILINE)]
    assert len(counts) == 16
    for nr in range(4):
        program = counts[4 * nr:4 * nr + 4]
        assert program[nr] > 40 * 512
        assert max(count for at, count in enumerate(program) if at != nr) < 40 * 512
