#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""exposition.py FILE: is FILE in Prometheus' text format? Prints each sample as "NAME{LABELS} VALUE".

A parser of its own, by the format's grammar: HELP and TYPE before the samples of their name, a name in one piece, counters that
end in _total and do not fall below 0, no sample twice. prometheus.t asks promtool.
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
    if not data.endswith('\n'):
        sys.exit(f'{sys.argv[1]}: the last line has no end')
    families = {}
    family = None
    seen = set()
    for number, line in enumerate(data.split('\n')[:-1], 1):
        meta = re.match(rf'# (TYPE|HELP) ({NAME}) (.+)$', line)
        if meta:
            word, name, text = meta.groups()
            if name != family and name in families:
                wrong(number, line, 'a name in two pieces')
            family = name
            of = families.setdefault(name, {'samples': 0})
            if of['samples'] or word in of:
                wrong(number, line, 'metadata after samples, or twice')
            of[word] = text
            if word == 'TYPE' and text not in ('counter', 'gauge'):
                wrong(number, line, 'type')
            continue
        sample = SAMPLE.match(line)
        if not sample:
            wrong(number, line, 'neither metadata nor a sample')
        name, labels, text = sample.groups()
        if name != family or set(families[family]) != {'samples', 'TYPE', 'HELP'}:
            wrong(number, line, 'a sample without HELP and TYPE')
        counter = families[family]['TYPE'] == 'counter'
        if name.endswith('_total') != counter:
            wrong(number, line, 'a counter ends in _total, and nothing else does')
        value = float(text)
        if counter and not value >= 0:
            wrong(number, line, 'a counter below 0')
        if (name, labels) in seen:
            wrong(number, line, 'the same sample again')
        seen.add((name, labels))
        families[family]['samples'] += 1
        print(f'{name}{{{labels or ""}}} {value:.9g}')
    if not seen:
        sys.exit(f'{sys.argv[1]}: no sample')


main()
