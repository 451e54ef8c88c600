# SPDX-License-Identifier: GPL-2.0-only
"""The perf of a kernel's Debian suite lists every alias of every PMU, and opens each."""
import re

import pytest

# Boxes of each type in a socket
BOXES = dict(cbox=8, ha=1, imc=4, pcu=1, qpi=2, r2pcie=1, r3qpi=2, ubox=1)
# perf ORs a field that is given twice, so an alias must not have the default of a field.
FILTERS = {'': '570', ',filter_state=0x1': '70'}
# Of perf's PMU event tests, that of the aliases: the others do not depend on the machine, and take
# two minutes.
PERF_TESTS = '6', '9', "'PMU event map aliases'"
pytestmark = [pytest.mark.slow, pytest.mark.seconds(30)]


def pmus(box):
    count = BOXES[box]
    return [f'snbep_uncore_{box}' + (f'_{n}' if count > 1 else '') for n in range(count)]


def with_values(row):
    """An alias with values for its =? fields: 1, or an opcode of Table 2-13"""
    values = {('cbox', 'filter_opc'): '0x182'}
    return ','.join([row['alias'], *(
        f'{field}={values.get((row["box"], field), 1)}'
        for field in re.findall(r'(\w+)=\?', row['encoding']))])


@pytest.fixture(scope='module', params=[
    pytest.param(kernel, marks=pytest.mark.xdist_group(f'perf-list-{kernel}'))
    for kernel in ('6.1', 'newest')])
def said(request, gen, guest):
    """What perf says of all boxes, in one boot"""
    commands = {'list': 'perf list', 'pmus': 'ls -1 /sys/bus/event_source/devices'}
    # One instance of each type, as they share their tables
    for box in BOXES:
        events = ','.join(f'{pmus(box)[0]}/{with_values(row)}/' for row in gen.csv()
                          if row['box'] == box)
        commands[box] = f"perf stat -x, -C 0 -e '{events}' -- true"
    for fields in FILTERS:
        commands[fields] = (
            f'perf stat -x, -C 0 -e snbep_uncore_cbox_0/llc_lookup_data_read{fields}/ -- '
            'uncore-stim cbox_0 event=0x34,umask=0x03,state=0x1,count=70 '
            'cbox_0 event=0x34,umask=0x03,state=0x8,count=500')
    commands |= {test: f'perf test {test}' for test in PERF_TESTS}
    return guest(commands, '-k', request.param)


def test_pmus_are_those_of_all_boxes(said):
    found = re.findall('^snbep_uncore_.*', said['pmus'].text, re.M)
    assert found == sorted(pmu for box in BOXES for pmu in pmus(box))


@pytest.mark.parametrize('box', BOXES)
def test_perf_list_has_every_alias_of_the_box(said, gen, box):
    lines = [line.strip() for line in said['list'].text.splitlines()
             if 'Raw event descriptor' not in line]
    aliases = {row['alias'] for row in gen.csv() if row['box'] == box}
    for pmu in pmus(box):
        # Newer perf lists PMUs that differ only in their number once, without it.
        shown = pmu if any(line.startswith(f'{pmu}/') for line in lines) else f'snbep_uncore_{box}'
        assert {match[1] for match in (
            re.match(rf'{shown}/(\w+)[,/]', line) for line in lines) if match} == aliases


@pytest.mark.parametrize('box', BOXES)
def test_perf_opens_every_alias_of_the_box(said, gen, box):
    status, text = said[box]
    assert status == 0 and 'not supported' not in text, text
    assert text.count(pmus(box)[0]) == sum(row['box'] == box for row in gen.csv()) > 0


@pytest.mark.parametrize('fields, count', FILTERS.items())
def test_field_beside_an_alias_narrows_what_it_counts(said, fields, count):
    assert re.findall('^(.*?),.*llc_lookup', said[fields].text, re.M) == [count]


@pytest.mark.parametrize('test', PERF_TESTS)
def test_own_test_of_perf_passes(said, test):
    status, text = said[test]
    assert status == 0 and 'Ok' in text and 'FAILED' not in text, text
