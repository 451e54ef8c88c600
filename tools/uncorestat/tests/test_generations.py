# SPDX-License-Identifier: GPL-2.0-only
"""The Xeon E5 v2 to v4: events against Intel's lists and Linux's driver, output over fake PMUs with
that driver's fields and the boxes of real processors."""
import re
import subprocess

import pytest

from exposition import samples
from fake_pmus import (
    ALL_METRICS, CORES_C0, CORES_C3, CORES_C6, LOOKUPS, PCIE, PCU_CLOCK, QPI_CLOCK, QPI_IN,
    QPI_IN_NCB, QPI_OUT, READS, TO_CACHE, TO_CORE, TO_QPI, WRITES, linux_fields, linux_uncore,
    numbered)

# Model, name in Linux's driver, name of Intel's list
V2 = 62, 'ivbep', 'ivytown'
V3 = 63, 'hswep', 'haswellx'
V4 = 79, 'bdx', 'broadwellx'
GENERATIONS = {'v2': V2, 'v3': V3, 'v4': V4}
# From v2 on: lookups with a filter of their states, misses, and the opcode in bits 52 to 60
MISSES, MISSES_REMOTE = 0x2a35, 0x8a35


def opcode(code, others=0):
    return code << 52 | others


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
@pytest.mark.parametrize('generation', GENERATIONS)
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


@pytest.mark.parametrize('generation', ['v3', 'v4'])
def test_pcie_events_have_the_filters_of_the_lists_ready_made_ones(top, table, generation):
    text = (top / 'events/e5_lists.def').read_text()
    ready = re.findall(r'01\.PCIE_\w+,(\S+?)[ "]', text) + re.findall(
        r'03\.MMIO_READ,(\S+?)[ "]', text)
    assert len(ready) == 4
    used = [set(encoding.split(',')) for _, _, encoding, _, _ in table(GENERATIONS[generation][0])]
    for filters in ready:
        assert any({'event=0x35', *filters.split(',')} <= terms for terms in used), filters


@pytest.mark.parametrize('generation', GENERATIONS)
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
def of(uncorestat, machines, linux_source):
    """Makes uncorestat run on a processor: of('v3', boxes)"""
    def machine(generation, boxes):
        model, driver, _ = GENERATIONS[generation]
        uncorestat.machine = machines(
            packages=(0, 1), prefix='uncore_', boxes=boxes, model=model,
            fields=linux_fields(linux_source('6.1'), driver))
        return uncorestat

    return machine


def traffic(machine, to_core, states, second=15625000):
    """Traffic for the default columns"""
    machine.rate('imc_0', READS, 31250000)
    machine.rate('imc_[14]', READS, second)
    machine.rate('imc_[15]', WRITES, 781250)
    machine.rate('ha_0', TO_QPI, 10)
    machine.rate('ha_?', TO_CACHE, 10)
    machine.rate('ha_0', TO_CORE, to_core)
    machine.rate('cbox_*', LOOKUPS, 1000000, states)
    machine.rate('cbox_*', MISSES, 150000)
    machine.rate('cbox_*', MISSES_REMOTE, 100000)
    machine.rate('cbox_*', PCIE, 125000, opcode(0x19e))
    machine.rate('qpi_0', QPI_OUT, 125000000)
    machine.rate('qpi_?', QPI_CLOCK, 1000000000)
    machine.rate('pcu', PCU_CLOCK, 800000000)
    machine.rate('pcu', CORES_C0, 4000000000)
    machine.rate('pcu', CORES_C6, 400000000)


