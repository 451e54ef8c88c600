# SPDX-License-Identifier: GPL-2.0-only
"""The right number, dash, mark or remark in each column, from counts that a person can check: what
is missing, multiplexed, refused, more than the hardware can do, or comes and goes."""
import itertools
import os
import random
import re
import shutil

import pytest

from fake_pmus import CORES_C0, PCU_CLOCK, QPI_CLOCK, READS, WRITES, samples


# Linux's own PMUs: power, msr and coretemp

@pytest.mark.parametrize('missing, box, module', [
    ('sys/class/hwmon', 'coretemp', 'coretemp'),
    ('sys/bus/event_source/devices/power', 'power', 'rapl')], ids=['coretemp', 'power'])
def test_numbers_of_linuxs_pmus_and_without_one_a_dash_and_how_to_get_it(
        uncorestat, missing, box, module):
    """100 W and 50 W of the packages; 3 GHz in CPUs that are busy for 0.3 s or 0.6 s"""
    machine = uncorestat.machine
    for cpu, watts in (0, 100), (10, 50):
        machine.rate('power', 0x2, watts << 32, cpu=cpu)
    machine.rate('power', 0x3, 10 << 32)
    for config, rate in enumerate((2000000000, 300000000, 200000000)):
        machine.rate('msr', config, rate)
    machine.rate('msr', 0x1, 600000000, cpu=1)
    watts, celsius = '150.0 20.0', '41.5'
    assert uncorestat.run('-n', 1, '-i', 0.12, '-g', 'total').line('all').endswith(
        f' {watts} 3.75 {celsius}')
    shutil.rmtree(machine.root / missing)
    output = uncorestat.run('-n', 1, '-g', 'total')
    watts, celsius = ('- -', celsius) if box == 'power' else (watts, '-')
    assert output.line('all').endswith(f' {watts} 3.75 {celsius}')
    note = f"- this machine has no {box} box: load Linux's driver (modprobe {module})"
    assert note in output.notes()


def celsius(output):
    return output.line('S0'), output.line('S3')


@pytest.mark.parametrize('release, packages', [('6.9.0-rc1', 'ids'), ('6.8.12', 'cpus')])
def test_temperature_where_linux_numbers_packages_by(uncorestat, release, packages):
    other = uncorestat.machine.hwmon / 'hwmon1'
    other.mkdir()
    for name, text in ('temp1_label', 'Package id 0'), ('name', 'acpitz'), ('temp1_input', '99000'):
        (other / name).write_text(f'{text}\n')
    if packages == 'cpus':
        for hwmon, number in ('hwmon0', 0), ('hwmon10', 1):
            label = uncorestat.machine.hwmon / hwmon / 'temp1_label'
            label.write_text(f'Package id {number}\n')
    output = uncorestat.run('-n', 1, '-m', 'package_celsius', env={'KERNEL_RELEASE': release})
    assert celsius(output) == ('40.00', '43.00')


# Package 3's files: its number, and its temperature, which may be none, or a directory
@pytest.mark.parametrize('file, text, note', [
    ('temp1_input', None, 'package is refused: No such file or directory'),
    *(('temp1_input', text, 'it cannot be read') for text in (
        '', 'x', '99999999999999999999', '2147483648', '\0' * 30)),
    *(('temp1_label', f'Package id {number}', '') for number in (
        99999999, -1, 2147483647, 99999999999999999999))])
def test_temperature_of_the_other_socket_where_a_file_is_bad(uncorestat, file, text, note):
    path = uncorestat.machine.hwmon / 'hwmon0' / file
    path.unlink()
    if text is not None:
        path.write_text(text)
    output = uncorestat.run('-n', 2, '-m', 'package_celsius')
    # Where Linux numbers one package alone, it could be of either socket.
    assert celsius(output) == ('40.00' if note else '-', '-'), output.text
    assert output.notes() == [f'- S3 package_celsius: socket 3 coretemp: {note}'] * bool(note) or (
        not note and output.code == 0)


