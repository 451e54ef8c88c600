# SPDX-License-Identifier: GPL-2.0-only
"""Every sequence of four things that can happen to a run, in one run: a de Bruijn sequence of
them. The recorded run is what was printed, counters never go back, and totals are the sum of
intervals."""
import collections
import json
import os
import random
import re
import select
import shutil

import pytest

from fake_pmus import HANGS, READS, samples

MB = 1000000
LENGTH = 4


def de_bruijn(symbols):
    """Each sequence of LENGTH symbols, once: the next symbol is the first that makes a new one."""
    names = random.sample(symbols, len(symbols))
    found, seen = names[-1:] * (LENGTH - 1), set()
    while new := [name for name in names if (*found[1 - LENGTH:], name) not in seen]:
        seen.add((*found[1 - LENGTH:], new[0]))
        found.append(new[0])
    return found


def test_each_sequence_is_there():
    names = de_bruijn('abcde')
    assert len({tuple(names[i:i + LENGTH]) for i in range(len(names) - LENGTH + 1)}) == 5 ** LENGTH


class Run:
    """A run in steps, its intervals as JSON, its file for Prometheus and its recording"""

    def __init__(self, uncorestat, directory, *args):
        self.uncorestat, self.prom, self.file = uncorestat, directory / 'prom', directory / 'file'
        self.counters, self.seen, self.taken = {}, [], []
        # With -n, the file for Prometheus stays.
        self.running = uncorestat.start('-i', 1, '-n', 10 ** 6, '--json', '--prometheus', self.prom,
                                        '--record', self.file, *args, out=directory / 'out')
        self.running.step()

    def do(self, machine, symbols):
        """Have all sequences happen to a machine, whose methods have the symbols' names."""
        random.seed(seed := int(os.environ.get('SEED') or random.randrange(1 << 32)))
        print(f'seed {seed}: {len(symbols) ** LENGTH} sequences')
        for name in de_bruijn(symbols):
            self.taken.append(name)
            getattr(machine, name)()
            self.look()

    def look(self):
        """Counters do not go back; a series may end, and begin again."""
        if not self.prom.exists() or not self.prom.stat().st_size:
            return
        self.seen.append(samples(self.prom))
        for name, number in self.seen[-1].items():
            if '_total{' in name:
                assert number >= self.counters.get(name, 0), (name, self.taken[-LENGTH:])
                self.counters[name] = number

    def end(self):
        """The intervals: [{(socket, box): row}]"""
        output = self.running.finish()
        assert output.code == 0, output.text[-2000:]
        text = ''.join(line + '\n' for line in output.lines if line.startswith('{'))
        again = self.prom.with_suffix('.again')
        replayed = self.uncorestat.run('--replay', self.file, '--json', '--prometheus', again)
        assert replayed.text == text
        assert samples(again) == samples(self.prom)
        intervals = collections.defaultdict(dict)
        for row in output.json() if text == output.text else map(json.loads, text.splitlines()):
            intervals[row['time']][row['socket'], row.get('box')] = row
        self.running.__exit__()
        return list(intervals.values())


@pytest.fixture
def run(uncorestat, tmp_path):
    return lambda *args: Run(uncorestat, tmp_path, *args)


# A socket that goes and comes, a pinned user, a write that resets, power that changes

class Memory:
    """Reads in two sockets, of which the one of CPU 0 is disturbed"""

    def __init__(self, machine, run):
        self.machine, self.run, self.rates = machine, run, [15625000, 31250000]
        self.pinned = self.away = self.lost = False
        self.want = []
        machine.rate('imc_0', READS, self.rates[0])

    def _disturb(self, rule, on):
        self.machine.forget(rule)
        if on:
            self.machine.rule(rule, '*', 0, 0)

    def tick(self, *parts):
        """An interval ends: its rate, and whether something happens to the one socket."""
        for part in parts or [1]:
            self.run.running.step(part)
        self.want.append((self.rates[0] * 64, self.pinned or self.away, self.lost))
        self.lost = False
        self._disturb('lose', False)

    def part(self):
        self.tick(0.25, 0.75)

    def power(self):
        self.rates.reverse()
        self.machine.rate('imc_0', READS, self.rates[0])

    def pin(self):
        self.pinned = not self.pinned
        self._disturb('share', self.pinned)

    def socket(self):
        self.away = not self.away
        with self.machine.at_once():
            self._disturb('still', self.away)
        self.machine.set_cpumask('10' if self.away else '0,10')

    def write(self):
        self.lost = True
        self._disturb('lose', True)


