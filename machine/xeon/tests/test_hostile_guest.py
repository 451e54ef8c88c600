# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest leaves nothing harmful on the host: in /extra, on the disk, or as a process."""
import os
import signal
import subprocess
import time

import pytest

pytestmark = pytest.mark.seconds(10)
# Commands that fail in /extra
FORBIDDEN = '''
chmod 4755 host
chmod 2755 host
chmod 1777 dir
chmod 777 .
chmod 777 /extra
chown 12345 host
chgrp 12345 host
chown -h 12345 link
chown 12345 .
ln -s /etc/passwd symlink
mknod block b 8 0
mknod char c 1 3
mkfifo fifo
dd if=/dev/zero of=suid bs=8 count=1 conv=notrunc
'''
GUEST = f'''cd /extra
umask 0
echo text > written; echo text > run; chmod 750 run; mkdir made; mkdir -m 7777 sticky
cp /bin/busybox busybox; cat link > read; ln written hard
mv run dir/moved; rm busybox; chown 0:0 nothing 2> /dev/null
while read -r command; do
    [ ! "$command" ] || ! $command 2> /dev/null || echo "$command"
done << 'END'{FORBIDDEN}END
exit 7'''
LEFT = '''
 d 755
dir d 755
dir/moved f 750
hard f 666
host f 644
link l 777
made d 777
read f 666
sticky d 777
suid f 4755
written f 666
'''
SUSPEND = '''echo before
for at in 0 +2; do echo $at > /sys/class/rtc/rtc0/wakealarm; done
echo mem > /sys/power/state'''


@pytest.fixture
def extra(tmp_path):
    """A directory to share, with a file, a link to it, and a program that is setuid"""
    directory = tmp_path / 'extra'
    (directory / 'dir').mkdir(parents=True)
    (directory / 'host').write_text('host\n')
    (directory / 'link').symlink_to('host')
    (directory / 'suid').write_text('program\n')
    for path, mode in (directory, 0o755), (directory / 'dir', 0o755), (directory / 'host', 0o644), (
            directory / 'suid', 0o4755):
        path.chmod(mode)
    return directory


def test_guest_leaves_only_plain_files_and_directories_of_the_user_in_extra(vm, extra, run):
    done = vm(GUEST, '-e', extra, stderr=subprocess.PIPE)
    # No command of FORBIDDEN succeeded, and the status is the command's.
    assert (done.returncode, done.stdout) == (7, '')
    found = run(['find', '.', '-printf', '%P %y %m\n'], cwd=extra).stdout.splitlines()
    assert sorted(found) == LEFT.strip('\n').splitlines()
    assert run(['find', '.', '!', '-uid', str(os.getuid())], cwd=extra).stdout == ''
    assert (extra / 'read').read_text() == 'host\n'
    assert (extra / 'suid').read_text() == 'program\n'


@pytest.mark.ci
@pytest.mark.seconds(40)
def test_full_tmpdir_is_named(mounts, top, tmp_path):
    # A machine that cannot write may wait until its time is over.
    done = mounts('''mount -t tmpfs -o size=140m none "$1"
        TMPDIR=$1 exec "$2" -t 40 -- "head -c 200000000 /dev/zero" > /dev/null''',
                  tmp_path, top / 'machine/xeon/vm/vm', stdout=None, stderr=subprocess.PIPE)
    assert done.returncode == 125
    assert done.stderr.splitlines()[-1] == f'vm: no space left in {tmp_path}'


