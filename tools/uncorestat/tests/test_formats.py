# SPDX-License-Identifier: GPL-2.0-only
"""Tables for people; CSV, JSON and Prometheus' text format for programs."""
import configparser
import datetime
import json
import os
import pty
import random
import re
import stat
import subprocess
import termios
import time

import pytest

from exposition import samples
from fake_pmus import READS


def without_times(text):
    """The time of day, durations and what depends on them are not compared."""
    text = re.sub(r'^\d\d:\d\d:\d\d ', 'HH:MM:SS ', text, flags=re.M)
    text = re.sub(r'^[\d.]+ seconds', 'N seconds', text, flags=re.M)
    return re.sub(r' +\d+\.\d\d$', ' N', text, flags=re.M)


def test_headings_columns_and_notes_of_tables_have_their_places(busy, request):
    text = ''.join(busy.run(*args.split()).text for args in (
        '-n 2', '-n 1 --per box -g qpi', '-m mem_read,llc_miss,qpi_speed -- true'))
    assert without_times(text) == (request.path.parent / 'tables').read_text()


def test_times_are_utc_for_programs_and_local_for_people(busy):
    # A time zone that is not UTC, and needs no tzdata
    minutes = random.randint(15, 825)
    env = {'TZ': f'HERE-{minutes // 60}:{minutes % 60:02d}'}
    began = int(time.time())
    table = busy.run('-n', 2, env=env)
    row = busy.run('-n', 2, '--json', env=env).json()[0]
    ended = int(time.time())
    assert row['time'].endswith('Z')
    stamp = datetime.datetime.fromisoformat(row['time'].replace('Z', '+00:00')).timestamp()
    assert began <= stamp <= ended + 1
    clock = re.search(r'^(\d\d:\d\d:\d\d) ', table.text, re.M)[1]
    here = datetime.timezone(datetime.timedelta(minutes=minutes))
    assert clock in [datetime.datetime.fromtimestamp(t, here).strftime('%H:%M:%S')
                     for t in range(began, ended + 2)]


def test_json_has_the_right_values(busy):
    rows = busy.run('-n', 2, '--json').json()
    assert [row['socket'] for row in rows] == [0, 3, 0, 3]
    for row in rows:
        assert row['mem_read_bytes_per_second'] == 3e9 and row['llc_misses_per_second'] == 2e6
        assert row['mem_remote_percent'] == 25 and row['cores_c0'] == 5
        assert 'llc_misses_per_second' in row['sampled'] and 'multiplexed' not in row
    assert 'notes' in rows[0] and not any('notes' in row for row in rows[1::2])


def test_deadlines_are_multiples_of_an_interval_however_late_the_first_one_was_seen(busy):
    first, _, second, _ = (row['interval_seconds'] for row in busy.run('-n', 2, '--json').json())
    assert first >= 100 and first + second > 199.99


def test_csv_has_the_right_values(busy):
    rows = busy.run('-n', 2, '--csv').csv()
    assert [row['socket'] for row in rows] == ['0', '3'] * 2
    for row in rows:
        # No field without a name, no name without a field
        assert None not in row and None not in row.values()
        assert float(row['mem_read_bytes_per_second']) == 3e9
        assert float(row['freq_2000_percent']) == 75
    assert 'slices' in rows[0]['notes'] and not rows[1]['notes']


def test_csv_per_box_has_a_line_for_each_box_with_its_own_metrics(busy):
    output = busy.run('-n', 1, '--csv', '--per', 'box', '-m', 'mem_read,qpi_out')
    rows = {(row['socket'], row['box']): (row['mem_read_bytes_per_second'],
                                          row['qpi_out_bytes_per_second'])
            for row in output.csv()}
    assert len(rows) == 12
    assert rows['0', 'imc_0'] == ('2000000000', '') and rows['0', 'imc_1'] == ('1000000000', '')
    assert rows['0', 'qpi_0'] == ('', '1000000000')


def test_json_per_box_has_a_line_for_each_box_with_its_own_metrics(busy):
    rows = busy.run('-n', 1, '--json', '--per', 'box', '-m', 'mem_read,qpi_out').json()
    boxes = ['imc_0', 'imc_1', 'imc_2', 'imc_3', 'qpi_0', 'qpi_1']
    assert [(r['socket'], r['box']) for r in rows] == [(s, b) for s in (0, 3) for b in boxes]
    for row in rows:
        name = 'mem_read' if row['box'].startswith('imc') else 'qpi_out'
        values = {k: v for k, v in row.items() if k.endswith('per_second')}
        want = {'imc_0': 2e9, 'imc_1': 1e9, 'qpi_0': 1e9}.get(row['box'], 0)
        assert values == {name + '_bytes_per_second': want}


def test_groups_per_socket_and_per_box_together_have_a_line_per_socket(busy):
    output = busy.run('-n', 1, '-g', 'llc,qpi')
    assert len(output.line('S3').split()) == 7 and 'qpi_' not in output.text


