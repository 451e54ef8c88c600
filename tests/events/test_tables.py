# SPDX-License-Identifier: GPL-2.0-only
"""The uncore's event tables are as the guide's, and what is generated from them is as they are."""
import os
import re
import shutil
import subprocess

import pytest

from differences import assert_same
from formulas import braces, formulas, same_order

BOXES = 'cbox ha imc pcu qpi r2pcie r3qpi ubox'.split()

# Of the guide's summary tables: events, (event, umask) rows, rows with the extended select, derived
# events left out; then events and rows that its text or other lists add
TOTALS = '''\
cbox 22 88 0 2 3 12
ha 23 60 0 0 15 49
imc 24 50 0 0 1 1
pcu 37 39 12 0 0 0
qpi 38 72 48 1 3 12
r2pcie 10 25 0 1 4 14
r3qpi 22 67 0 1 0 2
ubox 2 6 0 0 5 17
'''.splitlines()

# Pairs of the guide that differ in all other lists: box, name, code, unit mask, counters
OWN_ROWS = '''\
ha addr_opc_match_filt 0x20 0x03 0-3
imc dclk 0xff 0x00 fixed
imc dclockticks 0x00 0x00 0-3
r3qpi txr_cycles_ne 0x23 0x00 0-1
ubox msg_chnl_size_count_4b 0x47 0x01 0-1
ubox msg_chnl_size_count_8b 0x47 0x02 0-1
ubox phold_cycles_ack_to_deassert 0x45 0x02 0-1
ubox phold_cycles_assert_to_ack 0x45 0x01 0-1
ubox racu_requests_count 0x46 0x01 0-1
ubox uclk 0xff 0x00 fixed
'''.splitlines()

# A line of each form, on its page of the event reference
REFERENCE = '''\
cbox **llc_lookup**: LLC lookups that find the line in one of filter_state's states (FMESI, I = \
miss). Event 0x34, counters 0-1, at most 1 a cycle; may be filtered by tid, state.
imc **power_cke_cycles**: Cycles in which a rank has its clock enabled (CKE on). Event 0x83, \
counters 0-3, at most 16 a cycle; takes edge or inv, but not both.
pcu **freq_trans_cycles**: Cycles in which the frequency changes. Event 0x00 with the extended \
select, counters 0-3, at most 1 a cycle.
ubox **racu_requests**: Requests to the RACU. Event 0x46, counters 0-1, increment not given. \
Not in the guide's tables.
cbox      - ``event=0x35,umask=0x03,filter_opc=0x19c``
r2pcie      - Even polarity (not in the guide's table)
imc Fixed counters and ready-made aliases:
imc      - All reads, underfills included [MiB]
metrics      - ``[read_bytes] * 64``
metrics      - Requests that found another page open [%]
index Xeon E5-2600 uncore event reference
metrics - qpi QPI_LINK_UTIL: RxL_FLITS_GO_DATA is RxL_FLITS_G0.DATA.
metrics - cbox CYC_INGRESS_STARVED: its event RxR_INT_STARVED is not in the guide.
index    ubox
'''.splitlines()

# Metrics of uncorestat alone
STAT_ONLY = re.compile(
    r'(mem|llc|qpi_(out|in)|pcie|cores|freq|lat|numa|package|dram|busy|uncore|resctrl)(_|\b)')


def code(encoding):
    """As metrics.formulas has an event: code.umask, and other fields behind it"""
    return re.sub(r'event=0x(\w+)(,umask=0x(\w+))?',
                  lambda match: match[1] + (f'.{match[3]}' if match[2] else ''), encoding)


@pytest.mark.parametrize('totals', TOTALS, ids=BOXES)
def test_box_has_as_many_events_and_unit_masks_as_the_guide(top, totals):
    box, *_ = totals.split()
    events, rows, extended = [0, 0], [0, 0], 0
    text = (top / f'events/snbep_{box}.def').read_text()
    for kind, code, flags in re.findall(
            r'^(EVENT\w*|UMASK)\(\w+, (?:\w+, (?=0x..,))?0x(\w+),([^"]*)', text, re.M):
        if kind != 'UMASK':
            listed, wide = 'F_LIST' in flags, len(code) == 3
            events[listed] += 1
        if kind != 'EVENT':
            rows[listed or 'F_LIST' in flags] += 1
            extended += wide
    left_out = (top / 'events/snbep_metrics.def').read_text().count(f'\nMETRIC_LEFT_OUT({box},')
    assert totals == ' '.join(map(str, [
        box, events[0], rows[0], extended, left_out, events[1], rows[1]]))


