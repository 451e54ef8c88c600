# SPDX-License-Identifier: GPL-2.0-only
"""Debian's PAPI tools find all PMUs with uncore_names=1, and count on each box."""
import re

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.seconds(30), pytest.mark.xdist_group('papi')]
# What is injected 1000 times, in a loop while PAPI counts
STIM = '''\
cbox_3 event=0x35,umask=0x03,opc=0x182,count=1000
cbox_3 event=0x37,umask=0x01,nid=1,count=1000
cbox_3 event=0x34,umask=0x03,state=0x8,count=1000
pcu event=0x0d,freq=1300,count=1000
ha event=0x01,umask=0x03,count=1000
imc_2 event=0x04,umask=0x01,count=1000
pcu event=0x0a,count=1000
qpi_1 event=0x02,ext=1,umask=0x08,count=1000
r2pcie event=0x09,umask=0x04,count=1000
r3qpi_0 event=0x36,umask=0x08,count=1000
ubox event=0x42,umask=0x08,count=1000
'''
# The names that count it, by runs: a C-Box has one filter.
RUNS = [
    ['cbo3::UNC_C_TOR_INSERTS:MISS_OPCODE:OPC_DRD', 'pcu::UNC_P_FREQ_BAND2_CYCLES:ff=13',
     'ha::UNC_H_REQUESTS:READS', 'imc2::UNC_M_CAS_COUNT:RD'],
    ['cbo3::UNC_C_LLC_VICTIMS:NID:nf=2', 'pcu::UNC_P_PROCHOT_EXTERNAL_CYCLES',
     'qpi1::UNC_Q_RXL_FLITS_G1:DRS_DATA', 'r2pcie::UNC_R2_RING_BL_USED:CCW_EVEN'],
    ['cbo3::UNC_C_LLC_LOOKUP:DATA_READ:STATE_MESIF', 'r3qpi0::UNC_R3_VN0_CREDITS_USED:DRS',
     'ubo::UNC_U_EVENT_MSG:DOORBELL_RCVD'],
]
# PAPI may have stopped counting before the next injection: try again.
COUNT = r'''for _ in $(seq 100); do
    {papi}papi_command_line {names} > out 2>&1
    grep -q '^snbep_unc_.* : *	*0 *$' out || break
done; cat out'''


@pytest.fixture(scope='module')
def said(guest, copy_programs, tmp_path_factory):
    """What PAPI's tools print, in one boot"""
    directory = tmp_path_factory.mktemp('papi')
    papi = copy_programs(directory, '', 'usr/bin/papi_component_avail',
                         'usr/bin/papi_native_avail', 'usr/bin/papi_command_line') + 'usr/bin/'
    (directory / 'stim').write_text(STIM)
    commands = {'components': f'{papi}papi_component_avail',
                'events': f'{papi}papi_native_avail',
                'inject': 'while uncore-stim -f stim; do usleep 20000; done & stim=$!'}
    for number, run in enumerate(RUNS):
        names = ' '.join(f'snbep_unc_{name}:cpu=0' for name in run)
        commands[number] = COUNT.format(papi=papi, names=names)
    return guest(commands | {'stop': 'kill $stim'}, '-m', 'snbep_uncore uncore_names=1',
                 directory=directory)


def test_papi_finds_all_pmus(said):
    active = said['components'].text.partition('Active components')[2]
    assert len(set(re.findall(r'snbep_unc_[a-z0-9]+', active))) == 20


def test_papi_has_170_events_or_more(said):
    assert len(re.findall(r'snbep_unc_.*::UNC_', said['events'].text)) >= 170


@pytest.mark.parametrize('run, name', [
    (number, name) for number, run in enumerate(RUNS) for name in run])
def test_event_counts_all_injections(said, run, name):
    count, = re.findall(rf'^snbep_unc_{name}:cpu=0 :\s*(\d+)', said[run].text, re.M)
    assert int(count) > 0 and int(count) % 1000 == 0
