# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's own driver finds the units of each generation, and counts exactly on them."""
import subprocess

import pytest

# What has a shape of its own: two tables, a global control; no table, by PCI and by MMIO
SHAPES = ['dmr', 'skx']
OTHERS = ['emr', 'gnr', 'clx', 'icx']


@pytest.mark.seconds(60)
@pytest.mark.parametrize('generation', [
    *(pytest.param(name, marks=pytest.mark.ci) for name in SHAPES),
    *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_linux_counts_exactly_on_all_units(top, generation):
    done = subprocess.run(
        [top / 'machine/xeon/smoke/smoke', '-k', 'newest', '-p', 'basic', '-o',
         f'generation={generation}'], check=False, encoding='utf-8', stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    counts = [line for line in done.stdout.splitlines() if line.endswith(' counts exactly')]
    assert len(counts) > 20 and not [line for line in counts if 'not ok' in line], done.stdout
