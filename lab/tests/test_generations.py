# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's own driver finds the units of each E5"""
import pytest

# The PMUs of the E5-2600 of eight cores, but the SBoxes
E5 = {'ubox', 'pcu', 'ha_0', 'irp', 'r2pcie', *(f'{box}_{n}' for box, number in (
    ('cbox', 8), ('imc', 4), ('qpi', 2), ('r3qpi', 2)) for n in range(number))}


@pytest.mark.ci
@pytest.mark.seconds(20)
@pytest.mark.parametrize('options, sboxes', [
    ('generation=2', 0), ('generation=3', 4), ('generation=3 sboxes=2', 2), ('generation=4', 4),
    ('generation=4 sboxes=2', 0)])
def test_linux_finds_all_pmus_of_an_e5(vm, options, sboxes):
    """SBoxes by CAPID4; the IRP on another bus than the rest, with a CPU of its socket"""
    done = vm('cd /sys/bus/event_source/devices && echo uncore_* && cat uncore_irp/cpumask && '
              'cd /sys/bus/pci/devices && cat 0000:00:05.6/class 0000:80:05.6/class',
              '-k', 'newest', '-m', 'intel_uncore', '-c', '8',
              *(word for option in options.split() for word in ('-o', option)))
    pmus, *rest = done.stdout.splitlines()
    assert {pmu.removeprefix('uncore_') for pmu in pmus.split()} == E5 | {
        f'sbox_{n}' for n in range(sboxes)}
    assert rest == ['0,8', '0x110100', '0x110100']
