# SPDX-License-Identifier: GPL-2.0-only
"""The picture of --live, in terminals of tmux.

Pictures are compared with live.WIDTHxHEIGHT.* beside this file. WRITE=1 pytest -k picture writes
them anew: look at them before you keep them.
"""
import os
import re
import subprocess
import threading
import time

import pytest

from fake_pmus import (
    ABOVE_2000, CORES_C0, CORES_C6, LOOKUPS, MISSES, PCIE, PCU_CLOCK, QPI_CLOCK, QPI_IN, QPI_IN_NCB,
    QPI_OUT, READS, TO_CACHE, TO_CORE, TO_QPI, WRITES, Clock, numbered, samples, wait_for)
from terminal import Terminal

pytestmark = pytest.mark.timeout(1800)
UTF8, COLOUR = 'C.UTF-8', 'screen-256color'
HAS_COLOUR = re.compile('\033\\[[0-9;]*3[0-7]')


def traffic(machine, times=1):
    """Each box has numbers of its own; the second socket has twice the first one's of memory."""
    for box in machine.boxes:
        kind, _, n = box.partition('_')
        n = int(n or 0)
        millions = {
            'imc': {READS: 90 + 10 * n, WRITES: 60 - 5 * n},
            'ha': {TO_QPI: 3, TO_CACHE: 8, TO_CORE: 3},
            'cbox': {LOOKUPS: 9 + 0.4 * n, MISSES: 0.8, 0x2a35: 0.8, PCIE: 1.5, 0x80135: 1},
            'pcu': {PCU_CLOCK: 800, CORES_C0: 2400, CORES_C6: 3200, ABOVE_2000: 390},
            'qpi': {QPI_OUT: 500 + 100 * n, QPI_IN: 700 - 100 * n, QPI_IN_NCB: 100, 0x200802: 300},
        }.get(kind, {})
        for config, number in millions.items():
            for cpu in 0, 10:
                machine.rate(box, config, int(number * times * 10 ** 6) << (
                    kind == 'imc' and cpu == 10), cpu=cpu)
    machine.rate('qpi_?', QPI_CLOCK, 1000000000)
    return machine


@pytest.fixture
def machine(machines):
    return traffic(machines(packages=(0, 3)))


class Live:
    """uncorestat --live in a terminal"""

    def __init__(self, uncorestat, directory):
        self.uncorestat, self.terminal, self.thread = uncorestat, None, None
        self.directory = directory
        # A short name keeps the shell's messages on one line.
        self.command = directory / 'live'

    def open(self, width=80, height=24):
        """Open a terminal, without the program."""
        self.command.write_text(
            f'#!/bin/sh\nFAKE={self.uncorestat.machine.root} LD_PRELOAD={self.uncorestat.fake} '
            f'exec {self.uncorestat.program} --live "$@"\n')
        self.command.chmod(0o755)
        self.terminal = Terminal(self.directory / 'tmux', width, height, {})
        return self.terminal

    def start(self, options='', locale=UTF8, term=COLOUR, intervals=0):
        """Start the program in the terminal, and wait for so many intervals; then time goes on."""
        self.ended = threading.Event()
        self.clock = Clock(self.uncorestat.machine.root, self.ended.is_set)
        self.terminal.type(f'clear; LC_ALL={locale} TERM={term} {self.command} -i 0.1 {options}')
        if intervals:
            self.clock.step(intervals / 10)
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        while not self.ended.wait(0.05):
            self.clock.step(0.1)

    def close(self):
        if self.thread:
            self.ended.set()
            self.thread.join()
            self.clock.close()
        if self.terminal:
            self.terminal.close()

    def modes(self, name):
        """The terminal's modes, as stty prints them, after the status of the last program"""
        file = self.directory / name
        self.terminal.type(f'code=$?; stty -a > {file}; echo status $code of {name}')
        screen = self.terminal.await_line(f'^status [0-9]* of {name}')
        return file.read_text(), int(re.search(f'^status ([0-9]*) of {name}', screen, re.M)[1])


@pytest.fixture
def live(uncorestat, tmp_path):
    one = Live(uncorestat, tmp_path)
    yield one
    one.close()


@pytest.mark.parametrize('name, locale, term', [
    ('80x24.utf8.colour', UTF8, COLOUR), ('80x20.v4', 'C', 'vt100')])
