# SPDX-License-Identifier: GPL-2.0-only
"""Dashes, marks and remarks: what is missing, multiplexed, refused or comes and goes."""
import itertools
import os
import random
import re

import pytest

from exposition import samples
from fake_pmus import CORES_C0, PCU_CLOCK, QPI_CLOCK, READS, WRITES

def test_ratio_or_average_of_nothing_is_a_dash(busy):
    """The home agent and the PCU of socket 3 count nothing."""
    busy.machine.rate('ha', -1, 0, cpu=0)
    busy.machine.rate('pcu', -1, 0, cpu=0)
    output = busy.run('-n', 1, '-m', 'mem_remote,cores_c0,ha_pct_rd_requests')
    assert output.line('S3') == '- - -' and output.line('S0') == '25.00 5.00 -'
    assert '- in a ratio or average: there was nothing to divide by' in output.notes()


def test_multiplexed_rate_and_amount_are_marked_and_scaled(busy, tmp_path):
    """One memory channel counts for half of the time."""
    busy.machine.rule('share', 'imc_0', -1, 0.5)
    totals = busy.run('-m', 'mem_read', '--', 'sleep', 0.1)
    output = busy.run('-n', 3, '-m', 'mem_read', '--prometheus', tmp_path / 'prom')
    for one in totals, output:
        assert one.line('S0') == '~3000.000' and (
            '~ multiplexed and scaled: more events than counters, here or in other programs'
            ) in one.notes()
    found = samples(tmp_path / 'prom')
    assert found['uncorestat_mem_read_bytes_total{socket="0"}'] == found[
        'uncorestat_mem_read_bytes_total{socket="3"}'] == 9e9


# Sockets

@pytest.mark.parametrize('packages', [random.sample(range(32), 4), [5]], ids=['4 drawn', 'one'])
def test_each_package_has_a_line_amounts_add_up_and_a_speed_does_not(
        uncorestat, machines, packages):
    uncorestat.machine = machines(packages=packages)
    online = uncorestat.machine.cpus / 'online'
    online.write_text(re.sub(r'-\d+', '', online.read_text()))
    uncorestat.machine.rate('*', QPI_CLOCK, 1000000000)
    uncorestat.machine.rate('imc_0', READS, 31250000)
    metrics = '-m', 'qpi_speed,mem_read'
    sockets = uncorestat.run('-n', 1, '--json', *metrics).json()
    [system] = uncorestat.run('-n', 1, '--json', '--per', 'system', *metrics).json()
    lines = uncorestat.run('-n', 1, '--csv', '-m', 'mem_read').csv()
    assert [row['socket'] for row in sockets] == sorted(packages)
    assert [int(row['socket']) for row in lines] == sorted(packages)
    assert {row['mem_read_bytes_per_second'] for row in sockets} == {2e9}
    assert system['mem_read_bytes_per_second'] == 2e9 * len(packages)
    assert {row['qpi_speed_gigatransfers_per_second'] for row in [*sockets, system]} == {8}


# Boxes

NO_QPI = 'this machine has no qpi box: absent or hidden by the BIOS, as on most boards'


def test_machine_without_qpi_has_dashes_and_the_reason_once(uncorestat):
    uncorestat.machine.remove('qpi*')
    uncorestat.machine.remove('imc_3')
    output = uncorestat.run('-n', 1)
    assert output.line('S0') == '0.0 0.0 - 0.00 0.00* - - - 0.0* 0.0* - - -'
    assert [note for note in output.notes() if 'box' in note] == [
        '! 3 of 4 imc boxes in each socket: the rest is absent or hidden by the BIOS',
        f'- {NO_QPI}']


def test_each_socket_that_lacks_a_box_is_named(uncorestat, machines):
    packages = random.sample(range(32), 4)
    uncorestat.machine = machines(packages=packages)
    for has in itertools.product([True, False], repeat=4):
        uncorestat.machine.cpumask_of('imc_3', ','.join(
            str(10 * place) for place, there in enumerate(has) if there))
        lacks = sorted(package for package, there in zip(packages, has) if not there)
        notes = ' '.join(uncorestat.run('-n', 1, '-m', 'mem_read').notes())
        named = sorted(int(number) for number in re.findall(r'socket (\d+) has 3 of 4 imc', notes))
        assert (named == lacks if any(has) else '3 of 4 imc boxes in each socket' in notes), notes