def other_traffic(machine, tid, write, uncached, uncached_filter):
    """Traffic for the other groups. A device's write is TOR events with tid and a filter."""
    machine.forget('rate')
    for config, rate in ((PCU_CLOCK, 1000), (CORES_C0, 1000), (CORES_C3, 2000), (CORES_C6, 3000),
                         (0x6, 400), (0x5, 500), (0x4, 600), (0x7, 700)):
        machine.rate('pcu', config, rate * 1000000)
    machine.rate('pcu', 0xb, 100000000, 0xc)
    machine.rate('cbox_*', LOOKUPS, 4000000)
    machine.rate('cbox_*', MISSES, 600000)
    machine.rate('cbox_*', MISSES_REMOTE, 400000)
    machine.rate('cbox_*', 0x0, 2000000000)
    for occupancy, inserts, filters, held, requests in (
            (0x136, 0x135, opcode(0x182), 20, 10), (0x336, 0x335, opcode(0x182), 12, 4),
            (0x336, 0x335, opcode(0x180), 20, 5), (0x336, 0x335, opcode(0x181), 30, 6),
            (0x136, 0x135, opcode(0x19e), 42, 7), (0x136 | tid, 0x135 | tid, write, 56, 8)):
        machine.rate('cbox_*', occupancy, held * 1000000, filters)
        machine.rate('cbox_*', inserts, requests * 1000000, filters)
    machine.rate('cbox_*', uncached, 12000000, uncached_filter)
    machine.rate('imc_1', READS, 12500000)
    machine.rate('imc_1', WRITES, 3125000)
    machine.rate('imc_1', 0xb01, 3125000)
    machine.rate('imc_1', 0x102, 781250)
    machine.rate('qpi_1', QPI_OUT, 125000000)
    machine.rate('qpi_1', QPI_CLOCK, 1000000000)


GROUP_LABELS = {'mem': 'S1 imc_1', 'qpi': 'S1 qpi_1'}


def group_line(uncorestat, group):
    output = uncorestat.run('-n', 1, '-g', group)
    assert output.code == 0, output.text
    return output.line(GROUP_LABELS.get(group, 'S1'))


# One home agent, four channels of one controller
TEN_CORES = [*numbered('cbox', 10), 'ha_0', *numbered('imc', 4), 'pcu', 'qpi_0', 'qpi_1', 'irp',
             'r2pcie', 'r3qpi_0', 'r3qpi_1', 'ubox']
# Two home agents, and two controllers with two channels each, whose numbers have a gap
TWELVE_CORES = [*numbered('cbox', 12), 'ha_0', 'ha_1', 'imc_0', 'imc_1', 'imc_4', 'imc_5', 'pcu',
                'qpi_0', 'qpi_1', 'irp', 'r2pcie', 'r3qpi_0', 'r3qpi_1', *numbered('sbox', 4),
                'ubox']
# Three links
TWENTY_TWO_CORES = [*numbered('cbox', 22), 'ha_0', 'ha_1', 'imc_0', 'imc_1', 'imc_4', 'imc_5',
                    'pcu', *numbered('qpi', 3), 'r2pcie', 'r3qpi_0', 'ubox']


@pytest.fixture
def ivytown(of):
    one = of('v2', TEN_CORES)
    traffic(one.machine, 20, 0x7e0000)
    one.machine.rate('cbox_*', PCIE, 100000, opcode(0x19c))
    one.machine.rate('cbox_*', PCIE, 25000, opcode(0x194))
    one.machine.rate('qpi_1', QPI_IN, 250000000)
    one.machine.rate('qpi_1', QPI_IN_NCB, 150000000)
    one.machine.rate('pcu', 0xc, 600000000, 0x1400)
    return one


def test_v2_has_the_default_columns_and_nothing_is_multiplexed_or_missing(ivytown):
    output = ivytown.run('-n', 2)
    assert output.line('S0') == output.line('S1') == (
        '3000.0 50.0 25.0 10.00* 2.50* 1000.0 2000.0 10.0 80.0* 80.0* 5.0 0.5 75.0')
    assert '~' not in output.text and ' - ' not in output.text


@pytest.fixture
def channels(of):
    """A v4 with so many memory channels, of which some have a clock: channels(6, range(4))"""
    def machine(shown, real, **cpu):
        one = of('v4', [*numbered('imc', shown), 'pcu'])
        for box in numbered('imc', shown):
            (one.machine.device(box) / 'events').mkdir()
            (one.machine.device(box) / 'events/clockticks').write_text('event=0x00\n')
        for n in real:
            one.machine.rate(f'imc_{n}', 0, 800000000, **cpu)
            one.machine.rate(f'imc_{n}', READS, 1000000)
        return one

    return machine


