# SPDX-License-Identifier: GPL-2.0-only
"""The patches for QEMU apply to the version that they are for, and checkpatch finds nothing."""
import pathlib
import re
import subprocess

import pytest

from judge.process import git

LAB = pathlib.Path(__file__).parent.parent
PATCHES = sorted((LAB / 'qemu-fixes').glob('0*.patch'))


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_patches_apply_and_checkpatch_finds_nothing(run, tmp_path):
    version = (LAB / 'qemu-fixes/version').read_text(encoding='ascii').strip()
    tree = tmp_path / 'source'
    done = subprocess.run([LAB.parent / 'scripts/apt-source', '-s', 'sid', f'qemu={version}', tree],
                          check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        pytest.skip(f'qemu {version} cannot be had: {done.stderr.strip().splitlines()[-1]}')
    touched = {name for patch in PATCHES
               for name in re.findall(r'^--- a/(\S+)', patch.read_text(), re.M)}
    for words in (['init', '-q'], ['add', '-f', *sorted(touched)], ['commit', '-q', '-m', version],
                  ['am', '-q', *PATCHES]):
        git(tree, *words)
    done = run(['perl', 'scripts/checkpatch.pl', '-q', '--strict', '--no-signoff', *PATCHES],
               cwd=tree)
    assert (done.returncode, done.stdout) == (0, '')
