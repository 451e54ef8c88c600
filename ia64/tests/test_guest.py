# SPDX-License-Identifier: GPL-2.0-only
"""The kselftest target itanium_pmu on the emulated Itanium, whose own instructions are what its
programs count and sample, on both threads of a core. The overflow interrupt is a level, as seed 1
draws it."""
import re

import pytest

import ktap

pytestmark = [pytest.mark.slow, pytest.mark.ia64, pytest.mark.seconds(100),
              pytest.mark.timeout(3600)]

# Events that an interpreter does not have: perf.sh asks for them; and that the image is built.
EXPECTED = re.compile(r'^build: |event 0x[0-9a-f]* is not one that this machine has|'
                      'this machine does not capture ALAT misses')


def test_kselftest_passes_and_the_protocol_checker_objects_to_nothing(top, itanium, tmp_path):
    extra = tmp_path / 'extra'
    made = itanium.run('make', '-C', top / 'selftests', 'install',
                       'TARGETS=drivers/perf/itanium_pmu', f'O={tmp_path}/build',
                       f'KSFT_INSTALL_PATH={extra}', f'CROSS_COMPILE={itanium.cross()}')
    assert made.returncode == 0, made.stdout + made.stderr
    done = itanium.vm('cd /extra && ./run_kselftest.sh > ktap 2>&1', '-s', '1', '-n', '1x2',
                      '-e', extra)
    lines = (extra / 'ktap').read_text(encoding='utf-8', errors='replace').splitlines()
    test = ktap.parse(lines)
    assert test.children
    assert not ['\n'.join([bad.name, *bad.diagnostics]) for bad in test.failures()]
    assert done.returncode == 0, lines[-30:]
    assert not [line for line in (done.stdout + done.stderr).splitlines()
                if not EXPECTED.search(line)]
