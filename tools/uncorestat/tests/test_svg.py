# SPDX-License-Identifier: GPL-2.0-only
"""The plot of --svg: a panel for each column, a curve for each line of the table."""
import datetime
import platform
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as tree

import pytest

from fake_pmus import CORES_C0, MISSES, PCU_CLOCK, QPI_CLOCK, READS

SVG = '{http://www.w3.org/2000/svg}'


class Plot:
    """A plot, read from its file"""

    def __init__(self, path):
        self.root = tree.parse(path).getroot()
        self.panels = self.root.findall(SVG + 'g')
        self.notes = [text.text for text in self.root.findall(SVG + 'text')
                      if text.get('class') == 'note']

    def texts(self, panel):
        return [text.text for text in self.panels[panel].findall(SVG + 'text')]

    def curves(self, panel):
        """Of each curve its title and (x, y, end) of each interval"""
        return {curve.find(SVG + 'title').text: [
            tuple(map(float, point)) for point in
            re.findall(r'[ML]([\d.]+) ([\d.]+)H([\d.]+)', curve.get('d'))]
            for curve in self.panels[panel].findall(SVG + 'path')}


@pytest.fixture
def svg(tmp_path):
    return tmp_path / 'plot.svg'


@pytest.fixture
def plotted(uncorestat, svg):
    """Four intervals of the default columns, with 2 GB/s of reads"""
    machine = uncorestat.machine
    machine.rate('imc_0', READS, 31250000)
    machine.rate('ha', -1, 1000)
    machine.rate('pcu', PCU_CLOCK, 1000)
    machine.rate('*', QPI_CLOCK, 1000)
    # A time zone that needs no tzdata
    uncorestat.run('-n', 4, '--svg', svg, env={'TZ': 'HERE-7:30'})
    return Plot(svg)


def test_start_is_in_local_time(plotted):
    [head] = [text.text for text in plotted.root.findall(SVG + 'text')
              if (text.text or '').startswith('Xeon')]
    clock = re.fullmatch(r'Xeon E5-2600 \(Sandy Bridge-EP\), (\S+ \S+), 40\d\.\d s, 4 intervals, ' +
                         re.escape(platform.node()), head)[1]
    here = datetime.timezone(datetime.timedelta(hours=7, minutes=30))
    began = datetime.datetime.fromisoformat(clock).replace(tzinfo=here)
    assert abs(began.timestamp() - time.time()) < 600


def test_panels_are_in_two_columns(plotted):
    assert [panel.get('transform') for panel in plotted.panels] == [
        f'translate({24 + i % 2 * 484} {64 + i // 2 * 190})' for i in range(13)]


def test_curves_of_both_sockets_are_within_the_axes(plotted):
    for panel in range(13):
        curves = plotted.curves(panel)
        assert {name: len(points) for name, points in curves.items()} == {'S0': 4, 'S3': 4}
        for x, y, end in sum(curves.values(), []):
            assert 62 <= x < end <= 448 and 30 <= y <= 156


def test_curve_is_as_high_as_its_value(plotted):
    # 2 GB/s fills a panel whose axis ends there; nothing is written.
    assert plotted.curves(0)['S0'][0][1] == 30 and plotted.curves(1)['S0'][0][1] == 156


def test_units_marks_and_notes(plotted):
    units = [[text.text or '-' for text in panel if text.get('y') == '18'][1]
             for panel in plotted.panels]
    assert ' '.join(units) == 'MB/s MB/s % M/s M/s MB/s MB/s % MB/s MB/s - - %'
    marks = [text.text for text in plotted.root.iter(SVG + 'text')
             if (text.text or '').endswith('*')]
    assert marks == ['llc_miss *', 'pcie_read *', 'pcie_write *']
    assert any('slices' in note for note in plotted.notes)


def test_axes_curves_legend_and_notes_have_their_places(uncorestat, svg, request):
    machine = uncorestat.machine
    machine.rate('imc_0', READS, 31250000)
    machine.rate('imc_0', READS, 15625000, cpu=0)
    machine.rule('share', 'imc_0', 0, 0.5)
    uncorestat.run('-n', 4, '-i', 100000, '-m', 'mem_read', '--svg', svg)
    text = re.sub(r'<style>.*?</style>\n', '', svg.read_text(), flags=re.S)
    text = re.sub(r', 20[-0-9]* .* s, (.*), .*</text>',
                  r', DATE TIME, SECONDS s, \1, HOST</text>', text)
    assert text == (request.path.parent / 'plot.svg').read_text()


def test_interval_is_as_wide_as_it_was_long(uncorestat, svg):
    uncorestat.machine.rate('imc_0', READS, 31250000)
    slow = uncorestat.machine.root / 'slow'
    # Two intervals of 100 s, and the rest
    uncorestat.run('-i', 100, '-m', 'mem_read', '--svg', svg, '--', 'sh', '-c',
                   f"until [ -e '{slow}' ]; do sleep 0.02; done; sleep 0.3", env={'QUICK': '2'})
    first, second, rest = (end - x for x, _, end in Plot(svg).curves(0)['S0'])
    assert first == pytest.approx(second, abs=0.15) and first > 185 and 0 < rest < 15


