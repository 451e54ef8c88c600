# SPDX-License-Identifier: GPL-2.0-only
"""--why: the driver's reason from the kernel's log, and the rule of the guide."""
import re

import pytest

from fake_pmus import LOOKUPS

MISSING_UMASK = ('guide: llc_lookup counts nothing without a unit mask: 0x03 data_read, '
                 '0x05 write, 0x09 remote_snoop, 0x41 nid, 0x1f any')
LOOKUP = 'snbep_uncore_cbox_0/event=0x34/'


@pytest.fixture
def refused(uncorestat):
    """A kernel that refuses LOOKUP, and whose log has an old line"""
    uncorestat.machine.rule('refuse', 'cbox_0', 0x34, 22)
    (uncorestat.machine.root / 'kmsg').write_text(
        '5,1,2,-;snbep_uncore: snbep_uncore_cbox_0: an old line\n')
    return uncorestat


@pytest.fixture
def intel(uncorestat, machines):
    """Linux's own driver, with an alias that lacks a filter"""
    uncorestat.machine = machines(packages=[2], prefix='uncore_')
    aliases = uncorestat.machine.device('cbox_1') / 'events'
    aliases.mkdir()
    (aliases / 'reads').write_text('event=0x34,umask=0x03\n')
    return uncorestat


def test_why_prints_the_drivers_reason_and_the_guides(refused):
    (refused.machine.root / 'reason').write_text(
        '5,7,9,-;snbep_uncore: snbep_uncore_cbox_0: the reason\n')
    output = refused.run('--why', LOOKUP)
    assert (output.code, output.lines) == (
        1, [f'{LOOKUP}: Invalid argument', 'driver: the reason', MISSING_UMASK])


def test_why_says_if_the_driver_logs_nothing(refused):
    output = refused.run('--why', LOOKUP)
    assert output.code == 1
    assert output.lines[1] == 'driver: no reason in the kernel log; intel_uncore gives none'


def test_why_without_access_to_the_log_has_the_guides_reason(refused):
    (refused.machine.root / 'kmsg').unlink()
    output = refused.run('--why', LOOKUP)
    assert output.code == 1 and output.lines[2] == MISSING_UMASK
    assert re.match('driver: .*log, which you may not read', output.lines[1])


def test_why_without_the_right_to_count_has_the_guides_reason(refused):
    refused.machine.rule('refuse', '*', -1, 13)
    output = refused.run('--why', LOOKUP)
    assert output.code == 1 and output.lines[2] == MISSING_UMASK
    assert output.lines[1].startswith('driver: not asked: not allowed to count: be root, have '
                                      'CAP_PERFMON')


NOTHING = 'nothing is wrong with it'


GUIDE = {
    'uncore_cbox/event=0x99/': 'the cbox has no event 0x99',
    'uncore_cbox_0/event=52,umask=2/':
     '0x02 is no unit mask of llc_lookup, or cannot be combined: 0x03 data_read, 0x05 write, '
     '0x09 remote_snoop, 0x41 nid, 0x1f any',
    'uncore_imc_0/event=0x01,umask=0x3/': 'act_count has no unit masks',
    'uncore_cbox_1/reads/': 'llc_lookup counts nothing without filter_state',
    'uncore_cbox_1/reads,filter_state=0x1f/': NOTHING,
    'uncore_cbox_0/event=0x11,umask=0x03/':
     '0x03 is no unit mask of rxr_occupancy, or cannot be combined: 0x01 irq, '
     '0x02 irq_rejected, 0x04 ipq, 0x10 vfifo',
    'uncore_cbox_0/event=0x35,umask=0x0a,filter_opc=0x180/':
     'filter_opc has no effect on tor_inserts',
    'uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x180/': NOTHING,
    'uncore_imc_0/event=0x04,umask=0x3,edge=1/': 'edge and inv need thresh=1 or more',
    'uncore_qpi_0/config=0x200802/': NOTHING,
    'uncore_imc_0/config=0x8000000000000004/':
     'bits 0x8000000000000000 of config are not a field of the imc',
    'uncore_imc_0/r304,name=reads,period=1000,percore/': NOTHING,
    'uncore_cbox_1/READS,filter_state=0x1f/': NOTHING,
    'cbox/event=0x99/': 'the cbox has no event 0x99',
    '*imc*/event=0x01/': NOTHING,
    'uncore_imc_?/event=0x01/': NOTHING,
    'uncore_imc_0/config=0x304,config1=0x6/':
     'bits 0x6 of config1 are not a field of the imc',
    'uncore_imc_0/event=4,config=0x300,config2=1/':
     'bits 0x1 of config2 are not a field of the imc',
    'uncore_pcu/event=0x8b,occ_sel=1,filter_band0=12/': NOTHING,
    'uncore_imc_0/event=0x01/p': NOTHING,
    'uncore_imc_0/event=0x01/GHDS': NOTHING,
}