def lines_of(output):
    return re.findall(r'^[0-9:. ]* S(\d) imc_(\d)', output.text, re.M)


@pytest.mark.parametrize('shown, real', [(6, (0, 1, 2, 3)), (8, (0, 1, 4, 5)), (5, (0, 1, 2))])
def test_channels_whose_clock_stands_still_are_left_out_and_named(channels, tmp_path, shown, real):
    one = channels(shown, real)
    output = one.run('-n', 1, '-g', 'mem', '--record', tmp_path / 'recorded')
    assert lines_of(output) == [(socket, str(n)) for socket in '01' for n in real]
    assert set(re.findall(r'PCI shows imc_(\d), which the processor does not have', output.text)
               ) == {str(n) for n in range(shown) if n not in real}
    assert one.run('--replay', tmp_path / 'recorded').text == output.text


@pytest.mark.parametrize('shown, rule', [
    (4, None), (6, ('refuse', 'imc_*', 0, 22)), (6, ('share', 'imc_5', -1, 0))])
def test_channels_that_cannot_be_asked_or_may_be_there_stay(channels, shown, rule):
    one = channels(shown, range(shown - 1))
    if rule:
        one.machine.rule(*rule)
    output = one.run('-n', 1, '-g', 'mem')
    assert lines_of(output) == [(socket, str(n)) for socket in '01' for n in range(shown)]
    assert 'PCI shows' not in output.text


def test_channels_of_a_socket_without_any_clock_stay(channels):
    output = channels(6, range(4), cpu=10).run('-n', 1, '-g', 'mem')
    assert lines_of(output) == [*(('0', str(n)) for n in range(6)),
                                *(('1', str(n)) for n in range(4))]


def test_fixed_counter_of_the_v2_leaves_four_to_other_events(ivytown):
    output = ivytown.run('-n', 1, '--per', 'box', '-m', 'mem_util,imc_pct_requests_page_*')
    assert output.line('S1 imc_1') and '~' not in output.text
    assert len({event.group for event in ivytown.machine.opened()
                if event.box == 'imc_1' and event.cpu == 0}) == 1


V2_GROUPS = {
    'power': '1.0 2.0 3.0 10.0 20.0 30.0 40.0 50.0 60.0 70.0',
    'latency': '1.0* 1.5* 2.0* 2.5* 3.0* 3.5* 2.00',
    'pcie': '4480.0* 5120.0* 5760.0* 6400.0* 7040.0* 120.00*',
    'llc': '40.00* 10.00* 25.0*', 'mem': '800.0 200.0 80.0 15.0 5.0',
    'qpi': '1000.0 2000.0 20.0 8.0',
}


@pytest.mark.parametrize('group', V2_GROUPS)
def test_v2_group(ivytown, group):
    machine = ivytown.machine
    other_traffic(machine, 0, opcode(0x19c), PCIE, opcode(0x195))
    for code, millions in (0x194, 9), (0x1e4, 10), (0x1e6, 11):
        machine.rate('cbox_*', PCIE, millions * 1000000, opcode(code))
    machine.rate('pcu', 0xc, 200000000, 0x1400)
    machine.rate('pcu', 0xd, 300000000, 0x1a0000)
    machine.rate('qpi_1', QPI_IN, 250000000)
    machine.rate('qpi_1', QPI_IN_NCB, 150000000)
    assert group_line(ivytown, group) == V2_GROUPS[group]


def grantley(uncorestat):
    """Traffic for v3 and v4"""
    machine = uncorestat.machine
    traffic(machine, 10, 0xfe0000, second=7812500)
    machine.rate('cbox_*', 0x80135, 100000, opcode(0x1c8, 0x3e))
    machine.rate('cbox_*', 0x80135, 25000, opcode(0x180, 0x3e))
    # Requests of cores, which must not be counted
    machine.rate('cbox_*', PCIE, 900000, opcode(0x1c8))
    machine.rate('qpi_1', 0x200802, 200000000)
    machine.rate('qpi_1', 0x200403, 50000000)
    machine.rate('qpi_0', 0x400, 75000000)
    machine.rate('pcu', 0xb, 600000000, 0x14)
    return uncorestat


