# SPDX-License-Identifier: GPL-2.0-only
"""With a command, and between enable and disable of --control."""
import json
import os
import pathlib
import re
import subprocess
import time

import pytest

from fake_pmus import DEFAULT, READS, WRITES


def test_command_has_its_output_and_exit_status_and_the_totals_follow(busy):
    output = busy.run('sh', '-c', 'echo hello; exit 3', stderr=subprocess.PIPE)
    assert (output.code, output.text) == (3, 'hello\n')
    totals = busy.run('sh', '-c', 'exit 3')
    assert totals.line('S0') == totals.line('S3') == DEFAULT


def test_run_ends_with_the_command_although_that_leaves_a_program(busy, tmp_path):
    ended = tmp_path / 'ended'
    with busy.start('--', 'sh', '-c', f'until [ -e {ended} ]; do sleep 0.1; done &',
                    out=tmp_path / 'out') as running:
        assert running.finish().code == 0
    ended.touch()


def test_command_without_an_interval_has_prometheus_files_meanwhile(busy, tmp_path):
    prom = tmp_path / 'prom'
    output = busy.run('--prometheus', prom, '-m', 'mem_read', '--', 'sh', '-c',
                      f'until grep -q mem_read_bytes_total {prom}; do sleep 0.1; done')
    assert output.code == 0


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
    assert output.code == code and re.search('^ *total', output.text, re.M)


def test_command_has_no_signals_blocked(busy):
    output = busy.run('--', 'grep', 'SigBlk', '/proc/self/status')
    assert re.match('SigBlk:\t0*\n', output.text)


def test_command_with_an_interval_has_lines_meanwhile_and_totals_below_their_own_names(
        busy, tmp_path):
    out = tmp_path / 'out'
    with busy.start('-i', 0.02, '--csv', '-m', 'mem_read', '--', 'sh', '-c',
                    f'until [ "$(grep -c ",,3000000000," {out})" -ge 4 ]; do sleep 0.02; done',
                    out=out) as running:
        lines = running.finish().lines
    headings = [line for line in lines if line.startswith('time,')]
    assert [heading.split(',')[4] for heading in headings] == ['mem_read_bytes_per_second',
                                                               'mem_read_bytes']
    totals = lines.index(headings[1])
    meanwhile = [line for line in lines[1:totals] if re.fullmatch(
        r'2.*,[03],,3000000000,("! (late|ended early): [^"]*")?', line)]
    assert len(meanwhile) == totals - 1 >= 4
    assert len(lines) == totals + 3
    for line in lines[totals + 1:]:
        assert re.fullmatch(r'2.*,[03],,\d+000000000,', line)


def test_sigterm_ends_the_command_too_and_the_totals_follow(busy, tmp_path):
    with busy.start('--', 'sleep', 600, out=tmp_path / 'out') as running:
        children = pathlib.Path(f'/proc/{running.pid}/task/{running.pid}/children')

        def sleeps():
            pids = children.read_text().split()
            return pids and pathlib.Path(f'/proc/{pids[0]}/comm').read_text() == 'sleep\n'

        running.until(sleeps, 'the command ran')
        [child] = children.read_text().split()
        output = running.stop()
    assert output.code == 143 and re.search('^ *total', output.text, re.M)
    assert not pathlib.Path(f'/proc/{child}').exists()


def test_total_of_a_level_is_an_average_over_the_run(busy):
    rows = busy.run('-i', 0.02, '--json', '-m', 'qpi_speed', '--', 'sleep', 0.1).json()
    for row in rows[-2:]:
        assert row['total_seconds'] >= 0.1
        assert row['qpi_speed_gigatransfers_per_second'] == pytest.approx(8, rel=1e-3)


# What a program under test does: it counts in two regions of 0.2 s.
REGIONS = '''
exec 8<> "$1" 9<> "$2"
say() { echo "$1" >&8; read -r answer <&9; echo "$1 $answer"; }
say ping
for i in 1 2; do say enable; sleep 0.2; say disable; sleep 0.2; done
say disable
'''


@pytest.mark.parametrize('how', ['fifo', 'fd'])
def test_control_counts_in_both_regions_alone_and_acknowledges(uncorestat, tmp_path, how):
    uncorestat.machine.rate('imc_0', READS, 15625000)
    names = tmp_path / 'ctl', tmp_path / 'ack'
    for name in names:
        os.mkfifo(name)
    fds = [os.open(name, os.O_RDWR) for name in names]
    try:
        if how == 'fd':
            names = [f'/dev/fd/{fd}' for fd in fds]
        control = ','.join(map(str, fds if how == 'fd' else names))
        output = uncorestat.run(f'--control={how}:{control}', '--json', '-m', 'mem_read', '--',
                                'sh', '-c', REGIONS, 'sh', *names, env={'REAL': '1'},
                                pass_fds=fds)
    finally:
        for fd in fds:
            os.close(fd)
    said = [line for line in output.lines if not line.startswith('{')]
    assert said == [f'{word} ack' for word in (
        'ping', 'enable', 'disable', 'enable', 'disable', 'disable')]
    output.text = '\n'.join(line for line in output.lines if line.startswith('{'))
    assert output.code == 0 and len(output.json()) == 2
    for row in output.json():
        assert 0.4 <= row['total_seconds'] < 0.4 + 2
        # 1 GB/s while it counts
        assert row['mem_read_bytes'] / row['total_seconds'] == pytest.approx(1e9, rel=0.2)


