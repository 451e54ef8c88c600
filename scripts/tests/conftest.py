# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the scripts' tests."""
import pytest


@pytest.fixture
def shell(top):
    """A shell of lib.sh as a list, before its commands and their $1 ..."""
    return ['sh', '-c', '. "$1"; commands=$2; shift 2; eval "$commands"', top / 'scripts/a-test',
            top / 'scripts/lib.sh']
