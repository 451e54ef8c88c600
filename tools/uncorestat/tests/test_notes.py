# SPDX-License-Identifier: GPL-2.0-only
"""Dashes, marks and remarks: what is missing, multiplexed, refused or comes and goes."""
import os
import random
import re
import signal
import time

import pytest

from exposition import samples
from fake_pmus import CORES_C0, PCU_CLOCK, QPI_CLOCK, READS, WRITES

MULTIPLEXED = ('~ multiplexed and scaled: more events than counters, here or in other programs')


# Suspend

def test_suspend_during_the_run_is_a_note_for_its_interval(uncorestat):
    output = uncorestat.run('-n', 2, '-m', 'mem_read', env={'ASLEEP': '5'})
    notes = [note for note in output.notes() if 'suspended' in note]
    assert notes == ['! the machine was suspended for 5.0 s']


def test_suspend_before_the_run_is_no_note(uncorestat):
    output = uncorestat.run('-n', 2, '-m', 'mem_read', env={'SLEPT': '86400'})
    assert 'suspended' not in output.text


# Ratios and averages of nothing

@pytest.fixture
def idle(busy):
    """The home agent and the PCU of socket 3 count nothing."""
    busy.machine.rate('ha', -1, 0, cpu=0)
    busy.machine.rate('pcu', -1, 0, cpu=0)
    return busy


OF_NOTHING = '-m', 'mem_remote,cores_c0,ha_pct_rd_requests'


def test_ratio_or_average_of_nothing_is_a_dash_and_no_curve(idle, tmp_path):
    output = idle.run('-n', 1, *OF_NOTHING, '--svg', tmp_path / 'plot')
    assert output.line('S3') == '- - -' and output.line('S0') == '25.00 5.00 -'
    assert '- in a ratio or average: there was nothing to divide by' in output.notes()
    plot = (tmp_path / 'plot').read_text()
    assert plot.count('<path') == 6 and plot.count('d="M') == 2


def test_ratio_or_average_of_nothing_is_empty_in_csv(idle):
    lines = idle.run('-n', 1, '--csv', *OF_NOTHING).lines
    assert ',0,,25,5,,' in lines[1] and ',3,,,,,' in lines[2]


# Multiplexing

@pytest.fixture
def multiplexed(busy):
    """One memory channel counts for half of the time."""
    busy.machine.rule('share', 'imc_0', -1, 0.5)
    return busy


def test_multiplexed_rate_is_marked_and_scaled(multiplexed):
    output = multiplexed.run('-n', 1, '-m', 'mem_read')
    assert output.line('S0') == '~3000.000' and output.notes() == [MULTIPLEXED]


def test_multiplexed_note_is_there_once_in_three_intervals(multiplexed):
    assert multiplexed.run('-n', 3, '-m', 'mem_read').notes() == [MULTIPLEXED]


def test_multiplexed_metrics_are_named_in_json(multiplexed):
    for row in multiplexed.run('-n', 1, '-m', 'mem_read,llc_miss', '--json').json():
        assert row['multiplexed'] == ['mem_read_bytes_per_second'] and 'sampled' not in row


def test_multiplexed_amounts_are_scaled(multiplexed, tmp_path):
    multiplexed.run('-n', 3, '-m', 'mem_read', '--prometheus', tmp_path / 'prom')
    found = samples(tmp_path / 'prom')
    assert found['uncorestat_mem_read_bytes_total{socket="0"}'] == 9e9
    assert found['uncorestat_mem_read_bytes_total{socket="3"}'] == 9e9


def test_metric_from_some_slices_that_are_multiplexed_is_in_both_lists_of_json(multiplexed):
    multiplexed.machine.rule('share', '*', -1, 0.5)
    for row in multiplexed.run('-n', 1, '--json').json():
        assert {'llc_misses_per_second', 'mem_read_bytes_per_second'} <= set(row['multiplexed'])
        assert 'llc_misses_per_second' in row['sampled']
        assert 'mem_read_bytes_per_second' not in row['sampled']


def test_multiplexed_in_one_socket_is_a_note(busy):
    busy.machine.rule('share', 'imc_0', 0, 0.5)
    output = busy.run('-n', 1, '-m', 'mem_read')
    assert output.notes() == [MULTIPLEXED]


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


def test_lists_of_cpus_that_are_longer_than_128_characters(uncorestat, machines):
    uncorestat.machine = machines(packages=range(24))
    assert len((uncorestat.machine.cpus / 'online').read_text()) > 128
    rows = uncorestat.run('-n', 1, '--csv', '-m', 'mem_read').csv()
    assert [(row['socket'], row['mem_read_bytes_per_second']) for row in rows] == [
        (str(package), '0') for package in range(24)]


# Boxes

NO_QPI = 'this machine has no qpi box: absent or hidden by the BIOS, as on most boards'


