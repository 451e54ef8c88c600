# SPDX-License-Identifier: GPL-2.0-only
"""With uncore_names=1 and the needed filters, the perf of a kernel's Debian suite opens every name
of its own list (unc_c_llc_victims.m_state). test_lists.py checks the codes."""
import json
import re

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.seconds(30)]
LIST = 'tools/perf/pmu-events/arch/x86/jaketown'
BOXES = {'CBO': 'cbox_0', 'CBOX': 'cbox_0', 'HA': 'ha', 'iMC': 'imc_0', 'PCU': 'pcu',
         'QPI LL': 'qpi_0', 'QPI': 'qpi_0', 'R2PCIe': 'r2pcie', 'R3QPI': 'r3qpi_0', 'UBOX': 'ubox'}
# Names that newer lists have without their extended select, which then encode another event
LOST = {'pcu': r'_(core\d|total)_transition_cycles$|_freq_(min_(io|perf)_p|trans)_cycles$',
        'qpi_0': r'_cto_count$|_credits_consumed_|_flits_g[12]\.|_inserts_|_occupancy_|'
                 r'_vna_credit_'}
STIM = '-- uncore-stim imc_2 event=0x04,umask=0x01,count=31250'
NUMBER = r'# +[0-9.]*[1-9][0-9.]* .*'


def with_filter(box, name, code, umask):
    """A name as perf takes it, with the terms that it needs"""
    terms = ''
    if box == 'pcu' and 0x0b <= code <= 0x0e:
        terms = f',filter_band{code - 0x0b}=13'
    elif box == 'cbox_0' and 0x34 <= code <= 0x37:
        terms += ',filter_nid=0x1' * bool(umask & 0x40)
        terms += ',filter_opc=0x182' * bool(umask & 0x01 and code in (0x35, 0x36))
    return f'uncore_{box}/{name}{terms}/' if terms else name


def names(directory, new):
    """The names of each box, and those that have to be refused"""
    taken, refused = {}, []
    for path in sorted(directory.glob('uncore-*.json')):
        for event in json.loads(path.read_text()):
            if not event.get('EventName') or event.get('Unit', 'IRP') == 'IRP':
                continue
            box, name = BOXES[event['Unit']], event['EventName'].lower()
            # One encoding for three names, where Filter has no occ_sel
            if name.startswith('unc_p_power_state_occupancy.') and not event.get('Filter'):
                continue
            if new and box in LOST and re.search(LOST[box], name):
                continue
            code = int(event.get('EventCode', '0'), 16) | int(event.get('ExtSel', 0)) << 8
            # A field that the box lacks, or a control of 0
            if box == 'ubox' and code > 0xff or name == 'unc_u_clockticks':
                refused.append(name)
            else:
                taken.setdefault(box, []).append(
                    with_filter(box, name, code, int(event.get('UMask', '0'), 16)))
    return taken, refused


# 6.1 and 6.12 run with Debian 12's perf, that of 6.1. That of 5.10 has other names.
@pytest.fixture(scope='module', params=[
    pytest.param(row, marks=pytest.mark.xdist_group(f'perf-own-names-{row[0]}'), id=row[0])
    for row in (('6.1', 'DRAM_BW_Use'), ('newest', 'lpm_mem_bw_ddr_read'))])
def perf(request, linux_lists, guest):
    """The names, the list's metric, and what perf says of them in one boot"""
    kernel, metric = request.param
    taken, refused = names(linux_lists(kernel, LIST), kernel == 'newest')
    commands = {box: f"perf stat -x, -a -e '{','.join(events)}' -- true"
                for box, events in taken.items()}
    commands |= {name: f'perf stat -x, -a -e {name} -- true' for name in refused}
    # The commands of install.rst
    commands['event'] = f'perf stat -x, -a -e unc_m_cas_count.rd {STIM}'
    commands['metric'] = f'perf stat -a -M {metric} {STIM}'
    return taken, refused, metric, guest(
        commands, '-k', kernel, '-s', '1', '-o', 'cbos=1', '-m', 'snbep_uncore uncore_names=1')


@pytest.mark.parametrize('box', sorted(set(BOXES.values())))
def test_perf_opens_its_own_names_of_the_box(perf, box):
    status, text = perf[3][box]
    assert status == 0 and '<not supported>' not in text, text
    assert len(text.splitlines()) == len(perf[0][box])


def test_list_has_more_than_400_names(perf):
    assert sum(map(len, perf[0].values())) > 400


def test_names_that_cannot_work_are_refused(perf):
    _, refused, _, said = perf
    assert refused
    assert [name for name in refused if said[name].status == 0
            and '<not supported>' not in said[name].text] == []


def test_event_by_its_own_name_counts(perf):
    assert re.search('^31250,,unc_m_cas_count.rd,', perf[3]['event'].text, re.M)


def test_metric_of_its_own_has_a_value(perf):
    assert re.search(NUMBER + perf[2], perf[3]['metric'].text), perf[3]['metric'].text