def test_picture_is_that_of_the_file(live, generation, request, name, locale, term):
    if 'v4' in name:
        # With 24 slices, 8 channels and 3 links, of which some channels count more than they could
        boxes = [*numbered('cbox', 24), *numbered('ha', 2), *numbered('imc', 8), 'pcu',
                 *numbered('qpi', 3)]
        live.uncorestat.machine = traffic(generation('v4', packages=(0, 1), boxes=boxes), 2.5)
    file, colours = request.path.parent / f'live.{name}', term == COLOUR
    terminal = live.open(*map(int, name.split('.')[0].split('x')))
    # With full histories
    live.start(locale=locale, term=term, intervals=200)
    if 'WRITE' in os.environ:
        time.sleep(1)
        file.write_text(terminal.screen(colours))
    picture = file.read_text()
    assert HAS_COLOUR.search(picture) if colours else picture.isascii()
    try:
        terminal.until(lambda screen: screen == picture, colours)
    except AssertionError:
        assert terminal.screen(colours) == picture
        raise


def test_histories_have_what_came_while_the_picture_was_held(live, tmp_path):
    terminal = live.open(160, 50)
    live.start(f'--prometheus {tmp_path}/prom')
    terminal.await_line('memory read ')
    terminal.press('p', 'held, p: go on')

    def intervals():
        return samples(tmp_path / 'prom').get('uncorestat_mem_read_bytes_total{socket="0"}',
                                              0) / 2.7e9
    # It is empty before the first interval.
    wait_for(lambda: (tmp_path / 'prom').stat().st_size and intervals() > 100)
    assert not re.search('[▁-█]{70}', terminal.screen())
    # They were there, and did not come since. The first screen may be half drawn.
    before = intervals()
    terminal.press('p', '[▁-█]{70}')
    assert intervals() < before + 69


def test_decimal_points_also_where_the_locale_has_commas(live, tmp_path):
    (tmp_path / 'commas').write_text('LC_NUMERIC\ndecimal_point ","\nthousands_sep "."\n'
                                     'grouping 3;3\nEND LC_NUMERIC\n')
    # It warns that the other categories are missing, and fails for it.
    subprocess.run(['localedef', '-c', '-i', tmp_path / 'commas', '-f', 'ANSI_X3.4-1968',
                    tmp_path / 'decimal'], check=False, capture_output=True)
    commas = f'env -u LC_ALL LOCPATH={tmp_path} LC_CTYPE=C.UTF-8 LC_NUMERIC=decimal'
    said = subprocess.run(f"{commas} bash -c 'printf %.1f 1,5'", shell=True, check=True,
                          stdout=subprocess.PIPE)
    assert said.stdout == b'1,5'
    terminal = live.open()
    terminal.type(f'clear; {commas} {live.command} -i 0.2')
    terminal.await_line(r'every 0\.2 s')
    terminal.await_line(r' 26880\.0 ')


# Boxes that the machine or one of its sockets lacks

@pytest.fixture
def few(live, machines):
    """A machine with a slice and two channels, of which the second socket lacks one"""
    live.uncorestat.machine = machines(packages=(0, 3), boxes=['cbox_0', 'imc_0', 'imc_1'])
    live.uncorestat.machine.cpumask_of('imc_1', '0')
    return live


def test_machine_without_qpi_and_a_socket_without_a_channel(few):
    terminal = few.open()
    few.start()
    screen = terminal.await_line(r'^ ! socket 0 has 2 of 4 imc boxes.* \+4 more$')
    assert re.search('^ QPI: not there  ', screen, re.M) and ' 1     not there\n' not in screen
    terminal.press('n', ' 1     not there$')


def test_error_ends_the_picture_and_restores_the_terminal(few, tmp_path):
    (tmp_path / 'directory').mkdir()
    terminal = few.open()
    before, _ = few.modes('before')
    few.start(f'--prometheus {tmp_path}/directory/prom')
    terminal.await_line('^ QPI: not there  ')
    wait_for((tmp_path / 'directory/prom').exists)
    (tmp_path / 'directory').rename(tmp_path / 'away')
    terminal.await_line('^ready$')
    after, status = few.modes('after')
    assert (after, status) == (before, 1)
    assert re.search('^uncorestat: cannot write', terminal.screen(), re.M)


# Groups

def test_keys_switch_between_groups(live):
    terminal = live.open()
    live.start('-g mem')
    terminal.await_line(r'^ S3 imc_3   15360\.0![^ ]*  *5760\.0 ')
    # Down to the last line, and around
    terminal.key(*'nnnnnn')
    terminal.press('n', '^ S3 imc_3 memory MB/s read ')
    terminal.press('n', '^ S0 imc_0 memory MB/s read ')
    terminal.press('6', r'^ S0     3\.0    0\.0    4\.0    0\.0   48\.8 ')
    terminal.press('g', r'every 0\.1 s *[a-z]*, g: next')
    terminal.press('8', '^ ── The whole machine')
    # Linux's own PMUs, too
    terminal.await_line('^ all  *[0-9]')
    terminal.press('2', r'^ S0 imc_0    5760\.0 ')
    terminal.press('1', 'LLC ring')
    terminal.await_line(r' 26880\.0 ')


