# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's own driver counts on the model, on three kernels and on boards with other buses."""
import shutil

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.seconds(30)]
# What it does on each machine
FORGIVEN = 'checker-off=stale-counter,one-criterion,one-filter-user,counter0,threshold'


# 6.1 uses the number of cores, 6.12 that of present CPUs, and so needs all eight.
@pytest.mark.parametrize('options', [
    '-k 6.1 -c 2', '-k 6.12', '-k newest -o buses=1f,3f -a pci=nommconf',
    '-k 6.1 -s 1 -c 2 -o buses=7f'])
def test_intel_uncore_counts_what_is_injected(vm, top, tmp_path, passes, options):
    for path in 'scripts/tap.sh', 'machine/xeon/tests/guest/intel_uncore.sh':
        shutil.copy(top / path, tmp_path)
    # -W: the kernel's log has no warning.
    done = vm('cd /extra && . ./intel_uncore.sh', '-m', 'intel_uncore', '-W', '-t', '3000',
              '-e', tmp_path, '-o', FORGIVEN, *options.split())
    passes(done.stdout)
    assert done.returncode == 0
