# SPDX-License-Identifier: GPL-2.0-or-later
"""A program's own accesses on the bare machine count exactly and repeatably; machines without
traffic mode are refused."""
import pytest

EXACT = ['-icount', 'shift=0,sleep=off']


@pytest.mark.parametrize('tests, options, machine', [
    ('traffic', 'traffic', {'shape': '1 1', 'accel': EXACT}),
    ('traffic', 'traffic cbos=6', {'shape': '1 1', 'accel': EXACT}),
    ('traffic-two', 'traffic memory=64', {'shape': '2 1'})],
    ids=['one socket', 'six CBos', 'two sockets'])
def test_accesses_count_exactly(bare, tests, options, machine):
    bare.passes(tests, *options.split(), **machine)


def test_two_machines_count_the_same_to_the_event(bare):
    first, second = (bare.rows('traffic', 'traffic', shape='1 1', accel=EXACT)[0]
                     for _ in range(2))
    assert first == second


@pytest.mark.parametrize('shape, options, reason', [
    ('1 1', 'traffic threads=2', 'a core has one thread'),
    ('1 1', 'traffic=on', "no option 'traffic=on'"),
    ('2 1', 'memory=1', 'memory is 2 to 1048576, not 1'),
    ('2 1', 'traffic', '2 sockets has 2 memory nodes, not 0'),
    # Memory that is not written needs no host memory.
    ('2 1', 'traffic memory=34816', 'a socket has at most 16 GiB, not 17')])
def test_machine_without_traffic_mode_is_refused(bare, shape, options, reason):
    assert reason in bare.refusal(*options.split(), shape=shape)
