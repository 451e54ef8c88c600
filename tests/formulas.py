# SPDX-License-Identifier: GPL-2.0-only
"""Formulas of the metrics, tests/events/metrics.formulas"""
import fnmatch
import pathlib
import re

FILE = pathlib.Path(__file__).parent / 'events/metrics.formulas'


def same_order(formula):
    """A formula, the fields behind each event in order"""
    return re.sub(r'(?:,\w+=\w+)+', lambda fields: ','.join(sorted(fields[0].split(','))), formula)


def braces(line):
    """What a line with {a,b} {c,d} means: one with a and c, and one with b and d"""
    sets = [words.split(',') for words in re.findall('{(.*?)}', line)] or [['']]
    return [re.sub('{.*?}', lambda _: next(words), line)
            for words in map(iter, zip(*sets, strict=True))]


def formulas(generation):
    """{metric: (formula, unit)} of a generation: '1' to '4'"""
    found = {}
    for line in sum(map(braces, FILE.read_text(encoding='utf-8').splitlines()), []):
        of, name, formula = re.fullmatch(r'(?:@(\d+) )?(\S+) ?(.*)', line).groups()
        if line.startswith('#') or generation not in (of or '1234'):
            continue
        if formula:
            text, _, unit = formula.rpartition('=')
            found[name] = same_order(text.strip()), unit.strip()
        else:
            found = {other: value for other, value in found.items()
                     if not fnmatch.fnmatchcase(other, name)}
    return {name: value for name, value in found.items() if value[0]}
