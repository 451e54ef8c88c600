# SPDX-License-Identifier: GPL-2.0-or-later
"""The numbers of discovery/*.units are those of Linux's driver and of Intel's event lists. What
neither has stands here once more, so that no typo stays unseen."""
import functools
import itertools
import json
import re

import pytest

EVENTS = 'arch/x86/events/intel'
LISTS = {'skx': ['skylakex', 'cascadelakex'], 'icx': ['icelakex'], 'snr': ['snowridgex'],
         'spr': ['sapphirerapids', 'emeraldrapids'], 'gnr': ['graniterapids'], 'dmr': []}
# Linux's structs by the file and a row's name
TYPES = {
    'skx': {'ubox': 'skx_uncore_ubox', 'cha': 'skx_uncore_chabox', 'imc': 'skx_uncore_imc'},
    'icx': {'ubox': 'skx_uncore_ubox', 'cha': 'icx_uncore_chabox', 'pcu': 'skx_uncore_pcu'},
    'snr': {'cha': 'snr_uncore_chabox'},
}
# Free-running counters: Linux's table, its row, and its boxes, which the table of SPR and GNR has
FREE = {
    'skx': {name: ('skx_iio', f'SKX_IIO_MSR_{name.upper()}', 6)
            for name in ('ioclk', 'bw', 'util')},
    'icx': {**{name: ('icx_iio', f'ICX_IIO_MSR_{name.upper()}', 6) for name in ('ioclk', 'bw_in')},
            **{name: ('icx_imc', f'ICX_IMC_{name.upper()}', 4)
               for name in ('dclk', 'ddr', 'ddrt')}},
    'snr': {**{name: ('snr_iio', f'SNR_IIO_MSR_{name.upper()}', 5)
               for name in ('ioclk', 'bw_in')},
            **{name: ('snr_imc', f'SNR_IMC_{name.upper()}', 1) for name in ('dclk', 'ddr')}},
    'spr': {**{name: ('spr_iio', f'SPR_IIO_MSR_{name.upper()}', 4)
               for name in ('ioclk', 'bw_in', 'bw_out')},
            **{name: ('spr_imc', f'SPR_IMC_{name.upper()}', 2) for name in ('dclk', 'pq_cycles')}},
    'gnr': {name: ('gnr_iio', f'SPR_IIO_MSR_{name.upper()}', 4)
            for name in ('ioclk', 'bw_in', 'bw_out')},
    'dmr': {},
}
# Bits of a control that Linux's mask does not have: RST of all units without a table but the UBox,
# EN, and PCU's unit mask, which its format has
RST, EN, PCU_UMASK = 1 << 17, 1 << 22, 0x3f00
GENERIC = 0xff84ffff
# Distance of two memory controllers in the window of a die, as the model has them
WINDOW = 0x40000
# Where a discovery table, which no driver has, says that units are: (ids, address) by row
ASSUMED = {
    'spr': ['iio 0-3 0x3000+0x10', 'irp 0-3 0x3400+0x10', 'm2pcie 0-3 0x3200+0x10', 'pcu 0 0x2fc0',
            'imc 0-1 0x22800+0x4000', 'imc 2-3 0x62800+0x4000', 'm2m 0-1 12.0:0x438+0x8000',
            'mdf 0-1 0x2b00+0x10', 'cha 0-7 0x2000+0x10', 'upi 0-2 1.1:0x318+0x8000',
            'm3upi 0-2 5.1:0xa0+0x8000'],
    'gnr': ['cha 0-7 0x2000+0x10', 'iio 0-3 0x3000+0x10', 'irp 0-3 0x3400+0x10',
            'pcu 0-1 0x2fb0+0x10', 'ubox 0 0x2fd0', 'imc 0-3 0x22800+0x4000',
            'upi 0-2 1.1:0x318+0x8000',
            'b2cmi 0-1 5.1:0x438+0x8000', 'b2cxl 0-1 0x80000+0x4000', 'b2upi 0-2 9.1:0x438+0x8000',
            'mdf_sbo 0-1 0x2b00+0x10', 'pciex16 0 13.1:0x438', 'pciex8 0 14.1:0x438'],
    'dmr': ['pcu 0 0x1000', 'ubox 0 0x8000', 'imc 0-3 0x22800+0x4000', 'sca 0-1 0x40000+0x4000',
            'hamvf 0-3 0x50000+0x4000', 'pcie4 0-1 1.1:0x438+0x8000', 'pcie6 0-1 3.1:0x438+0x8000',
            'cbo 0-7 0x90000+0x4000', 'santa 0-1 0xb0000+0x4000', 'cncu 0 0xb8000',
            'sbo 0-1 0xc0000+0x4000'],
}
# A unit's first control and counter: MSRs, PCI, MMIO, of any unit with a table but these
OFFSETS = {'msr': (0x2, 0x8), 'pci': (0x30, 0x8), 'mmio': (0x40, 0x8), 'upi': (0x38, 0x8),
           'spr m3upi': (0x38, 0x8), 'dmr imc': (0x50, 0x20)}
