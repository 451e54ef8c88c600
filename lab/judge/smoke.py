# SPDX-License-Identifier: GPL-2.0-only
"""Test an uncore driver on a machine of two sockets, and print KTAP: every PMU is there and counts
exactly; its fields, aliases and counters are the hardware's; groups, multiplexing, CPU hotplug,
suspend, unbind and unload."""
import argparse
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator

from . import lists, machine
from .process import TOP, CouldNot, command, ktap

# What it is, and the generations that have it, in a boot of its own
PARTS = {
    'basic': ('counting, sysfs, groups, hotplug, unload', '.*'),
    'socket-offline': ('all CPUs of a socket go offline while an event is open', '.*'),
    'rotate-offline': ('a CPU goes offline while its events are multiplexed', '.*'),
    'rotate-unload': ('the driver goes after its timer was set', '.*'),
    'unload-while-opening': ('unload while others open software events', '.*'),
    'interval': ('the multiplexing interval is written while PMUs register', '.*'),
    'rebind': ("a box's function goes and comes back", '[1-4]'),
    'unbind': ("a box's function is unbound while it counts", '[1-4]'),
    'suspend-to-ram': ('suspend to RAM', '.*')}
EPILOG = 'parts:\n' + ''.join(f'  {name}: {about}\n' for name, (about, _) in PARTS.items()) + """
Exit status: 0; 1 if a result is "not ok"; 2 for a wrong option; 125 if nothing could be tested."""
# Where the first unit's function is, and the unit that is memory-mapped
PLACES = {'1': '10.0', '2': '10.4', '3': '14.0', '4': '14.0'}
MAPPED = {'discovery': 'type_2_0', **dict.fromkeys('spr emr gnr dmr icx snr'.split(), 'imc_0')}
NO_PMU = "knows this processor's PMUs"


def parts_of(generation: str) -> list[str]:
    """The parts that a generation has"""
    return [name for name, (_, where) in PARTS.items() if re.fullmatch(where, generation)]


def program(name: str) -> pathlib.Path:
    """A program for the guest; the tarball of make dist has built ones."""
    built = TOP / 'machine/xeon/guest' / name
    if not built.exists():
        out = pathlib.Path(os.environ.get('SNBEP_BUILD', TOP / 'build')) / 'guest'
        built = out / name
        done = command('make', '-s', '-C', TOP / 'machine/xeon/guest', f'O={out}', built)
        if done.returncode:
            raise CouldNot(f'{name} does not build: {done.stdout}{done.stderr}')
    return built


