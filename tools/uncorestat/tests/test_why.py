# SPDX-License-Identifier: GPL-2.0-only
"""--why: the driver's reason from the kernel's log, and the rule of the guide."""
import json
import re

import pytest

from fake_pmus import GENERATIONS, numbered

MISSING_UMASK = ('guide: llc_lookup counts nothing without a unit mask: 0x03 data_read, '
                 '0x05 write, 0x09 remote_snoop, 0x41 nid, 0x1f any')
LOOKUP = 'snbep_uncore_cbox_0/event=0x34/'


@pytest.fixture
def intel(uncorestat, machines):
    """Linux's own driver, with an alias that lacks a filter"""
    uncorestat.machine = machines(packages=[2], prefix='uncore_')
    aliases = uncorestat.machine.device('cbox_1') / 'events'
    aliases.mkdir()
    (aliases / 'reads').write_text('event=0x34,umask=0x03\n')
    return uncorestat


@pytest.mark.parametrize('log, error, line', [
    ('5,1,2,-;snbep_uncore: snbep_uncore_cbox_0: an old line\n', 22, 'driver: the reason'),
    (None, 22, 'driver: .*log, which you may not read.*'),
    ('', 13, 'driver: not asked: not allowed to count: be root, have CAP_PERFMON.*')])
def test_why_has_the_drivers_reason_if_it_may_read_it_and_the_guides(uncorestat, log, error, line):
    root = uncorestat.machine.root
    uncorestat.machine.rule('refuse', *(('cbox_0', 0x34) if error == 22 else ('*', -1)), error)
    if log is not None:
        (root / 'dev/kmsg').write_text(log)
        (root / 'reason').write_text('5,7,9,-;snbep_uncore: snbep_uncore_cbox_0: the reason\n')
    output = uncorestat.run('--why', LOOKUP)
    assert output.code == 1 and output.lines[2] == MISSING_UMASK and len(output.lines) == 3
    assert output.lines[0].startswith(f'{LOOKUP}: ') and re.fullmatch(line, output.lines[1])


NOTHING = 'nothing is wrong with it'


GUIDE = {
    'uncore_cbox/event=0x99/': 'the cbox has no event 0x99',
    'uncore_cbox_0/event=52,umask=2/':
     '0x02 is no unit mask of llc_lookup, or cannot be combined: 0x03 data_read, 0x05 write, '
     '0x09 remote_snoop, 0x41 nid, 0x1f any',
    'uncore_imc_0/event=0x01,umask=0x3/': 'act_count has no unit masks',
    'uncore_cbox_0/event=0x35,umask=0x0a,filter_opc=0x180/':
     'filter_opc has no effect on tor_inserts',
    'uncore_cbox_0/event=0x35,umask=1,filter_opc=0x17f/':
     'this filter_opc matches nothing: its two highest bits must be set',
    'uncore_cbox_0/event=0x35,umask=1,filter_opc=0x180/': NOTHING,
    'uncore_imc_0/config=0x8000000000000004/':
     'bits 0x8000000000000000 of config are not a field of the imc',
    'uncore_imc_0/r304,name=reads,period=1000,percore/': NOTHING,
    'uncore_cbox_1/READS,filter_state=0x1f/': NOTHING,
    'cbox/event=0x99/': 'the cbox has no event 0x99',
    '*imc*/event=0x01/': NOTHING,
    'uncore_imc_0/config=0x304,config1=0x6/':
     'bits 0x6 of config1 are not a field of the imc',
    'uncore_imc_0/event=4,config=0x300,config2=1/':
     'bits 0x1 of config2 are not a field of the imc',
    'uncore_pcu/event=0x8b,occ_sel=1,filter_band0=12/': NOTHING,
    'uncore_imc_0/event=0x01/GHpPDS': NOTHING,
}


@pytest.mark.parametrize('event', GUIDE, ids=lambda args: args[:40])
def test_guide_says_of(intel, event):
    output = intel.run('--why', event)
    assert (output.code, output.lines[1]) == (0, 'guide: ' + GUIDE[event])