def test_groups_that_share_columns_have_each_column_once(busy):
    output = busy.run('-n', 1, '--csv', '-g', 'default,llc,default', '-m', 'mem_read,llc_miss')
    names = output.lines[0].split(',')
    assert 'llc_miss_ratio_percent' in names and len(names) == len(set(names))


@pytest.mark.parametrize('rows, headings', [(24, 3), (13, 6)])
def test_in_a_terminal_each_screen_has_a_heading(busy, rows, headings):
    terminal, program = pty.openpty()
    termios.tcsetwinsize(program, (rows, 80))
    with os.fdopen(terminal, 'rb', buffering=0) as screen:
        output = b''
        with subprocess.Popen(
                [busy.program, '-i', '100', '-n', '30', '-m', 'mem_read'], stdout=program,
                stdin=subprocess.DEVNULL, env=busy.environment(QUICK='1000000')) as process:
            os.close(program)
            try:
                while text := screen.read(65536):
                    output += text
            except OSError:
                # What a terminal says when nobody has it open
                pass
        assert process.returncode == 0
    assert output.count(b'time mem_read') == headings


def test_csv_has_all_notes_however_long(uncorestat):
    uncorestat.machine.rule('refuse', '*', -1, 19)
    args = '--per', 'box', '-g', 'qpi,mem,default'
    notes = '; '.join(uncorestat.run('-n', 1, '--json', *args).json()[0]['notes'])
    assert len(notes) > 5000
    assert uncorestat.run('-n', 1, '--csv', *args).csv()[0]['notes'] == notes


def test_full_disk_is_an_error(uncorestat):
    with open('/dev/full', 'w', encoding='ascii') as full:
        output = uncorestat.run('-n', 1, stdout=full, stderr=subprocess.PIPE)
    assert output.code == 1
    assert output.text.startswith('uncorestat: cannot write the output: No space left')


@pytest.mark.parametrize('option', ['--per=socket', '--csv', '--json'])
def test_line_is_there_as_soon_as_its_interval_is_over(busy, tmp_path, option):
    prom = tmp_path / 'later.prom'
    with busy.start('-i', 0.2, '-m', 'mem_read', option, '--prometheus', prom,
                    out=tmp_path / 'out') as running:
        running.until(lambda: prom.exists() and '\nuncorestat_mem_read' in prom.read_text(),
                      'the file had numbers')
        assert running.text


# --prometheus

@pytest.fixture
def prom(tmp_path):
    """The file for --prometheus; fake.c keeps a removed one as FILE.last."""
    return tmp_path / 'metrics.prom'


def last(path):
    """The file, or what was removed at the end"""
    return path if path.exists() else path.with_name(path.name + '.last')


def test_prometheus_has_sums_since_the_start_of_all_that_is_divided(busy, prom):
    busy.run('-n', 3, '--prometheus', prom)
    found = samples(last(prom))
    assert found['uncorestat_mem_read_bytes_total{socket="3"}'] == 9e9
    assert found['uncorestat_mem_write_bytes_total{socket="3"}'] == 3e8
    assert found['uncorestat_mem_remote_numerator_total{socket="0"}'] == 3 * 10
    assert found['uncorestat_mem_remote_denominator_total{socket="0"}'] == 3 * 40
    [info] = [name for name in found if name.startswith('uncorestat_info')]
    assert re.fullmatch(r'uncorestat_info\{version="[0-9][0-9a-z.+]*",generation="Xeon E5-2600 '
                        r'\(Sandy Bridge-EP\)",driver="snbep_uncore"\}', info)
    assert re.search('^# HELP uncorestat_mem_read_bytes_total [A-Z]', last(prom).read_text(), re.M)


def test_prometheus_has_joules_and_the_temperature(busy, prom):
    busy.machine.rate('power', 0x2, 100 << 32)
    busy.run('-n', 3, '--prometheus', prom, '-m', 'package_watts,package_celsius')
    found = samples(last(prom))
    assert found['uncorestat_package_joules_total{socket="0"}'] == 300
    assert found['uncorestat_package_celsius{socket="3"}'] == pytest.approx(43, abs=0.1)


def test_prometheus_has_the_marks_of_the_table(busy, prom):
    busy.machine.rule('share', 'imc_0', 0, 0.5)
    busy.run('-n', 1, '--prometheus', prom)
    marked = {name for name in samples(last(prom)) if 'marked' in name}
    assert ('uncorestat_marked{socket="0",mark="sampled",metric="uncorestat_llc_misses_total"}'
            in marked)
    assert [name for name in marked if 'multiplexed' in name and 'mem_read' in name] == [
        'uncorestat_marked{socket="3",mark="multiplexed",metric="uncorestat_mem_read_bytes_total"}']


def test_difference_of_ones_own_is_no_counter(uncorestat, prom):
    uncorestat.machine.rate('imc_0', READS, 1000)
    uncorestat.run('-n', 1, '--prometheus', prom, '-m',
                   'x=[imc:cas_count_wr]-[imc:cas_count_rd],y=[imc:cas_count_rd]*2')
    found = samples(last(prom))
    assert 'uncorestat_x{socket="0"}' in found
    assert found['uncorestat_y_total{socket="0"}'] == 2000


