# SPDX-License-Identifier: GPL-2.0-only
"""A machine of fake uncore PMUs, by fake.c, and uncorestat over it.

Machine() has the files of /sys and /proc below a directory. Time is fake.c's: intervals are never
late, however busy the machine is, and a thousand of them cost nothing.
"""
import collections
import contextlib
import csv
import fnmatch
import functools
import io
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time

# Seconds that nothing takes, even on a busy machine
HANGS = 120


def wait_for(condition, what=lambda: '', seconds=HANGS):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while True:
        # A server does not listen yet, or is not ready.
        with contextlib.suppress(OSError, ValueError):
            if condition():
                return
        assert time.monotonic() < end, f'nothing came in {seconds} s:\n{what()}'
        time.sleep(0.05)


SNBEP_BOXES = [*(f'cbox_{i}' for i in range(8)), 'ha', *(f'imc_{i}' for i in range(4)), 'pcu',
               'qpi_0', 'qpi_1', 'r2pcie', 'r3qpi_0', 'r3qpi_1', 'ubox']
COMMON_FIELDS = {'event': 'config:0-7', 'umask': 'config:8-15', 'edge': 'config:18',
                 'inv': 'config:23', 'thresh': 'config:24-31'}
SNBEP_FIELDS = {
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
}
# Model, name in Linux's driver, name of Intel's list
GENERATIONS = {'v1': (45, 'snbep', 'jaketown'), 'v2': (62, 'ivbep', 'ivytown'),
               'v3': (63, 'hswep', 'haswellx'), 'v4': (79, 'bdx', 'broadwellx')}

# An event that counts: config and config1, and the group's file descriptor
Opened = collections.namedtuple('Opened', 'box cpu config config1 group')


def numbered(name, count):
    """imc_0 to imc_3 of ('imc', 4)"""
    return [f'{name}_{i}' for i in range(count)]


def linux_uncore(source, prefix):
    """The PMUs of a processor (snbep, ivbep, hswep or bdx) in the text of Linux's uncore_snbep.c:
    {name: (fields, [(event, counters, bits that are compared)])}"""
    source = source.replace('\\\n', ' ')
    formats = {name: (field, bits) for name, field, bits in re.findall(
        r'DEFINE_UNCORE_FORMAT_ATTR\((\w+),\s*(\w+),\s*"(config[12]?:[\d,-]+)"\)', source)}

    def body(name):
        return re.search(rf'\b{name}(?:\[\])?\s*=\s*\{{(.*?)^\}}', source, re.M | re.S)[1]

    init = re.search(rf'^void {prefix}_uncore_cpu_init\(void\)\n\{{(.*?)^\}}', source,
                     re.M | re.S)[1]
    pmus = {}
    for kind in 'msr', 'pci':
        for box in re.findall(r'&(\w+)', body(f'{prefix}_{kind}_uncores')):
            text = body(box)
            while macro := re.search(r'(\w+_COMMON_INIT)\(\)', text):
                text = text.replace(macro[0], re.search(
                    rf'#define\s+{macro[1]}\(\)(.*)', source)[1])
            attrs = re.search(r'\.attrs\s*=\s*(\w+)', body(re.search(
                r'\.format_group\s*=\s*&(\w+)', text)[1]))[1]
            rules = re.search(rf'\b{box}\.constraints\s*=\s*(\w+)', init) or re.search(
                r'\.constraints\s*=\s*(\w+)', text)
            pmus[re.search(r'\.name\s*=\s*"(\w+)"', text)[1]] = (
                dict(formats[name] for name in re.findall(r'&format_attr_(\w+)\.attr',
                                                          body(attrs))),
                _constraints(body(rules[1])) if rules else [])
    return pmus


def _constraints(text):
    found = []
    for first, last, counters in re.findall(
            r'EVENT_CONSTRAINT_RANGE\((\w+),\s*(\w+),\s*(\w+)\)', text):
        found += [(event, int(counters, 0), 0xff)
                  for event in range(int(first, 0), int(last, 0) + 1)]
    for event, counters, bits in re.findall(
            r'EVENT_CONSTRAINT\((\w+),\s*(\w+)(?:,\s*(\w+))?\)', text):
        found.append((int(event, 0), int(counters, 0), int(bits or '0xff', 0)))
    return found


