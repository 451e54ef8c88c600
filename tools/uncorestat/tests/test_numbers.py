# SPDX-License-Identifier: GPL-2.0-only
"""The right number in each column, from counts that a person can check."""
import re
import shutil
import subprocess

import pytest

from fake_pmus import (
    ALL_METRICS, CORES_C0, CORES_C3, CORES_C6, CYCLES, DEFAULT, LOOKUPS, MISSES, PCIE, PCU_CLOCK,
    QPI_CLOCK, QPI_OUT, READS)

MULTIPLEXED = '~ multiplexed and scaled: more events than counters, here or in other programs'


def both(output):
    """The line of both sockets, which have the same numbers"""
    assert output.code == 0 and output.line('S0') == output.line('S3'), output.text
    return output.line('S0')


def test_default_columns(busy):
    assert both(busy.run('-n', 2)) == DEFAULT


@pytest.mark.parametrize('args, numbers', [
    ('-g llc', '8.00 2.00 25.0'),
    ('-m mem_remote,llc_miss,qpi_speed,mem_read', '25.00 2000000 8.00 3000.000'),
    # Bits 0 to 7 and 21 are one field.
    ('-m qpi_drs_data_msgs_from_qpi', '1.000'),
])
def test_columns_of(busy, args, numbers):
    assert both(busy.run('-n', 1, *args.split())) == numbers


def test_each_socket_may_have_one_cpu_online(busy):
    (busy.machine.cpus / 'online').write_text('0,10\n')
    output = busy.run('-n', 1, '-m', 'mem_read')
    assert output.line('S0') and output.line('S3')


def test_per_system_has_one_line_of_all_sockets(busy):
    line = busy.run('-n', 1, '--per', 'system').line('all')
    assert line.startswith('6000.0 200.0 25.0 16.00 ')


def test_heading_has_the_unit_of_each_metric(busy):
    output = busy.run('-n', 1, '-m', 'mem_remote,llc_miss,qpi_speed,mem_read')
    assert output.lines[0].split() == ['%', 'misses/s', 'GT/s', 'MB/s']


def test_metrics_by_patterns(busy):
    output = busy.run('-n', 1, '-m', 'mem_[rw]*,freq_2*')
    assert output.lines[1].split() == ['time', 'mem_read', 'mem_write', 'mem_remote', 'freq_2000',
                                       'freq_2600']


def test_expression_per_box(busy):
    output = busy.run('-n', 1, '--per', 'box', '-m', 'r=[imc:cas_count_rd] * 64')
    assert output.line('S3 imc_0') == '2000000000.00'


def test_expressions_with_aliases_and_codes_of_one_box_type_and_of_two(busy):
    output = busy.run('-n', 1, '--csv', '-m', (
        'gb=([imc:cas_count_rd] + [imc:event=0x04,umask=0x0c]) * 64 / 1e9,mem_read,'
        'both=d_ratio([cbox:tor_inserts_miss_all], [pcu:clockticks]) - 0.001'))
    names = 'gb', 'mem_read_bytes_per_second', 'both'
    assert [(row['socket'], *(row[name] for name in names)) for row in output.csv()] == [
        ('0', '3.1', '3000000000', '0.0015'), ('3', '3.1', '3000000000', '0.0015')]


def test_metric_of_two_box_types_has_no_line_per_box(busy):
    output = busy.run('-n', 1, '--per', 'box', '-m', 'x=[imc:cas_count_rd]+[pcu:clockticks]')
    assert (output.code, output.text) == (
        1, 'uncorestat: none of these metrics is per box: leave out --per box\n')


def test_group_mem_has_a_line_for_each_channel(busy):
    busy.machine.rate('imc_1', 0x1, 3125000)
    busy.machine.rate('imc_1', 0x102, 781250)
    output = busy.run('-n', 1, '--per', 'box', '-g', 'mem')
    assert output.line('S0 imc_1') == '1000.0 0.0 80.0 15.0 5.0'
    assert output.line('S3 imc_3').startswith('0.0 100.0')


