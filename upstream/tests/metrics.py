#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""metrics.py JSON: print the events of a metrics_perf.json of intel/perfmon, one a line, as perf stat -e takes them.
metrics.py JSON COUNTS: print each metric's name and value. COUNTS has lines of an event and its count; duration_time is 1,
an event that is not there 1e6, and the machine one package of eight cores."""

import json
import re
import sys

EVENT = re.compile(r'(?:\w+@[^@]+@)|(?<![#\w])[A-Z]\w+\.?[\w.]*')
GIVEN = {'duration_time': '1', '#num_cores': '8', '#num_packages': '1'}

def perf_event(token):
    return token.replace('\\', '').replace('@', '/')

with open(sys.argv[1], encoding='ascii') as f:
    metrics = json.load(f)
if len(sys.argv) == 2:
    print('\n'.join(sorted({perf_event(e) for m in metrics for e in EVENT.findall(m['MetricExpr']) if 'UNC_' in e})))
    sys.exit()
with open(sys.argv[2], encoding='ascii') as f:
    counts = dict(line.split() for line in f)
for m in metrics:
    formula = EVENT.sub(lambda e: counts.get(perf_event(e[0]), '1e6'), m['MetricExpr'])
    for name, value in GIVEN.items():
        formula = formula.replace(name, value)
    print(m['MetricName'], round(eval(formula, {'__builtins__': {}}), 9))
