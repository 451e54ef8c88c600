# SPDX-License-Identifier: GPL-2.0-only
"""Intel's event lists in a tree of Linux: on which counters each event code counts. "python3 -m
judge.lists FILE" makes that file for all processors, for where there is no such tree."""
import collections
import json
import pathlib
import sys

from . import machine
from .process import SCRIPTS, TOP, run

LISTS = 'tools/perf/pmu-events/arch/x86'
# Generation of the machine: the directory there
NAMES = {'1': 'jaketown', '2': 'ivytown', '3': 'haswellx', '4': 'broadwellx',
         'skx': 'skylakex', 'clx': 'cascadelakex', 'icx': 'icelakex', 'snr': 'snowridgex',
         'spr': 'sapphirerapids', 'emr': 'emeraldrapids', 'gnr': 'graniterapids'}
# A unit of the lists that has another name in Linux
PMUS = {('gnr', 'mdf'): 'mdf_sbo'}
MADE = TOP / 'lab/smoke/counters'


def counters(generation: str, linux: pathlib.Path | None = None) -> list[list[str]]:
    """[PMU, 'counters', counters, event] of the list, an event with a unit mask that it has. Codes
    whose names have different counters are left out."""
    if linux is None and MADE.exists():
        return machine.of(generation, machine.table(MADE))
    if generation not in NAMES:
        return []
    linux = linux or pathlib.Path(run(SCRIPTS / 'linux-source', 'newest', 'tools/perf/pmu-events'))
    units = {unit.kind().rstrip('0123456789').rstrip('_') for unit in machine.units(generation)}
    sets, masks = collections.defaultdict(set), {}
    for file in sorted((linux / LISTS / NAMES[generation]).glob('uncore-*.json')):
        for event in json.loads(file.read_text(encoding='utf-8')):
            unit = event.get('Unit', '').split(' ')[0].lower()
            unit = PMUS.get((generation, unit), unit)
            if unit not in units or not event.get('Counter', 'FIXED')[:1].isdigit():
                continue
            code = int(event.get('EventCode', '0'), 0)
            mask = 0 if unit == 'pcu' else int(event.get('UMask', '0'), 0)
            # Since SPR, a control that is 0 is one that is off.
            if code or mask:
                # Of the two ring stops of an E5's IRP, whose four counters are one PMU
                both = generation.isdigit() and unit == 'irp'
                sets[unit, code].add('0,1,2,3' if both else event['Counter'].replace(' ', ''))
                masks.setdefault((unit, code), mask)
    of = collections.defaultdict(list)
    for (unit, code), counters_of in sorted(sets.items()):
        if len(counters_of) == 1:
            mask = masks[unit, code]
            of[unit, *counters_of].append(f'{code:#x}/{mask:#x}' if mask else f'{code:#x}')
    # uncore-verify takes 64 words.
    return [[unit, 'counters', which, *events[n:n + 16]] for (unit, which), events
            in sorted(of.items()) for n in range(0, len(events), 16)]


if __name__ == '__main__':
    pathlib.Path(sys.argv[1]).write_text(''.join(
        f'{generation} {" ".join(row)}\n' for generation in NAMES
        for row in counters(generation)), encoding='ascii')