@pytest.mark.parametrize('per, labels', [
    ('socket', {'S0': '56.000', 'S3': '24.000'}),
    ('box', {'S0 qpi_0': '24.000', 'S0 qpi_1': '32.000', 'S3 qpi_0': '8.000',
             'S3 qpi_1': '16.000'}),
], ids=['socket', 'box'])
def test_each_socket_and_each_box_has_its_own_numbers(busy, per, labels):
    # CPU 0 is of the second socket that is printed, and its QPI ports differ.
    for number, (box, cpu) in enumerate(
            [('qpi_0', 0), ('qpi_1', 0), ('qpi_0', 10), ('qpi_1', 10)], 1):
        busy.machine.rate(box, QPI_OUT, 1000000 * number, cpu=cpu)
    output = busy.run('-n', 1, '--per', per, '-m', 'qpi_out')
    assert {label: output.line(label) for label in labels} == labels


def test_ratio_is_of_the_slices_that_count_both_events(uncorestat):
    for boxes, factor in ('cbox_[0246]', 1), ('cbox_[1357]', 4):
        uncorestat.machine.rate(boxes, LOOKUPS, 1000000 * factor)
        uncorestat.machine.rate(boxes, MISSES, 100000 * factor)
    line = uncorestat.run('-n', 1, '-g', 'default', '-m', 'llc_miss_ratio').line('S0').split()
    assert (line[3], line[4], line[13]) == ('20.00', '0.80*', '10.00*')


def test_group_power(uncorestat):
    for config, rate in ((PCU_CLOCK, 1000), (CORES_C0, 1000), (CORES_C3, 2000), (CORES_C6, 3000),
                         (0x6, 400), (0x5, 500), (0x4, 600), (0x7, 700)):
        uncorestat.machine.rate('pcu', config, rate * 1000000)
    for config, rate, band in (0xb, 100, 0xc), (0xc, 200, 0x1400), (0xd, 300, 0x1a0000):
        uncorestat.machine.rate('pcu', config, rate * 1000000, band)
    assert both(uncorestat.run('-n', 1, '-g', 'power')) == (
        '1.0 2.0 3.0 10.0 20.0 30.0 40.0 50.0 60.0 70.0')


@pytest.fixture
def requests(uncorestat):
    """Requests in the queue of each slice, of 2 GHz: occupancy and number, by opcode"""
    machine = uncorestat.machine
    machine.rate('*', CYCLES, 2000000000, 0)
    machine.rate('pcu', PCU_CLOCK, 1000000000)
    for occupancy, inserts, opcode, held, number in (
            (0x136, 0x135, 0x182, 20, 10), (0x336, 0x335, 0x182, 12, 4),
            (0x336, 0x335, 0x180, 20, 5), (0x336, 0x335, 0x181, 30, 6),
            (0x136, 0x135, 0x19e, 42, 7), (0x136, 0x135, 0x19c, 56, 8)):
        machine.rate('*', occupancy, held * 1000000, opcode << 23)
        machine.rate('*', inserts, number * 1000000, opcode << 23)
    for opcode, number in (0x194, 9), (0x1e4, 10), (0x1e6, 11), (0x195, 12):
        machine.rate('*', PCIE, number * 1000000, opcode << 23)
    return uncorestat


@pytest.mark.parametrize('args, numbers', [
    ('-g latency', '1.0* 1.5* - 2.0* 2.5* 3.0* 3.5* 2.00'),
    ('-m cbox_avg_tor_drd_latency,lat_pcie_write', '2.00* 7.00*'),
    ('-g pcie', '3584.0* 4096.0* 4608.0* 5120.0* 5632.0* 96.00*'),
])
def test_latencies_and_pcie_by_opcode(requests, args, numbers):
    assert both(requests.run('-n', 1, *args.split())) == numbers


def test_four_frequencies_are_counted_at_the_same_time(uncorestat):
    machine = uncorestat.machine
    machine.rate('pcu', PCU_CLOCK, 1000000000)
    for band, (rate, filters) in enumerate(
            [(42, 29), (43, 31 << 8), (44, 33 << 16), (45, 35 << 24)]):
        machine.rate('pcu', 0xb + band, rate * 10000000, filters)
    output = uncorestat.run('-n', 1, '-m', 'freq_2900,freq_3100,freq_3300,freq_3500')
    assert both(output) == '42.00 43.00 44.00 45.00' and '~' not in output.text


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


