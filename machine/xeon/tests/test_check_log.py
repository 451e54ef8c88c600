# SPDX-License-Identifier: GPL-2.0-or-later
"""check-log tells Linux's own warning, that a CPU goes offline with tasks, from a fault."""
import pytest


@pytest.mark.parametrize('number, task, complains', [
    (2, 'migration/1', False), (2, 'mount', True), (2, 'kworker/1:0', True),
    (1, 'migration/1', True), (21, 'migration/1', True)])
def test_cpu_may_go_offline_with_two_tasks_of_which_only_migration_is_listed(
        run, top, tmp_path, number, task, complains):
    (tmp_path / 'log').write_text(
        'WARNING: CPU: 1 PID: 26 at kernel/sched/core.c:8365 sched_cpu_dying+0x93/0x230\n'
        f'Call Trace:\n </TASK>\nCPU1 enqueued tasks ({number} total):\n\tpid: 26, name: {task}\n')
    done = run([top / 'machine/xeon/vm/check-log', tmp_path / 'log'])
    assert done.returncode == complains
