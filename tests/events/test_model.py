# SPDX-License-Identifier: GPL-2.0-or-later
"""The models' event tables and the drivers', which were written apart, agree; and so do the
registers of the Xeon's model and of Linux's own driver."""
import re
import subprocess

import pytest

from differences import assert_same

BOXES = 'ubox cbox ha imc pcu qpi r2pcie r3qpi'.split()
EVENT = re.compile(r'(\w+) (\w+) ext=(.) code=0x(..) ctrs=(\w+) (.*) umasks=0x(..)')
LISTED = re.compile(r'^LISTED\(([^,]*), (\w+), 0x(\w+), (\w+), "(\w+)",([^;]*?)"\)$', re.M)
# Where the model has a reason not to have what a list has
DIFFERENT = {**{f'{generation} {event}': 'newer lists have it no longer'
                for generation in '34' for event in ('ha 0x20', 'irp 0x16')}, **{
    f'1 {box} {code}': 'a note of the guide: counters 2 and 3' for box in ('r2pcie', 'r3qpi')
    for code in ('0x07', '0x08', '0x09', '0x0a')}}
# Functions and their ids, from the lspci of a server with two E5-2600 v3
LSPCI = {'05.0': 0x2f28, '05.6': 0x2f39, '08.0': 0x2f80, '08.2': 0x2f32, '08.6': 0x2f86,
         '09.0': 0x2f90, '09.2': 0x2f33, '09.6': 0x2f96, '0b.0': 0x2f81, '0b.1': 0x2f36,
         '0b.2': 0x2f37, '10.0': 0x2f1d, '10.1': 0x2f34, '10.5': 0x2f1e, '12.0': 0x2fa0,
         '12.1': 0x2f30, '14.0': 0x2fb0, '14.1': 0x2fb1, '15.0': 0x2fb4, '15.1': 0x2fb5,
         '17.0': 0x2fd0, '17.1': 0x2fd1, '1e.0': 0x2f98, '1e.3': 0x2fc0}
V2 = {'05.0': 0x0e28, '05.6': 0x0e39, '08.0': 0x0e80, '09.0': 0x0e90, '0b.0': 0x0e1e,
      '0e.0': 0x0ea0, '13.0': 0x0e1d}
# Directions of a ring, whose bits no list vouches for where it has other counters than the guide
RING = {'cw_even': 0x01, 'cw_odd': 0x02, 'ccw_even': 0x04, 'ccw_odd': 0x08, 'up_even': 0x01,
        'up_odd': 0x02, 'down_even': 0x04, 'down_odd': 0x08, 'even': 0x05, 'odd': 0x0a, 'any': 0x0f}
# Unit masks of an event cannot be ORed (queues, message classes and requests are counted one at a
# time), or all of them can, but for these.
ALONE = {'cbox llc_lookup any', 'cbox rxr_inserts irq_rejected', 'cbox rxr_occupancy irq_rejected'}

# The model's fields, by Linux's names for them
FACTS = {'perf_ctr': 'ctr_addr', 'event_ctl': 'ctl_addr', 'box_ctl': 'box_ctl_addr',
         'fixed_ctr': 'fixed_ctr_addr', 'fixed_ctl': 'fixed_ctl_addr', 'num_counters': 'ctrs',
         'num_boxes': 'instances', 'perf_ctr_bits': 'width', 'fixed_ctr_bits': 'fixed_width',
         'msr_offset': 'step'}
FILTERS = {
    'cbox': {'BOX_FILTER': 'SNBEP_C0_MSR_PMON_BOX_FILTER'},
    'pcu': {'BOX_FILTER': 'SNBEP_PCU_MSR_PMON_BOX_FILTER'},
    'ha': {f'BOX_{name}': f'SNBEP_HA_PCI_PMON_BOX_{name}'
           for name in ('ADDRMATCH0', 'ADDRMATCH1', 'OPCODEMATCH')},
    'qpi': {name: f'SNBEP_Q_Py_PCI_PMON_{name}'
            for name in ('PKT_MATCH0', 'PKT_MATCH1', 'PKT_MASK0', 'PKT_MASK1')}}
