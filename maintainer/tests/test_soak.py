# SPDX-License-Identifier: GPL-2.0-only
"""A soak that ends before its time leaves no busy loop."""
import os
import pathlib
import signal
import subprocess
import time

import pytest


def busy_loops(session):
    """Processes of a session that soak has started to be busy"""
    found = []
    for stat in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = stat.read_text().rpartition(')')[2].split()
            command = (stat.parent / 'cmdline').read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session and b'while os.getppid() == ' in command:
            found.append(stat.parent.name)
    return found


def wait_for(condition):
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


@pytest.mark.ci
@pytest.mark.parametrize('signum', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_soak_that_is_ended_leaves_no_busy_loop(top, signum):
    # Its runs wait while the one with this test holds the lock.
    with subprocess.Popen(
            [top / 'maintainer/soak', '-n', '1000', '-l', '1', 'scripts/tests/test_version.py'],
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            encoding='utf-8') as soak:
        try:
            wait_for(lambda: busy_loops(soak.pid))
            soak.send_signal(signum)
            wait_for(lambda: not busy_loops(soak.pid))
            said = soak.stdout.read()
        finally:
            os.killpg(soak.pid, signal.SIGKILL)
    if signum != signal.SIGKILL:
        # It still says what differed.
        assert (said[-11:], soak.returncode) == (': 0 differ\n', 130)
