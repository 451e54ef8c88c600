# SPDX-License-Identifier: GPL-2.0-only
"""Sockets that come online late or have no UBox, and more nodes than sockets: PCI boxes are found.
variants.machines has other machines."""
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.seconds(10)]
CPUMASK = 'cat /sys/bus/event_source/devices/snbep_uncore_ha/cpumask'


# The CPUs of the other socket have never been online when its functions are found.
@pytest.mark.parametrize('options', ['packages=0,3 nodes=1,0', 'hide=0b.0 numa=on'],
                         ids=['by its UBox', 'by its NUMA node'])
def test_socket_that_comes_online_late_has_its_pci_boxes(bin_vm, options):
    done = bin_vm(f'echo 1 > /sys/devices/system/cpu/cpu2/online; {CPUMASK}', '-W',
                  '-a', 'maxcpus=1', '-o', options)
    assert (done.returncode, done.stdout) == (0, '0,2\n'), done.stderr


def test_nodes_beyond_those_of_the_ubox_are_not_packages(bin_vm):
    done = bin_vm(f'cat /sys/devices/system/node/possible; {CPUMASK}', '-a', 'numa=fake=16')
    assert (done.returncode, done.stdout) == (0, '0-15\n0,2\n'), done.stderr


def test_socket_counts_where_mmconfig_lacks_its_bus(run, top, tmp_path):
    table = tmp_path / 'kernel/firmware/acpi/mcfg.aml'
    table.parent.mkdir(parents=True)
    with table.open('wb') as out:
        run([top / 'machine/xeon/vm/mcfg', 'fe'], stdout=out)
    done = run([top / 'tests/kselftest', '-t', '3000', '-s', '1', '-f', tmp_path,
                'snbep_uncore:count 20'])
    assert done.returncode == 0, done.stdout