HASWELL_FILTERS = {
    'cbox': {'BOX_FILTER0': 'HSWEP_C0_MSR_PMON_BOX_FILTER0'},
    'pcu': {'BOX_FILTER': 'HSWEP_PCU_MSR_PMON_BOX_FILTER'},
    'ubox': {'FILTER': 'HSWEP_U_MSR_PMON_FILTER'},
    'qpi': FILTERS['qpi']}
# The generations, with what they have besides BOXES, and their filters
GENERATIONS = {
    'snbep': ([], FILTERS),
    'ivbep': (['irp'], FILTERS | {'cbox': {'BOX_FILTER0': 'SNBEP_C0_MSR_PMON_BOX_FILTER'},
                                  'ha': {}}),
    'hswep': (['irp', 'sbox'], HASWELL_FILTERS),
    'bdx': (['irp', 'sbox'], HASWELL_FILTERS),
}
BOXES_OF = [(name, box) for name, (more, _) in GENERATIONS.items() for box in BOXES + more]


@pytest.mark.parametrize('box', BOXES)
def test_model_and_driver_have_the_same_events(model, gen, box):
    # Table 2-12: a CBo's filter takes a thread for any event.
    rows = [row + ' tid' * (box == 'cbox') for row in model() if row.startswith(f'{box} ')]
    assert_same([row for row in gen.lines('events') if row.startswith(f'{box} ')], rows,
                f'events/snbep_{box}.def', 'machine/xeon/uncore/uncore-events.c')


def test_checker_knows_the_unit_masks_of_the_tables_and_no_others(model, top):
    """Of events whose unit masks are not bits alone: what may be ORed, and what stands alone"""
    text, ours = (top / 'events/snbep_cbox.def').read_text(), []
    for event, code in re.findall(r'^EVENT\((\w+), (0x3[4-7]),', text, re.M):
        rows = re.findall(rf'^UMASK\({event}, \w+, (0x..),([^"]*)', text, re.M)
        # The guide does not forbid a mask without a type, which counts nothing.
        masks = {int(umask, 16) for umask, needs in rows if 'ALONE' in needs}
        masks |= {'0x34': {1}, '0x37': {0}}.get(code, set())
        ored = {0}
        for umask in (int(umask, 16) for umask, needs in rows if 'ALONE' not in needs):
            ored |= {umask | other for other in ored}
        masks |= ored - {0}
        ours.append(f'cbox {code} ' + ' '.join(f'{mask:02x}' for mask in sorted(masks)))
    assert_same(ours, model(what='umasks'), 'events/snbep_cbox.def',
                'machine/xeon/uncore/uncore-checker.c')


def events(rows):
    """{'BOX 0xCODE': (counters, unit mask bits)} of the model's rows"""
    found = {}
    for row in rows:
        box, _, extended, code, counters, _, umasks = EVENT.match(row).groups()
        key = f'{box} 0x{extended.replace("0", "")}{code}'
        assert key not in found, row
        found[key] = int(counters, 16), int(umasks, 16)
    return found


@pytest.fixture(scope='session')
def trees(linux_lists):
    """Two versions of Linux's source, the first of which has the extended select in its lists"""
    return [linux_lists(kernel, '',
                        'tools/perf/pmu-events') for kernel in ('6.1', 'newest')]


@pytest.mark.parametrize('made, script', [
    ('machine/xeon/uncore/uncore-later.def', 'machine/xeon/uncore/later.py'),
    ('events/e5_lists.def', 'events/lists.py')])
def test_events_of_the_lists_are_what_the_script_makes(trees, top, made, script):
    out = subprocess.run([top / script, *trees], check=True, stdout=subprocess.PIPE,
                         encoding='utf-8')
    assert (top / made).read_text() == out.stdout