def test_what_happens_to_a_socket(uncorestat, run):
    # The home agent has nothing to do: a ratio of nothing
    one = run('-m', 'mem_read,mem_remote')
    memory = Memory(uncorestat.machine, one)
    one.do(memory, ['tick', 'part', 'power', 'pin', 'socket', 'write'])
    one.running.process.terminate()
    key = 'mem_read_bytes_per_second'
    intervals = one.end()
    assert len(intervals) >= len(memory.want) > 6 ** LENGTH / 4
    sums, since = collections.Counter(), 0
    for interval, (rate, disturbed, lost) in zip(intervals, memory.want):
        assert interval[0, None][key] == rate
        value = interval[3, None][key]
        # After a dash a number follows in the second interval.
        since = 0 if disturbed or lost else since + 1
        assert value is None if disturbed else value in (None, 0) if lost else value in (rate, None)
        assert value is not None or since < 3, (interval, since)
        notes = interval[0, None].get('notes', [])
        assert (value is None) == any(note.startswith('- S3 mem_read') for note in notes)
        for socket in 0, 3:
            sums[socket] += interval[socket, None][key] or 0
    for socket in 0, 3:
        name = f'uncorestat_mem_read_bytes_total{{socket="{socket}"}}'
        assert one.counters[name] == pytest.approx(sums[socket], rel=1e-12)
    marks = ('uncorestat_marked{socket="3",mark="not_counted",'
             'metric="uncorestat_mem_read_bytes_total"}')
    for seen in one.seen:
        assert (marks in seen) != ('uncorestat_mem_read_bytes_total{socket="3"}' in seen)


# Groups of resctrl

NO_NUMBERS = ['Unavailable', 'Error', 'Unassigned', '', '-1', '1e3', '0x', '5 5',
              '99999999999999999999']


class Groups:
    """A group that comes and goes, beside that of all"""

    def __init__(self, machine, run):
        self.machine, self.run = machine, run
        self.bytes, self.readable, self.there = 5 * MB, True, False
        self.files, self.last, self.since, self.want = None, None, 0, []

    def _write(self):
        if self.there:
            self.files = self.machine.resctrl('job', llc_occupancy=2048000, mbm_total_bytes=(
                self.bytes if self.readable else random.choice(NO_NUMBERS), 0))

    def tick(self):
        self.run.running.step(1)
        self.since += 1
        traffic = level = None
        if not self.there:
            self.last = None
        elif self.readable:
            if self.last is not None:
                level = 2.048
                # An average over what could not be read
                if self.bytes >= self.last:
                    traffic = (self.bytes - self.last) / self.since
            self.last, self.since = self.bytes, 0
        self.want.append((traffic, level))

    def group(self):
        """It goes, or comes: another one of the same name, which has counted before"""
        self.there = not self.there
        if not self.there:
            shutil.rmtree(self.files.parent)
        self._write()

    def traffic(self):
        self.bytes += MB
        self._write()

    def reset(self):
        self.bytes = MB
        self._write()

    def error(self):
        self.readable = not self.readable
        self._write()


def test_what_happens_to_a_group_of_resctrl(uncorestat, generation, run):
    uncorestat.machine = machine = generation('v4', boxes=['imc_0', 'ha_0'])
    machine.resctrl(mbm_total_bytes=0, llc_occupancy=0)
    one = run('-m', 'resctrl_total,resctrl_llc', '--per', 'resctrl')
    groups = Groups(machine, one)
    one.do(groups, ['tick', 'group', 'traffic', 'reset', 'error'])
    one.running.process.terminate()
    key = 'resctrl_total_bytes_per_second'
    exact = 0
    for interval, (traffic, level) in zip(one.end(), groups.want):
        row = interval.get((3, '/job'), {key: None, 'resctrl_llc_mb': None})
        # A group is there from the end of the interval in which it came.
        assert row[key] == pytest.approx(traffic, rel=1e-12), (interval, traffic)
        # A count that falls has no effect on other columns.
        assert row['resctrl_llc_mb'] == pytest.approx(level, rel=1e-12), (interval, level)
        notes = ' '.join(row.get('notes', []))
        assert ('resctrl_llc' in notes) <= (level is None)
        exact += traffic is not None
        assert interval[0, '/'][key] == 0
    assert exact


# --control

class Control:
    """What enable, disable and time make of intervals, in milliseconds"""

    def __init__(self, run, fifo, ack):
        self.run, self.fifo, self.ack = run, fifo, ack
        self.on, self.length, self.want = False, 0, []

    def _say(self, word):
        os.write(self.fifo, f'{word}\n'.encode())
        self.run.running.step()
        assert os.read(self.ack, 100) == b'ack\n'

    def enable(self):
        self._say('enable')
        self.length = self.length if self.on else 0
        self.on = True

    def disable(self):
        self._say('disable')
        if self.on and self.length:
            self.want.append(self.length)
        self.on = False

    def ping(self):
        self._say('ping')

    def half(self):
        self._pass(500)

    def most(self):
        self._pass(920)

    def moment(self):
        self._pass(5)

    def _pass(self, length):
        self.run.running.step(length / 1000)
        self.length += length if self.on else 0
        if self.on and self.length >= 1000:
            self.want.append(1000)
            self.length -= 1000