@pytest.mark.parametrize('modifier', ['u', 'k', 'h', 'uk', 'G', 'H', 'I', 'uH'])
def test_modifier_of_perf_is_refused_and_why(intel, modifier):
    (intel.machine.root / 'dev/kmsg').write_text('')
    output = intel.run('--why', f'uncore_imc_0/event=0x01/{modifier}')
    assert output.code == 1 and output.lines[0].endswith(': Invalid argument')
    assert output.lines[1:] == [
        'driver: no reason in the kernel log; intel_uncore gives none',
        f'guide: a box counts for everybody: leave out the modifier {modifier}']


def test_why_asks_a_socket_that_has_the_box_which_the_first_has_not(uncorestat):
    uncorestat.machine.cpumask_of('imc_1', '0')
    assert uncorestat.run('--why', 'snbep_uncore_imc_1/event=0x01/').code == 0
    assert [event.cpu for event in uncorestat.machine.opened()] == [0]


@pytest.mark.parametrize('digits, last', [
    (505, 'guide: the cbox has no event 0x1'),
    (506, 'uncorestat: --why: the event is too long')])
def test_why_takes_events_of_511_characters_and_no_more(intel, digits, last):
    assert intel.run('--why', f'uncore_cbox_0/event={1:0{digits}}/').lines[-1] == last


def test_why_explains_every_rule_of_the_driver_without_it(uncorestat, top):
    text = (top / 'selftests/snbep_uncore/refuse.def').read_text()
    # Not those of groups
    rules = re.findall(r'^(REFUSED|ACCEPTED)\("([a-z0-9_]*)", "([^" ]*)"', text, re.M)
    assert len(rules) > 70
    for verdict, box, event in rules:
        output = uncorestat.run('--why', f'snbep_uncore_{box}/{event}/')
        # A value that its field cannot hold is refused before the event is opened.
        says_nothing = output.code == 0 and output.lines[1] == 'guide: ' + NOTHING
        assert output.text and says_nothing == (verdict == 'ACCEPTED'), output.text
        assert verdict == 'ACCEPTED' or output.code == 0, output.text


# What the machine has, before what uncorestat knows

@pytest.fixture
def v3(uncorestat, generation):
    """Linux's driver with all boxes of a v3"""
    uncorestat.machine = generation('v3', packages=[0], boxes=[
        *numbered('cbox', 8), *numbered('ha', 2), *numbered('imc', 4), 'pcu', *numbered('qpi', 2),
        'r2pcie', *numbered('r3qpi', 2), *numbered('sbox', 4), 'ubox'])
    return uncorestat


def test_why_opens_a_box_that_no_table_has(uncorestat, machines):
    uncorestat.machine = machines(prefix='uncore_', boxes=['imc_0', 'new_3'])
    output = uncorestat.run('--why', 'uncore_new_3/event=1/')
    assert output.code == 0 and output.lines[1] == 'list: no box that uncorestat knows'


def test_box_without_metrics_counts_in_an_expression(v3):
    v3.machine.rate('ubox', 0x842, 1000)
    assert v3.run('-n', 1, '-m', 'u=[ubox:event=0x42,umask=8]').line('S0') == '1000.00'


DEVICE = '0000:7f:10.4'
HIDDEN = 'absent or hidden by the BIOS'
ONE_SOCKET = 'processors for one socket have no QPI port'


@pytest.mark.parametrize('box, devices, name, reason', [
    ('imc_0', {DEVICE: '0x8086 0x3cb0'}, 'x',
     f'PCI device {DEVICE} is there, but not to the driver (dmesg)'),
    ('imc_0', {DEVICE: '0x8086 0x3c46', '0000:00:01.0': '0x1022 0x3cb0'}, 'x', HIDDEN),
    ('cbox_0', {}, 'x', 'the driver has none'), ('qpi_0', {}, 'E5-2600', HIDDEN),
    ('qpi_0', {}, 'Intel(R) Xeon(R) CPU E5-1650 0 @ 3.20GHz', ONE_SOCKET),
    ('qpi_0', {}, 'Intel(R) Core(TM) i7-3930K CPU @ 3.20GHz', ONE_SOCKET)])