def test_machine_without_qpi_has_dashes_and_the_reason_once(uncorestat):
    uncorestat.machine.remove('qpi*')
    output = uncorestat.run('-n', 1)
    assert output.line('S0') == '0.0 0.0 - 0.00 0.00* - - - 0.0* 0.0* - - -'
    assert [line for line in output.lines if 'qpi' in line] == [f'  - {NO_QPI}']


def test_machine_without_qpi_has_lines_per_box_of_memory_alone(uncorestat):
    uncorestat.machine.remove('qpi*')
    output = uncorestat.run('-n', 1, '-g', 'mem,qpi', '--per', 'box')
    assert [line for line in output.lines if 'qpi' in line] == [f'  - {NO_QPI}']


@pytest.mark.parametrize('args', ['-g qpi', '--per box -m qpi_out'])
def test_machine_without_qpi_has_no_lines_per_box_of_qpi(uncorestat, args):
    uncorestat.machine.remove('qpi*')
    output = uncorestat.run('-n', 1, *args.split())
    assert (output.code, output.text) == (1, f'uncorestat: {NO_QPI}\n')


@pytest.mark.parametrize('per', ['socket', 'system'])
def test_hidden_channel_of_one_socket_is_a_note_for_that_socket(uncorestat, per):
    uncorestat.machine.cpumask_of('imc_2', '0')
    output = uncorestat.run('-n', 1, '-m', 'mem_read', '--per', per)
    assert output.notes() == ['! socket 0 has 3 of 4 imc boxes: the rest is absent or hidden by '
                              'the BIOS']


@pytest.mark.parametrize('metrics, line', [('cores_c0,cores_c6', '- 0.00'),
                                           ('cores_c6,cores_c0', '0.00 -')])
def test_box_that_refuses_one_of_two_events_counts_the_other_and_says_why(
        uncorestat, metrics, line):
    uncorestat.machine.rate('pcu', PCU_CLOCK, 1000)
    uncorestat.machine.rule('refuse', 'pcu', CORES_C0, 95)
    output = uncorestat.run('-n', 1, '-m', metrics)
    assert output.line('S0') == line
    assert ('- S3 cores_c0: socket 3 pcu: power_state_occupancy_cores_c0 is refused: '
            'Operation not supported') in output.notes()


def test_invalid_event_says_where_the_reason_is(uncorestat):
    uncorestat.machine.rule('refuse', 'pcu', CORES_C0, 22)
    output = uncorestat.run('-n', 1, '-m', 'cores_c0')
    assert any(note.endswith(' is refused: Invalid argument (dmesg says why)')
               for note in output.notes())


def test_event_that_cannot_join_a_group_is_counted_alone(uncorestat):
    uncorestat.machine.rule('alone', 'pcu', CORES_C0, 22)
    uncorestat.machine.rate('pcu', CORES_C0, 800000000)
    uncorestat.machine.rate('pcu', PCU_CLOCK, 200000000)
    output = uncorestat.run('-n', 1, '-m', 'cores_c6,cores_c0')
    assert output.line('S0') == output.line('S3') == '0.00 4.00'


# What changes while it runs

class Watch:
    """uncorestat that runs, as JSON and with a file for Prometheus"""

    def __init__(self, running, prom):
        self.running, self.prom = running, prom

    @property
    def intervals(self):
        return len(re.findall('^{', self.running.text, re.M)) // 2

    def more(self, intervals):
        """Wait for so many."""
        until = self.intervals + intervals
        self.running.until(lambda: self.intervals >= until, f'{intervals} more intervals')

    def stop(self):
        """The rows of each socket"""
        rows = self.running.stop().json()
        return {socket: [row for row in rows if row['socket'] == socket] for socket in (0, 3)}

    def total(self, socket):
        """What the last file for Prometheus had"""
        return samples(self.prom)[f'uncorestat_mem_read_bytes_total{{socket="{socket}"}}']


@pytest.fixture
def watch(uncorestat, tmp_path):
    """Starts uncorestat over 3 GB/s of reads in each socket: watch('mem_read')"""
    uncorestat.machine.rate('imc_0', READS, 31250000)
    uncorestat.machine.rate('imc_1', READS, 15625000)
    started = []

    def start(metrics):
        running = uncorestat.start('-i', 0.01, '--json', '-m', metrics, '--prometheus',
                                   tmp_path / 'prom', out=tmp_path / 'out')
        started.append(running)
        return Watch(running, tmp_path / 'prom.last')

    yield start
    for running in started:
        running.__exit__()


def reads(rows):
    return [row['mem_read_bytes_per_second'] for row in rows]


def notes(rows):
    return [note for row in rows for note in row.get('notes', [])]


def all_notes(found):
    return ' '.join(notes(found[0]) + notes(found[3]))