def test_what_control_does(uncorestat, run, tmp_path):
    uncorestat.machine.rate('imc_0', READS, 15625000)
    files = tmp_path / 'fifo', tmp_path / 'ack'
    for fifo in files:
        os.mkfifo(fifo)
    one = run('-m', 'mem_read', '--control', f'fifo:{files[0]},{files[1]}')
    control = Control(one, *(os.open(fifo, os.O_RDWR | os.O_NONBLOCK) for fifo in files))
    one.do(control, ['enable', 'disable', 'ping', 'half', 'most', 'moment'])
    control.disable()
    one.look()
    os.write(control.fifo, b'nonsense\nstop\n')
    intervals = one.end()
    os.close(control.fifo)
    os.close(control.ack)
    lines = [json.loads(line) for line in one.file.read_text().splitlines()[1:]]
    assert [round(line['seconds'] * 1000) for line in lines] == control.want
    # A part of an interval has no line, and is in the total.
    assert [round(interval[0, None]['interval_seconds'] * 1000) for interval in intervals] == [
        length for n, length in enumerate(control.want) if length >= 10 or not n]
    for interval in intervals:
        early = 'ended early' in ' '.join(interval[0, None].get('notes', []))
        assert early == (interval[0, None]['interval_seconds'] < 0.9)
    assert {interval[0, None]['mem_read_bytes_per_second'] for interval in intervals} == {1e9}
    assert one.counters['uncorestat_mem_read_bytes_total{socket="0"}'] == pytest.approx(
        sum(control.want) * 1e6)
    assert 'no command nonsense' in one.running.text


def test_ack_of_enable_comes_once_counters_have_been_read(uncorestat, tmp_path):
    rules, *files = uncorestat.machine.root / 'rules', tmp_path / 'fifo', tmp_path / 'ack'
    for name in rules.with_suffix('.fifo'), *files:
        os.mkfifo(name)
    fifo, ack = (os.open(name, os.O_RDWR) for name in files)
    with uncorestat.start('-m', 'mem_read', '--control', f'fifo:{files[0]},{files[1]}',
                          out=tmp_path / 'out'):
        os.write(fifo, b'ping\n')
        assert os.read(ack, 9) == b'ack\n'
        # To read a counter, the fake kernel waits for its rules.
        rules.with_suffix('.fifo').rename(rules)
        os.write(fifo, b'enable\n')
        assert not select.select([ack], [], [], 0.5)[0]
        os.close(os.open(rules, os.O_RDWR))
        assert select.select([ack], [], [], HANGS)[0]
    os.close(fifo)
    os.close(ack)


# Time

class Time:
    """Intervals that are late, a machine that sleeps"""

    def __init__(self, run):
        self.run, self.now, self.asleep, self.begun, self.want = run, 0, 0, 0, []

    def _end(self, late):
        self.want.append((self.now - self.begun, late, self.asleep))
        self.begun, self.asleep = self.now, 0

    def _pass(self, seconds):
        """Deadlines are multiples of an interval, however late one was."""
        self.run.running.step(seconds)
        target = self.now + seconds
        while int(self.now) + 1 <= target:
            self.now = int(self.now) + 1
            self._end(False)
        self.now = target

    def tick(self):
        self._pass(1)

    def half(self):
        self._pass(0.5)

    def late(self):
        self.run.running.step(1.75, 'j')
        self.now += 1.75
        self._end(True)

    def suspend(self):
        self.run.running.step(5, 's')
        self.asleep += 5


def test_what_time_does(uncorestat, run):
    uncorestat.machine.rate('imc_0', READS, 15625000)
    one = run('-m', 'mem_read')
    time = Time(one)
    one.do(time, ['tick', 'half', 'late', 'suspend'])
    one.running.process.terminate()
    intervals = one.end()
    # The last one ends early, if there is something of it.
    for interval, (length, late, asleep) in zip(intervals, time.want):
        row = interval[0, None]
        assert row['interval_seconds'] == pytest.approx(length)
        assert row['mem_read_bytes_per_second'] == 1e9
        notes = ' '.join(row.get('notes', []))
        assert ('late: this interval has' in notes) == (late and length > 1.11), row
        assert re.findall('suspended for (.*?) s', notes) == [f'{asleep:.1f}'] * bool(asleep)
        assert 'ended early' not in notes
    ended = intervals[len(time.want):]
    assert all('ended early' in ' '.join(row[0, None]['notes']) for row in ended)
