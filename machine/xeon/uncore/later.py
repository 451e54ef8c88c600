#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""later.py OLDER NEWER: print uncore-later.def, from Intel's event lists of the E5-2600 v2 to v4 in
two trees of Linux. Lists newer than Linux 6.1's lack the extended select, which OLDER has."""
import collections
import json
import pathlib
import re
import sys

LISTS = {2: 'ivytown', 3: 'haswellx', 4: 'broadwellx'}
BOXES = 'ubox cbox ha imc pcu qpi r2pcie r3qpi sbox irp'.split()
# Of two names for an event, the one to take
NAMES = ['DCLOCKTICKS', 'RxR_BYPASSED']
CLOCKS = {'imc': 'DCLK', 'pcu': 'PCLK', 'qpi': 'QFCLK'}
# Unit masks that are more than bits, and filters
UMASKS = {'LLC_LOOKUP': 'LOOKUP', 'LLC_VICTIMS': 'VICTIMS', 'TOR_INSERTS': 'TOR',
          'TOR_OCCUPANCY': 'TOR', 'POWER_STATE_OCCUPANCY': 'OCC_SEL'}
FILTERS = {'CTO_COUNT': 'QPI_MATCH', **{f'FREQ_BAND{n}_CYCLES': f'BAND{n}' for n in range(4)}}
# What the lists do not say: bit 7 is not available on counter 0 of v4's PCU (Linux)
COUNTERS = {(4, 'pcu', 'POWER_STATE_OCCUPANCY'): 0xe}
# Most that an injection adds in a cycle, as in v1's tables; lists have no such number.
MOST = {'cbox': 20, 'pcu': 8, 'qpi': 128}
HEAD = """\
/*
 * Events of the E5-2600 v2 to v4, by later.py from tools/perf/pmu-events/arch/x86 of Linux: do not
 * edit.
 *
 * LATER(box type, code, extended select, name, counters, unit mask bits, the most that an injection
 * adds in a cycle, meaning of the unit mask, clock, filter)
 *
 * Counters are a digit for each of v2, v3 and v4, and unit mask bits two; 0: it has no such event.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
"""


def load(linux, generation):
    """{name: event} of a list's uncore"""
    directory = pathlib.Path(linux) / 'tools/perf/pmu-events/arch/x86' / LISTS[generation]
    return {event['EventName'].lower(): event for path in sorted(directory.glob('uncore-*.json'))
            for event in json.loads(path.read_text(encoding='utf-8'))
            if event.get('EventName', '').startswith('UNC_')}


def number(event, key):
    return int(event.get(key) or '0', 0)


def extended(older):
    """Names, and (box, code) of all of whose names the extended select is set"""
    names = {name for name, event in older.items() if number(event, 'ExtSel')}
    codes = collections.defaultdict(set)
    for name, event in older.items():
        codes[box_of(event), number(event, 'EventCode')].add(name in names)
    return names, {code for code, seen in codes.items() if seen == {True}}


def box_of(event):
    return event['Unit'].split(' ')[0].lower().replace('cbo', 'cbox').replace('boxx', 'box')


def events(older, newer):
    """{(box, code, extended): [(name, counters, unit mask)]} of a generation's lists"""
    names, codes = extended(older)
    found = collections.defaultdict(list)
    for name, event in newer.items():
        box, code = box_of(event), number(event, 'EventCode')
        # The UBox's clock is its fixed counter, which the lists of v2 and v3 do not say.
        if event.get('Counter', 'FIXED')[:1].isdigit() and (box, code) != ('ubox', 0):
            wide = name in names or (name not in older and (box, code) in codes)
            counters = sum(1 << int(n) for n in event['Counter'].split(','))
            # The lists have the two counters of one ring stop.
            found[box, code, int(wide)].append((
                re.fullmatch(r'UNC_[A-Z0-9]+?_([^.]*).*', event['EventName'])[1],
                counters * 5 if box == 'irp' else counters, number(event, 'UMask')))
    return found


def row(generation, key, seen):
    """The columns of an event, and its counters and unit mask"""
    box, code, wide = key
    name = min((name for name, _, _ in seen), key=lambda name: (name not in NAMES, name))
    counters = COUNTERS.get((generation, box, name), 0)
    umask = 0
    for _, own, bits in seen:
        counters = counters or own
        umask |= bits
    if name == 'POWER_STATE_OCCUPANCY':
        umask = 0xc0
    kind = UMASKS.get(name, 'BITS' if umask else 'NONE')
    clock = CLOCKS.get(box, 'UCLK') if re.fullmatch('D?CLOCKTICKS', name) else 'NO_CLOCK'
    most = (MOST.get(box, 32) if re.search('OCC(UPANCY)?|ACCUMULATOR', name) else
            2 if box == 'qpi' and re.search('FLITS|CTO_', name) else 1)
    return (box, wide, code, name, most, kind, clock, FILTERS.get(name, 'NONE')), counters, umask


def table(older, newer):
    """The whole file"""
    rows = collections.defaultdict(lambda: [(0, 0)] * len(LISTS))
    for at, generation in enumerate(LISTS):
        for key, seen in events(load(older, generation), load(newer, generation)).items():
            columns, counters, umask = row(generation, key, seen)
            rows[columns][at] = counters, umask
    text = HEAD
    for columns in sorted(rows, key=lambda r: (BOXES.index(r[0]), *r[1:4])):
        box, wide, code, name, most, kind, clock, match = columns
        counters = ''.join(f'{own:x}' for own, _ in rows[columns])
        umasks = ''.join(f'{bits:02x}' for _, bits in rows[columns])
        text += (f'LATER({box.upper()}, {code:#04x}, {wide}, "{name}", 0x{counters}, 0x{umasks}, '
                 f'{most}, {kind}, {clock}, {match})\n')
    return text


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: later.py OLDER NEWER')
    sys.stdout.write(table(*sys.argv[1:]))
