# SPDX-License-Identifier: GPL-2.0-only
"""A run that is recorded, its other outputs later, and how two runs differ."""
import json
import re
import subprocess

import pytest

from fake_pmus import READS, numbered


@pytest.fixture
def file(tmp_path):
    return tmp_path / 'run'


def test_another_machine_can_replay(busy, file, machines, generation):
    """One without any uncore, or another generation"""
    busy.machine = generation('v4', boxes=[*numbered('imc', 8), 'ha_0'])
    job = busy.machine.resctrl('job', mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=1024000)
    live = busy.run('-i', '0.1', '-g', 'resctrl,mem', '--summary', '--record', file, '--', 'sh',
                    '-c', f'echo 5000000 > {job}/mon_L3_08/mbm_total_bytes')
    busy.machine = machines(model=85)
    busy.machine.root.joinpath('proc/cpuinfo').write_text('')
    replayed = busy.run('--replay', file, '--summary')
    assert replayed.text == live.text and replayed.line('S3 /job')
    assert 'E5-2600 v4' in busy.run('--diff', file, file).text


# Files that nobody trusts

@pytest.fixture
def head(busy, file):
    """A recording of two intervals, to be damaged: its lines"""
    busy.run('-n', 2, '-g', 'mem,latency', '--per', 'box,system', '--record', file)
    return file.read_bytes().splitlines(keepends=True)


def refused(busy, file, content, text):
    """It ends with 1 and one line of printable ASCII, with the place and a text if there is one."""
    where = '' if text is None else rf'{re.escape(str(file))}:\d+: '
    file.write_bytes(content)
    for args in ('--replay', file, '--summary'), ('--diff', file, file):
        output = busy.run(*args)
        assert output.code == 1, output.text
        *_, last = output.lines
        assert re.fullmatch(rf'uncorestat: {where}.*{text or ""}.*', last), last
        assert output.text.isascii() and output.text.replace('\n', '').isprintable()


@pytest.mark.parametrize('length', [1, 40, -1])
def test_last_line_of_a_killed_run_is_left_out(busy, file, head, length):
    whole = busy.run('--replay', file, '--csv').lines
    file.write_bytes(b''.join(head) + head[-1][:length])
    output = busy.run('--replay', file, '--csv')
    lines = [line for line in output.lines if 'uncorestat:' not in line]
    assert output.code == 0 and lines == whole
    assert f'uncorestat: {file}:4: the last line was not written in full' in output.text


@pytest.mark.parametrize('content, text', [
    (b'\n', ''), (b'[]\n', 'no recording'), (b'{"time":"now"}\n', 'no recording'),
    (b'{"uncorestat_record":1}\n', 'start_ms'), (b'[' * 100000 + b'\n', 'depth'),
    (b'\x7fELF\x00\x01\n' * 9, 'NUL'), (b'{"\x1b[31m\n', ''),
    (b'x' * (17 << 20) + b'\n', 'more than 16 MiB'),
], ids=['blank', 'list', 'json', 'no key', 'deep', 'binary', 'escape', 'long'])
def test_what_is_no_recording(busy, file, content, text):
    refused(busy, file, content, text)


