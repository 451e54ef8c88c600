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


@pytest.mark.parametrize('line', '''WARNING: CPU: 0 PID: 1 at kernel/events/core.c:1 x+0x1/0x2
BUG: KASAN: slab-out-of-bounds in x
Oops: 0000 [#1] PREEMPT SMP
general protection fault, probably for non-canonical address 0x1: 0000 [#1]
unchecked MSR access error: RDMSR from 0x1 at rIP: 0x1 (x+0x1/0x2)
Call Trace:
Kernel panic - not syncing: sysrq triggered crash
Disabling lock debugging due to KASAN
UBSAN: shift-out-of-bounds in x.c:1:2
kmemleak: 2 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
possible circular locking dependency detected
possible recursive locking detected
inconsistent lock state
suspicious RCU usage
sleeping function called from invalid context at x.c:1
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_sched detected expedited stalls on CPUs/tasks:
rcu: INFO: rcu_sched self-detected stall on CPU
watchdog: soft lockup - CPU#0 stuck for 22s!
NMI watchdog: Watchdog detected hard LOCKUP on cpu 0
INFO: task x:1 blocked for more than 120 seconds.
turning off the locking correctness validator.
WARN: lockdep is turned off
ODEBUG: free active object
list_add corruption. prev->next should be next
list_del corruption, 1->next is LIST_POISON1
refcount_t: underflow; use-after-free.
scheduling while atomic: x/1/0x00000002
[ Invalid wait context ]
Unable to handle kernel paging request
fine'''.split('\n'))
def test_complaint_is_printed_with_its_number_and_what_follows(run, top, tmp_path, line):
    (tmp_path / 'log').write_text(f'[ 1.0] Linux version 6.1\n[ 1.1] {line}\n' + '[ 1.2] x\n' * 99)
    done = run([top / 'machine/xeon/vm/check-log', tmp_path / 'log'])
    assert (done.returncode, done.stdout) == ((0, '') if line == 'fine' else (
        1, f"check-log: the guest's kernel complained:\n2:[ 1.1] {line}\n" + ''.join(
            f'{n}-[ 1.2] x\n' for n in range(3, 28))))