def test_alias_with_fields_of_its_own_has_the_encoding_that_is_written_down(gen, top):
    plain = set()
    for row in gen.lines('rows'):
        name, alias, event, umask, _ = row.split()
        plain.add(f'{name} {alias} event={event}' + (f',umask={umask}' if umask != '0x00' else ''))
    aliases = {f'{alias["box"]} {alias["alias"]} {alias["encoding"]}' for alias in gen.csv()}
    lines = [line for line in (top / 'tests/events/aliases').read_text().splitlines()
             if line and line[0] != '#']
    assert_same(aliases - plain, sum(map(braces, lines), []),
                'events/snbep_*.def', 'tests/events/aliases')


def test_lookups_of_the_llc_need_a_state(gen):
    """The driver has a default for these; an alias has no text for it."""
    assert [alias['alias'] for alias in gen.csv()
            if re.search(r'(^|\+)state$', alias['filter']) and not alias['scale']] == [
        f'llc_lookup_{name}' for name in ('data_read', 'write', 'remote_snoop', 'nid', 'any')]


@pytest.mark.parametrize('row', OWN_ROWS)
def test_row_that_no_other_list_has_is_the_guides(gen, row):
    assert row in gen.lines('rows')


def test_metrics_of_perf_have_their_formula_and_unit(gen):
    """Of each its events' codes, without the PMU"""
    found = {}
    for metric in gen.json('metrics'):
        expression = re.sub(r'snbep_uncore_\w+@([^@]*)@', lambda match: code(match[1]),
                            metric['MetricExpr'].replace('\\', ''))
        unit = re.sub(r'^1(00(?=%))?', '', metric.get('ScaleUnit', '')).replace('Bytes', 'bytes')
        found[metric['MetricName']] = same_order(expression), unit
    assert found == {name: formula for name, formula in formulas('1').items()
                     if not STAT_ONLY.match(name)}


def test_metrics_of_perf_have_a_description_and_the_group_of_their_box(gen):
    for metric in gen.json('metrics'):
        assert metric['BriefDescription']
        assert metric['MetricGroup'] == 'snbep_' + metric['MetricName'].split('_')[0]


@pytest.mark.parametrize('generation, model', [('1', 45), ('2', 62), ('3', 63), ('4', 79)])
def test_metrics_of_uncorestat_have_their_formula_and_unit(gen, generation, model):
    lines = [line.split(' ', 2) for line in gen.lines('stat', str(model))]
    events = [code(line[2].split()[1]) for line in lines if line[0] == 'event']
    found = {}
    for name, text in (line[1:] for line in lines if line[0] == 'metric'):
        expression, _, unit = text.rpartition('=')
        expression = re.sub(r'\{(\d+)\}', lambda match: events[int(match[1])], expression)
        found[name] = same_order(expression.strip()), unit.strip().replace('Bytes', 'bytes')
    # Without an expression: not offered
    assert {name: formula for name, formula in found.items() if formula[0]} == formulas(generation)


@pytest.mark.parametrize('box, size, count', [('imc', 64, 11), ('qpi', 8, 8)])
def test_scale_is_that_of_lines_in_the_imc_and_of_flits_in_qpi(top, box, size, count):
    """perf applies the scale."""
    scales = re.findall(r'^(?:OWN_)?SCALE\(\w+, "(.*)", "(.*)"\)',
                        (top / f'events/snbep_{box}.def').read_text(), re.MULTILINE)
    assert len(scales) == count
    assert {(float(scale), unit) for scale, unit in scales} <= {
        (size / 2 ** 20, 'MiB'), (size, 'Bytes')}