@pytest.mark.parametrize('key, value, text', [
    ('start_ms', 1 << 62, 'no time'), ('start_ms', -1, 'no time'), ('interval_seconds', 0, ''),
    ('host', 'a\x1b]0;b\x07', '0x1b'), ('host', 'a\nb', '0x0a'), ('driver', 'a"b', '0x22'),
    ('model', 85, 'no processor'), ('sockets', [-1], ''), ('sockets', list(range(65)), '64'),
    ('sockets', [0.5], ''), ('columns', [], 'no columns'), ('columns', [{}], 'metric'),
    ('columns', [{'metric': '*'}], 'no metric'),
    ('columns', [{'metric': 'mem_read'}] * 2, 'twice'), ('lines', {}, 'no list'),
    ('columns', [{'metric': 'mem_read', 'group': '\x1b[2J'}], '0x1b'), ('lines', [], 'no lines'),
    ('lines', [{'socket': 7}], 'socket'), ('lines', [{'box': 'imc_0'}], 'socket'),
    ('lines', [{'socket': 0, 'box': 'imc_0,x'}], '0x2c'),
    ('lines', [{'socket': 0, 'box': 'x'}], 'no box'),
    ('lines', [{'socket': 0, 'box': '/job'}], 'no groups of resctrl'),
    ('lines', [{'socket': 0, 'box': 'imc_99999999999'}], 'no box'),
    ('lines', [{}] * 100000, 'too many'),
    ('command', ['a\x07'], '0x07'), ('command', [1], 'string'),
    ('uncorestat_record', 2, 'format 2, and this uncorestat reads format 1'),
    # An expression is parsed as that of -m is.
    *(('columns', [{'metric': metric}], None) for metric in (
        'x=[imc:no_such_event]', 'x=', 'x=((((', '=1', 'x=a"b', 'no_such_metric', 'freq_9999',
        'x' * 4000)),
])
def test_head_with(busy, file, head, key, value, text):
    refused(busy, file, json.dumps(json.loads(head[0]) | {key: value}).encode() + b'\n' + head[1],
            text)


@pytest.mark.parametrize('old, new', [
    (b'"seconds":', b'"seconds":-'), (b'"seconds":', b'"seconds":1e999,"x":'),
    (b'"values"', b'"other"'), (b'"values":[', b'"values":[null,'), (b'[[', b'[[[1e999,1],'),
    (b'[[', b'[[[1],'), (b'[[', b'[[["1",1],'), (b'[[', b'[[{},'), (b'[[', b'[[[1,-1],'),
    (b'"time_ms":', b'"time_ms":99999999999999999999,"x":'), (b'{', b'{"seconds":5,'),
    (b'{', b'{"notes":["\\u001b[2J"],'), (b'{', b'{"notes":["\\u0000"],'), (b'{', b'{"notes":[1],'),
    (b'{', b'{"lines":[{"socket":1}],'), (b'{', b'{"late":3,'), (b'}', b''), (b'}', b'}}'),
    (b'{', b'\xff{'), (b'{', b'{"notes":["\xff"],'), (b'[[', b'[[[1,1,"~",7],'),
])
def test_interval_with(busy, file, head, old, new):
    refused(busy, file, head[0] + head[1].replace(old, new, 1) + head[2], '')


# Two runs

@pytest.mark.parametrize('options, text', [
    ('', r'\nmem_read +MB/s +3000 +8000 +5000 +166\.7 '),
    ('--csv', r'\nmem_read_bytes_per_second,0,,3000000000,8000000000,5000000000,166\.6'),
    ('--json', r'"socket":0,"a":3000000000,"b":8000000000,"difference":5000000000,'
               r'"change_percent":166\.6')])
def test_difference_of_two_runs_also_in_a_file(busy, file, tmp_path, options, text):
    other = tmp_path / 'other'
    busy.run('-n', 2, '--record', file, '-m', 'mem_read,uncore_ghz')
    busy.machine.rate('imc_*', READS, 31250000)
    busy.run('-n', 3, '--record', other, '-m', 'llc_miss,mem_read')
    args = '--diff', file, other, *options.split()
    assert re.match(f'A: {file}: .*, 2 intervals, 2.00 s\nB: {other}: .*, 3 intervals, 3.00 s\n',
                    busy.run(*args).text)
    printed = busy.run(*args, stderr=subprocess.DEVNULL).text
    assert re.search(text, printed) and ('A: ' in printed) == (not options)
    output = busy.run(*args, '-o', tmp_path / 'out', stderr=subprocess.DEVNULL)
    assert (output.code, output.text, (tmp_path / 'out').read_text()) == (0, '', printed)
    busy.run('-n', 1, '--record', other, '-m', 'llc_miss')
    assert 'no line and column in common' in busy.run(*args).text
