#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""lists.py OLDER NEWER: print e5_lists.def, from perf's event lists of v1 to v4 in two trees
of Linux. Lists newer than Linux 6.1's lack the extended select, and some names that OLDER has."""
import collections
import json
import pathlib
import re
import sys

LISTS = {'V1': 'jaketown', 'V2': 'ivytown', 'V3': 'haswellx', 'V4': 'broadwellx'}
UNITS = {'cbo': 'cbox', 'sbo': 'sbox'}
# What the lists do not say: bit 7 is not available on counter 0 of v4's PCU (Linux).
COUNTERS = {('V4', 'pcu', 'POWER_STATE_OCCUPANCY'): 0xe}
# Events that count nothing without a filter
NEEDS = {r'LLC_LOOKUP\.(?!NID)': 'filter_state=?', r'.*OPCODE': 'filter_opc=?',
         r'[A-Z_]*\.NID': 'filter_nid=?',
         **{f'FREQ_BAND{n}_CYCLES': f'filter_band{n}=?' for n in range(4)}}
HEAD = """\
/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of perf's lists, by lists.py from tools/perf/pmu-events/arch/x86 of Linux: do not edit.
 *
 * LISTED(generations, box, code with the extended select in bit 8, counters, name, unit masks)
 *	Each unit mask is "03.NAME,terms".
 */
"""


def load(linux, generation):
    """{name: event} of a list's uncore"""
    directory = pathlib.Path(linux) / 'tools/perf/pmu-events/arch/x86' / LISTS[generation]
    return {event['EventName']: event for path in sorted(directory.glob('uncore-*.json'))
            for event in json.loads(path.read_text(encoding='utf-8'))}


def number(event, key):
    """A field of an event"""
    return int(event.get(key) or '0', 0)


def box_of(event):
    """The name of its PMUs"""
    unit = event['Unit'].split(' ')[0].lower()
    return UNITS.get(unit, unit)


def rows(generation, older, newer):
    """Yield (box, code, whether derived from no other, counters, name, unit mask)"""
    wide = {name for name, event in older.items() if number(event, 'ExtSel')}
    codes = collections.defaultdict(set)
    for name, event in older.items():
        codes[box_of(event), number(event, 'EventCode')].add(name in wide)
    for full, event in {**older, **newer}.items():
        box, code = box_of(event), number(event, 'EventCode')
        stem, _, suffix = re.sub('^UNC_[A-Z0-9]+?_', '', full).partition('.')
        short = f'{stem}.{suffix}'
        own = full.startswith('UNC_')
        counters = event.get('Counter', '0')
        if counters == 'FIXED' or (box, code) == ('ubox', 0):
            # Linux's code for a fixed counter
            code, counters = 0xff, 'FIXED_COUNTER'
        else:
            counters = COUNTERS.get((generation, box, stem)) or sum(
                1 << int(n) for n in counters.split(','))
            # Lists have the two counters of one of the IRP's ring stops.
            counters = f'{counters * 5 if box == "irp" else counters:#x}'
        if box != 'ubox' and (full in wide or full not in older and codes[box, code] == {True}):
            code |= 0x100
        umask, terms = number(event, 'UMask'), event.get('Filter', '').split(',')
        if stem == 'POWER_STATE_OCCUPANCY':
            umask, terms = 0, [f'occ_sel={"036".index(suffix[-1]) + 1}']
        terms += [need for name, need in NEEDS.items() if re.match(name, short) and
                  not any(term.startswith(need[:-1]) for term in terms)]
        text = ','.join([f'{umask:02x}' + (f'.{suffix}' if suffix else ''), *filter(None, terms)])
        yield box, code, own, counters, stem, text


def table(older, newer):
    """The whole file"""
    having = collections.defaultdict(list)
    for generation in LISTS:
        for row in rows(generation, load(older, generation), load(newer, generation)):
            having[row].append(generation)
    events = collections.defaultdict(list)
    for (*row, text), generations in having.items():
        events[*row, ' | '.join(generations)].append(text)
    out = HEAD
    for (box, code, _, counters, stem, generations), texts in sorted(events.items()):
        out += (f'LISTED({generations}, {box}, {code:#04x}, {counters}, "{stem}", '
                f'"{" ".join(sorted(texts))}")\n')
    return out


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: lists.py OLDER NEWER')
    sys.stdout.write(table(*sys.argv[1:]))