@pytest.mark.parametrize('generation', ['1', '2', '3', '4'])
def test_every_event_of_perfs_list_is_in_the_model(model, top, generation):
    """With its counters and all of its unit masks, but for what the lists are known not to have"""
    found, missing = events(model(generation)), set()
    rows = LISTED.findall((top / 'events/e5_lists.def').read_text())
    for generations, box, code, counters, name, masks in rows:
        # The IRP of v1 has no counters in Linux. The model's clock of a channel is a fixed counter.
        if f'V{generation}' not in generations or counters == 'FIXED_COUNTER' or (
                generation, box) == ('1', 'irp'):
            continue
        key = f'{box} 0x{code}'
        own, bits = found.get(key, (0, 0))
        masks = re.findall(r'\b([0-9a-f]{2})(?=[. ,"]|$)', masks)
        assert masks
        wrong = [mask for mask in masks if int(mask, 16) & ~bits]
        if (own != int(counters, 16) or wrong) and f'{generation} {key}' not in DIFFERENT:
            missing.add(f'{key} {name} {counters} {wrong}, here {bits:#x} {own:#x}')
    assert len(rows) > 500 and not missing


def test_montecitos_model_and_driver_have_the_same_events(top):
    """Where an event has two rows, the second one may be qualified."""
    driver, model = {}, {}
    bits = {'ANY': 0xfff0, 'DUP': 0x3f0, 'ONLY10': 0x400,
            'Q_IAR': 1, 'Q_OPC': 2, 'Q_DAR': 4, 'Q_MESI': 8, 'Q_IBRP1': 16}
    for code, counters, group, every, flags in re.findall(
            r'^EVENT\w*\(\w+, 0x(..), (\w+), ([\w()]+), \w, \d+, (\w+),\s*([^,]*),',
            (top / 'events/montecito.def').read_text(), re.M):
        driver[int(code, 16)] = (bits[counters], group, every == 'A_NO', sum(
            bits.get(flag, 0) for flag in flags.split(' | ')))
    for line in subprocess.run(
            [top / 'scripts/test-program', top / 'machine/xeon/tests/reference/montecito', 'codes'],
            check=True, encoding='utf-8', stdout=subprocess.PIPE).stdout.splitlines():
        code, counters, group, quals, no_all = map(int, line.split())
        if counters:
            number = f'({group & 15})' if group else ''
            model[code] = counters, ('NO_SET', 'L1D', 'L2D')[group >> 4] + number, no_all, quals
    assert len(model) > 150
    assert_same(driver.items(), model.items(), 'events/montecito.def',
                'machine/montecito/monitors-events.c')


def test_page_has_the_states_of_lines_as_the_model_has_them(top):
    model = (top / 'machine/xeon/uncore/uncore-stim.c').read_text(encoding='utf-8')
    states = re.search(r'states\[\] = "(\w+)"', model)[1]
    page = (top / 'Documentation/snbep_uncore.rst').read_text(encoding='utf-8')
    assert ', '.join(f'{1 << bit} {state}' for bit, state in enumerate(states)) in page


@pytest.mark.parametrize('box', ['cbox', 'ha', 'r2pcie', 'r3qpi'])
def test_directions_of_a_ring_are_bits_0_to_3(gen, box):
    rows = re.findall(rf'^{box} ring_.._used_([a-z_]*) 0x.. (0x..) ', gen.text('rows'), re.M)
    assert len(rows) >= 12
    assert [(name, umask) for name, umask in rows if int(umask, 16) != RING.get(name)] == []


@pytest.mark.parametrize('box', BOXES)
def test_unit_masks_of_an_event_cannot_be_ored_or_all_of_them_can(top, box):
    alone, ored = {}, set()
    text = (top / f'events/snbep_{box}.def').read_text()
    for event, name, needs in re.findall(r'^UMASK\((\w+), (\w+), 0x..,([^"]*)', text, re.MULTILINE):
        if 'ALONE' in needs:
            alone[f'{box} {event} {name}'] = event
        else:
            ored.add(event)
    assert {name for name, event in alone.items() if event in ored} == {
        name for name in ALONE if name.startswith(f'{box} ')}