def test_part_of_an_interval_is_no_line_and_is_in_the_total(uncorestat, tmp_path):
    """What is counted in regions of less than 10 ms each"""
    uncorestat.machine.rate('imc_0', READS, 15625000)
    names = tmp_path / 'ctl', tmp_path / 'ack'
    for name in names:
        os.mkfifo(name)
    recorded = tmp_path / 'recorded'
    columns = '--json', '-i', 9, '-m', 'mem_read'
    output = uncorestat.run(*columns, '--per', 'system', '--record', recorded,
                            f'--control=fifo:{names[0]},{names[1]}', '--', 'sh', '-c', """
        exec 8<> "$1" 9<> "$2"
        say() { echo "$1" >&8; read -r answer <&9; }
        for i in 1 2 3 4 5 6 7 8 9; do say enable; say disable; done""", 'sh', *names,
                            env={'REAL': '1'})
    replayed = uncorestat.run('--json', '--replay', recorded)
    intervals = [json.loads(line) for line in recorded.read_text().splitlines()[1:]]
    assert len(intervals) == 9 and sum(row['seconds'] < 0.01 for row in intervals) >= 2
    total = output.json()[-1]
    # Long ones are of a busy machine.
    assert len(output.json()) - 1 <= 1 + sum(row['seconds'] >= 0.01 for row in intervals)
    assert total['total_seconds'] == pytest.approx(sum(row['seconds'] for row in intervals),
                                                   abs=1e-6)
    assert total['mem_read_bytes'] == pytest.approx(
        sum(row['values'][0][0][0] for row in intervals))
    assert replayed.json() == output.json()


def test_remarks_and_number_of_intervals_are_of_the_lines(uncorestat, tmp_path):
    """Nothing is counted in the parts, which divide by nothing."""
    machine = uncorestat.machine
    idle = machine.root / 'idle'
    idle.write_text((machine.root / 'rules').read_text())
    machine.rate('imc_0', READS, 1000)
    machine.rate('imc_0', WRITES, 1000)
    names = tmp_path / 'ctl', tmp_path / 'ack'
    for name in names:
        os.mkfifo(name)
    recorded = tmp_path / 'recorded'
    command = 'sh', '-c', """
        exec 8<> "$1" 9<> "$2"
        say() { echo "$1" >&8; read -r answer <&9; }
        say enable; sleep 0.02; say disable; mv "$3" "$4"
        for i in 1 2 3 4 5 6 7 8 9; do say enable; say disable; done""", 'sh', *names, idle, \
        machine.root / 'rules'
    uncorestat.run('-i', 9, '--record', recorded, '--per', 'system',
                   '-m', 'x=d_ratio([imc:cas_count_rd], [imc:cas_count_wr])',
                   f'--control=fifo:{names[0]},{names[1]}', '--', *command)
    head, first, *others = recorded.read_text().splitlines()
    parts = [line for line in others if json.loads(line).get('part')]
    assert len(parts) >= 2
    # A busy machine has longer ones, which have lines.
    recorded.write_text('\n'.join([head, first, *parts, first]) + '\n')
    output = uncorestat.run('--replay', recorded, '--summary')
    assert len(re.findall('^.* all +1.00$', output.text, re.M)) == 3
    assert 'divide' not in output.text and '\n2 intervals, ' in output.text
    assert len(uncorestat.run('--replay', recorded, '-n', 2, '--json').json()) == 2 + 1


def test_control_without_a_command_has_no_lines_before_enable_and_stop_ends_it(
        uncorestat, tmp_path):
    fifo = tmp_path / 'ctl'
    os.mkfifo(fifo)
    with uncorestat.start('-i', 0.02, '-m', 'mem_read', '--control', f'fifo:{fifo}',
                          out=tmp_path / 'out') as running:
        time.sleep(0.3)
        assert running.text == ''
        fifo.write_text('enable\n')
        running.until(lambda: running.text.count('S3') > 3, 'it counted')
        fifo.write_text('nonsense\nstop\n')
        output = running.finish()
    assert output.code == 0 and 'no command nonsense' in output.text
