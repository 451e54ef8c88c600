# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons that name what differs and the file to edit, one line each"""
import pytest


def assert_same(ours, theirs, ours_in, theirs_in):
    """Fail with each element that only one of two collections has"""
    ours, theirs = set(ours), set(theirs)
    lines = [f'only in {place}: {element}'
             for place, only in ((ours_in, ours - theirs), (theirs_in, theirs - ours))
             for element in sorted(map(str, only))]
    if lines or not ours:
        pytest.fail('\n'.join(lines) or f'nothing in {ours_in}', pytrace=False)
