# SPDX-License-Identifier: GPL-2.0-or-later
"""The models' event tables and the drivers', which were written apart, agree; and so do the
registers of the Xeon's model and of Linux's own driver."""
import fcntl
import re
import subprocess

import pytest

BOXES = 'ubox cbox ha imc pcu qpi r2pcie r3qpi'.split()
EVENT = re.compile(r'(\w+) (\w+) ext=(.) code=0x(..) ctrs=(\w+) (.*) umasks=0x(..)')
CODE = re.compile(r'^CODE\(([^,]*), (\w+), \w+, (\w+), "event=(?!0xff")(\w+)'
                  r'(?:,umask=(\w+)|,occ_sel=(.))?', re.MULTILINE)
# Directions of a ring, whose bits no list vouches for where it has other counters than the guide
RING = {'cw_even': 0x01, 'cw_odd': 0x02, 'ccw_even': 0x04, 'ccw_odd': 0x08, 'even': 0x05,
        'odd': 0x0a, 'any': 0x0f}
# Unit masks of an event cannot be ORed (queues, message classes and requests are counted one at a
# time), or all of them can, but for these.
ALONE = {'cbox llc_lookup any', 'cbox rxr_inserts irq_rejected', 'cbox rxr_occupancy irq_rejected'}

# The model's fields, by Linux's names for them
FACTS = {'perf_ctr': 'ctr_addr', 'event_ctl': 'ctl_addr', 'box_ctl': 'box_ctl_addr',
         'fixed_ctr': 'fixed_ctr_addr', 'fixed_ctl': 'fixed_ctl_addr', 'num_counters': 'ctrs',
         'num_boxes': 'instances', 'perf_ctr_bits': 'width', 'fixed_ctr_bits': 'fixed_width',
         'msr_offset': 'step'}
FILTERS = {'cbox': {'BOX_FILTER': 'C0_MSR_PMON_BOX_FILTER'},
           'pcu': {'BOX_FILTER': 'PCU_MSR_PMON_BOX_FILTER'},
           'ha': {f'BOX_{name}': f'HA_PCI_PMON_BOX_{name}'
                  for name in ('ADDRMATCH0', 'ADDRMATCH1', 'OPCODEMATCH')},
           'qpi': {name: f'Q_Py_PCI_PMON_{name}'
                   for name in ('PKT_MATCH0', 'PKT_MATCH1', 'PKT_MASK0', 'PKT_MASK1')}}
GENERATIONS = ['snbep', 'ivbep', 'hswep', 'bdx']


@pytest.fixture(scope='session')
def compiled(tmp_path_factory):
    """What a program of the tests prints: compiled(source..., directory=of the headers)"""
    def run(*arguments, directory):
        program = tmp_path_factory.mktemp('program') / 'program'
        subprocess.run(['cc', '-Wall', '-Wextra', '-Wno-unused-parameter', '-Werror',
                        f'-I{directory}', '-o', program, *arguments], check=True)
        return subprocess.run([program], check=True, encoding='utf-8',
                              stdout=subprocess.PIPE).stdout.splitlines()
    return run


@pytest.fixture(scope='session')
def model(top):
    """Rows of the model's events: model(generation)"""
    out = top / 'build/checker'
    out.mkdir(parents=True, exist_ok=True)
    with open(out / '.lock', 'w', encoding='ascii') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(['make', '-s', '-C', top / 'machine/xeon/tests/checker', f'OUT={out}',
                        f'TOP={top}', out / 'uncore'], check=True)

    def rows(*generation):
        text = subprocess.run([out / 'uncore', 'events', *generation], check=True,
                              encoding='utf-8', stdout=subprocess.PIPE).stdout
        return re.findall('^# row (.*)', text, re.MULTILINE)
    return rows


@pytest.mark.parametrize('box', BOXES)
def test_model_and_driver_have_the_same_events(model, compiled, top, box):
    driver = compiled(top / 'tests/events/model_events.c', directory=top / 'events')
    # Table 2-12: a CBo's filter takes a thread for any event.
    rows = [row + ' tid' * (box == 'cbox') for row in model() if row.startswith(f'{box} ')]
    assert rows and sorted(rows) == sorted(row for row in driver if row.startswith(f'{box} '))


@pytest.mark.parametrize('generation', ['2', '3', '4'])
def test_later_model_has_the_events_that_uncorestat_counts_and_no_others(model, top, generation):
    """With the codes and increments of v1; and one of the rings, for the smoke test"""
    def events(rows):
        for row in rows:
            box, name, extended, code, counters, most, umasks = EVENT.match(row).groups()
            code = f'{box} 0x{extended.replace("0", "")}{code}'
            yield code, (box, name, counters, most, int(umasks, 16))

    first, later = dict(events(model())), dict(events(model(generation)))
    for code, event in later.items():
        assert code in first
        assert event[::3] == first[code][::3] or '?' in first[code][3], event
    used = set()
    for generations, box, counters, code, umask, occupancy in CODE.findall(
            (top / 'events/e5_generations.def').read_text()):
        if f'V{generation} ' in f'{generations} ':
            event = {**first, **later}[f'{box} {code}']
            mask = int(umask or '0', 16) | int(occupancy or 0) << 6
            assert event[2] == counters and not mask & ~event[4], (box, code)
            used.add(f'{box} {code}')
    assert used
    assert [event for code, event in later.items() if code not in used and not re.search(
        '^ubox|clockticks|freq_band|rxl_flits_g0|rxr_cycles_ne', f'{event[0]} {event[1]}')] == []


