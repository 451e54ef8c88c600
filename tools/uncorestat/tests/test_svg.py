# SPDX-License-Identifier: GPL-2.0-only
"""The plot of --svg: a panel for each column, a curve for each line of the table."""
import platform
import re
import subprocess
import xml.etree.ElementTree as tree

import pytest

from fake_pmus import PCU_CLOCK, QPI_CLOCK, READS

SVG = '{http://www.w3.org/2000/svg}'


class Plot:
    """A plot, read from its file"""

    def __init__(self, path):
        self.root = tree.parse(path).getroot()
        self.panels = self.root.findall(SVG + 'g')
        self.notes = [text for text in self.root.findall(SVG + 'text')
                      if text.get('class') == 'note']


@pytest.fixture
def svg(tmp_path):
    return tmp_path / 'plot.svg'


@pytest.fixture
def plotted(uncorestat, svg):
    """Four intervals of the default columns, with 2 GB/s of reads"""
    machine = uncorestat.machine
    machine.rate('imc_0', READS, 31250000)
    machine.rule('share', 'imc_0', -1, 0.5)
    machine.rate('ha', -1, 1000)
    machine.rate('pcu', PCU_CLOCK, 1000)
    machine.rate('*', QPI_CLOCK, 1000)
    # A time zone that needs no tzdata
    uncorestat.run('-n', 4, '--svg', svg, env={'TZ': 'HERE-7:30'})
    return Plot(svg)


def test_start_is_in_local_time_and_units_marks_and_notes_are_there(plotted):
    [head] = [text.text for text in plotted.root.findall(SVG + 'text')
              if (text.text or '').startswith('Xeon')]
    assert head == ('Xeon E5-2600 (Sandy Bridge-EP), 2026-01-01 07:30:00, 4.0 s, 4 intervals, ' +
                    platform.node())
    units = [[text.text or '-' for text in panel if text.get('y') == '18'][1]
             for panel in plotted.panels]
    assert ' '.join(units) == 'MB/s MB/s % M/s M/s MB/s MB/s % MB/s MB/s - - %'
    marks = [text.text for text in plotted.root.iter(SVG + 'text')
             if re.search('^[a-z_]* [*~]', text.text or '')]
    assert marks == ['mem_read ~', 'mem_write ~', 'llc_miss *', 'pcie_read *', 'pcie_write *']
    assert 'slices' in ' '.join(note.text for note in plotted.notes)
    # They are below each other, and the last one ends the page.
    places = [int(note.get('y')) for note in plotted.notes]
    assert places == [*range(places[0], int(plotted.root.get('height')), 16)]
    assert len({note.text for note in plotted.notes}) == len(places) > 1


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


def test_plot_is_written_although_the_lines_could_not_be(uncorestat, svg):
    with open('/dev/full', 'w', encoding='ascii') as full:
        output = uncorestat.run('-i', 0.05, '--svg', svg, stdout=full)
    assert output.code == 1 and is_whole(svg) and '1 intervals' in svg.read_text()


def test_picture_of_the_readme_is_what_the_recording_gives(uncorestat, top, svg):
    """Documentation/uncorestat.rst has the commands for both files."""
    pages = top / 'Documentation'
    uncorestat.run('--replay', pages / 'traffic.jsonl', '-o', '/dev/null', '--svg', svg,
                   env={'TZ': 'UTC'})
    assert svg.read_text() == (pages / 'traffic.svg').read_text()
    assert '(Documentation/traffic.svg)' in (top / 'README.md').read_text()


def test_names_of_a_host_and_a_command_are_text(uncorestat, top, svg, tmp_path):
    text = (top / 'Documentation/traffic.jsonl').read_text()
    (tmp_path / 'run').write_text(re.sub('"(vm|sh)"', r'''"\1&b<c'\""''', text))
    uncorestat.run('--replay', tmp_path / 'run', '--svg', svg)
    assert Plot(svg).root.findall(SVG + 'text')[1].text.endswith(''' vm&b<c'": sh&b<c'"''')