@functools.cache
def linux_fields(source, prefix):
    """The fields of each PMU, for Machine()"""
    text = (source / 'arch/x86/events/intel/uncore_snbep.c').read_text()
    return {name: fields for name, (fields, _) in linux_uncore(text, prefix).items()}


class Machine:
    """Two CPUs in each package: 0 and 1 in the one named first, 10 and 11 in the next."""

    def __init__(self, root, packages=(3, 0), prefix='snbep_uncore_', boxes=SNBEP_BOXES, model=45,
                 fields=SNBEP_FIELDS):
        self.root, self.boxes, self.fields = root, list(boxes), fields
        self.devices = root / 'sys/bus/event_source/devices'
        self.cpus = root / 'sys/devices/system/cpu'
        self.hwmon = root / 'sys/class/hwmon'
        self.rules, self.types = [], {}
        for directory in 'proc/self', 'proc/sys/kernel', 'dev':
            (root / directory).mkdir(parents=True)
        self.cpuinfo = root / 'proc/cpuinfo'
        self.cpuinfo.write_text(f'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n'
                                f'model\t\t: {model}\nmodel name\t: a fake\n')
        for nth, package in enumerate(packages):
            self._add_package(10 * nth, package, sorted(packages).index(package))
        first = [10 * nth for nth in range(len(packages))]
        (self.cpus / 'online').write_text(','.join(f'{cpu}-{cpu + 1}' for cpu in first) + '\n')
        self.set_cpumask(','.join(map(str, first)))
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
        for field, bits in self.fields.get(kind, COMMON_FIELDS).items():
            (device / 'format' / field).write_text(bits + '\n')
        (device / 'type').write_text(f'{number}\n')
        (device / 'cpumask').symlink_to(self.root / 'cpumask')
        self.types[box if number != 4 else name] = number

    def device(self, box):
        """The directory of a box in sysfs"""
        return self.devices / (self.prefix + box)

    def remove(self, pattern):
        """Remove boxes, as if the board had none."""
        for box in fnmatch.filter(self.boxes, pattern):
            shutil.rmtree(self.device(box))

    def set_cpumask(self, cpus):
        """Give all boxes another one, at the same instant."""
        (self.root / 'cpumask.new').write_text(cpus + '\n')
        (self.root / 'cpumask.new').rename(self.root / 'cpumask')

    def cpumask_of(self, box, cpus):
        """Give a box one of its own."""
        (self.device(box) / 'cpumask').unlink()
        (self.device(box) / 'cpumask').write_text(cpus + '\n')

    def resctrl(self, path='', **files):
        """Have a group of resctrl, and L3 cache 8 in the first package, 9 in the second: its files
        have a value for both, or one for each."""
        root = self.root / 'sys/fs/resctrl'
        for nth, cpu in enumerate((0, 10)):
            for i in cpu, cpu + 1:
                cache = self.cpus / f'cpu{i}/cache/index3'
                cache.mkdir(parents=True, exist_ok=True)
                (cache / 'id').write_text(f'{8 + nth}\n')
            domain = root / path / f'mon_data/mon_L3_{8 + nth:02d}'
            domain.mkdir(parents=True, exist_ok=True)
            for name, value in files.items():
                value = value[nth] if isinstance(value, tuple) else value
                (domain / name).write_text(f'{value}\n')
        for name in 'info', 'mon_groups', path + '/mon_groups':
            if name.count('mon_groups') < 2:
                (root / name.lstrip('/')).mkdir(exist_ok=True)
        return root / path / 'mon_data'

    # What the PMUs do: the rules of fake.c. '*' is any PMU, and -1 any number.

    @contextlib.contextmanager
    def at_once(self):
        """Rules that are added in it hold from the same instant."""
        self.write_rules = lambda: None
        yield
        del self.write_rules
        self.write_rules()

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

    def forget(self, kind):
        """Remove all rules of a kind."""
        self.rules = [rule for rule in self.rules if rule[0] != kind]
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

    def advises(self, pattern):
        """It ended with 1 and one line of advice."""
        assert self.code == 1 and re.fullmatch(f'uncorestat: {pattern}\n', self.text), self.text

    def json(self):
        return [json.loads(line, parse_constant=_no_constant) for line in self.lines]

    def csv(self):
        return list(csv.DictReader(io.StringIO(self.text, newline='')))

    def line(self, label):
        """The numbers of a line of the last table, by its label: 'S0', 'S3 imc_0' or 'all'"""
        found = re.findall(rf'^[0-9:. ]* {re.escape(label)} (?! *[/.])(.*)', self.text, re.M)
        assert found, f'no line of {label}:\n{self.text}'
        return ' '.join(found[-1].split())

    def notes(self):
        """The remarks below a table"""
        return [line[2:] for line in self.lines if re.match(r'  [-!~*] ', line)]