@pytest.fixture
def haswell(of):
    return grantley(of('v3', TWELVE_CORES))


@pytest.fixture
def broadwell(of):
    return grantley(of('v4', TWENTY_TWO_CORES))


def test_v3_has_the_default_columns(haswell):
    output = haswell.run('-n', 2)
    assert output.line('S0') == output.line('S1') == (
        '3000.0 100.0 25.0 12.00 3.00 1000.0 2000.0 5.0 96.0* 96.0* 5.0 0.5 75.0')


def test_v3_has_four_channels_of_two_controllers_and_none_is_missing(haswell):
    output = haswell.run('-n', 1, '-g', 'mem')
    assert len(re.findall('S. *imc_', output.text)) == 8 and 'without' not in output.text
    assert output.line('S1 imc_5').startswith('0.0 50.0')


def test_v4_has_the_default_columns_without_a_frequency(broadwell):
    output = broadwell.run('-n', 2)
    assert output.line('S0') == output.line('S1') == (
        '3000.0 100.0 25.0 22.00 5.50 1000.0 2000.0 3.3 176.0* 176.0* 5.0 0.5')
    output = broadwell.run('-n', 1, '-m', 'freq_2900')
    assert (output.code, output.text) == (
        1, "uncorestat: no metric freq_2900: no frequency bands in Intel's list\n")


def test_v4_speed_of_three_links_is_their_average(broadwell):
    assert broadwell.run('-n', 1, '-m', 'qpi_speed').line('S1') == '8.00'


@pytest.mark.parametrize('form', ['--csv', '--json'])
def test_v4_prometheus_has_no_sample_of_what_it_lacks(broadwell, tmp_path, form):
    output = broadwell.run('-n', 1, form, '--prometheus', tmp_path / 'prom',
                           '--svg', tmp_path / 'svg')
    assert output.lines[0].startswith({'--csv': 'time', '--json': '{"time"'}[form])
    found = samples(tmp_path / 'prom')
    assert found['uncorestat_mem_read_bytes_total{socket="1"}'] == 3e9
    assert not any('freq_2000' in name for name in found)


GRANTLEY_GROUPS = {
    'v3': {'power': '1.0 2.0 3.0 10.0 20.0 30.0 40.0 50.0 60.0', 'llc': '48.00 12.00 25.0',
           'pcie': '5376.0* 6144.0* 144.00*'},
    'v4': {'power': '1.0 2.0 3.0 40.0 50.0 60.0', 'llc': '88.00 22.00 25.0',
           'pcie': '9856.0* 11264.0* 264.00*'},
}
BOTH = {'latency': '1.0* 1.5* 2.0* 2.5* 3.0* 3.5* 2.00', 'mem': '800.0 200.0 80.0 15.0 5.0',
        'qpi': '1000.0 2000.0 10.0 8.0'}


@pytest.mark.parametrize('generation, group', [
    (generation, group) for generation, groups in GRANTLEY_GROUPS.items()
    for group in groups | BOTH])
def test_v3_and_v4_group(of, generation, group):
    one = of(generation, {'v3': TWELVE_CORES, 'v4': TWENTY_TWO_CORES}[generation])
    other_traffic(one.machine, 0x80000, opcode(0x1c8, 0x3e), 0x335, 0x5870000000000000)
    one.machine.rate('pcu', 0xb, 200000000, 0x14)
    one.machine.rate('pcu', 0xb, 300000000, 0x1a)
    one.machine.rate('qpi_1', 0x200802, 200000000)
    one.machine.rate('qpi_1', 0x200403, 50000000)
    one.machine.rate('qpi_1', 0x400, 75000000)
    assert group_line(one, group) == (GRANTLEY_GROUPS[generation] | BOTH)[group]