def test_box_is_hidden_by_the_bios_unless_pci_shows_it_or_none_could_be(
        uncorestat, box, devices, name, reason):
    machine, kind = uncorestat.machine, box[:-2]
    machine.remove(f'{kind}_*')
    # With it, drivers count through I/O ports.
    (machine.root / 'proc/cmdline').write_text('quiet pci=nommconf\n')
    machine.cpuinfo.write_text(machine.cpuinfo.read_text().replace('a fake', name))
    for place, device in devices.items():
        directory = machine.root / 'sys/bus/pci/devices' / place
        directory.mkdir(parents=True)
        for file, number in zip(('vendor', 'device'), device.split()):
            (directory / file).write_text(f'{number}\n')
    output = uncorestat.run('--why', f'snbep_uncore_{box}/event=4/')
    assert output.code == 1 and f'this machine has no {box}: {reason}' in output.text
    assert kind != 'imc' or f'no imc box: {reason}' in uncorestat.run('-n', 1).text


def test_snbep_uncore_with_the_names_of_intel_uncore_has_its_defaults(uncorestat, machines):
    uncorestat.machine = machines(prefix='uncore_')
    module = uncorestat.machine.root / 'sys/module/snbep_uncore'
    module.mkdir(parents=True)
    (module / 'initstate').write_text('live\n')
    output = uncorestat.run('--why', 'uncore_cbox_0/event=0x34,umask=0x03/')
    assert output.lines[1] == 'guide: ' + NOTHING


# Known faults of Linux's driver: the corpus has events that have them, and others

def test_known_faults_are_those_of_the_page(top):
    text = (top / 'events/e5_generations.def').read_text()
    faults = {''.join(re.findall(r'"([^"]*)"', rest)) for rest in re.findall(
        r'^FAULT\([^,]*, \w+, "\w*", "\w*",\s*(.*?)\)$', text, re.M | re.S)}
    page = ' '.join((top / 'Documentation/uncorestat.rst').read_text().replace('``', '').split())
    assert len(faults) == 3
    for fault in faults:
        assert fault in page


# What perf and other tools take

@pytest.mark.parametrize('rule, events, said', [
    (('alone', 'imc_0', 0xc04, 22),
     '{uncore_imc_0/event=4,umask=3/,uncore_imc_0/event=4,umask=12/}',
     'uncore_imc_0/event=4,umask=12/: Invalid argument\n.*\n'
     'guide: alone, it is accepted: with the others, counters are too few'),
    (('alone', 'ha_0', 0x1, 22), '{uncore_imc_0/event=4/,uncore_ha_0/event=1/}:S',
     "a group counts in one box: uncore_ha_0/event=1/ is none of uncore_imc_0's"),
    (('refuse', 'imc_2', -1, 19), 'uncore_imc/event=4,umask=3/', '^uncore_imc_2: No such device$')],
    ids=['too many', 'two boxes', 'one of a pattern'])
def test_why_names_what_is_refused_of_several(v3, rule, events, said):
    v3.machine.rule(*rule)
    output = v3.run('--why', events)
    assert re.search(said, output.text, re.M), output.text
    assert output.code == (rule[0] == 'alone')


