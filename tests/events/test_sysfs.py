# SPDX-License-Identifier: GPL-2.0-only
"""events/ of each PMU in the machine has the aliases, encodings, scales and units of the tables."""
import re

import pytest

FILES = '''cd /sys/bus/event_source/devices
for file in snbep_uncore_*/events/*; do
    read -r content < $file
    echo "$file $content"
done'''


def table(rows, box):
    """{file: content} of a box"""
    files = {}
    for row in rows:
        if row['box'] == box:
            files[row['alias']] = row['encoding']
            if row['scale']:
                alias = row['alias']
                files |= {f'{alias}.scale': row['scale'], f'{alias}.unit': row['unit']}
    return files


@pytest.mark.seconds(10)
@pytest.mark.parametrize('name', ['6.1', pytest.param('newest', marks=pytest.mark.slow)])
def test_each_pmu_has_the_files_of_its_table_and_no_others(bin_vm, kernel, gen, name):
    kernel(name)
    done = bin_vm(FILES, '-k', name, '-W')
    pmus = {}
    for line in done.stdout.splitlines():
        pmu, file, content = re.match(r'snbep_uncore_(\w+)/events/(\S+) (.*)', line).groups()
        pmus.setdefault(pmu, {})[file] = content
    assert done.returncode == 0 and len(pmus) == 20, done.stderr
    assert pmus == {pmu: table(gen.csv(), re.sub(r'_\d$', '', pmu)) for pmu in pmus}
