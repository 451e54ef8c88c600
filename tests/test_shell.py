# SPDX-License-Identifier: GPL-2.0-only
"""The shell of make vm in a terminal of tmux: what it says and proposes, the terminal's type,
locale and size, the exit status, and that the machine ends with its terminal"""
import os
import re
import signal
import subprocess
import time

import pytest

from terminal import Terminal

pytestmark = [pytest.mark.seconds(10), pytest.mark.xdist_group('shell')]


def open_terminal(directory, top, width, height, command):
    """A terminal in which make vm runs; the runner's files are in directory/tmp."""
    (directory / 'tmp').mkdir()
    terminal = Terminal(directory / 'socket', width, height, {
        **os.environ, 'TMPDIR': str(directory / 'tmp'), 'LC_ALL': 'C.UTF-8'}, hangs=600)
    terminal.directory = directory
    terminal.type(f'cd {top}; clear; {command}')
    terminal.await_line('^To leave')
    return terminal


@pytest.fixture(scope='module')
def machine(top, tmp_path_factory):
    """A terminal with the shell, and in .greeting what that said first"""
    terminal = open_terminal(tmp_path_factory.mktemp('shell'), top, 160, 50, 'make vm')
    terminal.greeting = terminal.screen()
    yield terminal
    terminal.close()


def test_shell_says_what_it_is_and_each_of_three_commands_to_try_succeeds(machine):
    assert re.search(r'^An emulated Xeon-E5-2600-v1-Sandy-Bridge-EP: sockets 2, virtual CPUs 4, '
                     r'Linux 6\.1\.(.*\n)+Loaded: snbep_uncore(.*\n)+To leave: exit',
                     machine.greeting, re.M)
    commands = re.search('^To try:(.*?)^To leave', machine.greeting, re.M | re.S)[1]
    commands = commands.split('\n  ')[1:]
    assert len(commands) == 3
    for number, command in enumerate(commands):
        machine.type(f'{command.strip()}; echo try-{number}=$?=')
        machine.await_line(f'^try-{number}=0=')


def test_type_locale_and_size_are_those_of_the_terminal_and_a_new_size_follows(machine):
    machine.type('clear; echo $(stty size) $TERM $LANG ==')
    machine.await_line(rf'^50 160 {machine("show", "-gv", "default-terminal").strip()} C\.UTF-8 ==')
    machine.type('clear; uncorestat --live -i 0.2')
    machine.await_line('── socket 1 ─')
    machine('resize-window', '-x', '80', '-y', '24')
    machine.key('q')
    machine.type('clear; until [ "$(stty size)" = "24 80" ]; do sleep 0.1; done; echo now it is')
    machine.await_line('^now it is')


def test_ctrl_c_is_for_the_command_in_the_machine(machine):
    machine.type("clear; sh -c 'echo running; exec sleep 1000'")
    machine.await_line('^running')
    machine.key('C-c')
    machine.type('echo interrupted=$?=')
    machine.await_line('interrupted=130=')


def test_exit_leaves_with_the_shells_status_its_output_to_the_end_and_no_file(machine):
    machine.type(r"printf '%3000s\n' whole; exit 7")
    assert re.search(' whole$', machine.await_line('^make: .* Error 7$'), re.M)
    assert os.listdir(machine.directory / 'tmp') == []


@pytest.mark.ci
@pytest.mark.parametrize('command, end', [
    ('make vm MODULES= SOCKETS=1', lambda terminal: terminal.close()),
    ('exec make vm MODULES= SOCKETS=1', lambda terminal: os.kill(
        int(terminal.flag('pane_pid')), signal.SIGTERM))], ids=['is closed', 'gets SIGTERM'])
def test_terminal_takes_the_machine_with_it_when_it(top, tmp_path, command, end):
    terminal, tmp = open_terminal(tmp_path, top, 80, 24, command), tmp_path / 'tmp'
    assert os.listdir(tmp)
    end(terminal)
    # Neither QEMU, whose arguments name the directory, nor the runner's files are left.
    limit = time.monotonic() + 200
    while left := os.listdir(tmp) or subprocess.run(
            ['pgrep', '-f', f'{tmp}/'], check=False, stdout=subprocess.PIPE).stdout:
        assert time.monotonic() < limit, left
        time.sleep(0.2)
    terminal.close()
