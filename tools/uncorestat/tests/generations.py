#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""generations.py EVENTS MODEL FIELDS LIST KERNEL: is each event of uncorestat for this processor in Intel's list under its
name, with its code, unit mask and counters, and can the driver express it?

EVENTS is what "gen stat MODEL" prints, FIELDS what linux-uncore prints, LIST a directory of perf's JSON. Lists since 6.12 have lost
the extended select.
"""
import glob
import json
import re
import sys

table, model, fields_file, directory, kernel = sys.argv[1:]
bad = []


def number(text):
    return int(text, 0)


fields, constraints = {}, []
for line in open(fields_file):
    word, box, *rest = line.split()
    if word == 'format':
        bits = 0
        for part in rest[1].split(':')[1].split(','):
            low, _, high = part.partition('-')
            bits += int(high or low) - int(low) + 1
        fields[box, rest[0]] = bits
    elif word == 'constraint':
        constraints.append((box, *map(number, rest)))

# Intel's list: (unit, name) -> (event, umask, counters), and what its ready-made events have for filters
listed, filtered = {}, []
units = {'cbo': 'cbox', 'cbox': 'cbox', 'ha': 'ha', 'imc': 'imc', 'pcu': 'pcu', 'qpi ll': 'qpi', 'qpi': 'qpi'}
for name in glob.glob(directory + '/uncore-*.json'):
    for row in json.load(open(name)):
        box = units.get(row['Unit'].lower())
        event = number(row.get('EventCode', '0')) | (0x100 if number(row.get('ExtSel') or '0') else 0)
        umask = number(row.get('UMask', '0'))
        counters = sum(1 << int(c) for c in re.findall(r'\d', row.get('Counter', '')))
        stem = re.sub(r'^unc_._', '', row['EventName'].lower())
        listed[box, stem.replace('.', '_')] = (event, umask, counters)
        # The name of an event alone: all of its unit masks
        whole = listed.get((box, stem.split('.')[0]), (event, 0, counters))
        listed[box, stem.split('.')[0]] = (event, whole[1] | umask, counters)
        if box == 'cbox' and re.match(r'llc_references\.pcie|llc_misses\.mmio_read', stem):
            filtered.append((event, umask, set(row['Filter'].split(','))))
if len(listed) < 300 or len(filtered) not in ((0,) if model == '62' else (4,)):
    bad.append(f'the list has {len(listed)} events, {len(filtered)} with filters')

# What Linux has besides is not of the uncore.
events = [line.split()[1:] for line in open(table) if line.startswith('event ') and line.split()[1] not in ('power', 'msr', 'coretemp')]
if len(events) < 30:
    bad.append(f'the table has {len(events)} events')
ours = []
for box, name, encoding, counters in events:
    alias = name.split(',')[0]
    terms = {k: number(v) for k, v in (t.split('=') for t in encoding.split(','))}
    event, umask = terms['event'], terms.get('umask', 0)
    ours.append((event, umask, encoding.split(',')))
    # Fields and their widths
    for field, value in terms.items():
        if value >> fields.get((box, field), 0):
            bad.append(f'{box} {encoding}: the driver has no room for {field}={value:#x}')
    if terms.get('filter_state', 1) != 1 and terms['filter_state'] + 1 != 1 << fields[box, 'filter_state']:
        bad.append(f'{box} {encoding}: not all states')
    if ('filter_tid' in terms) != ('tid_en' in terms):
        bad.append(f'{box} {encoding}: a thread id counts with tid_en alone')
    # Linux's code for a fixed counter
    if (box, event) == ('imc', 0xff):
        continue
    # Code, unit mask and counters
    if (box, alias) not in listed:
        bad.append(f'{box} {alias} is not in the list')
        continue
    want = listed[box, alias]
    if kernel != '6.1':
        event &= 0xff
    allowed = want[2] or 0xf
    for of, code, mask, compared in constraints:
        if of == box and not (event ^ code) & compared & 0xff:
            allowed &= mask
    if (event, umask, number(counters)) != (want[0], want[1], allowed):
        bad.append(f'{box} {alias}: {event:#x} {umask:#x} {counters}, not {want[0]:#x} {want[1]:#x} {allowed:#x}')
    if alias.startswith('power_state') and terms['occ_sel'] != {'c0': 1, 'c3': 2, 'c6': 3}[alias[-2:]]:
        bad.append(f'{alias}: {encoding}')
for event, umask, want in filtered:
    if not any((event, umask) == o[:2] and want <= set(o[2]) for o in ours):
        bad.append(f"no event {event:#x} {umask:#x} {','.join(want)}, which the list has")
for line in bad:
    print(line)
sys.exit(bool(bad))
