# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/messages.rst has every line that the drivers can log, and none that they cannot.

A line of the log is a string argument of one of FUNCTIONS. On the page it is a term, ``like this``,
alone on its line, or an item of a list if it needs no explanation; a word in capitals stands for a
conversion of printf, which any text matches.
"""
import functools
import re
import subprocess

import pytest

FUNCTIONS = (r'pr_(?:emerg|alert|crit|err|warn|notice|info|debug)(?:_once|_ratelimited)?|'
             r'(?:dev|pci)_(?:err|warn|notice|info|err_probe)(?:_once)?|printk|snbep_refuse|refuse|'
             r'reject')
STRING = r'"(?:[^"\\]|\\.)*"'
STRINGS = rf'(?:{STRING}\s*)+'
# What the functions add, as the page has it
PREFIX = {'snbep': 'snbep_uncore: PMU: ', 'offcore': 'offcore_rsp: ', 'itanium': 'itanium: '}
DRIVER = {'snbep_uncore.c': 'snbep', 'offcore_rsp.c': 'offcore', 'itanium_pmu.c': 'itanium'}
CONVERSION = r'(%%|(?:0x)?%[-#+ 0]*\d*(?:\.\d+)?(?:ll|l|h|z)?[a-zA-Z])'


def text_of(strings):
    """What adjacent strings of C say"""
    text = ''.join(string[1:-1] for string in re.findall(STRING, strings))
    return re.sub(r'\\(.)', r'\1', re.sub(r'\\n$', '', text))


def blank(match):
    return '\n' * match[0].count('\n')


class Log:
    """What the drivers can log: {line: {its places}}"""

    def __init__(self, sources):
        self.lines, self.rules = {}, {}
        macros = {}
        for source in sources.values():
            macros |= dict(re.findall(rf'^#define[ \t]+([A-Z]\w*)[ \t]+({STRING})$', source, re.M))
        for file, source in sources.items():
            directory = re.match('(snbep|offcore|itanium)/', file)
            driver = DRIVER.get(file, directory[1] if directory else '')
            pr_fmt = re.search(rf'^#define pr_fmt\(fmt\) ({STRING})', source, re.MULTILINE)
            source = re.sub(r'/\*.*?\*/', blank, source, flags=re.DOTALL)
            source = re.sub(r'^(#\s*define\b(?:.*\\\n)*.*)$', blank, source, flags=re.MULTILINE)
            source = re.sub(rf'{STRING}|\b[A-Z]\w*\b',
                            lambda match: macros.get(match[0], match[0]), source)
            self.read(file, source, driver, text_of(pr_fmt[1]) if pr_fmt else '')
        # itanium logs all of its rules with one format.
        for rule in [line for line in self.lines if re.match('itanium: .*refused: %s$', line)]:
            places = self.lines.pop(rule)
            for text, place in self.rules.items():
                self.lines[rule.removesuffix('%s') + text] = places | {place}

    def read(self, file, source, driver, pr_fmt):
        def place(match):
            return f'{file}:{1 + source[:match.start()].count(chr(10))}'

        for match in re.finditer(rf'\b({FUNCTIONS})\(((?:{STRING}|[^"])*?)\);', source):
            function, call = match.groups()
            if function == 'refuse':
                # Its first string is the beginning.
                call = re.sub(rf'^{STRING}\s*,', '', call)
            found = re.findall(STRINGS, call)
            if function == 'reject':
                # It may choose between two.
                self.rules |= {text_of(strings): place(match) for strings in found}
            elif found:
                begin = PREFIX[driver] if 'refuse' in function else \
                    'DEVICE: ' if function.startswith(('dev_', 'pci_')) else pr_fmt
                line = text_of(found[0])
                if driver == 'snbep':
                    line = re.sub('^%s: ', 'PMU: ', line)
                self.lines.setdefault(begin + line, set()).add(place(match))
        if driver == 'itanium':
            # Rules are also put into *why, returned by functions, and in a table.
            table = re.search(r'\bres_why\[.*?\{(.*?)\n\}', source, re.DOTALL)
            for strings in re.findall(rf'=\s*({STRINGS})', table[1] if table else ''):
                self.rules[text_of(strings)] = file
            for match in re.finditer(rf'(?:\*why =|\breturn) ({STRINGS});', source):
                self.rules[text_of(match[1])] = place(match)


@pytest.fixture(scope='module')
def log(top):
    files = subprocess.run([top / 'scripts/files', '*.c', '*.h'], check=True, encoding='utf-8',
                           stdout=subprocess.PIPE).stdout.split()
    return Log({file: (top / file).read_text() for file in sorted(files)
                if re.match(r'(snbep|offcore|itanium|common)/|[^/]*$', file)}).lines


@pytest.fixture(scope='module')
def page(top):
    """{term: whether it has an explanation, or needs none}"""
    lines = (top / 'Documentation/messages.rst').read_text().splitlines() + ['']
    return {match[2]: bool(match[1]) or bool(re.match(r'  \S', following))
            for match, following in zip((re.match(r'(- )?``(.*)``$', line) for line in lines),
                                        lines[1:]) if match}


@functools.cache
def pattern(line):
    """A regular expression of what a format can say"""
    return re.compile(''.join(
        '%' if part == '%%' else '.*' if '%' in part else re.escape(part)
        for part in re.split(CONVERSION, line)))


@pytest.mark.parametrize('place', ['snbep_uncore.c', 'snbep/', 'offcore_rsp.c', 'offcore/',
                                   'itanium/'])
def test_lines_of_the_log_are_found_there(log, place):
    assert any(name.startswith(place) for places in log.values() for name in places)


def test_every_line_of_the_log_is_on_the_page(log, page):
    assert {line: places for line, places in log.items()
            if not any(pattern(line).fullmatch(term) for term in page)} == {}


def test_every_line_of_the_page_is_logged_by_a_driver(log, page):
    assert [term for term in page if not any(pattern(line).fullmatch(term) for line in log)] == []


def test_every_line_has_an_explanation_or_is_listed_as_needing_none(page):
    assert [term for term, explained in page.items() if not explained] == []