COUNTERS = {'irp': 2, 'ubox': 2}
TABLES = {'spr': [], 'skx': ['none'], 'icx': ['none'], 'snr': ['none'],
          'gnr': ['pci {UNCORE_DISCOVERY_TABLE_DEVICE} global=msr:0x2ff0'],
          'dmr': ['pci {DMR_UNCORE_DISCOVERY_TABLE_DEVICE}',
                  'msr {CBB_UNCORE_DISCOVERY_MSR} global=mmio:0x80000']}
# Functions without counters, and registers: the row with Linux's names
OTHERS = {
    'skx': ['pci 0 * 0.1:0 0x2014 node', 'pci 0 * 29.3:0 0x2083 config={SKX_CAPID6}:0xff',
            'msr 0 0 {SKX_MSR_CPU_BUS_NUMBER} value=0x800000007f7f7f00',
            'msr 0 1-7 {SKX_MSR_CPU_BUS_NUMBER} value=0x80000000ffffff80'],
    'icx': ['pci 0 * 0.1:0 {ICX_UBOX_DID} node', 'pci 0 * 26.0:0 {SNR_MC_DEVICE_ID} mc',
            'pci 0 * 29.3:0 0x345b config={ICX_CAPID6}:0xff',
            'msr 0 0 {SKX_MSR_CPU_BUS_NUMBER} value=0x800000007f7f7f00',
            'msr 0 1-7 {SKX_MSR_CPU_BUS_NUMBER} value=0x80000000ffffff80'],
    'snr': ['pci 0 * 0.1:0 0x3460 node', 'pci 0 * 26.0:0 {SNR_MC_DEVICE_ID} mc'],
    'spr': ['pci 0 * 0.1:0 {SPR_UBOX_DID} node', 'pci 0 * 26.0:0 {SPR_MC_DEVICE_ID} mc'],
    'gnr': [], 'dmr': [],
}
# Units of one id that Linux has no number of, and words of its UPI's configuration space
CHAS = 8
DIES = range(8)
LINKS = {('skx', 'upi'): [['0x120:0x10', '0x94:0x10000'], ['0x120:0x10']]}