@pytest.mark.parametrize('generation', GRANTLEY_GROUPS)
def test_metric_that_a_generation_lacks_has_one_note_with_the_reason(of, generation):
    output = of(generation, TWELVE_CORES).run('-n', 1, '-m', 'pcie_write_noalloc')
    notes = [note for note in output.notes() if 'pcie_write_noalloc' in note]
    assert len(notes) == 1
    assert notes[0].startswith('- pcie_write_noalloc: no opcode of its own')


def test_boxes_that_are_hidden_in_one_package_are_a_note_with_its_id(haswell):
    machine = haswell.machine
    for cpu in 10, 11:
        (machine.cpus / f'cpu{cpu}/topology/physical_package_id').write_text('2\n')
    machine.cpumask_of('imc_4', '0')
    machine.cpumask_of('qpi_1', '0')
    rows = haswell.run('-n', 1, '--csv', '-m', 'mem_read,qpi_out').csv()
    assert [(row['socket'], row['mem_read_bytes_per_second']) for row in rows] == [
        ('0', '3000000000'), ('2', '2500000000')]
    rest = 'the rest is absent or hidden by the BIOS'
    assert rows[0]['notes'] == (f'! socket 2 has 3 of 4 imc boxes: {rest}; '
                                f'! socket 2 has 1 of 2 qpi boxes: {rest}')


@pytest.mark.parametrize('generation, slices, agents, channels, links', [
    ('v2', 4, 1, 3, 2), ('v2', 6, 1, 4, 0), ('v2', 15, 2, 8, 3), ('v3', 4, 1, 4, 2),
    ('v3', 18, 2, 8, 3), ('v4', 6, 1, 4, 2), ('v4', 24, 2, 8, 3)])
def test_from_the_smallest_to_the_largest_processor_every_box_counts(
        of, generation, slices, agents, channels, links):
    one = of(generation, [*numbered('cbox', slices), *numbered('ha', agents),
                          *numbered('imc', channels), 'pcu', *numbered('qpi', links), 'ubox'])
    one.machine.rate('imc_*', READS, 1000000)
    one.machine.rate('cbox_*', MISSES, 1000000)
    output = one.run('-n', 1, '-m', 'mem_read,llc_miss')
    assert output.line('S1').replace('*', '') == f'{channels * 64}.000 {slices}000000'
    assert ('! 3 of 4 imc boxes in each socket' in output.text) == (channels == 3)
    one.machine.opened()
    output = one.run('-n', 1)
    assert ('- this machine has no qpi box' in output.text) == (links == 0)
    assert output.text.count('this machine has no') == (links == 0)
    boxes = {event.box for event in one.machine.opened() if event.cpu == 0}
    assert len(boxes) == slices + agents + channels + 1 + links


SMALL = [*numbered('cbox', 4), 'ha_0', *numbered('imc', 4), 'pcu', 'qpi_0', 'qpi_1',
         'r2pcie', 'ubox']


@pytest.fixture(params=GENERATIONS)
def full(of, request):
    """Every event counts 1000, and some less"""
    one = of(request.param, SMALL)
    one.generation = request.param
    machine = one.machine
    machine.rate('*', -1, 1000)
    for box, config, rate in (('cbox_*', 0x335, 500), ('ha_0', 0x301, 3000), ('imc_*', 0x85, 250),
                              ('imc_*', 0x10, 3000), ('cbox_*', 0x11d, 125), ('qpi_*', 0xf, 500)):
        machine.rate(box, config, rate)
    machine.rate('cbox_*', LOOKUPS, 100, 0x20000)
    machine.resctrl(mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=0)
    return one


