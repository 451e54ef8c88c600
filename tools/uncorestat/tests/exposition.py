# SPDX-License-Identifier: GPL-2.0-only
"""Prometheus' text format, by its grammar.

HELP and TYPE come before the samples of their name, a name is in one piece, counters end in _total
and do not fall below 0, no sample is there twice. test_prometheus.py asks promtool.
"""
import re

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SAMPLE = re.compile(rf'({NAME})(?:\{{((?:{LABEL})(?:,{LABEL})*)?\}})? (\S+)$')


def samples(path):
    """The samples of a file, 'NAME{LABELS}': number; fails if it is not in the format."""
    lines = path.read_text(encoding='utf-8').split('\n')
    assert lines.pop() == '', 'the last line has no end'
    families, found, family = {}, {}, None
    for line in lines:
        meta = re.match(rf'# (TYPE|HELP) ({NAME}) (.+)$', line)
        if meta:
            word, name, text = meta.groups()
            assert name == family or name not in families, f'a name in two pieces: {line}'
            family = name
            of = families.setdefault(name, {})
            assert word not in of and not any(s.startswith(name + '{') for s in found), line
            of[word] = text
            assert word == 'HELP' or text in ('counter', 'gauge'), line
            continue
        sample = SAMPLE.match(line)
        assert sample, f'neither metadata nor a sample: {line}'
        name, labels, text = sample.groups()
        assert name == family and set(families[name]) == {'TYPE', 'HELP'}, f'no metadata: {line}'
        counter = families[name]['TYPE'] == 'counter'
        assert name.endswith('_total') == counter, f'only counters end in _total: {line}'
        assert not counter or float(text) >= 0, f'a counter below 0: {line}'
        key = f'{name}{{{labels or ""}}}'
        assert key not in found, f'the same sample again: {line}'
        found[key] = float(text)
    assert found, 'no sample'
    return found
