# SPDX-License-Identifier: GPL-2.0-or-later
"""Host-side unit tests of the models' protocol checkers: accesses that the manuals forbid, and
allowed ones beside them. The uncore's is compiled with its registers and counters, and runs the
bare machine's tests that need no more. device: the PCI device that has Montecito's monitors."""
import pytest


@pytest.mark.parametrize('program, tests', [
    ('montecito', ''), ('device', ''), ('uncore', 'registers'), ('uncore', 'rules'),
    ('uncore', 'poke'), ('uncore', 'refusals')])
def test_set_passes_on_the_host(run, passes, top, program, tests):
    done = run([top / 'scripts/test-program', top / 'machine/xeon/tests/checker' / program,
                *tests.split()])
    passes(done.stdout)
    assert done.returncode == 0, done.stdout