def _no_constant(name):
    raise ValueError(f'{name} is not in JSON')


def samples(path):
    """Samples of a file for Prometheus, 'NAME{LABELS}': number; promtool checks the grammar."""
    text = path.read_text(encoding='utf-8')
    assert text.endswith('\n'), 'the last line has no end'
    rows = [line.rpartition(' ') for line in text.splitlines() if not line.startswith('#')]
    found = {name if '{' in name else name + '{}': float(number) for name, _, number in rows}
    assert found and len(found) == len(rows), 'no sample, or the same again'
    assert all(number >= 0 for name, number in found.items() if '_total{' in name), found
    return found


class Uncorestat:
    """uncorestat over a Machine"""

    def __init__(self, program, fake, machine):
        self.program, self.fake, self.machine = program, fake, machine

    def environment(self, **env):
        """The environment of a run"""
        return os.environ | {'LD_PRELOAD': str(self.fake), 'FAKE': str(self.machine.root),
                             'ASAN_OPTIONS': 'verify_asan_link_order=0:detect_leaks=0'} | env

    def run(self, *args, program=None, **options):
        """Run to its end, where time goes by itself; without intervals, it is a second."""
        options = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT,
                   'stdin': subprocess.DEVNULL, 'timeout': HANGS} | options
        env = self.environment(**options.pop('env', {}))
        done = subprocess.run([program or self.program, *map(str, args)], check=False, env=env,
                              encoding='utf-8', errors='surrogateescape', **options)
        return Output(done.stdout or done.stderr or '', done.returncode)

    def start(self, *args, out, program=None, env=None, **options):
        """Run in the background, its output to a file; time goes by Running.step()."""
        return Running([program or self.program, *map(str, args)], out, self.machine.root,
                       self.environment(**env or {}), options)


class Clock:
    """Time as the test has it: see fake.c"""

    def __init__(self, root, has_ended):
        self.paths, self.has_ended = (root / 'step', root / 'stepped'), has_ended
        for path in self.paths:
            os.mkfifo(path)
        self.fifos = [os.open(path, os.O_RDWR) for path in self.paths]

    def step(self, seconds=0, kind='+'):
        """Let time pass until the program waits for more, or has ended; kind: see fake.c"""
        os.write(self.fifos[0], f'{kind}{seconds}\n'.encode())
        end = time.monotonic() + HANGS
        while not select.select(self.fifos[1:], [], [], 0.2)[0]:
            if self.has_ended():
                return
            assert time.monotonic() < end, 'it hangs'
        os.read(self.fifos[1], 1)

    def close(self):
        for path, fifo in zip(self.paths, self.fifos):
            os.close(fifo)
            path.unlink()