def test_every_metric_gives_a_number(full):
    listed = full.run('--list').text
    names = re.findall(ALL_METRICS, listed, re.M)
    lacking = tuple(paragraph.split()[0] for paragraph in re.split(r'\n\n', listed)
                    if '    not available: ' in paragraph)
    [row] = full.run('-n', 1, '--json', '--per', 'system', '-m', ','.join(names)).json()
    assert all(name.startswith(lacking) for name, value in row.items() if value is None)
    want = {'ha_pct_rd_requests_percent': 75, 'imc_pct_cycles_ppd_percent': 25,
            'qpi_pct_link_full_power_cycles_percent': 50, 'cbox_llc_rfo_miss_pct_percent': 50,
            'cbox_llc_drd_miss_pct_percent': 10}
    want |= ({'imc_pct_rd_requests_percent': 75} if full.generation == 'v2' else
             {'cbox_cyc_used_upeven_percent': 12.5})
    assert {name: row[name] for name in want} == want
    assert len(row) > {'v2': 110, 'v3': 123, 'v4': 123}[full.generation]


def test_every_question_of_the_cookbook_has_a_number_or_the_reason_why_not(full, top):
    text = (top / 'Documentation/cookbook.rst').read_text()
    questions = re.findall(r'^  \$ uncorestat -n 1 (.*)', text, re.M)
    assert len(questions) >= 7
    for question in questions:
        output = full.run('-n', 1, *question.split())
        reasons = re.findall('^  - [a-z_0-9]*: [a-z]', output.text, re.M)
        assert output.code == 0, output.text
        assert output.line('S1').split().count('-') == len(reasons), output.text


# --version, --list, --why, errors

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


WHY = {
    'v2 cbox_0/event=0x34,umask=0x3/': [
        'llc_lookup_data_read counts nothing without filter_state',
        'llc_lookup_data_read, on counters 0 1'],
    'v2 cbox_0/event=0x35,umask=0x43,filter_opc=0x182/': [
        'tor_inserts_nid_miss_opcode counts nothing without filter_nid',
        'tor_inserts_nid_miss_opcode, on counters 0 1'],
    'v3 cbox_0/event=0x35,umask=0x3,filter_opc=0x182/': [
        'tor_inserts_miss_opcode, on counters 0 1 2 3'],
    'v3 cbox_0/event=0x36,umask=0x1/': [
        'tor_occupancy_opcode counts nothing without filter_opc',
        'tor_occupancy_opcode, on counters 0'],
    'v4 pcu/event=0x80,occ_sel=2/': ['power_state_occupancy_cores_c3, on counters 1 2 3'],
    'v2 imc_0/event=0xff/': ['clockticks, on the fixed counter'],
    'v4 cbox_0/event=0x34/': ['no name has this unit mask, but these have the event: '
                              'llc_lookup_data_read llc_lookup_write llc_lookup_remote_snoop '
                              'llc_lookup_any llc_lookup_read llc_lookup_nid'],
    'v4 cbox_0/event=0xf4/': ['no such event'],
}


@pytest.mark.parametrize('question', WHY)
def test_why_says_what_intels_list_has(of, question):
    generation, event = question.split()
    one = of(generation, ['cbox_0', 'imc_0', 'pcu'])
    one.machine.rule('refuse', 'cbox_0', 0x34, 22)
    (one.machine.root / 'kmsg').write_text('')
    output = one.run('--why', 'uncore_' + event)
    assert re.findall('^list: (.*)', output.text, re.M) == WHY[question]
    assert 'guide:' not in output.text
    if output.code:
        assert output.lines[1] == 'driver: no reason in the kernel log; intel_uncore gives none'


@pytest.mark.parametrize('flags, advice', [
    ('', 'there is no uncore PMU: load a driver (modprobe intel_uncore)'),
    ('flags\t\t: fpu hypervisor lahf_lm\n',
     'this virtual machine shows no uncore: run it on the host')], ids=['host', 'guest'])
def test_v4_without_pmus_has_one_line_of_advice(of, flags, advice):
    one = of('v4', SMALL)
    one.machine.remove('*')
    with one.machine.cpuinfo.open('a') as cpuinfo:
        cpuinfo.write(flags)
    output = one.run('-n', 1)
    assert (output.code, output.text) == (1, f'uncorestat: {advice}\n')
