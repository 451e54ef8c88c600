# SPDX-License-Identifier: GPL-2.0-only
"""The tests that lab/libpfm4 adds fail on Debian's libpfm4, and pass with the patches."""
import re
import shutil

import pytest

from judge.process import git


@pytest.mark.lab
@pytest.mark.ci
@pytest.mark.seconds(20)
def test_added_tests_fail_without_the_patches_to_the_tables(libpfm4, top, tmp_path, run):
    tree = tmp_path / 'tree'
    shutil.copytree(libpfm4, tree, symlinks=True)
    for words in (['init', '-q'], ['add', '-A', '-f'], ['commit', '-q', '-m', 'libpfm4'],
                  ['tag', 'base'], ['am', '-q', *sorted((top / 'lab/libpfm4').glob('0*.patch'))]):
        git(tree, *words)
    diff = git(tree, 'diff', 'base', 'HEAD', '--', 'tests')
    added = len(re.findall(r'^\+.*SRC_LINE', diff, re.M))
    for state, errors in ('base', added), ('HEAD', 0):
        git(tree, 'checkout', '-q', state, '--', 'lib')
        done = run(['sh', '-c', 'make -s -j2 lib && make -s -C tests && tests/validate -A'],
                   cwd=tree)
        found = re.findall(r' x86 events: (\d+) errors', done.stdout)
        assert added and (done.returncode != 0) == bool(errors), done.stdout
        assert not errors or found == [str(errors)], done.stdout