@pytest.mark.parametrize('name', GENERATIONS)
def test_why_knows_every_name_of_perfs_list(uncorestat, generation, linux_source, name):
    uncorestat.machine = generation(name, packages=[0], boxes=[
        'cbox_0', 'ha_0', 'imc_0', 'irp', 'pcu', 'qpi_0', 'r2pcie', 'r3qpi_0', 'sbox_0', 'ubox'])
    lists = linux_source('6.1') / 'tools/perf/pmu-events/arch/x86' / GENERATIONS[name][2]
    names = []
    for path in lists.glob('uncore-*.json'):
        for event in json.loads(path.read_text()):
            band = re.search(r'FREQ_BAND\d', event['EventName'])
            terms = (',filter_state=1,filter_opc=0x180,filter_nid=1' if 'CBO' in event['Unit'] else
                     f',filter_{band[0][5:].lower()}=1' if band else '')
            # Linux has no IRP on v1, and no field for an extended select in the PCU.
            if (name, event['Unit'], 'ExtSel' in event) not in (
                    ('v1', 'IRP', False), ('v2', 'PCU', True)):
                names.append(event['EventName'] + terms)
    output = uncorestat.run('--why', ','.join(names))
    assert output.text.count(': the driver accepts it') == len(names) > 490, output.lines[-1]


TRANSLATIONS = {
    'UNC_M_CAS_COUNT.RD': 'imc/event=0x04,umask=0x03/',
    'unc_m_cas_count.rd': 'imc/event=0x04,umask=0x03/',
    'CAS_COUNT.RD': 'imc/event=0x04,umask=0x03/',
    'LLC_MISSES.MEM_READ': 'imc/event=0x04,umask=0x03/',
    'UNC_M_DCLOCKTICKS': 'imc/event=0x00/',
    'CAS_COUNT_RD:MBOX2C1': 'imc_2/event=0x04,umask=0x03/',
    'CAS_COUNT_RD:MBOX0C0|MBOX1C0': 'imc/event=0x04,umask=0x03/',
    'DRAM_CLOCKTICKS:MBOX1FIX': 'imc_1/event=0xff/', 'UNCORE_CLOCK:UBOXFIX': 'ubox/event=0xff/',
    'TOR_INSERTS_OPCODE:CBOX1C0:OPCODE=0x182:EDGEDETECT:THRESHOLD=0x1':
        'cbox_1/event=0x35,umask=0x01,filter_opc=0x182,edge=1,thresh=0x1/',
    'POWER_STATE_OCCUPANCY_CORES_C6:WBOX2:OCCUPANCY=3': 'pcu/event=0x80,occ_sel=3,occ_sel=3/',
    'RING_AD_USED_UP:SBOX0C0': 'sbox_0/event=0x1b,umask=0x03/',
    'RXL_FLITS_G1_DRS_DATA:QBOX1C3': 'qpi_1/event=0x102,umask=0x08/',
    'hswep_unc_imc0::UNC_M_CAS_COUNT:RD': 'imc_0/event=0x04,umask=0x03/',
    'hswep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_OPCODE:opc=0x182:e:t=1':
        'cbox_0/event=0x35,umask=0x03,filter_opc=0x182,edge=1,thresh=1/',
    'unc_c_tor_inserts.miss_opcode,filter_opc=0x182':
        'cbox/event=0x35,umask=0x03,filter_opc=0x182/',
    'iMC.CAS_COUNT.RD': 'imc/event=0x04,umask=0x03/',
    'UNC_Q_TxL_FLITS_G0.DATA': 'qpi/event=0x00,umask=0x02/',
}


@pytest.mark.parametrize('name', TRANSLATIONS)
def test_why_translates(v3, name):
    output = v3.run('--why', name)
    assert output.lines[0] == f'{name}: that is {TRANSLATIONS[name]}', output.text
    assert (output.code, output.lines[1]) == (0, f'{name}: the driver accepts it')


def test_why_names_options_that_it_does_not_translate(v3):
    name = 'hswep_unc_cbo0::UNC_C_LLC_LOOKUP:DATA_READ:STATE_M:cf=3:nf=3:u'
    output = v3.run('--why', name)
    assert output.lines[:2] == [f'{name}: left out, not translated: STATE_M',
                                f'{name}: left out, not translated: cf=3']
    assert 'umask=0x03,filter_state=?,filter_nid=3/u' in output.lines[2]


