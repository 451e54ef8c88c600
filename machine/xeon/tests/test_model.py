# SPDX-License-Identifier: GPL-2.0-or-later
"""The sets of tests of bare/ on several bare machines."""
import pytest


@pytest.mark.parametrize('tests, options, shape', [
    ('all', '', '2 1'),
    ('left-out', 'cbos=6 no-qpi hide=0e.1', '2 1'),
    ('pcu-fault', 'pcu-ext=fault', '2 1'),
    ('rules-off', 'checker-off=wo-read,counter0', '2 1'),
    ('cores', '', '1 2'),
    ('cores', 'threads=2', '1 1')])
def test_set_passes_on_the_bare_machine(bare, tests, options, shape):
    bare.passes(tests, *options.split(), shape=shape)


def test_qemu_has_the_version_that_is_written_down(bare, run, top):
    version = (top / 'machine/xeon/qemu/version').read_text().split(':')[-1].partition('+')[0]
    assert run([bare.qemu, '--version']).stdout.startswith(f'QEMU emulator version {version}')


def test_all_pass_when_instructions_are_the_clock(bare):
    bare.passes('all', accel=['-icount', 'shift=auto'])
