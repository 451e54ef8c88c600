# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/messages.rst has every line that the drivers can log, and none that they cannot.

A line of the log is a string argument of one of FUNCTIONS, behind the driver's prefix. On the page
it is a term, ``like this``, alone on its line, or an item of a list if it needs no explanation; a
word in capitals stands for a conversion of printf, which any text matches.
"""
import re
import subprocess

import pytest

FUNCTIONS = (r'pr_(?:emerg|alert|crit|err|warn|notice|info|debug)(?:_once|_ratelimited)?|'
             r'(?:dev|pci)_(?:err|warn|notice|info|err_probe)(?:_once)?|printk|snbep_refuse|refuse|'
             r'reject')
STRING = r'"(?:[^"\\]|\\.)*"'
STRINGS = rf'(?:{STRING}\s*)+'
CONVERSION = r'(%%|(?:0x)?%[-#+ 0]*\d*(?:\.\d+)?(?:ll|l|h|z)?[a-zA-Z])'


def pattern(strings):
    """A regular expression of how a line can end by a format, of adjacent strings of C"""
    text = ''.join(string[1:-1] for string in re.findall(STRING, strings))
    text = re.sub(r'\\(.)', r'\1', re.sub(r'\\n$', '', text))
    return ''.join('%' if part == '%%' else '.*' if '%' in part else re.escape(part)
                   for part in re.split(CONVERSION, text)) + '$'


def formats(file, source, macros):
    """Patterns of all that a source can log"""
    source = re.sub(r'/\*.*?\*/', '', source, flags=re.DOTALL)
    source = re.sub(r'^(#\s*define\b(?:.*\\\n)*.*)$', '', source, flags=re.MULTILINE)
    source = re.sub(rf'{STRING}|\b[A-Z]\w*\b', lambda match: macros.get(match[0], match[0]), source)
    for function, call in re.findall(rf'\b({FUNCTIONS})\(((?:{STRING}|[^"])*?)\);', source):
        if function == 'refuse':
            # Its first string is the beginning.
            call = re.sub(rf'^{STRING}\s*,', '', call)
        # reject may choose between two.
        yield from map(pattern, re.findall(STRINGS, call)[:None if function == 'reject' else 1])
    if file.startswith('itanium'):
        # Rules are also put into *why, returned by functions, and in a table.
        table = re.search(r'\bres_why\[.*?\{(.*?)\n\}', source, re.DOTALL)
        for strings in (re.findall(rf'=\s*({STRINGS})', table[1] if table else '') +
                        re.findall(rf'(?:\*why =|\breturn) ({STRINGS});', source)):
            yield pattern(strings)


@pytest.fixture(scope='module')
def log(top):
    files = subprocess.run([top / 'scripts/files', '*.c', '*.h'], check=True, encoding='utf-8',
                           stdout=subprocess.PIPE).stdout.split()
    sources = {file: (top / file).read_text() for file in sorted(files)
               if re.match(r'(snbep|offcore|itanium|common)/|[^/]*$', file)}
    macros = dict(row for source in sources.values() for row in re.findall(
        rf'^#define[ \t]+([A-Z]\w*)[ \t]+({STRING})$', source, re.M))
    # itanium logs all of its rules with one format.
    lines = {line: file for file, source in sources.items()
             for line in formats(file, source, macros) if not line.endswith('refused:\\ .*$')}
    assert {re.match(r'[a-z]+', file)[0] for file in lines.values()} >= {
        'snbep', 'offcore', 'itanium'}
    return lines


@pytest.fixture(scope='module')
def page(top):
    """{term: whether it has an explanation, or needs none}"""
    lines = (top / 'Documentation/messages.rst').read_text().splitlines() + ['']
    return {match[2]: bool(match[1]) or bool(re.match(r'  \S', following))
            for match, following in zip((re.match(r'(- )?``(.*)``$', line) for line in lines),
                                        lines[1:]) if match}


def test_page_has_what_the_drivers_log_and_explains_it(log, page):
    assert {line: file for line, file in log.items()
            if not any(re.search(line, term) for term in page)} == {}
    assert [term for term in page if not any(re.search(line, term) for line in log)] == []
    assert [term for term, explained in page.items() if not explained] == []