@dataclasses.dataclass
class Smoke:
    """A driver on a machine"""
    model: list[str]                    # options of the hardware model
    options: list[str]                  # of vm: the kernel and its modules
    driver: str = 'intel_uncore'
    logs: pathlib.Path | None = None    # where the guests' logs are kept
    before: str = ''                    # what the guest does first

    def __post_init__(self) -> None:
        words = dict(word.partition('=')[::2] for option in self.model for word in option.split())
        boards = {row[0]: row[5].split(',')[0] for row in machine.table(machine.XEON / 'vm/boards')}
        self.own = words.get('units')
        self.generation = words.get('generation') or boards.get(
            words.get('board', ''), 'discovery' if self.own else '1')
        self.units = machine.units(self.generation)
        if self.own:
            if self.generation != 'discovery':
                raise CouldNot('the names of units=FILE are those of generation=discovery', 'usage')
            self.units, self.rows = machine.own_units(pathlib.Path(self.own))
        elif not self.units:
            raise CouldNot(f'there is no generation {self.generation}: the machine has '
                           + ' '.join(machine.generations()), 'usage')
        else:
            self.rows = machine.rows(self.generation, lists.counters(self.generation))

    def parts(self, only: str = '') -> list[str]:
        """Those that run; CouldNot if ONLY is none of them"""
        found = parts_of(self.generation)
        if self.own:
            found = ['basic', 'rotate-unload', 'unload-while-opening', 'interval']
        if only and only not in found:
            raise CouldNot(f'generation {self.generation} has no part {only}: it has '
                           + ' '.join(found), 'usage')
        return [only] if only else found

    def results(self, only: str = '') -> Iterator[ktap.Test]:
        """The parts, each with its results"""
        parts, none = self.parts(only), ''
        with tempfile.TemporaryDirectory(prefix='smoke.') as name:
            root = pathlib.Path(name)
            (root / 'usr/bin').mkdir(parents=True)
            (root / 'usr/share').mkdir()
            (root / 'usr/share/uncore-verify').write_text('\n'.join(self.rows) + '\n',
                                                          encoding='ascii')
            shutil.copy(program('uncore-verify'), root / 'usr/bin')
            for part in parts:
                test = ktap.Test(f'{part}: {PARTS[part][0]}')
                if none:
                    test.directive, test.reason = 'SKIP', none
                else:
                    test.children = self._boot(part, root)
                    test.good = not any(child.failures() for child in test.children)
                if any(child.name.endswith(NO_PMU) for child in test.children):
                    none = (f"this kernel's {self.driver} knows no PMU of generation "
                            f'{self.generation}')
                yield test

    def _boot(self, part: str, root: pathlib.Path) -> list[ktap.Test]:
        """The results of a part, the last one that the kernel survives it without a complaint"""
        options = ['-W', '-t', '300', '-o', 'spare=intel_uncore', '-f', root, '-c', '2',
                   *self.options]
        # After Linux 6.1, intel_uncore counts the processors that are there, to know how many CBos
        # a socket has. Two are online, as each has to be emulated.
        cores = machine.CORES.get(self.generation, '') if part == 'basic' else ''
        if cores:
            options += ['-c', cores, '-o', f'cores={cores}', '-a', 'maxcpus=2']
        if part == 'unbind':
            options += ['-a', 'slab_debug=P slub_debug=P']
        for option in self.model:
            options += ['-o', option]
        if self.logs:
            self.logs.mkdir(parents=True, exist_ok=True)
            options += ['-l', self.logs / f'{self.generation}-{part}.log']
        units = '\n'.join(f'{unit.pmu} {unit.stim} {unit.socket} {unit.event}'
                          for unit in self.units)
        words = {'generation': self.generation, 'driver': self.driver, 'part': part,
                 'own': self.own and 'yes' or '', 'mmio': MAPPED.get(self.generation, ''),
                 'cores': cores, 'place': PLACES.get(self.generation, ''), 'units': units}
        names = ' '.join(f'{name}={shlex.quote(word)}' for name, word in words.items())
        script = f'{self.before}{names}; ' + (machine.SMOKE / 'in-guest').read_text(
            encoding='utf-8')
        done = command(TOP / 'machine/xeon/vm/vm', *options, '--', script)
        # The guest numbers none, so that what it printed before it crashed is read as well.
        tests = ktap.parse(done.stdout.splitlines()).children
        end = ktap.Test(f'{part}: the kernel has no complaint', good=done.returncode == 0)
        end.diagnostics = done.stderr.splitlines()[:40] if done.returncode else []
        return [*tests, end]


def arguments() -> argparse.Namespace:
    """The command line"""
    parser = argparse.ArgumentParser(prog='smoke', description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-o', dest='model', action='append', default=[], metavar='OPTIONS',
                        help='of the hardware model, such as generation=spr or units=FILE')
    for option, name, about in (
            ('-k', 'KERNEL', 'as of machine/xeon/vm/vm'), ('-K', 'DIRECTORY', 'its modules'),
            ('-b', 'DIRECTORY', 'modules, as of machine/xeon/vm/vm')):
        parser.add_argument(option, metavar=name, help=about)
    parser.add_argument('-m', dest='driver', default='intel_uncore', help='(intel_uncore)')
    parser.add_argument('-p', dest='part', default='', help='run this part alone')
    parser.add_argument('-l', dest='logs', type=pathlib.Path, metavar='DIRECTORY',
                        help="keep the guests' logs there")
    return parser.parse_args()


def main() -> int:
    """The exit status"""
    options = arguments()
    words = [word for option in 'kKb' for value in [getattr(options, option)] if value
             for word in (f'-{option}', value)]
    failed = False
    try:
        smoke = Smoke(options.model, words, options.driver, options.logs)
        print(f'KTAP version 1\n1..{len(smoke.parts(options.part))}', flush=True)
        for number, test in enumerate(smoke.results(options.part), 1):
            print('\n'.join(ktap.result_lines(test, number)), flush=True)
            failed |= bool(test.failures())
    except (CouldNot, OSError) as error:
        print(f'smoke: {error}', file=sys.stderr)
        return 2 if getattr(error, 'verdict', '') == 'usage' else 125
    return int(failed)
