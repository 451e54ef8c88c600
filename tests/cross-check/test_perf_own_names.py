# SPDX-License-Identifier: GPL-2.0-only
"""With uncore_names=1, the perf of a kernel's Debian suite counts an event and a metric of its own
lists, as install.rst says. events/test_lists.py compares all names."""
import re

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.seconds(10)]
STIM = '-- uncore-stim imc_2 event=0x04,umask=0x01,count=31250'


# 6.1 and 6.12 run with Debian 12's perf, that of 6.1. That of 5.10 has other names.
@pytest.mark.parametrize('kernel, metric', [('6.1', 'DRAM_BW_Use'),
                                            ('newest', 'lpm_mem_bw_ddr_read')])
def test_event_and_metric_of_its_own_count(guest, kernel, metric):
    said = guest({'event': f'perf stat -x, -a -e unc_m_cas_count.rd {STIM}',
                  'metric': f'perf stat -a -M {metric} {STIM}',
                  'filter': 'perf stat -x, -a -e unc_c_tor_inserts.opcode -- true'},
                 '-k', kernel, '-s', '1', '-o', 'cbos=1', '-m', 'snbep_uncore uncore_names=1')
    assert re.search('^31250,,unc_m_cas_count.rd,', said['event'].text, re.M), said['event'].text
    assert re.search(rf'# +[0-9.]*[1-9][0-9.]* .*{metric}', said['metric'].text), said['metric']
    # It needs an opcode, which perf's list does not give.
    assert said['filter'].status or '<not supported>' in said['filter'].text