class Linux:
    """The numbers of intel_uncore"""

    def __init__(self, directory):
        self.text = (directory / EVENTS / 'uncore_snbep.c').read_text()
        headers = ''.join((directory / EVENTS / name).read_text()
                          for name in ('uncore_discovery.h', 'uncore_discovery.c', 'uncore.h'))
        self.defines = {}
        for name, value in re.findall(r'^#define\s+(\w+)[ \t]+((?:.*\\\n)*.*)$',
                                      self.text + headers, re.MULTILINE):
            self.defines.setdefault(name, value.replace('\\\n', ' ').partition('/*')[0])
        self.common = dict(re.findall(r'^#define\s+(\w+_COMMON_FORMAT)\(\)((?:.*\\\n)*.*)$',
                                      self.text, re.MULTILINE))
        self.structs = {name: self.fields(body) for name, body in re.findall(
            r'^static struct intel_uncore_type (\w+) = \{\n(.*?)^\};', self.text, re.M | re.S)}

    def fields(self, body):
        for _ in range(3):
            body = re.sub(r'(\w+_COMMON_FORMAT)\(\)', lambda m: self.common.get(m[1], ''), body)
        return dict(re.findall(r'\.(\w+)\s*=\s*([^,\n\\]+)', body))

    @functools.cache
    def value(self, text):
        """The value of an expression of constants"""
        for _ in range(8):
            text = re.sub(r'\b[A-Z_][A-Z]\w+\b', lambda m: f'({self.defines[m[0]]})'
                          if m[0] in self.defines else m[0], text)
        text = re.sub(r'\bBIT\((\d+)\)', r'(1 << \1)', text)
        return eval(re.sub(r'(?<=[\da-fA-F])U?LL\b', '', text), {'__builtins__': {}})

    @functools.cache
    def array(self, name):
        """Numbers or names of an array"""
        body = re.search(rf'\b{name}\[\w*\] = \{{(.*?)\}};', self.text, re.S)[1]
        return [word.strip(' \t\n&') for word in body.split(',') if word.strip()]

    @functools.cache
    def free(self, table, row):
        body = re.search(rf'{table}_freerunning\[\] = \{{.*?\[{row}\]\s*= \{{(.*?)\}}', self.text,
                         re.S)[1]
        words = [word.strip() for word in body.split(',')]
        offsets = [int(word, 0) for word in self.array(words[5])] if len(words) > 5 else None
        return [int(word, 0) for word in words[:5]], offsets

    @functools.cache
    def functions(self, name):
        """{(unit, id): (device id, device, function)} of a table of PCI ids"""
        body = ''.join(re.findall(rf'{name}_uncore_pci(?:_sub)?_ids\[\] = \{{(.*?)\n\}};',
                                  self.text, re.S))
        return {(unit.lower(), int(number)): (int(ident, 16), int(device), int(function))
                for ident, device, function, unit, number in re.findall(
                    r'PCI_VENDOR_ID_INTEL, (0x\w+)\).*?FULL_DATA\((\d+), (\d+), '
                    rf'{name.upper()}_PCI_UNCORE_(\w+), (\d+)\)', body, re.S)}


class Row:
    """A row of a file of units"""

    def __init__(self, line):
        words = line.split()
        (self.access, self.type, self.ids, self.dies, self.address, counters, width, self.control,
         counter) = words[:9]
        self.counters, self.counter = int(counters, 0), int(counter.replace('-', '0'), 0)
        self.width = int(width.replace('-', '0'))
        self.options = dict(word.partition('=')[::2] for word in words[9:])
        self.config = [word[7:] for word in words[9:] if word.startswith('config=')]
        self.name = self.options.get('name', f'type_{self.type}')
        address, _, step = self.address.partition('+')
        self.step = int(step or '0', 0)
        self.function, _, address = address.rpartition(':')
        dies = [int(n) for n in self.dies.split('-')] if self.dies != '*' else [0, len(DIES) - 1]
        self.on_dies = range(dies[0], dies[-1] + 1)
        self.first, self.base = int(self.ids.partition('-')[0]), int(address, 0)
        self.range = range(self.first, int(self.ids.rpartition('-')[2]) + 1)
        if not self.range:
            raise ValueError(f'{self.name} ends before it begins')
        self.e5 = 'e5' in self.options
        self.bits = int(self.options.get('bits', hex(GENERIC | (EN | RST if self.e5 else 0))), 0)
        self.pair = [int(n, 0) for n in self.options.get('fixed', '').split(':') if n]

    def where(self, number):
        """(device, function, offset) of a unit, or its address"""
        at = (number - self.first) * self.step
        if self.access != 'pci':
            return self.base + at
        device, function = map(int, self.function.split('.'))
        device, function = divmod(device * 8 + function + (at >> 12), 8)
        return device, function, self.base + (at & 0xfff)


def parse(text):
    """The tables and the rows of a file"""
    lines = [line for line in text.splitlines() if line and line[0] != '#']
    return ([line.partition(' ')[2] for line in lines if line.startswith('table ')],
            [Row(line) for line in lines if not line.startswith('table ')])


def plus(where, offset):
    return (*where[:2], where[2] + offset) if isinstance(where, tuple) else where + offset


def struct_of(linux, name, row):
    if row.type != '-':
        struct = linux.array(f'{name}_uncores')[int(row.type, 0)]
        if struct == 'NULL' and row.name in ('upi', 'm3upi'):
            # Linux does not take these from the table.
            struct = f'spr_uncore_{row.name}'
            assert linux.value(linux.structs[struct]['type_id']) == int(row.type, 0)
        return linux.structs[struct]
    struct = TYPES.get(name, {}).get(row.name, f'{name}_uncore_{row.name}')
    return linux.structs[struct]


