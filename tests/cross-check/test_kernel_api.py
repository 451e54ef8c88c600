# SPDX-License-Identifier: GPL-2.0-only
"""The drivers build on the longterm kernels that Debian does not ship, and on first releases, which
lack what stable updates bring: on headers of Debian's kernels with the declarations of those."""
import os
import pathlib
import re
import subprocess

import pytest

from formulas import braces

HISTORY = pathlib.Path(__file__).parent / 'kernel-api.history'
# Kernels of Debian, the version that the table has for each, and what is built on its headers
BASES = {'5.10': '5.10', '6.1': '6.1', '6.12': '6.12', 'newest': '7.3'}
BUILT = [('5.10', '5.10.0'), ('5.10', '5.15'), ('6.12', '6.6'), ('6.12', '6.12.0'),
         ('newest', '6.18')]
VERSIONS = '5.10.0 5.10 5.15 6.1 6.6 6.12.0 6.12 6.18 7.3'.split()
SOURCES = ['snbep_uncore.*', 'offcore_rsp.c', 'snbep/*.[ch]', 'offcore/*.[ch]', 'common/*.h']


class Row:
    """A declaration that changed: its header, its symbol, and its form in each kernel"""

    def __init__(self, header, symbol):
        self.header, self.symbol, self.since = header, symbol, {}

    @property
    def forms(self):
        """The form in each version: that of the newest row which is not younger"""
        found, form = {}, None
        for version in VERSIONS:
            form = found[version] = self.since.get(version, form)
        return found

    def differs(self, headers, kernel):
        """Whether the headers have another form"""
        path, form = headers / self.header, self.forms[kernel]
        text = path.read_text() if path.exists() else ''
        if form == '-':
            # A symbol is missing if the text names it only in comments.
            return re.search(rf'\b{self.symbol}\b', re.sub(r'/\*.*?\*/', '', text, flags=re.S))
        return not re.search(pattern(form), text)

    def change(self, headers, old, new):
        """Give the headers, which may be links, the form of another kernel."""
        old, new = self.forms[old], self.forms[new]
        if old == new:
            return
        if new == '-':
            # Another name in all headers, as others in them may use it
            for path in [*headers.glob('include/**/*.h'), *headers.glob('arch/x86/include/**/*.h')]:
                if self.symbol in path.read_text():
                    replace(path, rf'\b{self.symbol}\b', f'not_here_{self.symbol}', 0)
            return
        path = headers / self.header
        function = new.startswith('static inline')
        if function:
            # In several lines, as the kernel has them
            new = new.replace(', ', ',\n\t') + ' { }'
        elif re.match(r'#define.*[(].*[)]$', new):
            new += ' 0'
        if old == '-':
            # Before the #endif of the include guard
            replace(path, r'(.*)^#endif', rf'\1{new}\n#endif')
        elif function:
            replace(path, pattern(old), rf'{new}\n\g<0>')
            replace(path, rf'({re.escape(new)}\n.*?)\b{self.symbol}\b',
                    rf'\1not_here_{self.symbol}')
        else:
            replace(path, rf'(extern\s+)?{pattern(old)}', new)


def replace(path, old, new, count=1):
    text, found = re.subn(old, new, path.read_text(), count=count, flags=re.M | re.S)
    assert found, f'{path} has no {old}'
    path.unlink()
    path.write_text(text)


def pattern(form):
    """Space may be anywhere between two words, and "extern" is optional."""
    return r'\s*'.join(rf'\b{word}\b' if re.match(r'\w', word) else re.escape(word)
                       for word in re.findall(r'\w+|[^\w\s]', form.removeprefix('extern ')))


def history():
    """The rows of the table, and the names that it has"""
    rows, names = [], set()
    for text in re.findall(r'^[^#\s].*(?:\n\t.*)*', HISTORY.read_text(), re.M):
        for first, *forms in (row.split('\n') for row in braces(text)):
            header, symbols = first.split('\t')
            if header == 'same':
                names |= set(symbols.split())
                continue
            rows.append(Row(header, symbols))
            for _, kernels, form in (line.split('\t') for line in forms):
                assert {*kernels.split()} <= {*VERSIONS}, f'{kernels} is not in VERSIONS'
                rows[-1].since |= dict.fromkeys(kernels.split(), form)
    # Some have another name in one of the forms.
    return rows, names.union(*(re.findall(r'\w+', form) for row in rows
                               for form in row.forms.values()))


ROWS, NAMES = history()


def common(directory):
    found, = directory.glob('usr/src/*-common')
    return found


@pytest.mark.slow
@pytest.mark.parametrize('base, version', BASES.items())
def test_table_is_right_about_the_kernel(kernel, base, version):
    headers = common(kernel(base))
    assert [f'{row.header}: {row.symbol}: {row.forms[version]}' for row in ROWS
            if row.differs(headers, version)] == []


@pytest.mark.ci
@pytest.mark.parametrize('base', BASES)
def test_table_has_each_kernel_function_of_the_drivers(kernel, output, top, base):
    kernel(base)
    built = pathlib.Path(output('scripts/modules', base, top))
    undefined = subprocess.run(
        ['nm', '-u', built / 'snbep_uncore.ko', built / 'offcore_rsp.ko'], check=True,
        encoding='utf-8', stdout=subprocess.PIPE).stdout
    text = ''.join(path.read_text() for glob in SOURCES for path in top.glob(glob))
    words = set(re.findall('[A-Za-z_]\\w*', re.sub(
        r'/\*.*?\*/|^#include[^\n]*', '', text, flags=re.M | re.S)))
    # Others are added by the compiler or by inline functions of the headers.
    used = set(re.findall(r'\bU (\w+)', undefined)) & words
    assert used and used <= NAMES, used - NAMES


@pytest.mark.slow
@pytest.mark.seconds(60)
@pytest.mark.parametrize('base, version', BUILT)
def test_drivers_build_without_a_warning(kernel, run, top, tmp_path, base, version):
    debian = kernel(base)
    (tmp_path / 'usr').mkdir()
    subprocess.run(['cp', '-as', debian / 'usr/src', tmp_path / 'usr'], check=True)
    (tmp_path / 'lib').symlink_to(debian / 'lib')
    build = tmp_path / os.readlink(debian / 'build')
    replace(build / 'Makefile', re.escape(f'{debian}/usr/src/'), f'{tmp_path}/usr/src/', 0)
    headers = common(tmp_path)
    for row in ROWS:
        row.change(headers, BASES[base], version)
    assert [row.symbol for row in ROWS if row.differs(headers, version)] == []
    # Nothing exports what has another name here.
    out = tmp_path / 'out'
    done = run([top / 'scripts/kbuild', top, build, out, 'CONFIG_ITANIUM_PMU_MODEL=m',
                'KBUILD_MODPOST_WARN=1'])
    assert done.returncode == 0, done.stdout
    assert (out / 'snbep_uncore.ko').exists() and (out / 'offcore_rsp.ko').exists()
    assert [line for line in (out / '.log').read_text().splitlines()
            if f'{out}/' in line and re.search('warning:|error:', line)] == []
