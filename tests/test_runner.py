# SPDX-License-Identifier: GPL-2.0-only
"""make vm and bin/vm: output and exit status of a command, /extra, and machines that fail"""
import random
import re
import subprocess

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.seconds(10)]
LITERAL = '''x="a  b"; echo "$x $(echo s) $((6*7)) # , `echo b`"
echo err >&2
cat /extra/in > /extra/out; cat /extra/in; exit 42'''


def test_make_vm_takes_a_command_literally_shares_files_and_its_failure_is_makes(
        run, top, tmp_path):
    data = random.randbytes(100000)
    (tmp_path / 'in').write_bytes(data)
    done = run(['make', 'vm', 'MODULES=', f'EXTRA={tmp_path}', f'CMD={LITERAL}'], cwd=top,
               encoding=None, errors=None, stderr=subprocess.PIPE)
    assert (done.returncode, re.sub(rb'\*\*\* \[.*\] ', b'', done.stderr)) == (
        2, b'err\nmake: Error 42\n')
    assert done.stdout == b'a  b s 42 # , b\n' + data and (tmp_path / 'out').read_bytes() == data


def test_nothing_of_long_output_is_lost_and_the_log_is_clean_and_kept(bin_vm, kernel, tmp_path):
    done = bin_vm('uname -r; head -c 3000000 /dev/zero', '-m', '', '-k', '6.12', '-W', '-l',
                  tmp_path / 'log')
    assert done.returncode == 0, done.stderr
    assert done.stdout == (kernel('6.12') / 'release').read_text() + '\0' * 3000000
    assert 'Linux version 6.12' in (tmp_path / 'log').read_text()


def test_crash_fails_the_machine_and_is_explained_from_the_first_complaint_on(bin_vm):
    done = bin_vm('echo before; for i in $(seq 100); do echo "BUG: line $i" > /dev/kmsg; done; '
                  'echo c > /proc/sysrq-trigger', '-m', '')
    assert (done.returncode, done.stdout) == (125, 'before\n')
    assert done.stderr.split('\n')[0].endswith('BUG: line 1') and \
        'sysrq triggered crash' in done.stderr


@pytest.mark.ci
@pytest.mark.parametrize('modules, options, first, last', [
    ('no_such_module', [], '', 'vm: modprobe no_such_module: '),
    ('snbep_uncore', ['-o', 'cpu=Nehalem,-hypervisor'], 'snbep_uncore: ',
     'vm: modprobe snbep_uncore: '),
    ('snbep_uncore no_such=1', [], 'vm: modprobe snbep_uncore no_such=1: ',
     'vm: modprobe snbep_uncore no_such=1: it has no parameter no_such')],
    ids=['unknown module', 'another processor', 'unknown parameter'])
def test_module_that_does_not_load_fails_the_machine_with_what_the_kernel_says(
        bin_vm, modules, options, first, last):
    done = bin_vm('echo not reached', '-m', modules, *options)
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (125, '')
    assert first in lines[0] and lines[-1].startswith(last)


def test_example_of_a_driver_counts_and_uncore_stim_lists_the_boxes_for_an_unknown_one(vm, top):
    done = vm('''uncore-stim cbo_0 event=1; echo $?
        perf stat -x, -a --per-socket -e ha_example/event=0x1,umask=0x3/ \\
            uncore-stim ha event=1,umask=3,count=1000 2>&1 && uncore-stim checker''',
              '-b', top / 'machine/xeon/example', '-m', 'ha_example', '-W', stderr=subprocess.PIPE)
    assert done.returncode == 0 and re.search('^BOX: .*cbox_0', done.stderr, re.M), done.stderr
    assert [line.split(',')[:3] for line in done.stdout.splitlines()] == [
        ['2'], ['S0', '1', '1000'], ['S1', '1', '0']]


@pytest.mark.ci
def test_demo_counts_what_it_injects_in_each_box_of_each_socket(run, top):
    done = run([top / 'bin/demo'], stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stdout
    rows = re.findall(r'^  (\w+) +\w\S* +(\d+) +(\d+)  yes$', done.stdout, re.M)
    assert len({row[0] for row in rows}) == len({n for row in rows for n in row[1:]}) / 2 == 20
    assert re.search(r'^Linux 6\.1\.\S+, 2 sockets\n', done.stdout)
    assert re.search(r'^S1 +1 +12345 +snbep_uncore_cbox_0/', done.stdout, re.M)
    assert len(re.findall(r'^  snbep_uncore_\S+ +\d+: +\w', done.stdout, re.M)) == 20
    assert done.stdout.endswith('(uncore-stim checker):\n  none\n')
