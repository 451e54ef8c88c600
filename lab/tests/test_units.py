# SPDX-License-Identifier: GPL-2.0-or-later
"""The bits of a control that discovery/*.units have are those that Linux's driver writes. A wrong
address, number or width is seen by the smoke test, which counts with that driver."""
import re

import pytest

from judge import formula

EVENTS = 'arch/x86/events/intel'
# Linux's structs by the file and a row's name, where they are called otherwise
TYPES = {'skx ubox': 'skx_uncore_ubox', 'skx cha': 'skx_uncore_chabox',
         'icx ubox': 'skx_uncore_ubox', 'icx cha': 'icx_uncore_chabox',
         'icx pcu': 'skx_uncore_pcu', 'snr cha': 'snr_uncore_chabox'}
# Bits of a control that Linux's mask does not have: RST of all units without a table but the UBox,
# EN, and PCU's unit mask, which its format has
RST, EN, PCU_UMASK = 1 << 17, 1 << 22, 0x3f00
GENERIC = 0xff84ffff


class Linux:
    """The numbers of intel_uncore"""

    def __init__(self, directory):
        self.text = (directory / EVENTS / 'uncore_snbep.c').read_text()
        headers = ''.join((directory / EVENTS / name).read_text()
                          for name in ('uncore_discovery.h', 'uncore_discovery.c'))
        self.defines = {}
        for name, value in re.findall(r'^#define\s+(\w+(?:\(\))?)[ \t]+((?:.*\\\n)*.*)$',
                                      self.text + headers, re.MULTILINE):
            self.defines.setdefault(name, value.replace('\\\n', ' ').partition('/*')[0])
        self.structs = dict(re.findall(
            r'^static struct intel_uncore_type (\w+) = \{\n(.*?)^\};', self.text, re.M | re.S))

    def value(self, text):
        """The value of an expression of constants"""
        for _ in range(8):
            text = re.sub(r'\b[A-Z_][A-Z]\w+\b',
                          lambda m: f'({self.defines.get(m[0], m[0])})', text)
        text = re.sub(r'\(?\bBIT(?:_ULL)?\)?\((\d+)\)', r'(1 << \1)', text)
        return formula.value(formula.parse(re.sub(r'(?<=[\da-fA-F])U?LL\b', '', text)), {})

    def mask(self, name, unit, kind, access, step):
        """The bits of a control that Linux writes"""
        struct = TYPES.get(f'{name} {unit}', f'{name}_uncore_{unit}')
        if kind != '-':
            listed = re.search(rf'\b{name}_uncores\[\w*\] = \{{(.*?)\}};', self.text, re.S)[1]
            listed = [word.strip(' \t\n&') for word in listed.split(',')][int(kind)]
            # Linux does not take UPI's units from the table.
            struct = f'spr_uncore_{unit}' if listed == 'NULL' else listed
        body = self.structs[struct]
        for _ in range(3):
            body = re.sub(r'\w+_COMMON_FORMAT\(\)', lambda m: self.defines[m[0]], body)
        fields = dict(re.findall(r'\.(\w+)\s*=\s*([^,\n\\]+)', body))
        low = self.value(fields.get('event_mask', 'GENERIC_PMON_RAW_EVENT_MASK')) & 0xffffffff
        wide = access != 'mmio' or step == '8'
        return low | (self.value(fields.get('event_mask_ext', '0')) << 32 if wide else 0)


@pytest.fixture(scope='module')
def linux(output, top):
    return Linux(top / output('scripts/linux-source', 'newest', *(
        f'{EVENTS}/{name}' for name in ('uncore_snbep.c', 'uncore_discovery.h',
                                        'uncore_discovery.c'))))


@pytest.mark.parametrize('name', ['skx', 'icx', 'snr', 'spr', 'gnr', 'dmr'])
def test_control_has_the_bits_that_linux_writes(top, linux, name):
    seen = 0
    text = (top / f'machine/xeon/discovery/{name}.units').read_text('ascii')
    for access, kind, words in re.findall(r'^(msr|mmio|pci) +(\S+) +(.*)', text, re.M):
        options = dict(word.partition('=')[::2] for word in words.split())
        unit, control = options['name'], words.split()[5]
        if control == '-' or 'clock' in options and unit == 'ioclk':
            continue
        bits = int(options.get('bits', hex(GENERIC | (EN | RST if 'e5' in options else 0))), 0)
        written = linux.mask(name, unit, kind, access, options.get('step'))
        more = {0} if kind != '-' else {
            EN | RST, EN if unit == 'ubox' else EN | RST,
            EN | RST | PCU_UMASK if unit == 'pcu' else EN | RST}
        assert bits & written == written and bits ^ written in more, (
            f'{unit} in {name}.units: bits={bits:#x}, and Linux writes {written:#x}')
        seen += 1
    assert seen > 5
