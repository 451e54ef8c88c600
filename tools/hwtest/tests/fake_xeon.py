# SPDX-License-Identifier: GPL-2.0-only
"""A machine of two sockets for uncore-hwtest-measure, by fake.c: /sys, PCI functions and MSRs.

CPUs 0 to 3 are in the first package, 10 to 13 in the second one, on two cores; CPU 20 is offline.
Events count a rate of real time, and what the fake uncore-stim injects.
"""
import os
import pathlib
import re
import shutil
import subprocess

from fake_pmus import Machine

CLOCK = {'cbox': 0, 'ha': 0, 'imc': 0xff, 'pcu': 0, 'qpi': 0x14, 'r2pcie': 1, 'r3qpi': 1,
         'ubox': 0xff}
WIDTHS = {name: int(width) for name, width in re.findall(
    r'^BOX\((\w+),.* (\d+), \w+\)$',
    (pathlib.Path(__file__).parents[3] / 'events/boxes.def').read_text(encoding='utf-8'), re.M)}
# Counter 0 of these functions: its device id and its box. IMC and QPI have a fixed one too.
COUNTERS = {'0e.1': (0x3c46, 'ha'), '10.0': (0x3cb0, 'imc'), '08.2': (0x3c41, 'qpi'),
            '13.1': (0x3c43, 'r2pcie'), '13.5': (0x3c44, 'r3qpi')}
PMC, EVTSEL, OFFCORE_RSP = 0xc1, 0x186, 0x5301b7


