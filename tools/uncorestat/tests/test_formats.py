# SPDX-License-Identifier: GPL-2.0-only
"""Tables for people; CSV, JSON and Prometheus' text format for programs."""
import json
import os
import pty
import re
import stat
import subprocess
import termios

import pytest

from exposition import samples
from fake_pmus import READS


def test_headings_columns_and_notes_of_tables_have_their_places(busy, request):
    text = ''.join(busy.run(*args.split()).text for args in (
        '-n 2', '-n 1 --per box -g qpi', '-m mem_read,llc_miss,qpi_speed -- true'))
    assert text == (request.path.parent / 'tables').read_text()


def test_times_are_utc_for_programs_and_local_for_people(busy):
    # A time zone that is not UTC, and needs no tzdata
    env = {'TZ': 'HERE-13:45'}
    table = busy.run('-n', 2, env=env)
    assert busy.run('-n', 2, '--json', env=env).json()[2]['time'] == '2026-01-01T00:00:02.000Z'
    assert re.findall(r'^(\d\d:\d\d:\d\d) ', table.text, re.M) == ['13:45:01', '13:45:02']
    # The heading has the date, and is there again on another day.
    days = busy.run('-i', 40000, '-n', 4, '-m', 'mem_read').text
    assert re.findall(r'^2026\S+', days, re.M) == ['2026-01-01', '2026-01-02']


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
                [busy.program, '-n', '30', '-m', 'mem_read'], stdout=program,
                stdin=subprocess.DEVNULL, env=busy.environment()) as process:
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


# --prometheus

@pytest.fixture
def prom(tmp_path):
    """The file for --prometheus; fake.c keeps a removed one as FILE.last."""
    return tmp_path / 'metrics.prom'


def last(path):
    """The file, or what was removed at the end"""
    return path if path.exists() else path.with_name(path.name + '.last')


def test_prometheus_has_joules_and_the_temperature(busy, prom):
    busy.machine.rate('power', 0x2, 100 << 32)
    busy.run('-i', 0.1234567, '-n', 3, '--prometheus', prom, '-m', 'package_watts,package_celsius')
    found = samples(last(prom))
    assert found['uncorestat_package_joules_total{socket="0"}'] == pytest.approx(37.03701)
    assert found['uncorestat_package_celsius{socket="0"}'] == 40
    assert found['uncorestat_package_celsius{socket="3"}'] == 43


def test_difference_of_ones_own_is_no_counter(uncorestat, prom):
    uncorestat.machine.rate('imc_0', READS, 1000)
    uncorestat.run('-n', 1, '--prometheus', prom, '-m',
                   'x=[imc:cas_count_wr]-[imc:cas_count_rd],y=[imc:cas_count_rd]*2')
    found = samples(last(prom))
    assert 'uncorestat_x{socket="0"}' in found
    assert found['uncorestat_y_total{socket="0"}'] == 2000


def test_prometheus_file_goes_when_the_program_ends_and_leaves_no_temporary_one(
        busy, prom, tmp_path):
    with busy.start('-i', 1, '--prometheus', prom, out=tmp_path / 'out') as running:
        running.step(2)
        assert samples(prom)
        running.stop()
    assert list(prom.parent.glob('metrics.prom*')) == [last(prom)]


def test_prometheus_file_stays_after_a_number_of_intervals(busy, prom):
    busy.run('-n', 2, '--prometheus', prom)
    assert samples(prom)['uncorestat_mem_read_bytes_total{socket="0"}'] == 6e9
    assert list(prom.parent.glob('metrics.prom*')) == [prom]


@pytest.mark.parametrize('name', ['directory', '/dev/null'])
def test_prometheus_takes_only_a_regular_file(busy, tmp_path, name):
    (tmp_path / 'directory').mkdir()
    output = busy.run('-n', 1, '--prometheus', tmp_path / name)
    assert (output.code, output.text) == (
        1, f'uncorestat: {tmp_path / name} is not a regular file: name one, which is replaced\n')


def test_prometheus_writes_into_new_files_whose_names_cannot_be_guessed(busy, prom):
    busy.run('-n', 2, '--prometheus', prom, umask=0o027)
    names = set((busy.machine.root / 'temporary').read_text().splitlines())
    assert len(names) >= 3
    beside = rf'/proc/self/fd/\d+/{prom.name}\.[A-Za-z0-9]{{6}}'
    assert all(re.fullmatch(beside, name) for name in names)
    assert stat.S_IMODE(last(prom).stat().st_mode) == 0o640