def test_socket_that_goes_offline_and_comes_back_has_dashes_and_no_wrong_number(
        uncorestat, watch):
    machine, watched = uncorestat.machine, watch('mem_read')
    watched.more(3)
    machine.set_cpumask('10')
    machine.rule('still', '*', 0)
    watched.more(3)
    machine.forget('still')
    machine.set_cpumask('0,10')
    watched.more(10)
    found = watched.stop()
    values = reads(found[3])
    assert set(values) == {3e9, None} and values[0] == values[-1] == 3e9
    assert 'all CPUs of its socket are offline' in all_notes(found)
    assert 'decreased' not in all_notes(found)
    for socket in 0, 3:
        # A line is a dash also while one of four channels is away.
        assert watched.total(socket) >= sum(value or 0 for value in reads(found[socket]))


def test_event_that_is_refused_when_its_group_is_opened_again_has_dashes_and_closes_all_files(
        uncorestat, watch):
    machine, watched = uncorestat.machine, watch('mem_read,mem_write')
    watched.more(3)

    def files():
        return len(os.listdir(f'/proc/{watched.running.pid}/fd'))

    before = files()
    machine.rule('refuse', '*', WRITES, 16)
    machine.rule('revoke', '*', 0)
    watched.more(6)
    # Between two intervals it has no more than before.
    watched.running.until(lambda: files() <= before, 'its files were closed')
    meanwhile = [line for line in watched.running.text.splitlines() if '"socket":3' in line][-1]
    machine.forget('refuse')
    machine.forget('revoke')
    machine.rate('imc_0', WRITES, 46875000)
    watched.more(6)
    watched.running.until(lambda: files() <= before, 'its files were closed')
    last = watched.stop()[3][-1]
    assert '"mem_read_bytes_per_second":null' in meanwhile
    assert last['mem_read_bytes_per_second'] == last['mem_write_bytes_per_second'] == 3e9


def gone(row):
    return any('imc_0: the box is gone' in note for note in row.get('notes', []))


def test_channel_that_disappears_is_a_note_and_the_others_count(uncorestat, watch):
    machine, watched = uncorestat.machine, watch('mem_read')
    watched.more(3)
    machine.rule('refuse', 'imc_0', -1, 19)
    machine.rate('imc_0', -1, 0, cpu=10)
    watched.more(13)
    first = watched.stop()[0]
    assert set(reads(first)) == {3e9, 1e9}
    for row in first:
        assert gone(row) == (row['mem_read_bytes_per_second'] == 1e9)


def test_channel_that_disappears_after_it_was_idle_is_a_note(uncorestat, watch):
    machine, watched = uncorestat.machine, watch('mem_read')
    machine.rate('imc_0', -1, 0, cpu=10)
    watched.more(3)
    machine.rule('refuse', 'imc_0', -1, 19)
    watched.more(13)
    first = watched.stop()[0]
    assert not gone(first[1]) and gone(first[-1])


def test_count_that_decreases_is_a_dash_with_a_note_and_never_a_spike(uncorestat, watch):
    machine, watched = uncorestat.machine, watch('mem_read')
    watched.more(3)
    machine.rule('lose', 'imc_0', 10)
    watched.more(3)
    machine.forget('lose')
    watched.more(10)
    found = watched.stop()
    values = reads(found[0])
    assert set(values) == {3e9, None} and values[0] == values[-1] == 3e9
    assert 'its count decreased' in all_notes(found)


def test_count_of_a_group_member_that_decreases_is_a_dash(uncorestat, watch):
    machine = uncorestat.machine
    machine.rate('imc_0', WRITES, 46875000)
    watched = watch('mem_read,mem_write')
    watched.more(3)
    machine.rule('lose', 'imc_0', 10, WRITES)
    watched.more(13)
    writes = {row['mem_write_bytes_per_second'] for rows in watched.stop().values()
              for row in rows}
    assert writes == {None, 3e9}


def test_intervals_without_a_count_are_dashes_and_the_next_one_stands_for_them(uncorestat, watch):
    machine, watched = uncorestat.machine, watch('mem_read')
    watched.more(3)
    machine.rule('share', '*', -1, 0)
    watched.more(3)
    machine.forget('share')
    watched.more(10)
    first = watched.stop()[0]
    values = reads(first)
    assert set(values) == {None, 3e9}
    after = first[values.index(3e9, values.index(None))]
    assert after['multiplexed'] == ['mem_read_bytes_per_second']
    # What SIGTERM cut short is a line, or of the total alone.
    assert watched.total(0) in (3e9 * len(first), 3e9 * (len(first) + 1))


def test_late_interval_is_a_note_and_its_rate_is_correct(watch):
    watched = watch('mem_read')
    watched.more(2)
    watched.running.process.send_signal(signal.SIGSTOP)
    time.sleep(0.3)
    watched.running.process.send_signal(signal.SIGCONT)
    watched.more(2)
    rows = watched.stop()[0]
    late = [row['interval_seconds'] for row in rows
            if any('late' in note for note in row.get('notes', []))]
    # A busy machine may have others.
    assert max(late) >= 0.3
    assert set(reads(rows)) == {3e9}
