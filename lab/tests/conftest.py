# SPDX-License-Identifier: GPL-2.0-only
"""Where the judge is, and Intel's event lists"""
import os
import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from judge.process import git


@pytest.fixture(scope='session')
def perfmon(top, tmp_path_factory):
    """A clone of intel/perfmon, as it was when our patches were made"""
    if not os.environ.get('PERFMON'):
        pytest.skip('it needs PERFMON=DIR, a clone of github.com/intel/perfmon')
    clone = tmp_path_factory.mktemp('perfmon') / 'perfmon'
    git('.', 'clone', '-q', os.environ['PERFMON'], clone)
    git(clone, 'checkout', '-q', (top / 'lab/perfmon/base').read_text().strip())
    return clone