def test_name_of_perfs_list_is_a_term_whose_value_a_later_term_is(v3):
    event = 'uncore_cbox_0/UNC_C_TOR_INSERTS.MISS_OPCODE,filter_opc=0x182/'
    short = 'uncore_cbox_0/tor_inserts_opcode,filter_opc=0x180/'
    output = v3.run('--why', f'{event},UNC_C_TOR_INSERTS.OPCODE,filter_opc=0x180,{short}')
    assert output.code == 0 and output.text.count('accepts') == 3


SENTENCES = {
    '{,}': 'no event',
    'MBOX0C1': 'MBOX0C1 is a counter of LIKWID.*',
    'iMC.MEM_BW_READS': 'iMC.MEM_BW_READS is a metric, not an event: '
                        'uncorestat -m imc_mem_bw_reads',
    'mem_read': 'mem_read is a metric, not an event: uncorestat -m mem_read',
    'UNC_M_NOTHING': 'UNC_M_NOTHING: .* has no event of this name: see uncorestat --list nothing',
    'X:QBOX0FIX1': 'X:QBOX0FIX1 is a register of the qpi that Linux does not count',
    'CLOCKTICKS': 'CLOCKTICKS is an event of cbox and ha: name the PMU, as in cbox/clockticks/',
    # It is shorter than a counter of LIKWID.
    'M': 'M: no event of the uncore of the .*',
    'UNC_UPI_CLOCKTICKS': 'UNC_UPI_CLOCKTICKS: links between sockets are qpi on an E5; .*',
    'uncore_upi_0': 'uncore_upi_0: links between sockets are qpi on an E5; .*',
    'snbep_uncore_imc_0': 'snbep_uncore_imc_0 is named uncore_imc_0 here',
    'instructions:u': 'instructions:u: no event of the uncore of the .*: perf list explains .*',
    'uncore_imc': 'uncore_imc is a PMU: an event follows it, as in uncore_imc/event=0x01/',
    'uncore_imc_0//': 'uncore_imc_0// names no event: perf would count event 0',
    'msr/tsc/': 'msr: a PMU of Linux that is none of the uncore: perf counts it.*',
    'uncore_imc_0/event=0x01/uz': 'no modifier of perf: uz',
    **{f'uncore_{box}/{terms}/': f'uncore_{box} has no field for {term}, or its bits .*'
       for box, terms, term in (
           ('imc_0', 'event=0x01,config3=1', 'config3=1'), ('cbox_0', 'event=zero', 'event=zero'),
           ('cbox_0', 'event=0x35,umask=0x1,filter_opc=0x182', 'filter_opc=0x182'),
           ('cbox_0', 'event=,umask=0x3', 'event='))},
    'uncore_cbox_1/opcode/':
        r'uncore_cbox_1/event=0x35,umask=0x01,filter_opc=\?/ needs a value for each \?',
    'uncore_nothing_0/event=1/': '.*no PMU of this name.*',
    'snbep_uncore_imc_0/event=4/': 'snbep_uncore_imc_0 is named uncore_imc_0 here',
    'snbep_uncore_qpi_0/event=1/': 'snbep_uncore_qpi_0: this machine has no qpi_0: absent or '
                                   'hidden by the BIOS, as on most boards',
    'uncore_imc_2/event=1/':
        'uncore_imc_2: this machine has no imc_2: absent or hidden by the BIOS',
}


@pytest.mark.sanitizers
@pytest.mark.parametrize('name', SENTENCES)
def test_why_says_in_one_line_what_is_no_event(v3, name):
    machine = v3.machine
    (machine.device('cbox_0') / 'format/filter_opc').unlink()
    aliases = machine.device('cbox_1') / 'events'
    aliases.mkdir()
    (aliases / 'opcode').write_text('event=0x35,umask=0x01,filter_opc=?\n')
    machine.remove('qpi_*')
    machine.remove('imc_2')
    v3.run('--why', name).advises(f'(--why:? )?{SENTENCES[name]}')