def test_late_intervals_are_one_note_and_scales_suit_the_values(uncorestat, svg, tmp_path):
    machine = uncorestat.machine
    machine.rate('*', MISSES, 1000000)
    machine.rate('pcu', PCU_CLOCK, 1000)
    machine.rate('pcu', 0xc, 1002)
    machine.rate('pcu', CORES_C0, 3000)
    with uncorestat.start('-i', 0.05, '-n', 1000, '-m', 'llc_miss,freq_2000,cores_c0',
                          '--svg', svg, out=tmp_path / 'out') as running:
        for number in [signal.SIGSTOP, signal.SIGCONT] * 2:
            time.sleep(0.25)
            running.process.send_signal(number)
        time.sleep(0.2)
        running.stop()
    plot = Plot(svg)
    [late] = [note for note in plot.notes if 'late' in note]
    longest = re.fullmatch(r'! \d+ late intervals, up to ([\d.]+) s', late)
    assert float(longest[1]) >= 0.25
    # 8 million misses a second
    assert plot.texts(0)[2] == 'M misses/s' and '10' in plot.texts(0)
    # 100.2 % of the time, as boxes are not read at the same instant
    assert plot.texts(1)[2] == '%' and '100' in plot.texts(1) and '200' not in plot.texts(1)
    assert plot.curves(1)['S0'][0][1] == 30 and '5' in plot.texts(2)


def test_legend_of_sixteen_boxes_is_on_the_page_and_no_two_curves_look_the_same(uncorestat, svg):
    uncorestat.run('-n', 1, '--svg', svg, '--per', 'box', '-m', 'llc_lookup')
    root = Plot(svg).root
    legend = [text for text in root.findall(SVG + 'text') if text.get('class') == 'line']
    assert len(legend) == 16
    right = max(int(text.get('x')) + 8 * len(text.text) for text in legend)
    bottom = max(int(text.get('y')) for text in legend)
    panel = root.find(SVG + 'g').get('transform')
    assert right <= int(root.get('width')) and bottom < int(panel.split()[1][:-1])
    for lines in root.findall(SVG + 'line'), root.findall(f'{SVG}g/{SVG}path'):
        assert len({(line.get('stroke'), line.get('stroke-dasharray')) for line in lines}) == 16


def is_whole(path):
    return path.read_text().endswith('</svg>\n')


def test_plot_is_written_although_the_reader_of_the_lines_has_gone(uncorestat, svg):
    with subprocess.Popen([uncorestat.program, '-i', '0.05', '--svg', svg], text=True,
                          stdout=subprocess.PIPE, env=uncorestat.environment()) as process:
        assert process.stdout.readline()
        process.stdout.close()
        process.wait(60)
    assert is_whole(svg)


def test_plot_is_written_although_the_terminal_was_closed(uncorestat, svg, tmp_path):
    with uncorestat.start('-i', 0.05, '--svg', svg, out=tmp_path / 'out') as running:
        running.until(lambda: running.text, 'a line')
        assert running.stop(signal.SIGHUP).code == 0
    assert is_whole(svg)


def test_plot_is_written_although_the_lines_could_not_be(uncorestat, svg):
    with open('/dev/full', 'w', encoding='ascii') as full:
        output = uncorestat.run('-i', 0.05, '--svg', svg, stdout=full)
    assert output.code == 1 and is_whole(svg) and '1 intervals' in svg.read_text()


def test_curves_that_are_equal_are_both_seen(plotted):
    curves = plotted.panels[0].findall(SVG + 'path')
    assert 'stroke-dasharray' not in curves[0].attrib and 'stroke-dasharray' in curves[1].attrib


def test_head_has_the_host_and_the_command(uncorestat, svg):
    uncorestat.run('--svg', svg, '-o', '/dev/null', '--', 'sh', '-c', 'sleep 0.1; : "<&\x01>"')
    [head] = [text.text for text in Plot(svg).root.findall(SVG + 'text')
              if (text.text or '').startswith('Xeon')]
    assert head.endswith(f'{platform.node()}: sh -c sleep 0.1; : "<&>"')


@pytest.mark.parametrize('rate, end', [(36000000, '2500'), (23000000, '2000'), (62500000, '5000')])
def test_axis_ends_at_1_2_2_5_or_5(uncorestat, svg, rate, end):
    uncorestat.machine.rate('imc_0', READS, rate)
    uncorestat.run('-n', 1, '-m', 'mem_read', '--svg', svg)
    assert end in Plot(svg).texts(0)


def test_picture_of_the_readme_is_what_the_recording_gives(uncorestat, top, svg):
    """Documentation/uncorestat.rst has the commands for both files."""
    pages = top / 'Documentation'
    uncorestat.run('--replay', pages / 'traffic.jsonl', '-o', '/dev/null', '--svg', svg,
                   env={'TZ': 'UTC'})
    assert svg.read_text() == (pages / 'traffic.svg').read_text()
    assert '(Documentation/traffic.svg)' in (top / 'README.md').read_text()
