# SPDX-License-Identifier: GPL-2.0-only
"""The Xeon E5 v2 to v4: events against Intel's lists and Linux's driver, output over fake PMUs with
that driver's fields and the boxes of real processors."""
import re
import subprocess

import pytest

from fake_pmus import GENERATIONS, READS, linux_uncore, numbered

LATER = 'v2', 'v3', 'v4'


def number(text):
    return int(text or '0', 0)


# Events

@pytest.fixture(scope='session')
def table(top):
    """The events of uncorestat for a model: (box, {term: number}, counters)"""
    out = top / 'build/tools/events'
    subprocess.run(['make', '-s', '-C', top / 'events', f'O={out}'], check=True)

    def events(model):
        text = subprocess.run([out / 'gen', 'stat', str(model)], check=True, encoding='utf-8',
                              stdout=subprocess.PIPE).stdout
        found = [line.split()[1:] for line in text.splitlines() if line.startswith('event ')]
        # What Linux has besides is not of the uncore.
        return [(box, {key: number(value) for key, value in re.findall(r'(\w+)=(\w+)', encoding)},
                 number(counters)) for box, _, encoding, counters in found
                if box not in ('power', 'msr', 'coretemp', 'resctrl')]

    return events


def width(bits):
    """How many bits a field has"""
    ranges = re.findall(r'(\d+)(?:-(\d+))?', bits.partition(':')[2])
    return sum(int(high or low) - int(low) + 1 for low, high in ranges)


@pytest.mark.parametrize('kernel', ['6.1', 'newest'])
@pytest.mark.parametrize('generation', LATER)
def test_driver_has_room_for_each_event_and_its_counters(
        linux_source, table, generation, kernel):
    model, driver, _ = GENERATIONS[generation]
    text = (linux_source(kernel) / 'arch/x86/events/intel/uncore_snbep.c').read_text()
    pmus, events = linux_uncore(text, driver), table(model)
    assert len(events) >= 30
    for box, terms, counters in events:
        fields, rules = pmus[box]
        for field, value in terms.items():
            assert not value >> width(fields.get(field, '')), (box, terms, field)
        if terms.get('filter_state', 1) != 1:
            # All states
            assert terms['filter_state'] + 1 == 1 << width(fields['filter_state']), terms
        # A thread's number counts with tid_en alone.
        assert ('filter_tid' in terms) == ('tid_en' in terms), terms
        for code, allowed, compared in rules:
            assert (terms['event'] ^ code) & compared & 0xff or not counters & ~allowed, terms


@pytest.mark.parametrize('generation', LATER)
def test_devices_of_a_box_are_those_of_linuxs_driver(top, linux_source, generation):
    prefix = GENERATIONS[generation][1].upper()
    driver = linux_source('6.1') / 'arch/x86/events/intel/uncore_snbep.c'
    linux = {}
    for device, box in re.findall(
            r'PCI_DEVICE\(PCI_VENDOR_ID_INTEL, (0x\w+)\),\s*'
            rf'\.driver_data = UNCORE_PCI_DEV_DATA\({prefix}_PCI_UNCORE_(\w+),',
            driver.read_text()):
        linux.setdefault(box.lower(), set()).add(f'{number(device):04x}')
    rows = re.findall(rf'^PCI\({generation.upper()}, (\w+), "(.*)"\)',
                      (top / 'events/e5_generations.def').read_text(), re.M)
    assert len(linux) == 6
    assert {box: set(devices.split()) for box, devices in rows} == linux


# Output

# Channels that PCI shows, those whose clock goes, and those that are listed: a channel that cannot
# be asked, is multiplexed, or is in a socket without any clock may be there.
@pytest.mark.parametrize('shown, real, listed, rule, cpu', [
    (6, '0123', '0123', None, -1), (8, '0145', '0145', None, -1), (5, '012', '012', None, -1),
    (4, '012', '0123', None, -1), (6, '01234', '012345', ('refuse', 'imc_*', 0, 22), -1),
    (6, '01234', '012345', ('share', 'imc_5', -1, 0), -1), (6, '0123', '012345', None, 10)])
def test_channels_whose_clock_stands_still_are_left_out_and_named(
        uncorestat, generation, tmp_path, shown, real, listed, rule, cpu):
    uncorestat.machine = machine = generation(
        'v4', packages=(0, 1), boxes=[*numbered('imc', shown), 'pcu'])
    for box in numbered('imc', shown):
        (machine.device(box) / 'events').mkdir()
        (machine.device(box) / 'events/clockticks').write_text('event=0x00\n')
    for n in real:
        machine.rate(f'imc_{n}', 0, 800000000, cpu=cpu)
        machine.rate(f'imc_{n}', READS, 1000000)
    if rule:
        machine.rule(*rule)
    output = uncorestat.run('-n', 1, '-g', 'mem', '--record', tmp_path / 'recorded')
    last = listed if cpu < 0 else real
    assert re.findall(r'^[0-9:. ]* S(\d) imc_(\d)', output.text, re.M) == [
        *(('0', n) for n in listed), *(('1', n) for n in last)]
    assert set(re.findall(r'PCI shows imc_(\d), which the processor does not have', output.text)
               ) == {str(n) for n in range(shown)} - {*last}
    assert uncorestat.run('--replay', tmp_path / 'recorded').text == output.text


def test_version_says_which_generations_were_confirmed_and_by_what(uncorestat):
    text = uncorestat.run('--version').text
    assert re.match('uncorestat [0-9]', text)
    for model in 45, 62, 63, 79:
        assert f'model {model}: counts confirmed on the emulated machine' in text


def test_list_is_about_this_processor(uncorestat, generation):
    uncorestat.machine = generation('v4')
    text = uncorestat.run('--list').text
    assert text.startswith(
        'Xeon E5-2600 v4 (Broadwell-EP). Highest rates of a memory channel and a QPI link: '
        '19.2 GB/s (DDR4-2400), 9.6 GT/s\n')
    assert 'guide:' not in text and 'QPI_VALUES' not in text
    assert 'not available: no frequency bands' in text
    assert '[cbox:tor_inserts_wb]' in uncorestat.run('--list', 'writeback').text