def test_group_that_the_machine_lacks_is_the_reason_and_the_group_before(few):
    terminal = few.open()
    few.start('-m mem_read')
    terminal.await_line('^ ── metrics of -m')
    screen = terminal.press('4', '^ this machine has no qpi box: absent or hidden by the BIOS')
    assert 'metrics of -m' in screen
    # The next one is that after it.
    terminal.press('3', ' llc, g: next')
    terminal.press('g', '^ this machine has no qpi box')
    terminal.press('g', ' pcie, g: next')


# Keys, window sizes, job control, the end

@pytest.fixture
def shown(live):
    """The picture of a socket, in a terminal whose modes were known before"""
    terminal = live.open()
    live.before, _ = live.modes('before')
    live.start()
    terminal.await_line('socket 0 ─')
    return live


def test_keys_for_sockets_help_and_colours(shown):
    terminal = shown.terminal
    terminal.press('n', 'socket 3 ─')
    terminal.press('Right', 'socket 0 ─')
    assert terminal.flag('cursor_flag') == '0'
    screen = terminal.press('h', 'Ctrl-Z  *back to the shell')
    assert re.search('─{52}.*\n.* q  *quit .*\n.* h, \\?  *this help', screen)
    terminal.key('h', 'c')
    terminal.await_none(HAS_COLOUR.pattern + '|this help', colours=True)


def test_control_l_draws_it_all_again(shown):
    tty = shown.terminal.flag('pane_tty')

    def rubbish(screen):
        with open(tty, 'w', encoding='ascii') as other:
            other.write('rubbish')
        return 'rubbish' in screen

    shown.terminal.until(rubbish)
    shown.terminal.key('C-l')
    shown.terminal.await_none('rubbish')


def test_larger_and_smaller_windows(shown):
    terminal = shown.terminal
    terminal('resize-window', '-x', 160, '-y', 50)
    terminal.await_line('socket 0 ─.*socket 3 ─')
    terminal.await_line('memory write .*memory write')
    terminal('resize-window', '-x', 60, '-y', 15)
    terminal.await_line('needs 80 x 20')
    terminal('resize-window', '-x', 80, '-y', 24)
    terminal.await_line('socket 0 ─')


def test_control_z_restores_the_terminal_and_fg_the_picture(shown):
    shown.terminal.press('C-z', 'Stopped')
    modes, _ = shown.modes('stopped')
    assert modes == shown.before
    shown.terminal.type('fg')
    shown.terminal.await_line('socket 0 ─')
    # While it ignores the signal, one that is pending is lost.
    assert not (shown.uncorestat.machine.root / 'deaf').exists()


def test_q_restores_the_terminal_and_exits_with_0(shown):
    shown.terminal.type('')
    shown.terminal.press('q', '^ready$')
    assert shown.modes('after') == (shown.before, 0)
    assert 'LLC ring' not in shown.terminal.screen()
    assert shown.terminal.flag('cursor_flag') == '1'
    assert shown.terminal.flag('alternate_on') == '0'


def test_unknown_terminal_is_an_error(live):
    terminal = live.open()
    live.start(term='no-such-terminal')
    terminal.await_line(r'^uncorestat: --live cannot draw on this terminal '
                        r'\(TERM=no-such-terminal\)')
    assert live.modes('after')[1] == 1


def test_group_that_other_outputs_have_cannot_be_left(live, tmp_path):
    terminal = live.open()
    live.start(f'--prometheus {tmp_path / "prom"} --record {tmp_path / "run"}')
    terminal.await_line('LLC ring')
    terminal.press('2', 'start again for another one')
    terminal.press('q', '^ready$')
    output = live.uncorestat.run('--replay', tmp_path / 'run', '--summary')
    assert output.code == 0 and 'S0 cbox_0' in output.text


def test_replay_shows_the_picture_again_at_its_pace_until_a_key(live, tmp_path):
    live.uncorestat.run('-n', 3, '--per', 'socket,box', '--record', tmp_path / 'run')
    terminal = live.open()
    live.start(f'--replay {tmp_path / "run"}')
    terminal.await_line('QPI 0 .*LLC ring')
    terminal.await_line('read .* 26880.0 ')
    terminal.press('g', 'a recording have this group')
    terminal.press('q', '^ready$')
