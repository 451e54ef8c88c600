# SPDX-License-Identifier: GPL-2.0-only
"""The right number in each column, from counts that a person can check."""
import re
import shutil

import pytest

from fake_pmus import CORES_C0, QPI_CLOCK, READS


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
