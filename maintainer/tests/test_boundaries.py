# SPDX-License-Identifier: GPL-2.0-only
"""Boundary values that no test has: looks for those of boundaries.values in the tests' sources and
lists. A value counts as seen if a test names it, whether or not that test passes.

boundaries.values has a row for each value: what it is of, the value, and a regular expression that
is somewhere in a test which has it; a fourth column is the reason why none can. Where the value is
"@FILE REGEX", each first group that REGEX finds in FILE is one, {} in the expression. Columns are
separated by tabs.
"""
import pathlib
import re

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
TESTS = re.compile(r'(^|/)(tests|selftests)/|/TESTS$|\.machines$')


def rows():
    """What and value, pattern, and why no test can have it"""
    for line in (TOP / 'maintainer/boundaries.values').read_text(encoding='utf-8').splitlines():
        if not line or line.startswith('#'):
            continue
        what, value, pattern, *reason = line.split('\t')
        values = [value]
        if value.startswith('@'):
            file, _, regex = value[1:].partition(' ')
            values = re.findall(regex, (TOP / file).read_text(encoding='utf-8'), re.M)
            assert values, f'{file} has nothing like {regex}'
        for one in values:
            text = pattern.replace('{}', re.escape(one)) if value[0] == '@' else pattern
            yield pytest.param(text, ''.join(reason), id=f'{what} {one}')


@pytest.fixture(scope='module')
def tests(run):
    """The text of all tests and of their lists"""
    files = run([TOP / 'scripts/files'], cwd=TOP).stdout.splitlines()
    return [(TOP / name).read_text(encoding='utf-8', errors='replace') for name in files
            if TESTS.search(name) and TOP / name != pathlib.Path(__file__)]


@pytest.mark.ci
@pytest.mark.parametrize('pattern, reason', rows())
def test_some_test_has_the_value(tests, pattern, reason):
    seen = any(re.search(pattern, text, re.M) for text in tests)
    if not seen and reason:
        pytest.skip(reason)
    assert seen
