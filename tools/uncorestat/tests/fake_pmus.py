# SPDX-License-Identifier: GPL-2.0-only
"""A machine of fake uncore PMUs, by fake.c, and uncorestat over it.

Machine() has the files of /sys and /proc below a directory. From one read() of a counter to the
next a second passes, so that a rate is the number in the table, whatever the time it takes.
"""
import collections
import csv
import fnmatch
import io
import json
import os
import re
import shutil
import signal
import subprocess
import time

SNBEP_BOXES = [*(f'cbox_{i}' for i in range(8)), 'ha', *(f'imc_{i}' for i in range(4)), 'pcu',
               'qpi_0', 'qpi_1', 'r2pcie', 'r3qpi_0', 'r3qpi_1', 'ubox']
COMMON_FIELDS = {'event': 'config:0-7', 'umask': 'config:8-15', 'edge': 'config:18',
                 'inv': 'config:23', 'thresh': 'config:24-31'}
SNBEP_FIELDS = collections.defaultdict(lambda: COMMON_FIELDS, {
    'cbox': COMMON_FIELDS | {
        'tid_en': 'config:19', 'filter_tid': 'config1:0-4', 'filter_nid': 'config1:10-17',
        'filter_state': 'config1:18-22', 'filter_opc': 'config1:23-31'},
    'ha': COMMON_FIELDS | {'filter_addr': 'config1:6-45', 'filter_opc': 'config2:0-5'},
    'pcu': COMMON_FIELDS | {
        'event': 'config:0-7,21', 'thresh': 'config:24-28', 'occ_sel': 'config:14-15',
        'occ_invert': 'config:30', 'occ_edge': 'config:31',
        **{f'filter_band{i}': f'config1:{8 * i}-{8 * i + 7}' for i in range(4)}},
    'qpi': COMMON_FIELDS | {
        'event': 'config:0-7,21',
        'match_opc': 'config1:5-8', 'match_mc': 'config1:9-12', 'match_dnid': 'config1:13-17',
        'match_rds': 'config1:48-51', 'mask_opc': 'config2:5-8', 'mask_mc': 'config2:9-12',
        'mask_dnid': 'config2:13-17', 'mask_rds': 'config2:48-51'},
})
# Linux's own PMUs
LINUX_FIELDS = {'power': {'event': 'config:0-7'}, 'msr': {'event': 'config:0-7'}}

# An event that counts: config and config1, and the group's file descriptor
Opened = collections.namedtuple('Opened', 'box cpu config config1 group')


def numbered(name, count):
    """imc_0 to imc_3 of ('imc', 4)"""
    return [f'{name}_{i}' for i in range(count)]


class Machine:
    """Two CPUs in each package: 0 and 1 in the one named first, 10 and 11 in the next."""

    def __init__(self, root, packages=(3, 0), prefix='snbep_uncore_', boxes=SNBEP_BOXES, model=45,
                 fields=SNBEP_FIELDS):
        self.root, self.boxes, self.fields = root, list(boxes), fields
        self.devices = root / 'sys/bus/event_source/devices'
        self.cpus = root / 'sys/devices/system/cpu'
        self.hwmon = root / 'sys/class/hwmon'
        self.rules, self.types = [], {}
        for directory in 'proc/self', 'proc/sys/kernel':
            (root / directory).mkdir(parents=True)
        self.cpuinfo = root / 'proc/cpuinfo'
        self.cpuinfo.write_text(f'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n'
                                f'model\t\t: {model}\nmodel name\t: a fake\n')
        for nth, package in enumerate(packages):
            self._add_package(10 * nth, package, sorted(packages).index(package))
        first = [10 * nth for nth in range(len(packages))]
        (self.cpus / 'online').write_text(','.join(f'{cpu}-{cpu + 1}' for cpu in first) + '\n')
        self.cpumask = ','.join(map(str, first))
        # Devices with similar names that are no boxes
        for name in 'cpu', 'h_0', 'hax', 'imcs_1', 'imc_free_running', 'imc_0x1':
            self._add_pmu(prefix + name if name != 'cpu' else name, 'ha', 4)
        self._add_pmu(f'other_{prefix}imc_0', 'ha', 4)
        self._add_pmu('power', 'power', 7)
        self._add_pmu('msr', 'msr', 8)
        (self.devices / 'msr/cpumask').unlink()
        for number, box in enumerate(self.boxes, 100):
            self._add_pmu(prefix + box, box, number)
        self.prefix = prefix
        self.write_rules()
        (root / 'opened').write_text('')

    def _add_package(self, cpu, package, place):
        for i in cpu, cpu + 1:
            topology = self.cpus / f'cpu{i}/topology'
            topology.mkdir(parents=True)
            (topology / 'physical_package_id').write_text(f'{package}\n')
            (topology / 'core_id').write_text(f'{i}\n')
        # coretemp: Linux numbers packages without gaps; 40 degrees, and one for each package ID
        hwmon = self.hwmon / f'hwmon{cpu}'
        hwmon.mkdir(parents=True)
        (hwmon / 'name').write_text('coretemp\n')
        (hwmon / 'temp1_label').write_text(f'Package id {place}\n')
        (hwmon / 'temp1_input').write_text(f'{40000 + 1000 * package}\n')

    def _add_pmu(self, name, box, number):
        kind = box.partition('_')[0]
        device = self.devices / name
        (device / 'format').mkdir(parents=True)
        for field, bits in (LINUX_FIELDS.get(kind) or self.fields[kind]).items():
            (device / 'format' / field).write_text(bits + '\n')
        (device / 'type').write_text(f'{number}\n')
        (device / 'cpumask').write_text(self.cpumask + '\n')
        self.types[box if number != 4 else name] = number

    def device(self, box):
        """The directory of a box in sysfs"""
        return self.devices / (self.prefix + box)

    def remove(self, pattern):
        """Remove boxes, as if the board had none."""
        for box in fnmatch.filter(self.boxes, pattern):
            shutil.rmtree(self.device(box))

    def cpumask_of(self, box, cpus):
        (self.device(box) / 'cpumask').write_text(cpus + '\n')

    # What the PMUs do: the rules of fake.c. '*' is any PMU, and -1 any number.

    def write_rules(self):
        new = self.root / 'rules.new'
        new.write_text(''.join(' '.join(map(str, rule)) + '\n' for rule in self.rules))
        new.rename(self.root / 'rules')

    def rule(self, kind, box, *numbers):
        """Add a rule for the boxes of a pattern; the last one that matches holds."""
        found = [-1] if box == '*' else [self.types[b] for b in fnmatch.filter(self.types, box)]
        assert found, box
        self.rules += [(kind, number, *numbers) for number in found]
        self.write_rules()

    def rate(self, box, config, per_second, config1=-1, cpu=-1):
        """The event counts so much in a second."""
        self.rule('rate', box, cpu, config, config1, per_second)

    def forget(self, kind, *numbers):
        """Remove all rules of a kind, or those with these numbers after the PMU."""
        self.rules = [rule for rule in self.rules
                      if rule[0] != kind or rule[2:2 + len(numbers)] != numbers]
        self.write_rules()

    def opened(self):
        """The events that counted since the last call"""
        names = {number: box for box, number in self.types.items()}
        lines = [line.split() for line in (self.root / 'opened').read_text().splitlines()]
        (self.root / 'opened').write_text('')
        return [Opened(names[int(t)], int(cpu), int(config, 0), int(config1, 0), int(group))
                for t, cpu, config, config1, group in lines]


