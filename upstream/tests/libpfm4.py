#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""libpfm4.py PERFMON LIST: compare the uncore of three processors in libpfm4-list's output with the
event lists of a clone of intel/perfmon. Prints what has the same name and another code or unit mask,
and at last how many were compared."""

import json
import re
import sys

LISTS = {
    'ivbep': 'IVT/events/ivytown',
    'hswep': 'HSX/events/haswellx',
    'bdx': 'BDX/events/broadwellx',
}

tables = {}
with open(sys.argv[2], encoding='ascii') as f:
    for line in f:
        pmu, event, umask, code = line.split()
        if processor := re.match(r'(\w+)_unc_', pmu):
            table = tables.setdefault(processor[1], {}).setdefault(event.upper(), {})
            table[umask.upper()] = int(code, 16)

compared = 0
for processor, path in LISTS.items():
    with open(f'{sys.argv[1]}/{path}_uncore.json', encoding='utf-8') as f:
        events = json.load(f)['Events']
    for event in events:
        name, _, umask = event['EventName'].upper().partition('.')
        table = tables[processor].get(name, {})
        wanted = {
            # The extended select is above the code in libpfm4, and apart in the list.
            '-': int(event['EventCode'], 16) & 0xff,
            umask.replace('.', '_'): int(event['UMask'], 16),
        }
        for key in wanted.keys() & table.keys():
            compared += 1
            found = table[key] & 0xff if key == '-' else table[key]
            if wanted[key] != found:
                print(processor, event['EventName'], f'{wanted[key]:#x}, libpfm4 has {found:#x}')
print(compared, 'compared')