def test_montecitos_model_and_driver_have_the_same_events(compiled, top):
    compiled(top / 'tests/events/montecito_events.c',
             *(top / 'machine/montecito').glob('*.c'), directory=top)


@pytest.mark.parametrize('box', ['ha', 'r2pcie', 'r3qpi'])
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
    """Registers of v1's box types, from the model's initializers"""
    source = (top / 'machine/xeon/uncore/uncore-boxes.c').read_text()
    text = subprocess.run(['cc', '-E', '-P', '-'], check=True, encoding='utf-8',
                          input=re.sub('^#include.*', '', source, flags=re.MULTILINE),
                          stdout=subprocess.PIPE).stdout
    table = re.search(r'uncore_box_types(.*?)\n    \}, \{', text, re.DOTALL)[1]
    found = {}
    for kind, body in re.findall(r'\n {8}\[UNCORE_(\w+)\] = (.*?)(?=\n {8}\[|\Z)', table, re.S):
        box = found[kind.lower()] = {'instances': 1, 'fixed_width': 0}
        for name, number in re.findall(
                r'\.(instances|ctrs|width|fixed_width|step|\w+_addr) = (\w+)', body):
            box[name] = int(number, 0)
        for name, number in re.findall(r'\{ "(\w+)", (0x\w+), UNCORE_', body):
            box[name] = int(number, 16)
    return found


@pytest.fixture(scope='session')
def functions(top):
    """Device ids of the model's PCI functions that count, or are beside those, by generation"""
    text = (top / 'machine/xeon/uncore/uncore-functions.def').read_text()
    rows = re.findall(r'^UNCORE_FUNCTION\(.*?' + r', (0x\w{4})' * 4 + r', (?:PERF|OTHER)\)', text,
                      re.MULTILINE)
    assert rows
    return {name: {int(row[number], 16) for row in rows} for number, name in enumerate(GENERATIONS)}


class Linux:
    """intel_uncore's source of a version"""

    def __init__(self, directory):
        events = directory / 'arch/x86/events/intel'
        self.text, self.cstate = ((events / f'{name}.c').read_text()
                                  for name in ('uncore_snbep', 'cstate'))
        ids = (directory / 'include/linux/pci_ids.h').read_text()
        self.ids = dict(re.findall(r'^#define\s+(\w+)\s+(0x\w+)', ids, re.MULTILINE))
        self.define = {}
        for name, number in re.findall(r'^#define\s+(SNBEP_\w+)\s+(0x[0-9a-f]+|\d+)\s*$', self.text,
                                       re.MULTILINE):
            self.define.setdefault(name, int(number, 0))
        self.types = dict(re.findall(r'struct intel_uncore_type snbep_uncore_(\w+) = \{(.*?)\n\};',
                                     self.text, re.DOTALL))

    def facts(self, box):
        """A box type's registers by the model's names"""
        body, common = self.types[box], 'SNBEP_UNCORE_PCI_COMMON_INIT()'
        if common in body:
            body += re.search(rf'#define {re.escape(common)}(.*?)\n\n', self.text, re.DOTALL)[1]
        facts = {FACTS[name]: self.define[value] if value in self.define else int(value)
                 for name, value in re.findall(r'\.(\w+)\s*=\s*(\w+)', body) if name in FACTS}
        return facts | {name: self.define[f'SNBEP_{theirs}']
                        for name, theirs in FILTERS.get(box, {}).items()}


@pytest.fixture(scope='module', params=['6.1', '6.12'])
def linux(request, top, output):
    events = 'arch/x86/events/intel'
    return Linux(top / output(
        'scripts/linux-source', request.param, f'{events}/uncore_snbep.c', f'{events}/cstate.c',
        'include/linux/pci_ids.h'))


def test_model_and_linux_have_the_same_box_types(boxes, linux):
    assert sorted(boxes) == sorted(linux.types) == sorted(BOXES)


@pytest.mark.parametrize('box', BOXES)
def test_registers_of_the_box_are_where_linux_has_them(boxes, linux, box):
    facts = linux.facts(box)
    assert facts and {name: boxes[box].get(name) for name in facts} == facts


@pytest.mark.parametrize('generation', GENERATIONS)
def test_twelve_pci_functions_have_the_ids_of_linux(functions, linux, generation):
    table = re.search(rf'{generation}_uncore_pci_ids\[\] = \{{(.*?)\n\}};', linux.text, re.S)[1]
    ids = re.findall(r'PCI_DEVICE\(PCI_VENDOR_ID_INTEL, (\w+)\)', table)
    numbers = [int(name if name.startswith('0x') else linux.ids[name], 16) for name in ids]
    assert sum(number in functions[generation] for number in numbers) == 12


@pytest.mark.parametrize('state', ['C3', 'C6'])
def test_residency_counter_is_per_core(linux, state):
    match = re.search(rf'MSR_CORE_{state}_RESIDENCY:.*?Scope: (\w+)', linux.cstate, re.DOTALL)
    assert match[1] == 'Core'


def test_residency_node_id_and_map_are_where_linux_has_them(linux):
    assert [linux.define[f'SNBEP_{name}'] for name in (
        'PCU_MSR_CORE_C3_CTR', 'PCU_MSR_CORE_C6_CTR', 'CPUNODEID', 'GIDNIDMAP')] == [
            0x3fc, 0x3fd, 0x40, 0x54]