class Output:
    """What a run printed, and its exit status"""

    def __init__(self, text, code=0):
        self.text, self.code = text, code

    @property
    def lines(self):
        return self.text.splitlines()

    def json(self):
        return [json.loads(line, parse_constant=_no_constant) for line in self.lines]

    def csv(self):
        return list(csv.DictReader(io.StringIO(self.text, newline='')))

    def line(self, label):
        """The numbers of a line of the last table, by its label: 'S0', 'S3 imc_0' or 'all'"""
        found = re.findall(rf'^[0-9: ]* {label} (.*)', self.text, re.M)
        assert found, f'no line of {label}:\n{self.text}'
        return ' '.join(found[-1].split())

    def notes(self):
        """The remarks below a table"""
        return [line[2:] for line in self.lines if re.match(r'  [-!~*] ', line)]


def _no_constant(name):
    raise ValueError(f'{name} is not in JSON')


class Uncorestat:
    """uncorestat over a Machine"""

    def __init__(self, program, fake, machine):
        self.program, self.fake, self.machine = program, fake, machine

    def _environment(self, **env):
        return os.environ | {'LD_PRELOAD': str(self.fake), 'FAKE': str(self.machine.root)} | env

    def run(self, *args, program=None, **options):
        """Run to its end. With -n first, intervals of 100 s take no time, and are never late."""
        env = options.pop('env', {})
        if args and args[0] == '-n':
            args = '-i', '100', *args
            env = {'QUICK': '1000000'} | env
        options = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT,
                   'stdin': subprocess.DEVNULL, 'timeout': 60} | options
        done = subprocess.run([program or self.program, *map(str, args)], check=False,
                              env=self._environment(**env), encoding='utf-8',
                              errors='surrogateescape', **options)
        return Output(done.stdout or '', done.returncode)

    def start(self, *args, out, env=None):
        """Run in the background, its output to a file."""
        with open(out, 'wb') as file:
            process = subprocess.Popen([self.program, *map(str, args)], stdin=subprocess.DEVNULL,
                                       stdout=file, stderr=subprocess.STDOUT,
                                       env=self._environment(**env or {}))
        return Running(process, out)


class Running:
    """uncorestat in the background, as a context"""

    def __init__(self, process, out):
        self.process, self.out = process, out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @property
    def pid(self):
        return self.process.pid

    @property
    def text(self):
        return self.out.read_text(encoding='utf-8', errors='surrogateescape')

    def until(self, condition, what):
        """Wait for a condition while it runs."""
        while not condition():
            assert self.process.poll() is None, f'it ended before {what}:\n{self.text}'
            time.sleep(0.02)

    def finish(self):
        self.process.wait(60)
        return Output(self.text, self.process.returncode)

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        return self.finish()