@pytest.fixture(scope='session')
def boxes(top):
    """Registers of the box types, from the model's initializers: boxes[generation][box]"""
    source = (top / 'machine/xeon/uncore/uncore-boxes.c').read_text()
    text = subprocess.run(['cc', '-E', '-P', '-'], check=True, encoding='utf-8',
                          input=re.sub('^#include.*', '', source, flags=re.MULTILINE),
                          stdout=subprocess.PIPE).stdout
    tables = re.search(r'uncore_box_types[^=]*=(.*?)\n\};', text, re.DOTALL)[1].split('\n    }, {')
    assert len(tables) == len(GENERATIONS)
    found = {}
    for generation, table in zip(GENERATIONS, tables):
        for kind, body in re.findall(
                r'\[UNCORE_([A-Z0-9]+)\] = (.*?)(?=\[UNCORE_[A-Z0-9]+\]|\Z)', table, re.S):
            box = found.setdefault(generation, {})[kind.lower()] = {'instances': 1,
                                                                    'fixed_width': 0}
            for name, number in re.findall(
                    r'\.(instances|ctrs|width|fixed_width|step|ctr_gap|\w+_addr) = (\w+)', body):
                box[name] = int(number, 0)
            filters = re.findall(r'\{ "(\w+)", (0x\w+), UNCORE_', body)
            assert [*map(int, re.findall(r'nr_filters = (\d)', body))] == [len(filters)] * bool(
                filters)
            box |= {name: int(number, 16) for name, number in filters}
    return found


@pytest.fixture(scope='session')
def rows_of_functions(top):
    """[(place in v1 and v2, in v3 and v4, ids by generation, kind)] of the model's functions"""
    text = (top / 'machine/xeon/uncore/uncore-functions.def').read_text()
    rows = re.findall(r'^UNCORE_FUNCTION\(0x(..), (.), 0x(..), (.)' + r', (0x\w{4})' * 4 +
                      r', (\w+)\)', text, re.MULTILINE)
    assert len(rows) == text.count('\nUNCORE_FUNCTION(')
    return [(f'{row[0]}.{row[1]}', f'{row[2]}.{row[3]}', [int(n, 16) for n in row[4:8]], row[8])
            for row in rows]


@pytest.fixture(scope='session')
def functions(rows_of_functions):
    """Device ids of the model's PCI functions that count, or are beside those, by generation"""
    return {name: {ids[number] for _, _, ids, kind in rows_of_functions if kind != 'PHANTOM'}
            for number, name in enumerate(GENERATIONS)}


def test_functions_are_those_of_a_server(rows_of_functions):
    """v4's have the ids of v3's plus 0x4000, which a table of Linux confirms for all that count."""
    assert {place: ids[2] for _, place, ids, _ in rows_of_functions} == LSPCI
    assert [ids for _, _, ids, _ in rows_of_functions if ids[3] != ids[2] + 0x4000] == []
    # Of v2, no listing is known: these are PCI's list of ids.
    assert {first: ids[1] for first, _, ids, _ in rows_of_functions if first in V2} == V2


