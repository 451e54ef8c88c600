# SPDX-License-Identifier: GPL-2.0-only
"""The right number in each column, from counts that a person can check."""
import re
import shutil

import pytest

from fake_pmus import CORES_C0, QPI_CLOCK, READS


def both(output):
    """The line of both sockets, which have the same numbers"""
    assert output.code == 0 and output.line('S0') == output.line('S3'), output.text
    return output.line('S0')


@pytest.mark.parametrize('more', ['', '+[pcu:clockticks]', '+[imc:cas_count_rd]'])
def test_metric_of_two_box_types_has_no_line_per_box(busy, more):
    output = busy.run('-n', 1, '--per', 'box', '-m',
                      f'x=[imc:cas_count_rd]+[pcu:clockticks]{more}')
    assert (output.code, output.text) == (
        1, 'uncorestat: none of these metrics is per box: leave out --per box\n')


# Linux's own PMUs: power, msr and coretemp

@pytest.fixture
def total(busy):
    """Watts and clocks, too: 100 W and 50 W, 3 GHz in the first socket"""
    machine = busy.machine
    machine.rate('imc_?', 0xff, 500000000)
    machine.rate('power', 0x2, 100 << 32, cpu=0)
    machine.rate('power', 0x2, 50 << 32, cpu=10)
    machine.rate('power', 0x3, 10 << 32)
    machine.rate('msr', 0x0, 2000000000)
    machine.rate('msr', 0x1, 300000000)
    machine.rate('msr', 0x1, 600000000, cpu=1)
    machine.rate('msr', 0x2, 200000000)
    return busy


@pytest.mark.parametrize('missing, box, module', [
    ('sys/class/hwmon', 'coretemp', 'coretemp'),
    ('sys/bus/event_source/devices/power', 'power', 'rapl')], ids=['coretemp', 'power'])
def test_without_a_pmu_of_linux_a_dash_and_how_to_get_it(total, missing, box, module):
    shutil.rmtree(total.machine.root / missing)
    output = total.run('-n', 1, '-g', 'total')
    assert '-' in output.line('all').split()
    note = f"- this machine has no {box} box: load Linux's driver (modprobe {module})"
    assert note in output.notes()
    if box == 'coretemp':
        assert output.line('all').endswith(' 3.75 -')


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


@pytest.mark.parametrize('file, note', [
    ('gone', 'package is refused: No such file or directory'), ('unreadable', 'it cannot be read')])
def test_temperature_of_the_other_socket_where_a_file_is(uncorestat, file, note):
    (uncorestat.machine.hwmon / 'hwmon0/temp1_input').unlink()
    if file == 'unreadable':
        (uncorestat.machine.hwmon / 'hwmon0/temp1_input').mkdir()
    output = uncorestat.run('-n', 2, '-m', 'package_celsius')
    assert celsius(output) == ('40.00', '-')
    assert output.notes() == [f'- S3 package_celsius: socket 3 coretemp: {note}']


def test_temperature_of_one_package_alone_could_be_of_either_socket(uncorestat):
    shutil.rmtree(uncorestat.machine.hwmon / 'hwmon0')
    assert celsius(uncorestat.run('-n', 1, '-m', 'package_celsius')) == ('-', '-')


# Names and fields of intel_uncore

@pytest.fixture
def intel(uncorestat, machines):
    """uncorestat over Linux's own driver"""
    uncorestat.machine = machines(prefix='uncore_')
    for box, config in ('pcu', 0), ('*', QPI_CLOCK), ('ha', -1), ('*', 0xff):
        uncorestat.machine.rate(box, config, 1000)
    return uncorestat


def test_intel_uncore_counts_a_fixed_counter_by_its_code(intel):
    (intel.machine.device('pcu') / 'format/event').write_text('config:0-7\n')
    assert both(intel.run('-n', 1, '-m', 'imc_pct_cycles_ppd')) == '0.00'


