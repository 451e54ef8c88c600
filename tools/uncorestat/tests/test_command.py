# SPDX-License-Identifier: GPL-2.0-only
"""With a command, and between enable and disable of --control."""
import pathlib
import re
import subprocess

import pytest

from fake_pmus import DEFAULT, wait_for


def test_run_ends_with_the_command_although_that_leaves_a_program(busy, tmp_path):
    ended = tmp_path / 'ended'
    with busy.start('--', 'sh', '-c', f'until [ -e {ended} ]; do sleep 0.1; done &',
                    out=tmp_path / 'out') as running:
        assert running.finish().code == 0
    ended.touch()


@pytest.mark.parametrize('command, code, text', [
    ('no-such-command', 127, 'uncorestat: no-such-command: No such file or directory\n'),
    ('/etc/passwd', 126, 'uncorestat: /etc/passwd: Permission denied\n')],
    ids=['no such command', 'no program'])
def test_command_that_cannot_run_is_the_only_line_and_the_last_plot_stays(
        busy, tmp_path, command, code, text):
    (tmp_path / 'plot.svg').write_text('before')
    output = busy.run('--svg', tmp_path / 'plot.svg', '--', command)
    assert (output.code, output.text) == (code, text)
    assert (tmp_path / 'plot.svg').read_text() == 'before'


@pytest.mark.parametrize('command, code', [('exit 127', 127), ('kill -KILL $$', 137)])
def test_command_that_ran_has_totals_and_its_status(busy, command, code):
    output = busy.run('--', 'sh', '-c', command)
    assert output.code == code and output.line('S0') == output.line('S3') == DEFAULT
    assert busy.run('sh', '-c', 'echo hello', stderr=subprocess.PIPE).text == 'hello\n'


def test_command_has_no_signals_blocked(busy):
    output = busy.run('--', 'grep', 'SigBlk', '/proc/self/status')
    assert re.match('SigBlk:\t0*\n', output.text)


def test_sigterm_ends_the_command_too_and_the_totals_follow(busy, tmp_path):
    # In real time, which the fakes have not
    with busy.start('--', 'env', '-u', 'LD_PRELOAD', 'sleep', 600,
                    out=tmp_path / 'out') as running:
        children = pathlib.Path(f'/proc/{running.pid}/task/{running.pid}/children')

        def sleeps():
            pids = children.read_text().split()
            return pids and pathlib.Path(f'/proc/{pids[0]}/comm').read_text() == 'sleep\n'

        wait_for(sleeps, lambda: running.text)
        [child] = children.read_text().split()
        output = running.stop()
    assert output.code == 143 and re.search('^ *total', output.text, re.M)
    assert not pathlib.Path(f'/proc/{child}').exists()
