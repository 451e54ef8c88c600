# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/messages.rst explains only what the drivers can log.

On the page a line of the log is a term, ``like this``, alone on its line, with its explanation
below; a word in capitals stands for a conversion of printf, which any text matches.
"""
import re
import subprocess

STRING = r'"(?:[^"\\]|\\.)*"'
CONVERSION = r'%%|(?:0x)?%[-#+ 0]*\d*(?:\.\d+)?(?:ll|l|h|z)?[a-zA-Z]'
PREFIX = r'(?:snbep_uncore|offcore_rsp|itanium|DEVICE): (?:PMU: |EVENT refused: )?'


def pattern(strings):
    """A regular expression for what is logged by a format, of adjacent strings of C"""
    text = ''.join(string[1:-1] for string in re.findall(STRING, strings))
    text = re.sub(r'\\(.)', r'\1', re.sub(r'\\n$', '', text))
    words = [part.replace('%%', '%') for part in re.split(CONVERSION, text)]
    # What is short would match anything.
    return '.*'.join(map(re.escape, words)) if len(''.join(words)) >= 5 else None


def test_page_explains_lines_that_the_drivers_log(top):
    files = subprocess.run([top / 'scripts/files', '*.c', '*.h'], check=True, encoding='utf-8',
                           stdout=subprocess.PIPE).stdout.split()
    source = '\n'.join((top / file).read_text() for file in files
                       if re.match(r'(snbep|offcore|itanium|common)/|[^/]*$', file))
    macros = dict(re.findall(rf'^#define[ \t]+([A-Z]\w*)[ \t]+({STRING})$', source, re.M))
    source = re.sub(rf'{STRING}|\b[A-Z]\w*\b', lambda word: macros.get(word[0], word[0]), source)
    log = set(map(pattern, re.findall(rf'(?:{STRING}\s*)+', source))) - {None}
    page = re.findall(r'^``(.*)``\n(  )?', (top / 'Documentation/messages.rst').read_text(), re.M)
    assert len(page) > 30
    assert [term for term, explained in page if not explained or not any(
        re.fullmatch(f'(?:{PREFIX})?(?:{line})', term) for line in log)] == []
