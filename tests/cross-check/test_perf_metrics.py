# SPDX-License-Identifier: GPL-2.0-only
"""perf stat -M in the machine prints a number for every metric, and the injected value for those
whose events count at the same time."""
import re

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.seconds(30), pytest.mark.xdist_group('perf-metrics')]
BOXES = 'cbox', 'ha', 'imc', 'pcu', 'qpi', 'r2pcie'
# Metric, its value as perf prints it, and what is injected
VALUES = [
    ('imc_mem_bw_total', '32000.0', 'imc_0 event=0x04,umask=0x01,count=300 '
     'imc_3 event=0x04,umask=0x04,count=200'),
    ('imc_pct_requests_page_hit', '0.0', 'imc_1 event=0x01,count=1'),
    ('cbox_avg_tor_drd_loc_miss_latency_node1', '12.00',
     'cbox_4 event=0x36,umask=0x03,opc=0x182,nid=1,count=30,inc=2 '
     'cbox_4 event=0x35,umask=0x03,opc=0x182,nid=1,count=5 '
     'cbox_4 event=0x35,umask=0x03,opc=0x182,nid=0,count=9'),
    ('ha_pct_rd_requests', '75.0', 'ha event=0x01,umask=0x03,count=30 '
     'ha event=0x01,umask=0x0c,count=10'),
    ('qpi_drs_datac_from_qpi_to_node1', '320.0',
     'qpi_0 event=0x38,ext=1,mc=0xe,opc=2,dnid=1,count=5 '
     'qpi_0 event=0x38,ext=1,mc=0xe,opc=2,dnid=0,count=3'),
    ('r2pcie_ring_thru_dneven_bytes', '352.0', 'r2pcie event=0x09,umask=0x04,count=11'),
]
# All metrics of a box at once are multiplexed: count until each event has had its turn.
ALL = '''for seconds in 1 4 16; do
    {perf} stat -a -M {metrics} -- sleep $seconds > out 2>&1
    grep -q '<not counted>' out || break
done; cat out'''


@pytest.fixture(scope='module')
def metrics(gen):
    """The metrics of each box"""
    names = [metric['MetricName'] for metric in gen.json('metrics')]
    return {box: [name for name in names if name.startswith(f'{box}_')]
            for box in sorted({name.partition('_')[0] for name in names})}


@pytest.fixture(scope='module')
def said(metrics, guest, output, copy_programs, tmp_path_factory):
    """What a perf with these metrics says of them, in one boot"""
    directory = tmp_path_factory.mktemp('perf')
    path = output('tests/cross-check/perf-build')
    perf = copy_programs(directory, '', path) + path[1:]
    commands = {row: f'{perf} stat -a -M {row[0]} -- uncore-stim -s 1 {row[2]}' for row in VALUES}
    commands |= {box: ALL.format(perf=perf, metrics=','.join(names))
                 for box, names in metrics.items()}
    return guest(commands, '-k', '6.1', directory=directory)


@pytest.mark.parametrize('row', VALUES, ids=lambda row: f'{row[0]}-{row[1]}')
def test_metric_has_the_injected_value(said, row):
    metric, value, _ = row
    assert re.findall(rf'#\s+(\S+).* {metric}\b', said[row].text) == [value], said[row].text


def test_boxes_with_metrics(metrics):
    assert tuple(metrics) == BOXES


@pytest.mark.parametrize('box', BOXES)
def test_every_metric_of_the_box_gives_a_number(said, metrics, box):
    # A number, a unit, the metric's name
    assert [name for name in metrics[box] if not re.search(
        rf'# +[0-9.]+ [^#\n]* ?{name}( |$)', said[box].text, re.M)] == [], said[box].text
