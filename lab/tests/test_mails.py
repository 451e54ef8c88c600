# SPDX-License-Identifier: GPL-2.0-only
"""What the maintainers of Linux want of a patch in lab/linux, with Debian's newest source"""
import pathlib
import re
import subprocess

import pytest

LINUX = pathlib.Path(__file__).resolve().parents[1] / 'linux'
PATCHES = sorted(LINUX.glob('*/0*.patch'))
pytestmark = [pytest.mark.lab, pytest.mark.ci, pytest.mark.seconds(60)]
# A base that Debian's source is not, and the author of a backport
IGNORED = ('UNKNOWN_COMMIT_ID,GIT_COMMIT_ID,FROM_SIGN_OFF_MISMATCH,MISSING_SIGN_OFF,'
           'NO_AUTHOR_SIGN_OFF')


@pytest.fixture(scope='module')
def source(top):
    return subprocess.run([top / 'scripts/linux-source', 'newest', 'scripts', 'MAINTAINERS'],
                          check=True, encoding='utf-8', stdout=subprocess.PIPE).stdout.strip()


@pytest.mark.parametrize('path', PATCHES, ids=lambda path: f'{path.parent.name}/{path.name[:4]}')
def test_patch_has_what_its_maintainers_want(run, source, path):
    text = path.read_text(encoding='utf-8')
    message = text.partition('\n---\n')[0]
    fixes = re.findall(r'^Fixes: (.*)', message, re.M)
    assert all(re.fullmatch(r'[0-9a-f]{12} \("[^"]+"\)', line) for line in fixes), fixes
    # Below ---, a patch says which commit has to be looked up.
    assert fixes or 'RFC' in message or re.search(
        r'^Fixes: .*missing|^There is no Fixes:|No functional change', text, re.M)
    done = run(['perl', 'scripts/checkpatch.pl', '-q', '--strict', '--no-tree', '--ignore', IGNORED,
                path], cwd=source)
    assert (done.returncode, done.stdout) == (0, '')
    done = run(['perl', 'scripts/get_maintainer.pl', '--no-tree', '--no-git',
                '--no-git-fallback', '--no-rolestats', path], cwd=source)
    assert done.returncode == 0 and '@vger.kernel.org' in done.stdout, done.stdout
