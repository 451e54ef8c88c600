#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""openmetrics.py FILE: is FILE what OpenMetrics 1.0 calls an exposition? Prints each sample as "NAME{LABELS} VALUE".

A parser of its own, by the standard's grammar: metadata before samples, one family in one piece, units that end the
name, counters that end in _total and do not fall below 0, no sample twice, and # EOF as the last line.
"""
import re
import sys

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SAMPLE = re.compile(rf'({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)?\}})? (\S+)$')


def wrong(number, line, what):
    sys.exit(f'{sys.argv[1]}:{number}: {what}: {line}')


def main():
    data = open(sys.argv[1], 'rb').read().decode('utf-8')
    if not data.endswith('# EOF\n'):
        sys.exit(f'{sys.argv[1]}: does not end in # EOF')
    lines = data.split('\n')[:-2]
    families = {}
    family = None
    seen = set()
    for number, line in enumerate(lines, 1):
        meta = re.match(rf'# (TYPE|UNIT|HELP) ({NAME}) (.*)$', line)
        if meta:
            word, name, text = meta.groups()
            if name != family:
                if name in families:
                    wrong(number, line, 'a family in two pieces')
                family = name
                families[name] = {'samples': 0}
            if families[name]['samples']:
                wrong(number, line, 'metadata after samples')
            if word in families[name]:
                wrong(number, line, 'twice')
            families[name][word] = text
            if word == 'TYPE' and text not in ('counter', 'gauge', 'unknown', 'info'):
                wrong(number, line, 'type')
            if word == 'UNIT' and text and not name.endswith('_' + text):
                wrong(number, line, 'the unit does not end the name')
            continue
        sample = SAMPLE.match(line)
        if not sample:
            wrong(number, line, 'neither metadata nor a sample')
        name, labels, text = sample.groups()
        value = float(text)
        if family is None or not name.startswith(family):
            wrong(number, line, 'a sample without its family')
        kind = families[family].get('TYPE', 'unknown')
        if name != family + {'counter': '_total'}.get(kind, ''):
            wrong(number, line, f'not a name of a {kind}')
        if kind == 'counter' and not value >= 0:
            wrong(number, line, 'a counter below 0')
        if (name, labels) in seen:
            wrong(number, line, 'the same sample again')
        seen.add((name, labels))
        families[family]['samples'] += 1
        print(f'{name}{{{labels or ""}}} {value:.9g}')
    if not seen:
        sys.exit(f'{sys.argv[1]}: no sample')


main()
