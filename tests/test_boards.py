# SPDX-License-Identifier: GPL-2.0-only
"""What a user of each board gets, and what the log says about the rest"""
import re
import subprocess

import pytest

ALL = ['ha', 'pcu', 'r2pcie', 'ubox', *(f'cbox_{n}' for n in range(8)),
       *(f'{box}_{n}' for box in ('qpi', 'r3qpi') for n in range(2)),
       *(f'imc_{n}' for n in range(4))]
# Which box a function has; filters and links have none
BOXES = {'08.2': 'qpi_0', '09.2': 'qpi_1', '10.4': 'imc_2'}
QUICK = 'desktop-fe', 'workstation-qpi', 'server-3586'


def boards(top):
    lines = (top / 'machine/xeon/vm/boards').read_text('utf-8').splitlines()
    return {line.split()[0]: line.split()[1:] for line in lines if line and line[0] != '#'}


@pytest.mark.seconds(20)
@pytest.mark.parametrize('board', [
    *(pytest.param(name, marks=pytest.mark.ci) for name in QUICK),
    *(pytest.param(name, marks=pytest.mark.slow) for name in (
        'desktop', 'desktop-ports', 'laptop', 'workstation', 'server', 'server-qpi', 'server-1f'))])
def test_board_has_all_but_its_hidden_boxes_and_the_log_says_so(top, board):
    sockets, buses, mmconfig, hidden = boards(top)[board]
    missing = sorted(BOXES[name] for name in hidden.split(',') if name in BOXES)
    done = subprocess.run(
        [top / 'bin/vm', '-c', '1', '-t', '200', '-o', f'board={board}', '--',
         'ls /sys/bus/event_source/devices | sed -n "s/^snbep_uncore_/pmu /p"; dmesg | grep snbep'],
        check=False, encoding='utf-8', stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    log = done.stdout
    assert done.returncode == 0, log
    assert re.findall('^pmu (.*)', log, re.M) == sorted(set(ALL) - set(missing)), log
    absent = re.findall(r'socket (\d): absent or hidden by the BIOS: ([a-z0-9_ ]+);', log)
    assert absent == [(str(n), ' '.join(missing)) for n in range(int(sockets))
                      ] if missing else not absent, log
    # Without MMCONFIG on a bus, a line for each socket there
    ports = 'counters are accessed through I/O ports' in log
    assert ports == (mmconfig == 'no' or mmconfig == 'fe' and 'ff' in buses), log


def test_all_boards_are_tried(top):
    assert len(boards(top)) == 10
