# SPDX-License-Identifier: GPL-2.0-only
"""make fresh: the project installs all that it needs."""
import pytest


@pytest.mark.package
@pytest.mark.slow
@pytest.mark.seconds(600)
@pytest.mark.timeout(18000)
@pytest.mark.parametrize('suite', ['bookworm', 'trixie'])
@pytest.mark.usefixtures('run_as_root')
def test_demo_and_a_short_check_pass_in_a_bare_debian(fresh, suite):
    fresh(suite)