def test_field_that_the_driver_lacks_is_a_dash_with_the_reason(intel):
    (intel.machine.device('pcu') / 'format/event').write_text('config:0-7\n')
    (intel.machine.device('pcu') / 'format/occ_sel').unlink()
    output = intel.run('-n', 1, '-m', 'cores_c0,freq_2000')
    assert output.line('S0') == '- 0.00'
    assert 'pcu: its driver cannot express occ_sel=1' in output.text


def test_event_wider_than_the_drivers_field_is_a_note(intel):
    (intel.machine.device('qpi_0') / 'format/event').write_text('config:0-7\n')
    output = intel.run('-n', 1, '-m', 'qpi_drs_data_msgs_from_qpi')
    assert 'qpi_0: its driver cannot express event=0x102' in output.text


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


@pytest.mark.parametrize('rate, line', [(1000000000, '8.00'), (2925000000, '23.40!')])
def test_more_than_the_link_can_do_is_marked(uncorestat, tmp_path, rate, line):
    uncorestat.machine.rate('*', QPI_CLOCK, rate)
    args = '-m', 'qpi_speed'
    output = uncorestat.run('-n', 1, *args, '--prometheus', tmp_path / 'prom')
    assert output.line('S0') == line
    row = uncorestat.run('-n', 1, *args, '--json').json()[0]
    names = ['qpi_speed_gigatransfers_per_second']
    assert row.get('implausible') == (names if '!' in line else None)
    assert ('mark="implausible"' in (tmp_path / 'prom').read_text()) == ('!' in line)
    assert any('more than the hardware can do' in note for note in output.notes()) == ('!' in line)


def test_memory_is_marked_above_the_rate_of_the_channels_that_are_there(uncorestat):
    uncorestat.machine.rate('imc_0', READS, 250000000)
    uncorestat.machine.rate('imc_1', READS, 0)
    assert uncorestat.run('-n', 1, '-m', 'mem_read').line('S0') == '16000.000'
    boxes = uncorestat.run('-n', 1, '-m', 'mem_read', '--per', 'box')
    assert boxes.line('S0 imc_0') == '16000.000!'


def test_metrics_of_metrics_and_a_unit(busy):
    output = busy.run('-n', 1, '-m',
                      'gb(GB/s)=(mem_read+mem_write)/1e9,half(%)=mem_read/2/mem_total')
    assert output.lines[0].split()[1:] == ['GB/s', '%'] and output.line('S0') == '3.10 48.39'
    row = busy.run('-n', 1, '--json', '-m', 'gb(GB/s)=mem_total/1e9').json()[0]
    assert row['gb'] == 3.1
    box = busy.run('-n', 1, '--per', 'box', '-m', 'gb(GB/s)=mem_read/1e9')
    assert box.line('S0 imc_0') == '2.00'


@pytest.mark.parametrize('text, error', [
    ('x(=1', 'x: a unit in brackets'), ('x()=1', 'x: a unit in brackets'),
    ('x(a b)=1', 'x: a unit in brackets'), ('x(12345678901)=1', 'x: a unit in brackets'),
    (','.join(['x0=1+1', *(f'x{i}=x{i - 1}+x{i - 1}+x{i - 1}' for i in range(1, 40))]),
     'x.*: too long')])
def test_mistake_in_a_metric_of_ones_own(uncorestat, text, error):
    output = uncorestat.run('-n', 1, '-m', text)
    assert output.code == 1 and re.match(f'uncorestat: {error}', output.text)


@pytest.mark.parametrize('prefix, text', [
    ('snbep_uncore_', r'Invalid argument (dmesg says why)'), ('uncore_', 'Invalid argument')])
def test_log_has_a_reason_only_of_our_driver(uncorestat, machines, prefix, text):
    uncorestat.machine = machines(prefix=prefix)
    uncorestat.machine.rule('refuse', 'pcu', CORES_C0, 22)
    notes = uncorestat.run('-n', 1, '-m', 'cores_c0').notes()
    assert any(note.endswith(text) for note in notes)


def test_processor_without_aperf_says_so(uncorestat):
    uncorestat.machine.rule('refuse', 'msr', 1, 22)
    notes = uncorestat.run('-n', 1, '-m', 'busy_ghz').notes()
    assert '- S0 busy_ghz: socket 0 msr_0: this processor has no aperf' in notes
