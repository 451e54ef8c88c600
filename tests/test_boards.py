# SPDX-License-Identifier: GPL-2.0-only
"""What a user of each board gets from this driver, from Linux's and from uncorestat, and what the
log says about the rest"""
import collections
import re

import pytest

QUICK = 'desktop-fe', 'workstation-qpi', 'server-3586', 'server-v4-ones'
SLOW = ('desktop', 'desktop-ports', 'laptop', 'workstation', 'server', 'server-qpi', 'server-1f',
        'server-v4-idle')
# Which box a function has; filters and links have none
BOXES = {'08.2': 'qpi_0', '09.2': 'qpi_1', '10.4': 'imc_2'}
# Channels that the part does not have, for which Linux has PMUs all the same
PHANTOMS = {'imc_4': 'imc_0', 'imc_5': 'imc_0'}
# What is asked of each driver, whose PMUs have the prefix {}
LOOK = {
    'pmus': "ls /sys/bus/event_source/devices | sed -n 's/^{}_//p'",
    'counts': '''list=
        while read -r pmu event; do
            [ ! -e /sys/bus/event_source/devices/{0}_$pmu ] || list="$list -e {0}_$pmu/$event/"
        done < events
        perf stat -a --per-socket -x, $list uncore-stim -f amounts''',
    'log': "dmesg | grep '^[^ ]* *[0-9.]*. snbep_uncore' || :",
    'table': 'uncorestat -n 1',
    'channels': 'uncorestat -n 1 -g mem'}
DRIVERS = {'snbep_uncore': 'snbep_uncore', 'intel_uncore': 'uncore'}
Board = collections.namedtuple('Board', 'sockets buses mmconfig hidden generations further')
Seen = collections.namedtuple('Seen', 'board missing units amounts said')


def boards(top):
    lines = (top / 'machine/xeon/vm/boards').read_text('utf-8').splitlines()
    rows = [line.split() for line in lines if line and line[0] != '#']
    return {row[0]: Board(int(row[1]), *row[2:6], row[6:]) for row in rows}


def units_of(top, generation):
    """PMU: uncore-stim's name of the box, and an event, as vm/units has them"""
    units = {}
    for line in (top / 'machine/xeon/vm/units').read_text('utf-8').splitlines():
        if line[0] != '#' and re.fullmatch(line.split()[0], generation):
            _, event, *pmus = line.split()
            for pmu in pmus:
                name, _, box = pmu.partition('=')
                units[name] = box or name, event
    return units


def drivers_of(board):
    return list(DRIVERS) if board.generations[0] == '1' else ['intel_uncore']


@pytest.fixture(scope='module', params=[
    pytest.param(name, marks=[mark, pytest.mark.seconds(20), pytest.mark.xdist_group(f'on-{name}')])
    for mark, names in ((pytest.mark.ci, QUICK), (pytest.mark.slow, SLOW)) for name in names])
def seen(request, top, guest, tmp_path_factory):
    """All of it in one boot: each box of each socket has another number of its event, also where
    the board hides the box."""
    board = boards(top)[request.param]
    units = units_of(top, board.generations[0])
    amounts = {(socket, pmu): 1000 * (socket + 1) + n for n, pmu in enumerate(units)
               for socket in range(board.sockets)}
    directory = tmp_path_factory.mktemp(request.param)
    (directory / 'amounts').write_text(''.join(
        f'-s {socket} {units[pmu][0]} {units[pmu][1]},count={amount}\n'
        for (socket, pmu), amount in amounts.items()))
    events = {**units, **{pmu: units[like] for pmu, like in PHANTOMS.items()}}
    (directory / 'events').write_text(''.join(
        f'{pmu} {event}\n' for pmu, (_, event) in events.items()))
    drivers = drivers_of(board)
    commands = {}
    for driver in drivers:
        commands[driver, 'load'] = f'modprobe {driver}'
        for what, command in LOOK.items():
            commands[driver, what] = command.replace('{}', DRIVERS[driver]) \
                .replace('{0}', DRIVERS[driver])
        commands[driver, 'unload'] = f'rmmod {driver}'
    said = guest(commands, '-c', '1', '-m', drivers[0], '-o', f'board={request.param}',
                 directory=directory)
    failed = {step: done.text for step, done in said.items() if done.status}
    assert not failed
    return Seen(board, sorted(BOXES[name] for name in board.hidden.split(',') if name in BOXES),
                units, amounts, {step: done.text for step, done in said.items()})


def phantoms(seen):
    return [*PHANTOMS] if seen.board.further else []


def test_drivers_have_the_boxes_that_the_board_shows(seen):
    shown = {*seen.units, *phantoms(seen)} - {*seen.missing}
    for driver in drivers_of(seen.board):
        assert sorted(seen.said[driver, 'pmus'].split()) == sorted(shown), driver


def test_each_box_counts_what_happens_in_it_and_in_its_socket(seen):
    expected = {place: amount for place, amount in seen.amounts.items()
                if place[1] not in seen.missing}
    # What answers with zeros or ones has counted nothing.
    expected |= {(socket, pmu): 0 for socket in range(seen.board.sockets)
                 for pmu in phantoms(seen)}
    for driver in drivers_of(seen.board):
        text = seen.said[driver, 'counts']
        counts = re.findall(rf'^S(\d),1,(.*?),,{DRIVERS[driver]}_(\w+)/', text, re.M)
        assert {(int(socket), pmu): int(count) for socket, count, pmu in counts} == expected, text


def test_log_names_hidden_boxes_and_buses_without_mmconfig(seen):
    log = seen.said[drivers_of(seen.board)[0], 'log']
    absent = re.findall(r'socket (\d): absent or hidden by the BIOS: ([a-z0-9_ ]+);', log)
    assert absent == [(str(n), ' '.join(seen.missing)) for n in range(seen.board.sockets)
                      ] if seen.missing else not absent, log
    # Without MMCONFIG on a bus, a line for each socket there
    buses = seen.board.buses.split(',')
    ports = len(re.findall('counters are accessed through I/O ports', log))
    assert ports == {'yes': 0, 'no': len(buses), 'fe': buses.count('ff')}[seen.board.mmconfig], log


def test_uncorestat_says_what_is_missing(seen):
    for driver in drivers_of(seen.board):
        table = seen.said[driver, 'table']
        no_qpi = 'this machine has no qpi box: absent or hidden by the BIOS, as on most boards'
        ports = sum(pmu.startswith('qpi') for pmu in seen.missing)
        assert (no_qpi in table) == (ports == 2), table
        assert ('1 of 2 qpi boxes' in table) == (ports == 1), table
        rows = re.findall(r'S\d +[\d.]+ +[\d.]+ .*', table)
        assert len(rows) == seen.board.sockets, table
        # A dash, not 0, in out, in and util%
        for row in rows:
            assert (row.split()[6:9] == ['-'] * 3) == (ports == 2), table
        fewer = '3 of 4 imc boxes'
        assert (fewer in table) == ('imc_2' in seen.missing), table


def test_uncorestat_lists_the_channels_that_count(seen):
    channels = [(str(socket), f'imc_{n}') for socket in range(seen.board.sockets)
                for n in range(4) if f'imc_{n}' not in seen.missing]
    for driver in drivers_of(seen.board):
        text = seen.said[driver, 'channels']
        assert re.findall(r'S(\d) (imc_\d)', text) == channels, text


def test_all_boards_are_tried(top):
    assert sorted([*QUICK, *SLOW]) == sorted(boards(top))