@pytest.mark.parametrize('prefix, box, refused, error, metrics, line, note', [
    *(('snbep_uncore_', 'pcu', CORES_C0, 95, metrics, line, 'S3 cores_c0: socket 3 pcu: '
       'power_state_occupancy_cores_c0 is refused: Operation not supported')
      for metrics, line in (('cores_c0,cores_c6', '- 0.00'), ('cores_c6,cores_c0', '0.00 -'))),
    ('snbep_uncore_', 'pcu', CORES_C0, 22, 'cores_c0', '-', 'Invalid argument (dmesg says why)'),
    ('uncore_', 'pcu', CORES_C0, 22, 'cores_c0', '-', 'is refused: Invalid argument'),
    ('uncore_', 'msr', 1, 22, 'busy_ghz', '-',
     'S0 busy_ghz: socket 0 msr_0: this processor has no aperf')])
def test_event_that_is_refused_is_a_dash_and_says_why(
        uncorestat, machines, prefix, box, refused, error, metrics, line, note):
    uncorestat.machine = machines(prefix=prefix)
    uncorestat.machine.rate('pcu', PCU_CLOCK, 1000)
    uncorestat.machine.rule('refuse', box, refused, error)
    output = uncorestat.run('-n', 1, '-m', metrics)
    assert output.line('S0') == line
    assert any(found.endswith(note) for found in output.notes()), output.text


def test_event_that_cannot_join_a_group_is_counted_alone(uncorestat):
    uncorestat.machine.rule('alone', 'pcu', CORES_C0, 22)
    uncorestat.machine.rate('pcu', CORES_C0, 800000000)
    uncorestat.machine.rate('pcu', PCU_CLOCK, 200000000)
    output = uncorestat.run('-n', 1, '-m', 'cores_c6,cores_c0')
    assert output.line('S0') == output.line('S3') == '0.00 4.00'


# What changes while it runs; see also test_sequences.py

@pytest.fixture
def running(uncorestat, tmp_path):
    """uncorestat over 3 GB/s of reads in each socket, after three intervals"""
    uncorestat.machine.rate('imc_0', READS, 31250000)
    uncorestat.machine.rate('imc_1', READS, 15625000)
    uncorestat.machine.rate('imc_0', WRITES, 46875000)
    with uncorestat.start('-i', 1, '--json', '-m', 'mem_read,mem_write',
                          out=tmp_path / 'out') as one:
        one.step(3)
        yield one


def numbers(running, what='read', socket=0):
    return [row[f'mem_{what}_bytes_per_second'] for row in running.stop().json()
            if row['socket'] == socket]


def test_event_that_is_refused_when_its_group_is_opened_again_has_dashes_and_closes_all_files(
        uncorestat, running):
    files = lambda: len(os.listdir(f'/proc/{running.pid}/fd'))
    before = files()
    with uncorestat.machine.at_once():
        uncorestat.machine.rule('refuse', '*', WRITES, 16)
        uncorestat.machine.rule('revoke', '*', 0)
    running.step(6)
    assert files() <= before
    with uncorestat.machine.at_once():
        uncorestat.machine.forget('refuse')
        uncorestat.machine.forget('revoke')
    running.step(3)
    assert files() <= before
    assert numbers(running, socket=3) == [3e9] * 3 + [None] * 7 + [3e9] * 2


def test_channel_that_disappears_is_a_note_and_the_others_count(uncorestat, running):
    uncorestat.machine.rule('refuse', 'imc_2', -1, 19)
    running.step(8)
    assert 'imc_2: the box is gone' in running.text
    # At once: that it was idle before is forgotten as it counts again.
    for rate in 0, 31250000:
        uncorestat.machine.rate('imc_0', -1, rate, cpu=10)
        running.step(1)
    with uncorestat.machine.at_once():
        uncorestat.machine.rule('refuse', 'imc_0', -1, 19)
        uncorestat.machine.rate('imc_0', -1, 0, cpu=10)
    running.step(1)
    assert 'imc_0: the box is gone' in running.text
    assert numbers(running) == [3e9] * 11 + [1e9, 3e9, 1e9]


def test_count_of_a_group_member_that_decreases_is_a_dash(uncorestat, running):
    uncorestat.machine.rule('lose', 'imc_0', 10, WRITES)
    running.step(2)
    assert numbers(running, 'write') == [3e9] * 3 + [None] * 2