@pytest.mark.parametrize('option', ['--prometheus', '--svg'])
def test_file_that_cannot_be_written_ends_the_run_before_it_begins(busy, tmp_path, option):
    output = busy.run('-i', 0.05, '-n', 1000, option, tmp_path / 'no/such')
    assert (output.code, output.text) == (
        1, f'uncorestat: cannot write {tmp_path}/no/such: No such file or directory\n')


def test_prometheus_reader_never_sees_a_partial_file(busy, prom, tmp_path):
    with busy.start('-i', 1, '--prometheus', prom, out=tmp_path / 'out') as running:
        running.step(1)
        os.write(running.fifos[0], b'+100000\n')
        ends = {prom.read_bytes().splitlines()[-1] for _ in range(20000)}
        assert running.stop().code == 0
    assert ends == {b'uncorestat_marked{socket="3",mark="sampled",'
                    b'metric="uncorestat_pcie_write_bytes_total"} 1'}


# Files where others can write

@pytest.mark.parametrize('option', ['-o', '--svg', '--record', '--prometheus'])
def test_link_or_file_of_somebody_else_is_left_alone(busy, tmp_path, option):
    (tmp_path / 'victim').write_text('kept')
    shared = tmp_path / 'shared'
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / 'link').symlink_to(tmp_path / 'victim')
    (shared / 'directory').symlink_to(tmp_path)
    os.link(tmp_path / 'victim', shared / 'hard')
    os.mkfifo(shared / 'fifo')
    for name in 'link', 'hard', 'fifo', 'directory/victim':
        output = busy.run('-n', 1, option, shared / name)
        # What is replaced may have other names.
        assert output.code == (name != 'hard' or option != '--prometheus')
        assert not output.code or str(shared / name) in output.text
    assert (tmp_path / 'victim').read_text() == 'kept'
    # A link of one's own, a device, and twice the same file are as ever.
    (tmp_path / 'link').symlink_to(tmp_path / 'other')
    mine = tmp_path / 'link', '/dev/null', '/dev/stdout'
    for name in *(mine if option != '--prometheus' else ()), shared / 'new', shared / 'new':
        assert busy.run('-n', 1, option, name).code == 0
    assert (shared / 'new').stat().st_size > 0


@pytest.mark.root
def test_recording_is_for_the_user_of_sudo_alone_and_has_no_arguments(busy, tmp_path):
    file = tmp_path / 'file'
    busy.run('--record', file, '--', 'true', '--password=x',
             env={'SUDO_UID': '1234', 'SUDO_GID': '1235'})
    found = file.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o600, 1234, 1235)
    assert '"command":"true"' in file.read_text() and 'password' not in file.read_text()


# The unit for systemd, and the dashboard for what it writes

def test_dashboard_plots_exactly_the_metrics_that_the_unit_writes(busy, prom, top):
    text = (top / 'tools/uncorestat/uncorestat.service').read_text()
    [command] = re.findall('^ExecStart=/usr/bin/uncorestat -i 15 (.*) %t/.*$', text, re.M)
    for event in 2, 3:
        busy.machine.rate('power', event, 1 << 32)
    busy.run('-n', 1, *command.split(), prom)
    written = {name.partition('{')[0] for name in samples(last(prom)) if '{socket=' in name}
    written.remove('uncorestat_marked')
    dashboard = json.loads((top / 'tools/uncorestat/grafana.json').read_text())
    assert 'label_values(uncorestat_info, instance)' in str(dashboard['templating'])
    assert len({panel['id'] for panel in dashboard['panels']}) == len(dashboard['panels'])
    of = r'\{instance=~"\$instance"\}'
    rate = rf'rate\((uncorestat_%s_total){of}\[\$__rate_interval\]\)'
    plotted = set()
    for target in (target for panel in dashboard['panels'] for target in panel['targets']):
        found = (re.fullmatch(rate % r'(\w+)_numerator' + ' / ' + rate % r'\2_denominator',
                              target['expr']) or
                 re.fullmatch(rate % r'(?!\w+_numerator)\w+', target['expr']) or
                 re.fullmatch(rf'(uncorestat_\w+(?<!_total)){of}', target['expr']))
        assert found, target['expr']
        plotted |= {name for name in found.groups() if name.startswith('uncorestat_')}
    assert plotted == written