def test_other_boxes_have_no_scales(top):
    assert not [path.name for path in (top / 'events').glob('*.def')
                if 'SCALE(' in re.sub(r'#.*', '', path.read_text())
                and path.stem not in ('snbep_imc', 'snbep_qpi')]


@pytest.mark.parametrize('box', BOXES)
def test_page_of_the_box_has_every_alias(gen, box):
    aliases = [alias['alias'] for alias in gen.csv() if alias['box'] == box]
    names = re.findall(r'^   \* - ``(.*)``$', gen.text('rst', box), re.MULTILINE)
    assert aliases and sorted(names) == sorted(aliases)


def test_page_of_metrics_has_every_metric(gen):
    names = re.findall(r'^   \* - ``(.*)``$', gen.text('rst', 'metrics'), re.MULTILINE)
    assert sorted(names) == sorted(metric['MetricName'] for metric in gen.json('metrics'))


@pytest.mark.parametrize('line', REFERENCE)
def test_reference_says_what_the_tables_say(gen, line):
    page, text = line.split(' ', maxsplit=1)
    assert text in gen.lines('rst', page)


@pytest.mark.parametrize('page', ['index', 'metrics', *BOXES])
def test_page_has_a_title_and_a_licence(gen, page):
    lines = gen.lines('rst', page)
    assert re.fullmatch('===+', lines[4]) and sum('SPDX' in line for line in lines) == 1


@pytest.mark.parametrize('arguments, status', [(('rst', 'nothing'), 2), (('stat', '85'), 1),
                                               ((), 2)])
def test_generator_refuses_what_it_does_not_have(gen, arguments, status):
    done = gen.run(*arguments)
    assert done.returncode == status
    assert arguments or done.stdout.startswith('usage: ')


def test_event_of_the_json_has_what_perf_needs(gen):
    """perf selects PMUs by an event's unit, and adds up PerPkg events."""
    for event in gen.json('json'):
        assert event['PerPkg'] == '1' and event['Counter'], event
        assert re.fullmatch(r'snbep_uncore_[a-z0-9]+', event['Unit']), event
        assert re.fullmatch('0x..', event['EventCode']), event
        assert re.search('[^: ]$', event['BriefDescription']), event


def test_csv_and_json_have_the_same_aliases(gen):
    aliases = []
    for event in gen.json('json'):
        number = int(event['EventCode'], 16) + 256 * int(event.get('ExtSel', 0))
        fields = [f'event={number:#04x}', 'UMask' in event and f'umask={event["UMask"]}',
                  event.get('Filter')]
        counters = re.sub(r'^(\d),.*(\d)$', r'\1-\2', event['Counter'])
        aliases.append((event['Unit'].removeprefix('snbep_uncore_'), event['EventName'],
                        ','.join(filter(None, fields)), counters, event.get('ScaleUnit', '')))
    assert aliases == [
        (row['box'], row['alias'], row['encoding'], row['counters'], row['scale'] + row['unit'])
        for row in gen.csv()]


def test_lists_for_uncore_names_are_taken_by_the_jevents_of_stock_perf(
        gen, linux_lists, tmp_path):
    source = linux_lists('newest', 'tools/perf/pmu-events')
    names = gen.directory / 'uncore-names.json'
    assert names.read_text() == gen.text('json').replace('"Unit": "snbep_uncore_', '"Unit": "')
    shutil.copytree(source / 'arch/test', tmp_path / 'arch/test')
    lists = tmp_path / 'arch/x86/jaketown'
    lists.mkdir(parents=True)
    for path in names, gen.directory / 'uncore-names-metrics.json':
        shutil.copy(path, lists)
    (lists.parent / 'mapfile.csv').write_text(
        'Family-model,Version,Filename,EventType\nGenuineIntel-6-2D,v1,jaketown,core\n')
    done = subprocess.run(
        ['/usr/bin/python3', source / 'jevents.py', 'x86', 'all', tmp_path / 'arch',
         tmp_path / 'list.c'], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, 'PYTHONDONTWRITEBYTECODE': '1'})
    assert done.stdout == b''
    text = (tmp_path / 'list.c').read_text()
    assert [box for box in BOXES if f'uncore_{box}' not in text] == []
    assert 'snbep_uncore' not in text