class Linux:
    """intel_uncore's source of a version"""

    def __init__(self, directory):
        events = directory / 'arch/x86/events/intel'
        self.text = (events / 'uncore_snbep.c').read_text()
        ids = (directory / 'include/linux/pci_ids.h').read_text()
        self.ids = dict(re.findall(r'^#define\s+(\w+)\s+(0x\w+)', ids, re.MULTILINE))
        self.define = {}
        for name, number in re.findall(
                r'^#define\s+((?:SNBEP|HSWEP)_\w+)\s+(0x[0-9a-f]+|\d+)\s*$', self.text, re.M):
            self.define.setdefault(name, int(number, 0))
        self.types = dict(re.findall(r'struct intel_uncore_type (\w+_uncore_\w+) = \{(.*?)\n\};',
                                     self.text, re.DOTALL))

    def array(self, name):
        return [int(word, 16) for word in re.search(
            rf'\b{name}\[\] = \{{(.*?)\}}', self.text)[1].split(',')]

    def types_of(self, generation):
        """{box: its struct's name} of all that a generation's lists of types have"""
        found = {}
        for types in re.findall(rf'\*{generation}_(?:msr|pci)_uncores\[\] = \{{(.*?)\}};',
                                self.text, re.S):
            for name in re.findall(r'&(\w+_uncore_(\w+))', types):
                found[name[1]] = name[0]
        return found

    def facts(self, generation, box):
        """A box type's registers by the model's names"""
        body = self.types[self.types_of(generation)[box]]
        for _ in range(2):
            for common in re.findall(r'(\w+_PCI_COMMON_INIT\(\))', body):
                body = body.replace(common, re.search(
                    rf'#define {re.escape(common)}(.*?)\n\n', self.text, re.DOTALL)[1])
        facts = {FACTS[name]: self.define[value] if value in self.define else int(value)
                 for name, value in re.findall(r'\.(\w+)\s*=\s*(\w+)', body) if name in FACTS}
        if box == 'irp':
            # bdx has the functions of hswep.
            facts['ctl_addr'] = self.array('ivbep_uncore_irp_ctls')[0]
            counters = self.array(f'{generation.replace("bdx", "hswep")}_uncore_irp_ctrs')
            facts['ctr_addr'] = counters[0]
            gaps = [n for n, (a, b) in enumerate(zip(counters, counters[1:]), 1) if b - a != 8]
            facts |= {'ctr_gap': gaps[0]} if gaps else {}
        return facts | {name: self.define[theirs]
                        for name, theirs in GENERATIONS[generation][1].get(box, {}).items()}


@pytest.fixture(scope='module', params=['6.1', '6.12'])
def linux(request, top, output):
    events = 'arch/x86/events/intel'
    return Linux(top / output('scripts/linux-source', request.param, f'{events}/uncore_snbep.c',
                              'include/linux/pci_ids.h'))


def test_model_and_tables_have_the_same_boxes(boxes, top):
    """Number, counters and their width; Linux's driver vouches for the model's."""
    rows = re.findall(r'^BOX\((\w+), \w+, "[^"]*", "[^"]*", (\d, \d, \d\d), ',
                      (top / 'events/boxes.def').read_text(), re.M)
    assert_same((f'{box}: {sizes}' for box, sizes in rows),
                (f'{box}: {facts["instances"]}, {facts["ctrs"]}, {facts["width"]}'
                 for box, facts in boxes['snbep'].items()),
                'events/boxes.def', 'machine/xeon/uncore/uncore-boxes.c')


@pytest.mark.parametrize('generation', GENERATIONS)
def test_model_and_linux_have_the_same_box_types(boxes, linux, generation):
    assert sorted(boxes[generation]) == sorted(linux.types_of(generation)) == sorted(
        BOXES + GENERATIONS[generation][0])


@pytest.mark.parametrize('generation, box', BOXES_OF)
def test_registers_of_the_box_are_where_linux_has_them(boxes, linux, generation, box):
    facts, own = linux.facts(generation, box), boxes[generation][box]
    assert facts
    if generation != 'snbep':
        # The model has a part of eight cores, with one memory controller and two links.
        assert 0 < own['instances'] <= facts.pop('instances')
    assert {name: own.get(name) for name in facts} == facts
    assert own.get('ctr_gap') == facts.get('ctr_gap')


@pytest.mark.parametrize('generation', GENERATIONS)
def test_pci_functions_have_the_ids_of_linux(functions, linux, generation):
    table = re.search(rf'{generation}_uncore_pci_ids\[\] = \{{(.*?)\n\}};', linux.text, re.S)[1]
    ids = re.findall(r'PCI_DEVICE\(PCI_VENDOR_ID_INTEL, (\w+)\)', table)
    numbers = [int(name if name.startswith('0x') else linux.ids[name], 16) for name in ids]
    assert sum(number in functions[generation] for number in numbers) == (
        12 + len({'irp'} & {*GENERATIONS[generation][0]}))


def test_node_id_and_map_are_where_linux_has_them(linux):
    assert [linux.define[f'SNBEP_{name}'] for name in ('CPUNODEID', 'GIDNIDMAP')] == [0x40, 0x54]