def mask(linux, fields, row):
    """The bits of a control that Linux writes"""
    low = linux.value(fields.get('event_mask', 'GENERIC_PMON_RAW_EVENT_MASK'))
    wide = row.access != 'mmio' or row.options.get('step') == '8'
    return low & 0xffffffff | (linux.value(fields.get('event_mask_ext', '0')) << 32 if wide else 0)


def check_free(linux, name, row):
    """A row of free-running counters: Linux's addresses, number and width"""
    table, entry, boxes = FREE[name][row.name]
    (base, distance, box, number, width), offsets = linux.free(table, entry)
    window = WINDOW if row.access == 'mmio' else 0
    want = {base + (offsets[n] if offsets else n * (window or box)) + i * distance
            for n in range(boxes) for i in range(number)}
    got = {row.where(n) + i * (8 if window else 1) for n in row.range for i in range(row.counters)}
    if (row.control != '-' or row.counter or row.width != width
            or row.range.stop * row.counters > boxes * number):
        yield f'{row.name} has {row.control} {row.counter} {row.width}'
    yield from [f'{row.name} at {address:#x}' for address in sorted(got - want)]
    row.found = got


def check_unit(linux, name, row, numbers):
    """A row of units without a table"""
    fields = struct_of(linux, name, row)
    wrong = lambda what: f'{row.name} {row.ids}: {what}'
    functions = linux.functions(name)
    relative = row.access == 'mmio'
    number = {key: linux.value(fields[key]) for key in (
        'num_counters', 'perf_ctr_bits', 'event_ctl', 'perf_ctr', 'box_ctl', 'msr_offset',
        'fixed_ctl', 'fixed_ctr', 'fixed_ctr_bits', 'num_boxes') if key in fields}
    offsets = [int(n, 0) for n in linux.array(fields['msr_offsets'])
               ] if 'msr_offsets' in fields else []
    if (row.counters, row.width) != (number['num_counters'], number['perf_ctr_bits']):
        yield wrong(f'{row.counters} counters of {row.width} bits')
    numbers.setdefault(row.name, ([], number.get('num_boxes', CHAS)))[0].extend(
        itertools.product(row.range, row.on_dies))
    for n in row.range:
        where = row.where(n)
        at = 0
        if row.access == 'msr':
            # The CHAs of die 0 begin at another one in Linux's table.
            at = offsets[n] if offsets else n * number.get('msr_offset', 0)
        elif row.access == 'mmio':
            at = linux.value(fields['mmio_offset']) * (n % 3) + WINDOW * (n // 3)
        else:
            device, *function = functions[row.name, n]
            if int(row.options['device'], 16) != device:
                yield wrong(f'device {row.options["device"]}')
            if [*where[:2]] != function:
                yield wrong(f'function of {n}: {where[:2]}')
            where = where[2]
        box = row.options.get('box', '0')
        if box != '-' and where + int(box, 0) != number['box_ctl'] + at:
            yield wrong(f'control of {n} at {where + int(box, 0):#x}')
        start = number['box_ctl'] + at if relative else 0
        if where + int(row.control, 0) != number['event_ctl'] + (start or at):
            yield wrong(f'event control of {n}')
        if where + row.counter != number['perf_ctr'] + (start or at):
            yield wrong(f'counter of {n}')
        if row.pair and ('fixed_ctl' not in number or [where + i - start for i in row.pair] !=
                         [number['fixed_ctl'], number['fixed_ctr']]):
            yield wrong(f'fixed counter of {n}')
    if not row.pair and 'fixed_ctl' in number:
        yield wrong('no fixed counter')
    more = row.bits ^ mask(linux, fields, row)
    if row.bits & mask(linux, fields, row) != mask(linux, fields, row) or more not in (
            EN | RST, *([EN] if row.name == 'ubox' else []),
            *([EN | RST | PCU_UMASK] if row.name == 'pcu' else [])):
        yield wrong(f'bits {more:#x}')
    if 'filter' in row.options:
        offset, count = (int(n, 0) for n in row.options['filter'].split(':'))
        register = {'skx cha': 'HSWEP_C0_MSR_PMON_BOX_FILTER0',
                    'icx cha': 'ICX_C34_MSR_PMON_BOX_FILTER0',
                    'snr cha': 'SNR_C0_MSR_PMON_BOX_FILTER0',
                    'snr pcu': 'SNR_PCU_MSR_PMON_BOX_FILTER'}.get(
                        f'{name} {row.name}', 'HSWEP_PCU_MSR_PMON_BOX_FILTER')
        if number['box_ctl'] + offset != linux.value(register) or count != (
                2 if (name, row.name) == ('skx', 'cha') else 1):
            yield wrong('filter')
    step = {('skx', 'pci'): '4', ('icx', 'pci'): '4'}.get((name, row.access)) if row.name in (
        'imc', 'm2pcie', 'm3upi') else None
    if row.options.get('step') != step:
        yield wrong(f'step {row.options.get("step")}')
    if row.config and row.config not in LINKS.get((name, row.name), []):
        yield wrong(f'{row.config}')


def check_table(linux, lists, name, row, assumed):
    """A row of units in a discovery table"""
    fields = struct_of(linux, name, row)
    wrong = lambda what: f'{row.name} {row.ids}: {what}'
    if fields['name'] != f'"{row.name}"':
        yield wrong(f'is {fields["name"]} of Linux')
    if f'{row.name} {row.ids} {row.address}' not in assumed:
        yield wrong(f'at {row.address}')
    else:
        assumed.remove(f'{row.name} {row.ids} {row.address}')
    offsets = OFFSETS.get(f'{name} {row.name}', OFFSETS.get(row.name, OFFSETS[row.access]))
    if (int(row.control, 0), row.counter) != offsets:
        yield wrong(f'{row.control} {row.counter}')
    # The lists have the others; DMR's is not out yet.
    if row.width != 48 or row.counters != COUNTERS.get(row.name, 4) and (
            not lists or row.name.upper() not in lists[0]):
        yield wrong(f'{row.counters} counters of {row.width} bits')
    if row.bits != mask(linux, fields, row):
        yield wrong(f'bits {row.bits:#x}')
    fixed = [linux.value(fields[key]) for key in ('fixed_ctl', 'fixed_ctr') if key in fields]
    if row.pair != fixed:
        yield wrong(f'fixed {row.pair}')
    # Since Linux's event_mask_ext, a control has 64 bits, but those of memory controllers.
    wide = row.access == 'mmio' and row.name != 'imc' and 'event_mask_ext' in fields
    if row.options.get('step') != ('8' if wide else None):
        yield wrong(f'step {row.options.get("step")}')
    if row.name == 'cha' and row.options.get('filter') != '0xe:1':
        yield wrong('no filter where Linux has it')
    if name == 'spr' and row.name in ('upi', 'm3upi', 'cha'):
        got = [row.where(n) for n in (0, 1)]
        if row.name == 'cha':
            # The distance of the filter from a unit's control is that of its MSRs.
            first = linux.value('SPR_C0_MSR_PMON_BOX_FILTER0') - 0xe
            want = [first, first + linux.value('HSWEP_CBO_MSR_OFFSET')]
        else:
            link = linux.value('SPR_UPI_REGS_ADDR_DEVICE_LINK0') + (4 if row.name == 'm3upi' else 0)
            want = [(link + n, linux.value('ICX_UPI_REGS_ADDR_FUNCTION'),
                     linux.value(fields['box_ctl'])) for n in (0, 1)]
            offsets = [linux.value(fields[key])
                       for key in ('event_ctl', 'perf_ctr', 'num_counters')]
            if offsets != [int(row.control, 0), row.counter, row.counters]:
                yield wrong(f'not {offsets}')
            device = linux.value(f'SPR_UNCORE_{row.name.upper()}_PCIID')
            if int(row.options['device'], 16) != device:
                yield wrong(f'device {row.options["device"]}')
        if got != want:
            yield wrong(f'at {got}')
    elif 'device' in row.options:
        yield wrong('a device')


def faults(linux, lists, name, text):
    """What is wrong with a file"""
    tables, rows = parse(text)
    expand = lambda line: re.sub(r'\{(\w+)\}', lambda m: linux.defines[m[1]].strip(), line)
    if tables != [expand(line) for line in TABLES[name]]:
        yield f'tables: {tables}'
    assumed, numbers, free = list(ASSUMED.get(name, [])), {}, {}
    others = [expand(line).split() for line in OTHERS[name]]
    for row in rows:
        number = row.options.get('device', '')
        other = [row.access, row.ids, row.dies, row.address, *([number] if number else [])]
        if not row.counters or 'value' in row.options:
            word = f'config={row.config[0]}' if row.config else next(
                (word for word in ('node', 'mc') if word in row.options),
                f'value={row.options.get("value")}')
            plain = row.counters, row.width, row.control, row.counter
            if [*other, word] not in others or plain not in ((0, 0, '-', 0), (1, 64, '-', 0)):
                yield f'{other} {word}'
            else:
                others.remove([*other, word])
        elif row.control == '-' or row.name in FREE[name]:
            if row.name not in FREE[name]:
                yield f'{row.name} is not free-running in Linux'
                continue
            yield from check_free(linux, name, row)
            free.setdefault(row.name, set()).update(row.found)
        elif row.type == '-':
            yield from check_unit(linux, name, row, numbers)
        else:
            yield from check_table(linux, lists, name, row, assumed)
        unit = {'mdf_sbo': 'MDF'}.get(row.name, row.name.upper())
        if row.name not in FREE[name] and row.counters and 'value' not in row.options:
            for listed in lists:
                if row.counters != listed.get(unit, row.counters):
                    yield f'{row.name} has {listed[unit]} counters in the list'
        if row.type != '-' and row.dies != '*':
            yield f'{row.name} on dies {row.dies}'
    yield from [f'no {line}' for line in (*assumed, *others)]
    for unit, (ids, number) in numbers.items():
        if sorted(ids) != list(itertools.product(range(number), DIES)):
            yield f'{unit}: {len(ids)} on {len(DIES)} dies, and Linux has {number} on each'
    for unit, (table, entry, boxes) in FREE[name].items():
        number = linux.free(table, entry)[0][3]
        if len(free.get(unit, ())) != boxes * number:
            yield f'{unit}: {len(free.get(unit, ()))} of {boxes * number} counters'


@pytest.fixture(scope='module')
def linux(output, top):
    return Linux(top / output('scripts/linux-source', 'newest', *(
        f'{EVENTS}/{name}' for name in ('uncore_snbep.c', 'uncore_discovery.h',
                                        'uncore_discovery.c', 'uncore.h'))))


@pytest.fixture(scope='module')
def lists(linux_lists):
    """The number of counters of each unit, by Intel's lists"""
    path = linux_lists('newest', 'tools/perf/pmu-events') / 'arch/x86'
    return {name: [{unit['Unit'].upper(): int(unit['CountersNumGeneric'])
                    for unit in json.loads((path / directory / 'counter.json').read_text('ascii'))}
                   for directory in directories] for name, directories in LISTS.items()}


def text_of(top, name):
    return (top / f'machine/xeon/discovery/{name}.units').read_text('ascii')


@pytest.mark.parametrize('name', TABLES)
def test_units_are_those_of_linux_and_of_intels_lists(top, linux, lists, name):
    assert not list(faults(linux, lists[name], name, text_of(top, name)))


def typos(text):
    """A file with one number changed, for each number that Linux or a list has"""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith('#') or not line.strip():
            continue
        for number in re.finditer(r'(?<![\w.])(0x[0-9a-f]+|\d+)(?!\w)', line):
            if re.search(r'(clock|die)=?$', line[:number.start()]):
                continue
            for change in (1, -1, 0x10):
                value = int(number[0], 0) + change
                changed = hex(value) if number[0].startswith('0x') else str(value)
                mutant = line[:number.start()] + changed + line[number.end():]
                yield mutant, '\n'.join([*lines[:at], mutant, *lines[at + 1:]])


@pytest.mark.parametrize('name', TABLES)
def test_a_typo_in_any_number_is_seen(top, linux, lists, name):
    unseen = []
    for line, text in typos(text_of(top, name)):
        try:
            if not list(faults(linux, lists[name], name, text)):
                unseen.append(line)
        # A type, id or name that Linux does not have
        except (AssertionError, KeyError, IndexError, ValueError):
            pass
    assert not unseen, '\n'.join(unseen)