@pytest.mark.ci
def test_read_only_extra_is_read_and_not_written(mounts, top, extra):
    done = mounts('''mount --bind "$1" "$1"
        mount -o remount,bind,ro "$1"
        exec "$2" -e "$1" -- "cat /extra/host; echo x > /extra/new"''',
                  extra, top / 'machine/xeon/vm/vm', stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (1, 'host\n') and not (extra / 'new').exists()


@pytest.mark.ci
def test_guest_that_prints_without_end_is_stopped_with_a_reason(run, top, tmp_path):
    # The limit is the user's own; otherwise it is 1 GiB.
    with open(tmp_path / 'out', 'w', encoding='ascii') as out:
        done = run(['sh', '-c', 'ulimit -f 204800; exec "$@"', 'sh', top / 'machine/xeon/vm/vm',
                    '--', 'while :; do cat /bin/busybox; done'], stdout=out,
                   stderr=subprocess.PIPE)
    assert done.returncode == 125 and 'vm: the guest wrote more than 100 MiB ' in done.stderr


@pytest.mark.ci
def test_exit_status_that_is_no_number_is_refused(vm):
    done = vm('port=$(grep -lx status /sys/class/virtio-ports/*/name); port=${port%/name}\n'
              'echo "9;8" > /dev/${port##*/}; reboot -f')
    assert (done.returncode, done.stdout) == (125, 'vm: the guest reports no exit status\n')


@pytest.mark.ci
def test_control_characters_of_a_guest_are_not_printed(vm):
    done = vm(r'printf "\033[2JBUG: x\n" > /dev/ttyS0; reboot -f')
    assert done.returncode == 125 and '[2JBUG: x\n' in done.stdout and '\33' not in done.stdout


@pytest.mark.ci
@pytest.mark.parametrize('generation', [2, 3])
def test_traffic_mode_and_captures_without_end_are_refused(vm, generation):
    done = vm('''uncore-stim traffic on; echo $?
        uncore-stim raw montecito dear count=0xffffffffffffffff; echo $?
        uncore-stim raw montecito event event=8,count=0xffffffffffffffff; echo $?
        printf 'traffic on\\n\\nget pcu\\n' > /tmp/two
        uncore-stim -f /tmp/two > /tmp/out; echo $?''',
              '-o', f'generation={generation}', stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout.split()) == (0, ['2', '2', '0', '2'])
    assert f'traffic: no mode of generation {generation}' in done.stderr


def test_command_goes_on_after_suspend_to_ram(vm):
    done = vm(f'{SUSPEND}; echo after; exit 7')
    assert (done.returncode, done.stdout.split()) == (7, ['before', 'after'])


@pytest.mark.ci
def test_command_that_waits_for_extra_after_suspend_is_ended_with_a_reason(vm, extra):
    done = vm(f'{SUSPEND}; cat /extra/host', '-e', extra)
    assert done.returncode == 125
    assert 'vm: a program waits for /extra, which is gone since suspend to RAM\n' in done.stdout


@pytest.mark.parametrize('program', [pytest.param('vm', marks=pytest.mark.ci), 'make'])
def test_killed_runner_takes_qemu_with_it(run, top, tmp_path, program):
    command = 'date > /extra/up; sleep 1000'
    up, qemu = tmp_path / 'up', ['pgrep', '-f', f'qemu.*path={tmp_path}']
    with subprocess.Popen(
            [top / 'machine/xeon/vm/vm', '-e', tmp_path, '--', command] if program == 'vm' else
            ['make', '-s', '-C', top, 'vm', 'MODULES=', f'EXTRA={tmp_path}', f'CMD={command}'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as runner:
        while not up.exists():
            assert runner.poll() is None
            time.sleep(0.1)
        assert run(qemu).returncode == 0
        runner.kill()
    end = time.monotonic() + 200
    while left := run(qemu).stdout:
        assert time.monotonic() < end, left
        time.sleep(0.1)


@pytest.mark.ci
def test_signals_while_it_ends_leave_nothing(top, tmp_path):
    """As from a terminal that is closed: SIGHUP, and SIGTERM from make"""
    for directory in 'extra', 'tmp':
        (tmp_path / directory).mkdir()
    with subprocess.Popen(
            [top / 'machine/xeon/vm/vm', '-e', tmp_path / 'extra', '--',
             ': > /extra/up; sleep 1000'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, 'TMPDIR': str(tmp_path / 'tmp')}) as runner:
        while not (tmp_path / 'extra/up').exists():
            assert runner.poll() is None
            time.sleep(0.1)
        runner.send_signal(signal.SIGHUP)
        while runner.poll() is None:
            runner.send_signal(signal.SIGTERM)
            time.sleep(0.001)
    assert os.listdir(tmp_path / 'tmp') == []
