# SPDX-License-Identifier: GPL-2.0-only
"""Tables for people; CSV, JSON and Prometheus' text format for programs."""
import configparser
import json
import os
import re
import stat
import subprocess
import xml.etree.ElementTree as tree

import pytest

from fake_pmus import samples


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
def test_in_a_terminal_each_screen_has_a_heading(busy, run, rows, headings):
    env = f'LD_PRELOAD={busy.fake} FAKE={busy.machine.root}'
    done = run(['script', '-qec', f'stty rows {rows}; {env} {busy.program} -n 30 -m mem_read',
                '/dev/null'])
    assert (done.returncode, done.stdout.count('time mem_read')) == (0, headings), done.stdout


@pytest.mark.parametrize('args, said', [('', 'the output'), ('--record /dev/full', '--record:')])
def test_full_disk_is_an_error(busy, args, said):
    with open('/dev/full', 'w', encoding='ascii') as full:
        output = busy.run('-n', 3, *args.split(), stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL if args else full)
    assert output.code == 1 and re.search(
        f'^uncorestat: .*{said}.* No space left on device', output.text), output.text


# --prometheus

@pytest.fixture
def prom(tmp_path):
    return tmp_path / 'metrics.prom'


def test_prometheus_file_is_replaced_by_new_ones_with_names_that_nobody_can_guess(
        busy, prom, tmp_path):
    """After a number of intervals it stays; without one it goes as the program ends."""
    for intervals in 1, 2:
        busy.run('-n', intervals, '--prometheus', prom, umask=0o021 * intervals)
        assert samples(prom)['uncorestat_mem_read_bytes_total{socket="0"}'] == 3e9 * intervals
        assert stat.S_IMODE(prom.stat().st_mode) == 0o666 & ~(0o021 * intervals)
    names = (busy.machine.root / 'temporary').read_text().splitlines()
    assert len({*names}) >= 3
    beside = rf'/proc/self/fd/\d+/{prom.name}\.[A-Za-z0-9]{{6}}'
    assert all(re.fullmatch(beside, name) for name in names)
    assert list(prom.parent.glob('metrics.prom*')) == [prom]
    with busy.start('-i', 1, '--prometheus', prom, out=tmp_path / 'out') as running:
        running.step(2)
        assert samples(prom)
        running.stop()
    assert list(prom.parent.glob('metrics.prom*')) == []


def test_prometheus_reader_never_sees_a_partial_file(busy, prom, tmp_path):
    with busy.start('-i', 1, '--prometheus', prom, out=tmp_path / 'out') as running:
        running.step(1)
        os.write(running.clock.fifos[0], b'+100000\n')
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

@pytest.fixture
def unit(top):
    """Settings of the service, of which the last one of a name counts"""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(top / 'tools/uncorestat/uncorestat.service')
    return parser['Service']


def test_link_to_the_units_file_is_in_the_directory_that_it_asks_for_and_goes(unit):
    file = unit['ExecStart'].split()[-1]
    assert file == f'%t/{unit["RuntimeDirectory"]}/uncore.prom'
    link = unit.parser['Unit']['AssertPathIsDirectory'] + '/uncore.prom'
    assert unit['ExecStartPre'] == f'+/bin/ln -sfT {file} {link}'
    assert unit['ExecStopPost'] == f'+/bin/rm -f {link}'


def test_image_runs_what_the_unit_runs(unit, top):
    text = (top / 'tools/uncorestat/Containerfile').read_text()
    options = unit['ExecStart'].split()[1:-2]
    assert f"ENTRYPOINT {json.dumps(['/uncorestat', *options, '--listen'])}\n" in text


def test_dashboard_plots_exactly_the_metrics_that_the_unit_writes(busy, prom, top, unit):
    # node_exporter, which is neither root nor the service's user, reads the file.
    assert not {'UMask', 'RuntimeDirectoryMode'} & {*unit}
    for event in 2, 3:
        busy.machine.rate('power', event, 1 << 32)
    busy.run(*unit['ExecStart'].split()[1:-1], prom, '-n', 1)
    written = {name.partition('{')[0] for name in samples(prom) if '{socket=' in name}
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


# --svg beside what test_outputs.py has of it

SVG = '{http://www.w3.org/2000/svg}'


@pytest.fixture
def svg(tmp_path):
    return tmp_path / 'plot.svg'


def test_legend_of_sixteen_boxes_is_on_the_page_and_no_two_curves_look_the_same(uncorestat, svg):
    uncorestat.run('-n', 1, '--svg', svg, '--per', 'box', '-m', 'llc_lookup')
    root = tree.parse(svg).getroot()
    legend = [text for text in root.findall(SVG + 'text') if text.get('class') == 'line']
    assert len(legend) == 16
    right = max(int(text.get('x')) + 8 * len(text.text) for text in legend)
    bottom = max(int(text.get('y')) for text in legend)
    panel = root.find(SVG + 'g').get('transform')
    assert right <= int(root.get('width')) and bottom < int(panel.split()[1][:-1])
    for lines in root.findall(SVG + 'line'), root.findall(f'{SVG}g/{SVG}path'):
        assert len({(line.get('stroke'), line.get('stroke-dasharray')) for line in lines}) == 16


@pytest.mark.parametrize('reader', ['that goes', 'without room'])
def test_plot_is_written_although_the_lines_have_a_reader(uncorestat, svg, reader):
    env = uncorestat.environment()
    with open('/dev/full', 'w', encoding='ascii') as full, subprocess.Popen(
            [uncorestat.program, '-i', '0.05', '--svg', svg], env=env, stderr=subprocess.DEVNULL,
            stdout=full if reader == 'without room' else subprocess.PIPE) as process:
        if process.stdout:
            assert process.stdout.readline()
            process.stdout.close()
        process.wait(60)
    assert svg.read_text().endswith('</svg>\n')
    assert reader == 'that goes' or process.returncode == 1 and '1 intervals' in svg.read_text()


def test_picture_of_the_readme_is_what_the_recording_gives(uncorestat, top, svg):
    """Documentation/uncorestat.rst has the commands for both files."""
    pages = top / 'Documentation'
    uncorestat.run('--replay', pages / 'traffic.jsonl', '-o', '/dev/null', '--svg', svg,
                   env={'TZ': 'UTC'})
    assert svg.read_text() == (pages / 'traffic.svg').read_text()
    assert '(Documentation/traffic.svg)' in (top / 'README.md').read_text()