class Running:
    """uncorestat in the background, as a context"""

    def __init__(self, command, out, root, env, options):
        self.out, self.clock = out, None
        if 'REAL' not in env:
            self.clock = Clock(root, lambda: self.process.poll() is not None)
            self.step = self.clock.step
        with open(out, 'wb') as file:
            self.process = subprocess.Popen(
                command, **{'stdin': subprocess.DEVNULL, 'stdout': file,
                            'stderr': subprocess.STDOUT, 'env': env} | options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.clock:
            self.clock.close()

    @property
    def pid(self):
        return self.process.pid

    @property
    def text(self):
        return self.out.read_text(encoding='utf-8', errors='surrogateescape')

    def finish(self):
        self.process.wait(HANGS)
        return Output(self.text, self.process.returncode)

    def stop(self, number=signal.SIGTERM):
        """Send a signal, and wait for the end."""
        self.process.send_signal(number)
        return self.finish()


# Events by their codes, config: a memory channel reads and writes 64 bytes
READS, WRITES = 0x304, 0xc04
# Slices of the LLC: lookups, misses, and requests of PCIe devices by their opcode in config1
LOOKUPS, MISSES, PCIE = 0x334, 0xa35, 0x135
PCIE_READ, PCIE_WRITE, PCIE_WRITE_NOALLOC = 0x19e << 23, 0x19c << 23, 0x194 << 23
# The home agent's data to other sockets, to this one's cache and to its cores
TO_QPI, TO_CACHE, TO_CORE = 0x410, 0x110, 0x210
# QPI: flits of data out; of data and of others in; the link's clock, an eighth of its rate
QPI_OUT, QPI_IN, QPI_IN_NCB, QPI_CLOCK = 0x200, 0x201, 0x401, 0x14
# The PCU's clock of 0.8 GHz, cores in C0 and C6, time above 2 GHz
PCU_CLOCK, CORES_C0, CORES_C6, ABOVE_2000 = 0x0, 0x4080, 0xc080, 0xc

# The names of the metrics in what --list prints, with re.M
ALL_METRICS = r'^([a-z][a-z0-9_]*)(?: \([^)]*\))?$'

# The line of each socket under default_traffic()
DEFAULT = '3000.0 100.0 25.0 8.00 2.00* 1000.0 2000.0 10.0 64.0* 65.6* 5.0 0.5 75.0'


def drawn(seed, *parts):
    """What an event counts in a second by rule "drawn": its type, CPU, config, config1, config2"""
    for part in parts:
        seed = (seed ^ part) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
        seed ^= seed >> 29
    return 1000 + seed % 1000000


def encode(fields, terms):
    """config, config1 and config2 of {field: value}, by the fields' bits"""
    config = [0, 0, 0]
    for name, value in terms.items():
        if not value:
            continue
        word, _, ranges = fields[name].partition(':')
        for part in ranges.split(','):
            low, _, high = part.partition('-')
            for bit in range(int(low), int(high or low) + 1):
                config[int(word[6:] or 0)] |= (value & 1) << bit
                value >>= 1
        assert not value, (name, fields[name])
    return config


def default_traffic(machine):
    """Numbers for each column of the default group"""
    machine.rate('imc_0', READS, 31250000)
    machine.rate('imc_1', READS, 15625000)
    machine.rate('imc_3', WRITES, 1562500)
    machine.rate('ha', TO_QPI, 10)
    machine.rate('ha', TO_CACHE, 25)
    machine.rate('ha', TO_CORE, 5)
    machine.rate('*', LOOKUPS, 1000000)
    machine.rate('*', MISSES, 250000)
    machine.rate('*', PCIE, 125000, PCIE_READ)
    machine.rate('*', PCIE, 125000, PCIE_WRITE)
    machine.rate('*', PCIE, 3125, PCIE_WRITE_NOALLOC)
    machine.rate('qpi_0', QPI_OUT, 125000000)
    machine.rate('qpi_1', QPI_IN, 250000000)
    machine.rate('qpi_1', QPI_IN_NCB, 150000000)
    machine.rate('qpi_0', 0x200802, 125000)
    machine.rate('*', QPI_CLOCK, 1000000000)
    machine.rate('pcu', PCU_CLOCK, 800000000)
    machine.rate('pcu', CORES_C0, 4000000000)
    machine.rate('pcu', CORES_C6, 400000000)
    machine.rate('pcu', ABOVE_2000, 600000000, 0x1400)