def test_prometheus_per_box_is_in_the_text_format(busy, prom):
    busy.run('-n', 1, '--prometheus', prom, '--per', 'box', '-g', 'mem,qpi,llc')
    assert samples(last(prom))


def test_prometheus_file_goes_when_the_program_ends_and_leaves_no_temporary_one(
        busy, prom, tmp_path):
    with busy.start('-i', 0.02, '--prometheus', prom, out=tmp_path / 'out') as running:
        running.until(lambda: prom.exists() and prom.stat().st_size, 'the file was there')
        running.stop()
    assert list(prom.parent.glob('metrics.prom*')) == [last(prom)]


def test_prometheus_file_stays_after_a_number_of_intervals(busy, prom):
    busy.run('-n', 2, '--prometheus', prom)
    assert samples(prom)['uncorestat_mem_read_bytes_total{socket="0"}'] == 6e9
    assert list(prom.parent.glob('metrics.prom*')) == [prom]


@pytest.mark.parametrize('kind', ['link', 'fifo', 'directory', 'device'])
def test_prometheus_takes_only_a_regular_file(busy, tmp_path, kind):
    file = tmp_path / kind if kind != 'device' else '/dev/null'
    if kind == 'link':
        file.symlink_to('victim')
    elif kind == 'fifo':
        os.mkfifo(file)
    elif kind == 'directory':
        file.mkdir()
    output = busy.run('-n', 1, '--prometheus', file)
    assert output.code == 1
    assert output.text == (f'uncorestat: {file} is not a regular file: name one, '
                           'which is replaced\n')
    assert not (tmp_path / 'victim').exists() and (kind != 'link' or file.is_symlink())


def test_prometheus_writes_into_new_files_whose_names_cannot_be_guessed(busy, prom):
    busy.run('-n', 2, '--prometheus', prom, umask=0o027)
    names = set((busy.machine.root / 'temporary').read_text().splitlines())
    assert len(names) >= 3
    assert all(re.fullmatch(rf'{prom}\.[A-Za-z0-9]{{6}}', name) for name in names)
    assert stat.S_IMODE(last(prom).stat().st_mode) == 0o640


@pytest.mark.parametrize('option', ['--prometheus', '--svg'])
def test_file_that_cannot_be_written_ends_the_run_before_it_begins(busy, tmp_path, option):
    output = busy.run('-i', 0.05, '-n', 1000, option, tmp_path / 'no/such')
    assert (output.code, output.text) == (
        1, f'uncorestat: cannot write {tmp_path}/no/such: No such file or directory\n')


def test_prometheus_has_a_metric_of_two_groups_once(busy, prom):
    busy.run('-n', 1, '--prometheus', prom, '-g', 'default,mem', '--per', 'socket')
    assert last(prom).read_text().count('# TYPE uncorestat_mem_read_bytes_total ') == 1


def test_prometheus_reader_never_sees_a_partial_file(busy, prom, tmp_path):
    with busy.start('-i', 0.01, '--prometheus', prom, out=tmp_path / 'out',
                    env={'QUICK': '1000000'}) as running:
        running.until(lambda: prom.exists() and prom.stat().st_size, 'the file was there')
        ends = {prom.read_bytes().splitlines()[-1] for _ in range(20000)}
        assert running.stop().code == 0
    assert ends == {b'uncorestat_marked{socket="3",mark="sampled",'
                    b'metric="uncorestat_pcie_write_bytes_total"} 1'}


# The unit for systemd, and the dashboard for what it writes

def test_unit_writes_into_its_directory_and_the_link_leads_there(top):
    text = (top / 'tools/uncorestat/uncorestat.service').read_text()
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string(text)
    service = unit['Service']
    file = service['ExecStart'].split()[-1]
    assert file == f'%t/{service["RuntimeDirectory"]}/uncore.prom'
    assert f'ExecStartPre=+/bin/ln -sfT {file} /var/lib/' in text


def test_dashboard_plots_exactly_the_metrics_that_the_unit_writes(busy, prom, top):
    text = (top / 'tools/uncorestat/uncorestat.service').read_text()
    [command] = re.findall('^ExecStart=/usr/bin/uncorestat -i 15 (.*) %t/.*$', text, re.M)
    for event in 2, 3:
        busy.machine.rate('power', event, 1 << 32)
    busy.run('-n', 1, *command.split(), prom)
    written = {name.partition('{')[0] for name in samples(last(prom)) if '{socket=' in name}
    written.remove('uncorestat_marked')
    dashboard = (top / 'tools/uncorestat/grafana.json').read_text()
    assert set(re.findall('uncorestat_[a-z0-9_]*', dashboard)) == written | {'uncorestat_info'}
    panels = json.loads(dashboard)['panels']
    assert len({panel['id'] for panel in panels}) == len(panels)


