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
    """The events of uncorestat for a model: (box, name, encoding, terms, counters)"""
    out = top / 'build/tools/events'
    subprocess.run(['make', '-s', '-C', top / 'events', f'O={out}'], check=True)

    def events(model):
        text = subprocess.run([out / 'gen', 'stat', str(model)], check=True, encoding='utf-8',
                              stdout=subprocess.PIPE).stdout
        found = [line.split()[1:] for line in text.splitlines() if line.startswith('event ')]
        # What Linux has besides is not of the uncore.
        return [(box, name.partition(',')[0], encoding,
                 {k: number(v) for k, v in (term.split('=') for term in encoding.split(','))},
                 number(counters))
                for box, name, encoding, counters in found
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
    for box, _, encoding, terms, counters in events:
        fields, rules = pmus[box]
        for field, value in terms.items():
            assert not value >> width(fields.get(field, '')), (box, encoding, field)
        if terms.get('filter_state', 1) != 1:
            # All states
            assert terms['filter_state'] + 1 == 1 << width(fields['filter_state']), encoding
        # A thread's number counts with tid_en alone.
        assert ('filter_tid' in terms) == ('tid_en' in terms), encoding
        for code, allowed, compared in rules:
            assert (terms['event'] ^ code) & compared & 0xff or not counters & ~allowed, encoding


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

@pytest.fixture
def of(uncorestat, generation):
    """Makes uncorestat run on a processor: of('v3', boxes)"""
    def machine(name, boxes):
        uncorestat.machine = generation(name, packages=(0, 1), boxes=boxes)
        return uncorestat

    return machine


# Channels that PCI shows, those whose clock goes, and those that are listed: a channel that cannot
# be asked, is multiplexed, or is in a socket without any clock may be there.
@pytest.mark.parametrize('shown, real, listed, rule, cpu', [
    (6, '0123', '0123', None, -1), (8, '0145', '0145', None, -1), (5, '012', '012', None, -1),
    (4, '012', '0123', None, -1), (6, '01234', '012345', ('refuse', 'imc_*', 0, 22), -1),
    (6, '01234', '012345', ('share', 'imc_5', -1, 0), -1), (6, '0123', '012345', None, 10)])
def test_channels_whose_clock_stands_still_are_left_out_and_named(
        of, tmp_path, shown, real, listed, rule, cpu):
    one = of('v4', [*numbered('imc', shown), 'pcu'])
    for box in numbered('imc', shown):
        (one.machine.device(box) / 'events').mkdir()
        (one.machine.device(box) / 'events/clockticks').write_text('event=0x00\n')
    for n in real:
        one.machine.rate(f'imc_{n}', 0, 800000000, cpu=cpu)
        one.machine.rate(f'imc_{n}', READS, 1000000)
    if rule:
        one.machine.rule(*rule)
    output = one.run('-n', 1, '-g', 'mem', '--record', tmp_path / 'recorded')
    last = listed if cpu < 0 else real
    assert re.findall(r'^[0-9:. ]* S(\d) imc_(\d)', output.text, re.M) == [
        *(('0', n) for n in listed), *(('1', n) for n in last)]
    assert set(re.findall(r'PCI shows imc_(\d), which the processor does not have', output.text)
               ) == {str(n) for n in range(shown)} - {*last}
    assert one.run('--replay', tmp_path / 'recorded').text == output.text


SMALL = [*numbered('cbox', 4), 'ha_0', *numbered('imc', 4), 'pcu', 'qpi_0', 'qpi_1',
         'r2pcie', 'ubox']


@pytest.fixture(params=LATER)
def full(of, request):
    """Every event counts 1000"""
    one = of(request.param, SMALL)
    one.machine.rate('*', -1, 1000)
    one.machine.resctrl(mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=0)
    return one


def test_every_question_of_the_cookbook_has_a_number_or_the_reason_why_not(full, top):
    text = (top / 'Documentation/cookbook.rst').read_text()
    questions = re.findall(r'^  \$ uncorestat -n 1 (.*)', text, re.M)
    assert len(questions) >= 7
    for question in questions:
        output = full.run('-n', 1, *question.split())
        reasons = re.findall('^  - [a-z_0-9]*: [a-z]', output.text, re.M)
        assert output.code == 0, output.text
        assert output.line('S1').split().count('-') == len(reasons), output.text


# --version, --list, errors

def test_version_says_which_generations_were_confirmed_and_by_what(of):
    text = of('v4', SMALL).run('--version').text
    assert re.match('uncorestat [0-9]', text)
    for model in 45, 62, 63, 79:
        assert f'model {model}: counts confirmed on the emulated machine' in text


def test_list_is_about_this_processor(of):
    text = of('v4', SMALL).run('--list').text
    assert text.startswith(
        'Xeon E5-2600 v4 (Broadwell-EP). Highest rates of a memory channel and a QPI link: '
        '19.2 GB/s (DDR4-2400), 9.6 GT/s\n')
    assert 'guide:' not in text and 'QPI_VALUES' not in text
    assert 'not available: no frequency bands' in text
    assert '[cbox:tor_inserts_wb]' in of('v4', SMALL).run('--list', 'writeback').text


def test_metric_whose_events_are_not_in_the_list_is_not_offered(of):
    output = of('v4', SMALL).run('-n', 1, '-m', 'qpi_drs_m_from_qpi')
    assert output.code == 1 and 'no metric qpi_drs_m_from_qpi' in output.text