def test_group_total_has_bandwidth_and_its_share_watts_clocks_and_temperature(total):
    line = total.run('-n', 1, '-g', 'total').line('all')
    assert line == '6000.0 200.0 6200.0 9.7 25.0 150.0 20.0 3.75 41.5'


def test_watts_and_clocks_of_each_socket(total):
    output = total.run('-n', 1, '-m', 'package_watts,dram_watts,busy_ghz')
    assert output.line('S3') == '100.00 10.00 4.50' and output.line('S0') == '50.00 10.00 3.00'


def test_watts_and_clocks_of_a_command(total):
    assert 'seconds' in total.run('-m', 'busy_ghz,package_watts', '--', 'sleep', 0.1).text


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


def test_temperature_of_each_socket_where_package_ids_have_a_gap(uncorestat, tmp_path):
    other = uncorestat.machine.hwmon / 'hwmon1'
    other.mkdir()
    (other / 'temp1_label').write_text('Package id 0\n')
    (other / 'name').write_text('acpitz\n')
    (other / 'temp1_input').write_text('99000\n')
    output = uncorestat.run('-n', 2, '-m', 'package_celsius', '--prometheus', tmp_path / 'prom')
    assert celsius(output) == ('40.00', '43.00')
    assert re.search(r'^uncorestat_package_celsius\{socket="3"\} 4(3|2\.9\d*)$',
                     (tmp_path / 'prom').read_text(), re.M)


@pytest.mark.parametrize('release, packages', [('6.9.0-rc1', 'ids'), ('6.8.12', 'cpus')])
def test_temperature_where_linux_numbers_packages_by(uncorestat, release, packages):
    if packages == 'cpus':
        for hwmon, number in ('hwmon0', 0), ('hwmon10', 1):
            label = uncorestat.machine.hwmon / hwmon / 'temp1_label'
            label.write_text(f'Package id {number}\n')
    output = uncorestat.run('-n', 1, '-m', 'package_celsius', env={'KERNEL_RELEASE': release})
    assert celsius(output) == ('40.00', '43.00')


def test_temperature_is_the_average_over_a_commands_time(uncorestat):
    output = uncorestat.run('-m', 'package_celsius', '--', 'sleep', 0.3)
    assert float(output.line('S0')) == pytest.approx(40, abs=0.1)
    assert float(output.line('S3')) == pytest.approx(43, abs=0.1)


def test_temperature_that_is_missing_at_a_commands_start_is_the_average_of_the_rest(uncorestat):
    file = uncorestat.machine.hwmon / 'hwmon0/temp1_input'
    file.write_text('')
    output = uncorestat.run('-m', 'package_celsius', '--', 'sh', '-c',
                            f'echo 43000 > {file} && sleep 0.3')
    assert float(output.line('S3')) == pytest.approx(43, abs=0.2)


UNREAD = '- S3 package_celsius: socket 3 coretemp: it cannot be read'


def test_temperature_that_is_missing_at_a_commands_end_is_a_dash(uncorestat):
    file = uncorestat.machine.hwmon / 'hwmon0/temp1_input'
    output = uncorestat.run('-m', 'package_celsius', '--', 'sh', '-c', f'sleep 0.3 && : > {file}')
    assert output.line('S3') == '-' and output.notes() == [UNREAD]


def test_temperature_file_is_gone_and_the_other_socket_has_its_number(uncorestat):
    uncorestat.machine.rate('imc_0', READS, 15625000)
    (uncorestat.machine.hwmon / 'hwmon0/temp1_input').unlink()
    output = uncorestat.run('-n', 1, '-m', 'package_celsius,mem_read')
    assert celsius(output) == ('40.00 1000.000', '- 1000.000')
    assert output.notes() == ['- S3 package_celsius: socket 3 coretemp: package is refused: '
                              'No such file or directory']


def test_temperature_file_gives_an_error_and_the_other_socket_has_its_number(uncorestat):
    file = uncorestat.machine.hwmon / 'hwmon0/temp1_input'
    file.unlink()
    file.mkdir()
    output = uncorestat.run('-n', 2, '-m', 'package_celsius')
    assert celsius(output) == ('40.00', '-') and output.notes() == [UNREAD]