# Fields of a box of intel_uncore that are other ones, of which None is none
@pytest.mark.parametrize('box, fields, metrics, line, missing', [
    ('pcu', {'event': 'config:0-7'}, 'imc_pct_cycles_ppd', '0.00', None),
    ('pcu', {'event': 'config:0-7', 'occ_sel': None}, 'cores_c0,freq_2000', '- 0.00', 'occ_sel=1'),
    ('qpi_0', {'event': 'config:0-7'}, 'qpi_drs_data_msgs_from_qpi', None, 'event=0x102'),
    *(('imc_0', {'umask': bits}, 'mem_read', None, 'umask=0x03') for bits in (
        '', 'config', 'config3:0-7', 'config9:0', 'config-1:0', ':0-7', 'confi', 'config\0:0-7',
        'config:', 'xconfig:0-7'))], ids=ascii)
def test_field_that_the_driver_lacks_is_named(
        uncorestat, machines, box, fields, metrics, line, missing):
    uncorestat.machine = machines(prefix='uncore_')
    for kind, config in ('pcu', 0), ('*', QPI_CLOCK), ('ha', -1), ('*', 0xff):
        uncorestat.machine.rate(kind, config, 1000)
    for field, bits in fields.items():
        path = uncorestat.machine.device(box) / 'format' / field
        path.unlink()
        if bits is not None:
            path.write_text(f'{bits}\n')
    output = uncorestat.run('-n', 1, '-m', metrics)
    assert line in (None, output.line('S0')), output.text
    assert missing is None or f'{box}: its driver cannot express {missing}' in output.text


# What is below 0, or more than the hardware can do

def test_difference_of_two_reads_is_0_with_a_mark(uncorestat):
    uncorestat.machine.rate('imc_0', READS, 1000)
    uncorestat.machine.rate('imc_0', 0x1, 1010)
    output = uncorestat.run('-n', 1, '-m', 'imc_pct_requests_page_hit')
    assert output.line('S0') == '0.00'
    assert output.notes() == ['! S0 imc_pct_requests_page_hit: below 0, shown as 0: boxes are '
                              'not read at the same instant',
                              '! S3 imc_pct_requests_page_hit: below 0, shown as 0: boxes are '
                              'not read at the same instant']


@pytest.mark.parametrize('box, config, rate, args, label, line', [
    ('*', QPI_CLOCK, 1000000000, '-m qpi_speed', 'S0', '8.00'),
    ('*', QPI_CLOCK, 2925000000, '-m qpi_speed', 'S0', '23.40!'),
    ('imc_0', READS, 250000000, '-m mem_read', 'S0', '16000.000'),
    ('imc_0', READS, 250000000, '-m mem_read --per box', 'S0 imc_0', '16000.000!')])
def test_more_than_the_hardware_that_is_there_can_do_is_marked(
        uncorestat, box, config, rate, args, label, line):
    uncorestat.machine.rate(box, config, rate)
    output = uncorestat.run('-n', 1, *args.split())
    assert output.line(label) == line
    assert ('more than the hardware can do' in output.text) == ('!' in line)


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
    output = busy.run('-n', 3, '-m', 'mem_read', '--prometheus', tmp_path / 'prom', '--record',
                      tmp_path / 'run')
    assert busy.run('--replay', tmp_path / 'run').text == output.text
    for one in totals, output:
        assert one.line('S0') == '~3000.000' and (
            '~ multiplexed and scaled: more events than counters, here or in other programs'
            ) in one.notes()
    found = samples(tmp_path / 'prom')
    assert found['uncorestat_mem_read_bytes_total{socket="0"}'] == found[
        'uncorestat_mem_read_bytes_total{socket="3"}'] == 9e9


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
    for args in '-g qpi', '--per box -m qpi_out':
        uncorestat.run('-n', 1, *args.split()).advises(NO_QPI)


def test_each_socket_that_lacks_a_box_is_named(uncorestat, generation):
    packages = random.sample(range(32), 4)
    # Two controllers with two channels each, whose numbers have a gap
    uncorestat.machine = generation('v3', packages=packages, boxes=[
        'imc_0', 'imc_1', 'imc_4', 'imc_5', 'qpi_0'])
    for has in itertools.product([True, False], repeat=4):
        uncorestat.machine.cpumask_of('imc_4', ','.join(
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
