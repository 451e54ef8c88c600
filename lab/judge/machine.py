# SPDX-License-Identifier: GPL-2.0-only
"""What the emulated machine has: processors, their units, and what judges them"""
import dataclasses
import pathlib
import re
from collections.abc import Iterator

from .process import TOP, CouldNot

XEON = TOP / 'machine/xeon'
SMOKE = TOP / 'lab/smoke'
# Those of the largest die of an E5, with a CBox each; vm/units has eight, which all dies have.
CORES = {'1': '8', '2': '15', '3': '18', '4': '24'}


def table(file: pathlib.Path) -> Iterator[list[str]]:
    """The words of a table's rows"""
    for line in file.read_text(encoding='utf-8').splitlines():
        words = line.split()
        if words and words[0][0] != '#':
            yield words


def generations() -> list[str]:
    """All processors"""
    return [words[0] for words in table(XEON / 'qemu/generations')]


def of(generation: str, rows: Iterator[list[str]]) -> list[list[str]]:
    """The rows, without their first word, a regular expression, for a generation"""
    return [words for pattern, *words in rows if re.fullmatch(pattern, generation)]


@dataclasses.dataclass(frozen=True)
class Unit:
    """A PMU and the unit that it counts on"""
    pmu: str            # the end of the PMU's name
    stim: str           # uncore-stim's name
    socket: str         # '-': both
    event: str

    def kind(self) -> str:
        """The type of PMU: type_1 is one of one unit."""
        return self.pmu if re.fullmatch(r'type_\d+', self.pmu) else re.sub(r'_\d+$', '', self.pmu)


def units(generation: str) -> list[Unit]:
    """Those on which smoke counts"""
    found = []
    for event, *names in of(generation, table(XEON / 'vm/units')):
        for name in names:
            name, _, socket = name.partition('@')
            pmu, _, stim = name.partition('=')
            several = re.fullmatch(r'(.*_)(\d+)-(\d+)', pmu)
            pmus = [f'{several[1]}{n}' for n in range(int(several[2]), int(several[3]) + 1)
                    ] if several else [pmu]
            found += [Unit(pmu, stim or pmu, socket or '-', event) for pmu in pmus]
    return found + [Unit(f'cbox_{n}', f'cbox_{n}', '-', 'event=0x35,umask=0x4')
                    for n in range(8, int(CORES.get(generation, 8)))]


def judged(generation: str) -> list[list[str]]:
    """The rows of sysfs for a generation, with what stands for several written out"""
    found = []
    for pmus, *words in of(generation, table(SMOKE / 'sysfs')):
        for row in ' '.join(words).split('; '):
            row = re.sub(r'(\S+)/(\S+,\S+)', lambda event: ' '.join(
                f'{event[1]}/{mask}' for mask in event[2].split(',')), f'{pmus} {row}')
            ranges = [range(int(first), int(last) + 1)
                      for first, last in re.findall(r'\{(\d+)-(\d+)\}', row)]
            for numbers in zip(*ranges) if ranges else [()]:
                left = iter(numbers)
                found.append(re.sub(r'\{\S+?\}', lambda _: str(next(left)), row).split())
    return found


def rows(generation: str, counters: list[list[str]]) -> list[str]:
    """Rows for uncore-verify, those of a PMU together: the first PMU of a type has number 0 or
    none."""
    first: dict[str, Unit] = {}
    for unit in units(generation):
        first.setdefault(unit.kind(), unit)
    found = []
    for kinds, *row in judged(generation) + counters:
        for kind in kinds.split(','):
            kind, _, stim = kind.partition('=')
            numbers = re.fullmatch(r'(.*?)(\d+)-(\d+)', kind)
            if not stim:
                if kind in first:
                    found.append([first[kind].pmu, first[kind].stim, *row])
            elif numbers:
                found += [[f'{numbers[1]}{n}', f'{stim}_{n}', *row]
                          for n in range(int(numbers[2]), int(numbers[3]) + 1)]
            else:
                found.append([kind, stim, *row])
    return [' '.join(words) for words in sorted(found, key=lambda words: words[0])]


def own_units(file: pathlib.Path) -> tuple[list[Unit], list[str]]:
    """What a table of units has, and rows for the fields that any unit of such a table has"""
    found: list[Unit] = []
    judged: dict[str, list[str]] = {}
    try:
        lines = file.read_text(encoding='ascii').splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CouldNot(f'{file}: {error}', 'usage') from error
    for number, line in enumerate(lines, 1):
        words = line.split('#')[0].split()
        if words[:1] not in (['msr'], ['mmio'], ['pci']) or words[1:2] == ['-']:
            continue
        try:
            kind, ids, dies, counters, width = (words[n] for n in (1, 2, 3, 5, 6))
            low, _, high = ids.partition('-')
            numbers = range(int(low), int(high or low) + 1)
            if int(kind) > 255 or len(found) + len(numbers) > 4096 or \
                    not 0 < int(counters, 0) <= 64:
                raise ValueError
            socket = '-' if dies[:2] in ('*', '0-') else str(int(dies[0]))
        except (IndexError, ValueError) as error:
            raise CouldNot(f'{file}:{number}: no row of units', 'usage') from error
        for n in numbers:
            name = f'type_{kind}_{n}'
            found.append(Unit(name, name, socket, 'event=0x4,umask=0x3'))
            # uncore-verify looks at socket 0.
            if socket != '1':
                judged.setdefault(kind, [f'{name} {name} {row}' for row in (
                    'field umask CTL 8-15', 'field edge CTL 18', 'field inv CTL 23',
                    'field thresh CTL 24-31', f'width {width} 0x4 0x3',
                    f'counters {",".join(map(str, range(int(counters, 0))))} 0x4/0x3')])
    if not found:
        raise CouldNot(f'{file} has no unit with a type', 'usage')
    kinds = [unit.kind() for unit in found]
    for number, kind in enumerate(kinds):
        # Linux numbers the units of a type that has several.
        if kinds.count(kind) == 1:
            one = found[number]
            found[number] = dataclasses.replace(one, pmu=kind)
            judged = {name: [re.sub(f'^{one.pmu} ', f'{kind} ', row) for row in rows_of_kind]
                      for name, rows_of_kind in judged.items()}
    return found, [row for rows_of_kind in judged.values() for row in rows_of_kind]