def test_temperature_below_0_is_0(uncorestat):
    (uncorestat.machine.hwmon / 'hwmon0/temp1_input').write_text('-5000\n')
    output = uncorestat.run('-n', 2, '-m', 'package_celsius')
    assert celsius(output) == ('40.00', '0.00') and not output.notes()


def test_temperature_of_one_package_alone_could_be_of_either_socket(uncorestat):
    shutil.rmtree(uncorestat.machine.hwmon / 'hwmon0')
    assert celsius(uncorestat.run('-n', 1, '-m', 'package_celsius')) == ('-', '-')


# Every metric

@pytest.fixture
def full(uncorestat):
    """Every event counts 1000, and one half of it"""
    uncorestat.machine.rate('*', -1, 1000)
    uncorestat.machine.rate('*', 0x335, 500)
    return uncorestat


def test_list_names_the_metrics_and_each_gives_a_number(full, top):
    names = re.findall(ALL_METRICS, full.run('--list').text, re.M)
    assert len(names) > 110
    [row] = full.run('-n', 1, '--json', '--per', 'system', '-m', ','.join(names)).json()
    assert {name for name, value in row.items() if value is None} == {
        'resctrl_total_bytes_per_second', 'resctrl_local_bytes_per_second', 'resctrl_llc_mb'}
    for name in names:
        output = full.run('-n', 1, '--csv', '-m', name)
        assert output.code == 0 and len(output.lines) == 3, output.text
    subprocess.run(['make', '-s', '-C', top / 'events'], check=True)
    table = subprocess.run([top / 'build/events/gen', 'metrics'], check=True, encoding='utf-8',
                           stdout=subprocess.PIPE).stdout
    perf = set(re.findall('"MetricName": "(.*)",', table))
    assert len(perf) > 100 and perf <= set(names)


# Names and fields of intel_uncore

@pytest.fixture
def intel(uncorestat, machines):
    """uncorestat over Linux's own driver"""
    uncorestat.machine = machines(prefix='uncore_')
    for box, config in ('pcu', 0), ('*', QPI_CLOCK), ('ha', -1), ('*', 0xff):
        uncorestat.machine.rate(box, config, 1000)
    return uncorestat


def test_intel_uncore_has_the_default_columns(intel):
    assert ' - ' not in intel.run('-n', 1).line('S0')


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

def test_difference_of_ones_own_may_be_below_0(uncorestat, tmp_path):
    uncorestat.machine.rate('imc_0', READS, 1000)
    metric = '-m', 'x=[imc:cas_count_wr]-[imc:cas_count_rd]'
    output = uncorestat.run('-n', 2, *metric, '--summary', '--svg', tmp_path / 'svg')
    assert output.line('S0') == '-1000.00' and output.notes() == []
    assert re.search('^x +-1000 +-1000 +-1000', output.text, re.M)
    assert uncorestat.run('-n', 1, *metric, '--json').json()[0]['x'] == -1000
    svg = (tmp_path / 'svg').read_text()
    assert '>-1000</text>' in svg and not re.search(r'[ML][\d.]+ (-|2\d\d)', svg)


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


def test_multiplexed_total_of_a_command_is_marked(busy):
    busy.machine.rule('share', 'imc_0', -1, 0.5)
    output = busy.run('-m', 'mem_read', '--', 'sleep', 0.1)
    assert output.line('S0') == '~3000.000' and MULTIPLEXED in output.notes()


def test_metrics_of_metrics_and_a_unit(busy):
    output = busy.run('-n', 1, '-m',
                      'gb(GB/s)=(mem_read+mem_write)/1e9,half(%)=mem_read/2/mem_total')
    assert output.lines[0].split() == ['GB/s', '%'] and output.line('S0') == '3.10 48.39'
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


@pytest.mark.parametrize('interval, pattern', [
    (1, r'\d\d:\d\d:\d\d'), (0.3, r'\d\d:\d\d:\d\d\.\d'), (0.25, r'\d\d:\d\d:\d\d\.\d\d')])
def test_time_has_the_fractions_of_the_interval(uncorestat, interval, pattern):
    output = uncorestat.run('-i', interval, '-n', 1, '-m', 'mem_read', env={'QUICK': '1000000'})
    assert re.fullmatch(pattern + ' S0 +0.000', output.lines[2])
    assert output.lines[1].endswith('time mem_read')
