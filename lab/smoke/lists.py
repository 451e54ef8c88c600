#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""lists.py LINUX: print the file "counters" of the smoke test, from Intel's event lists in a tree
of Linux: for each unit that the machine has, on which counters each event code counts."""
import collections
import json
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).parent
# Generation of the machine: the directory in tools/perf/pmu-events/arch/x86
LISTS = {'1': 'jaketown', '2': 'ivytown', '3': 'haswellx', '4': 'broadwellx',
         'skx': 'skylakex', 'clx': 'cascadelakex', 'icx': 'icelakex', 'snr': 'snowridgex',
         'spr': 'sapphirerapids', 'emr': 'emeraldrapids', 'gnr': 'graniterapids'}
# A unit of the lists that has another name in Linux
PMUS = {('gnr', 'mdf'): 'mdf_sbo'}
HEAD = """\
# The counters on which each event of Intel's lists counts, by lists.py from
# tools/perf/pmu-events/arch/x86 of Linux: do not edit. An event is its code and a unit mask that it
# has. Codes whose names have different counters are left out.
#
# generation PMU row
"""


def machine_units(generation):
    """The types of PMU of a generation, from the file "units" """
    units = set()
    for line in (HERE / '../../machine/xeon/vm/units').read_text(encoding='ascii').splitlines():
        words = line.split()
        if words and words[0][0] != '#' and re.fullmatch(words[0], generation):
            units |= {word.partition('=')[0].partition('@')[0].rstrip('0123456789').rstrip('_')
                      for word in words[2:]}
    return units


def rows(generation, directory):
    """[PMU, counters, events] of a list, each event with a unit mask"""
    units = machine_units(generation)
    counters, masks = collections.defaultdict(set), {}
    for file in sorted(directory.glob('uncore-*.json')):
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
                counters[unit, code].add('0,1,2,3' if both else event['Counter'].replace(' ', ''))
                masks.setdefault((unit, code), mask)
    of = collections.defaultdict(list)
    for (unit, code), sets in sorted(counters.items()):
        if len(sets) == 1:
            mask = masks[unit, code]
            of[unit, *sets].append(f'{code:#x}/{mask:#x}' if mask else f'{code:#x}')
    return [[unit, counter, *events] for (unit, counter), events in sorted(of.items())]


def table(linux):
    """The whole file"""
    text = HEAD
    lists = pathlib.Path(linux) / 'tools/perf/pmu-events/arch/x86'
    for generation, name in LISTS.items():
        for unit, counters, *events in rows(generation, lists / name):
            head = f'{generation} {unit} counters {counters} '
            text += textwrap.fill(' '.join(events), 100, initial_indent=head,
                                  subsequent_indent=head) + '\n'
    return text


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit('usage: lists.py LINUX')
    sys.stdout.write(table(sys.argv[1]))