class FakeXeon(Machine):
    """packages: their ids; cores: the core of each CPU; nodes: the node of each UBox; buses: of
    each socket; qpi: QPI_RATE_STATUS of a socket's two ports; pmcs: counters of a core;
    ubox_bits: of the UBox's fixed counter; the rest is in MHz"""

    def __init__(self, root, *, packages, cores, nodes, buses=('7f', 'ff'), qpi, pmcs,
                 ubox_bits, uclk, dclk, idle):
        super().__init__(root, packages)
        self.packages, self.nodes, self.buses, self.qpi = packages, nodes, buses, qpi
        self.moving, self.fixed, self.rates = [], [], []
        self.uclk, self.pmcs, self.ubox_bits = uclk, pmcs, ubox_bits
        for nth, package in enumerate(packages):
            for cpu, core in enumerate(cores, 10 * nth):
                self._put(self.cpus / f'cpu{cpu}/topology/physical_package_id', package)
                self._put(self.cpus / f'cpu{cpu}/topology/core_id', core)
        (self.cpus / 'cpu20').mkdir()
        (self.cpus / 'online').write_text('0-3,10-13\n')
        for nth, bus in enumerate(buses):
            self._pci_functions(nth, bus)
        for cpu in 0, 10:
            self._registers(f'dev/cpu/{cpu}/msr', {
                0xc08: 0x400000, 0xd10: 0x400000, 0xc30: 0x600000})
        for register, bits in ((0xd16, WIDTHS['cbox']), (0xc36, WIDTHS['pcu']),
                               (0xc09, ubox_bits)):
            self.moving.append(('dev/cpu/0/msr', register, bits))
        for pmc in range(8):
            if pmc < pmcs:
                self.fixed.append(('dev/cpu/0/msr', EVTSEL + pmc, OFFCORE_RSP))
            if pmc < 4:
                self.moving.append(('dev/cpu/0/msr', PMC + pmc, 48))
            else:
                self.fixed.append(('dev/cpu/0/msr', PMC + pmc, 0x800000000000))
        for box in self.boxes:
            if box.partition('_')[0] not in ('imc', 'qpi'):
                self.clock(box, 800 if box == 'pcu' else uclk)
        for cpu, mhz in (0, dclk[0]), (10, dclk[1]):
            for i in range(4):
                self.clock(f'imc_{i}', mhz, cpu)
        for nth in range(2):
            for port in range(2):
                # 400 MHz at 6.4 GT/s, which is rate 3
                self.clock(f'qpi_{port}', 100 * qpi[nth][port] + 500, 10 * nth)
        for i in range(4):
            for event in 0x304, 0xc04:
                self.rates.append((self.types[f'imc_{i}'], -1, event, idle + i / 20))
        self.rates.append((self.types['ha'], -1, 0x301, 2 * idle))
        self.write()

    @staticmethod
    def _put(path, value):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{value}\n')

    def _registers(self, path, values):
        """A file of 4096 bytes with values of 32 bits"""
        content = bytearray(4096)
        for offset, value in values.items():
            content[offset:offset + 4] = value.to_bytes(4, 'little')
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def _pci(self, bus, function, device, values=None):
        self._registers(f'sys/bus/pci/devices/0000:{bus}:{function}/config',
                        {0: device << 16 | 0x8086, **(values or {})})

    def _pci_functions(self, nth, bus):
        nodes = sum(node << 3 * package for node, package in zip(self.nodes, self.packages))
        self._pci(bus, '0b.0', 0x3ce0, {0x40: self.nodes[nth], 0x54: nodes})
        for function, device in ('08.2', 0x3c41), ('09.2', 0x3c42), ('08.6', 0x3c86), (
                '09.6', 0x3c96):
            self._pci(bus, function, device)
        self._pci(bus, '08.0', 0x3c80, {0xd4: self.qpi[nth][0]})
        self._pci(bus, '09.0', 0x3c90, {0xd4: self.qpi[nth][1]})
        if nth == 0:
            for function, (device, box) in COUNTERS.items():
                self._pci(bus, function, device, {0xd8: 0x400000, 0xf0: 0x400000})
                path = f'sys/bus/pci/devices/0000:{bus}:{function}/config'
                self.moving += [(path, 0xa0, WIDTHS[box]), (path, 0xd0, 48)]

    def clock(self, box, mhz, cpu=-1):
        """A box's clock, of both sockets or of the one that a CPU counts for"""
        self.rates.append((self.types[box], cpu, CLOCK[box.partition('_')[0]], mhz))

    def slow(self, box, nth, factor):
        """A box's clock of a socket counts too little."""
        cpu, event = 10 * nth, CLOCK[box.partition('_')[0]]
        mhz = [rate[3] for rate in self.rates
               if rate[0] == self.types[box] and rate[1] in (-1, cpu) and rate[2] == event][-1]
        self.clock(box, factor * mhz, cpu)
        self.write()

    def write(self):
        """Write the tables that fake.c reads."""
        for name in 'rates', 'moving', 'fixed':
            (self.root / name).write_text(
                ''.join(' '.join(map(str, row)) + '\n' for row in getattr(self, name)))

    def node_of_cpu(self, node, *cpus):
        """A NUMA node, which has these CPUs"""
        for cpu in cpus:
            self._put(self.root / f'sys/devices/system/node/node{node}/cpu{cpu}', '')

    def remove_function(self, function):
        for bus in self.buses:
            shutil.rmtree(self.root / f'sys/bus/pci/devices/0000:{bus}:{function}')


class Report:
    """What uncore-hwtest-measure printed"""

    def __init__(self, text):
        self.text = text

    def lines(self, pattern):
        return [line for line in self.text.splitlines() if re.search(pattern, line)]

    def matches(self, pattern):
        """The group of the pattern in each line that has one"""
        return re.findall(pattern, self.text, re.M)

    def failures(self):
        return self.lines('^not ok')

    def assert_has(self, *patterns):
        """Each pattern matches a line."""
        missing = [pattern for pattern in patterns if not self.lines(pattern)]
        # What is printed of the report are its results, without the notes.
        assert not missing, '\n'.join(['no line has', *missing, *self.lines('^(?!# [a-z])')])


class Measure:
    """uncore-hwtest-measure over a fake machine"""

    def __init__(self, built, here):
        self.program, self.fake, self.bin = built / 'uncore-hwtest-measure', built, here / 'bin'

    def __call__(self, machine, *options):
        (machine.root / 'stim').unlink(missing_ok=True)
        env = os.environ | {'LD_PRELOAD': str(self.fake / 'fake-hwtest.so'),
                            'FAKE': str(machine.root), 'PATH': f'{self.bin}:{os.environ["PATH"]}'}
        done = subprocess.run([self.program, *map(str, options)], check=False, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')
        return Report(done.stdout)
