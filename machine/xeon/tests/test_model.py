# SPDX-License-Identifier: GPL-2.0-or-later
"""What QEMU's buses add to the model: which functions there are, their registers beside those that
count, and accesses by ports and by bytes."""
import functools

import pytest

FUNCTIONS = ('08.0 08.2 08.6 09.0 09.2 09.6 0b.0 0e.0 0e.1 10.0 10.1 10.4 10.5 13.1 13.5 13.6'
             ).split()
# The lines that enable memory-mapped configuration space here
ECAM = 0xb0000000
ENABLE = ['outl 0xcf8 0x80000060', f'outl 0xcfc {ECAM | 1:#x}']


def address(bus, function):
    device, number = function.split('.')
    return bus << 8 | int(device, 16) << 3 | int(number)


def by_port(bus, function, register, access='inl', *value):
    """Lines of an access"""
    return [f'outl 0xcf8 {0x80000000 | address(bus, function) << 8 | register & ~3:#x}',
            ' '.join([access, f'{0xcfc + register % 4:#x}', *value])]


def by_memory(bus, function, register, access='readl', *value):
    return ' '.join([access, f'{ECAM + (address(bus, function) << 12) + register:#x}', *value])


def test_hidden_functions_are_not_there_and_all_others_are(stopped):
    ids, said = stopped.run([line for function in FUNCTIONS for line in by_port(0x7f, function, 0)],
                            'cbos=6', 'no-qpi', 'hide=0e.1')
    assert [function for function, number in zip(FUNCTIONS, ids, strict=True)
            if number == 0xffffffff] == '08.2 08.6 09.2 09.6 0e.1'.split(), said


@pytest.mark.parametrize('options, buses, values', [
    ('', (0x7f, 0xff), [0, 1, 0xfac688, 0xfac688, 5, 5, 0xffffffff]),
    ('packages=0,2 nodes=5,1 buses=3f,1f qpi-rate=7,3s', (0x3f, 0x1f),
     [5, 1, 5 | 1 << 6, 5 | 1 << 6, 7, 0x13, 0xffffffff])], ids=['permissive', 'others'])
@pytest.mark.parametrize('noise', ['off', 'on'])
def test_node_ids_and_rates_are_the_variants_with_noise_beside_them(
        stopped, options, buses, values, noise):
    one, other = buses
    lines = [line for where in ((one, '0b.0', 0x40), (other, '0b.0', 0x40), (one, '0b.0', 0x54),
                                (other, '0b.0', 0x54), (one, '08.0', 0xd4), (other, '09.0', 0xd4),
                                (0x5f, '0b.0', 0x40)) for line in by_port(*where)]
    read, said = stopped.run(lines * 60, f'noise={noise}', *options.split())
    assert len(read) == 60 * len(values), said
    defined = [7, 7, 0xffffff, 0xffffff, 0x17, 0x17, 0xffffffff]
    for n, value in enumerate(values):
        ever = functools.reduce(int.__or__, read[n::len(values)])
        assert functools.reduce(int.__and__, read[n::len(values)]) == value
        assert ever == (value | 0xffffffff & ~defined[n] if noise == 'on' else value)


def test_accesses_are_counted_by_socket_space_and_port(stopped):
    rows, _ = stopped.rows('accesses', after=[
        *ENABLE, *by_port(0x7f, '0e.1', 0xa0), *by_port(0x7f, '0e.1', 0xa4),
        *by_port(0x7f, '0e.1', 0xd8, 'outl', '0'), *by_port(0x7f, '0e.1', 0),
        by_memory(0xff, '0e.1', 0xa0), by_memory(0xff, '09.6', 0x228, 'writel', '0')])
    assert [row for row in rows if 'reads=0 writes=0' not in row] == [
        'socket=0 box=ha kind=pci reads=2 writes=1 ports=3',
        'socket=1 box=ha kind=pci reads=1 writes=0 ports=0',
        'socket=1 box=qpi_1 kind=ext reads=0 writes=1 ports=0']
    assert not [row for row in rows if 'box=ha kind=ext' in row or 'box=cbox_0 kind=pci' in row]


@pytest.mark.parametrize('line, finding', [
    (by_port(0x7f, '0e.1', 0xd8, 'outb', '1'), '1 bytes written'),
    (by_port(0x7f, '13.5', 0xe4), 'box=r3qpi_0 reg=offset_0xe4 op=read'),
    (by_port(0x7f, '0e.1', 0x60, 'outl', '1'), 'box=ha reg=offset_0x60 op=write')],
    ids=['byte', 'hole', 'beside'])
def test_access_beside_the_registers_is_found(stopped, line, finding):
    rows, _ = stopped.rows('checker', after=line)
    assert len(rows) == 1 and finding in rows[0]


def test_checker_of_a_machine_is_told_what_to_leave_out(stopped):
    rows, _ = stopped.rows('checker rules', 'checker-off=wo-read,counter0')
    assert [row.split()[0] for row in rows if ' off: ' in row] == ['wo-read', 'counter0']


def test_qemu_has_the_version_that_is_written_down(stopped, run, top):
    version = (top / 'machine/xeon/qemu/version').read_text().split(':')[-1].partition('+')[0]
    assert run([stopped.qemu, '--version']).stdout.startswith(f'QEMU emulator version {version}')