@pytest.mark.parametrize('event', GUIDE, ids=lambda args: args[:40])
def test_guide_says_of(intel, event):
    output = intel.run('--why', event)
    assert (output.code, output.lines[1]) == (0, 'guide: ' + GUIDE[event])


@pytest.mark.parametrize('modifier', ['u', 'k', 'h', 'uk', 'G', 'H', 'I', 'uH'])
def test_modifier_of_perf_is_refused_and_why(intel, modifier):
    output = intel.run('--why', f'uncore_imc_0/event=0x01/{modifier}')
    assert output.code == 1 and output.lines[0].endswith(': Invalid argument')
    assert output.lines[2] == ('guide: a box counts for everybody: leave out the modifier '
                               + modifier)


def test_why_asks_a_socket_that_has_the_box_which_the_first_has_not(uncorestat):
    uncorestat.machine.cpumask_of('imc_1', '0')
    assert uncorestat.run('--why', 'snbep_uncore_imc_1/event=0x01/').code == 0
    assert [event.cpu for event in uncorestat.machine.opened()] == [0]


ADVICE = {
    'uncore_imc_0/event=0x01/uz': '--why: no modifier of perf: uz',
    'uncore_imc_0/event=0x01,config3=1/': '.*no field for config3=1.*',
    'uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x182/':
     'uncore_cbox_0 has no field for filter_opc=0x182.*',
    'uncore_cbox_0/event=zero/': '.*no field for event=zero, or its bits do not hold the value.*',
    'uncore_cbox_0/event=,umask=0x3/': '.*no field for event=, or its bits.*',
    'uncore_cbox_1/opcode/': r'uncore_cbox_1/event=0x35,umask=0x01,filter_opc=\?/ needs a value '
                              r'for each \?',
    'uncore_nothing_0/event=1/': '.*no uncore PMU of this name.*',
    'uncore/event=1/': '.*no uncore PMU of this name.*',
    'snbep_uncore_imc_0/event=4/': '--why: snbep_uncore_imc_0 is named uncore_imc_0 here',
    'snbep_uncore_qpi_0/event=1/': '--why snbep_uncore_qpi_0: this machine has no qpi_0: absent '
                                    'or hidden by the BIOS, as on most boards',
    'uncore_imc_2/event=1/':
     '--why uncore_imc_2: this machine has no imc_2: absent or hidden by the BIOS',
}


@pytest.mark.parametrize('event', ADVICE, ids=lambda args: args[:40])
def test_why_has_one_line_of_advice_for(intel, event):
    machine = intel.machine
    (machine.device('cbox_0') / 'format/filter_opc').unlink()
    (machine.device('cbox_1') / 'events/opcode').write_text(
        'event=0x35,umask=0x01,filter_opc=?\n')
    machine.remove('qpi_*')
    machine.remove('imc_2')
    output = intel.run('--why', event)
    assert output.code == 1 and re.fullmatch(f'uncorestat: {ADVICE[event]}\n', output.text)


@pytest.mark.parametrize('name', ['Intel(R) Xeon(R) CPU E5-1650 0 @ 3.20GHz',
                                  'Intel(R) Core(TM) i7-3930K CPU @ 3.20GHz'])
def test_why_does_not_send_owners_of_one_socket_to_the_bios_for_qpi(intel, name):
    intel.machine.remove('qpi_*')
    cpuinfo = intel.machine.cpuinfo.read_text().replace('a fake', name)
    intel.machine.cpuinfo.write_text(cpuinfo)
    output = intel.run('--why', 'uncore_qpi_0/event=1/')
    assert output.text.endswith(
        'this machine has no qpi_0: processors for one socket have no QPI port\n')


@pytest.mark.parametrize('digits, last', [
    (505, 'guide: the cbox has no event 0x1'),
    (506, 'uncorestat: --why: the event is too long')])
def test_why_takes_events_of_511_characters_and_no_more(intel, digits, last):
    assert intel.run('--why', f'uncore_cbox_0/event={1:0{digits}}/').lines[-1] == last


def driver_rules(top):
    """(verdict, box, event) of the rules of refuse.def, but those of groups"""
    text = (top / 'selftests/snbep_uncore/refuse.def').read_text()
    return re.findall(r'^(REFUSED|ACCEPTED)\("([a-z0-9_]*)", "([^" ]*)"', text, re.M)


def test_why_explains_every_rule_of_the_driver_without_it(uncorestat, top):
    rules = driver_rules(top)
    assert len(rules) > 70
    for verdict, box, event in rules:
        output = uncorestat.run('--why', f'snbep_uncore_{box}/{event}/')
        # A value that its field cannot hold is refused before the event is opened.
        says_nothing = output.code == 0 and output.lines[1] == 'guide: ' + NOTHING
        assert output.text and says_nothing == (verdict == 'ACCEPTED'), output.text
        assert verdict == 'ACCEPTED' or output.code == 0, output.text
