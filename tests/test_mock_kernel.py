# SPDX-License-Identifier: GPL-2.0-only
"""A driver that crashes under the mock kernel fails a test, which names the place in the driver."""
import re
import shutil

import pytest

PLACE = '''static int offcore_reserve(void)
{
'''


@pytest.fixture(scope='module')
def tree(top, tmp_path_factory):
    """A copy of what offcore_rsp's tests are made of"""
    directory = tmp_path_factory.mktemp('tree')
    for name in 'offcore', 'common', 'events', 'selftests', 'tests', 'scripts':
        shutil.copytree(top / name, directory / name)
    shutil.copy(top / 'offcore_rsp.c', directory)
    return directory


@pytest.mark.seconds(10)
@pytest.mark.xdist_group('mock kernel')
@pytest.mark.parametrize('statement', [
    '{ char *p = kzalloc(8, GFP_KERNEL); kfree(p); *(volatile char *)p = 1; }',
    '{ volatile int n = 40; n = 1 << n; }'], ids=['freed memory', 'undefined behaviour'])
def test_crash_of_a_driver_is_the_last_result_and_names_its_line(
        run, top, tree, monkeypatch, statement):
    monkeypatch.setenv('WERROR', '')
    source = (top / 'offcore/direct.c').read_text()
    assert source.count(PLACE) == 1
    (tree / 'offcore/direct.c').write_text(source.replace(PLACE, f'{PLACE}\t{statement}\n'))
    line = source.partition(PLACE)[0].count('\n') + PLACE.count('\n') + 1
    # make compiles again what depends on that file.
    made = run(['make', '-s', '-j2', '-C', tree / 'tests/drivers/offcore', f'OUT={tree}/out',
                f'TOP={tree}'])
    done = run([tree / 'out/driver'])
    end = done.stdout.splitlines()[-2:]
    assert done.returncode != 0, made.stdout
    assert re.fullmatch(rf'not ok \d+ test_\w+ crashes in offcore_reserve\(\), '
                        rf'offcore/direct\.c:{line}', end[0]), done.stdout[-2000:]
    assert end[1].startswith('1..') and 'Shadow byte legend' not in done.stdout
