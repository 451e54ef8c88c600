# SPDX-License-Identifier: GPL-2.0-only
"""QEMU makes the machine as other programs start it: syz-manager, with the configuration that
lab/smoke/syzkaller prints and the arguments that it adds (vm/qemu/qemu.go), and Debian
13's virtme-ng, by the command in machine-kernel.rst."""
import json
import os
import re
import shlex
import subprocess

import pytest

PACKAGES = 'virtme-ng|python3-(argcomplete|certifi|chardet|idna|requests|urllib3)'


@pytest.fixture(scope='module')
def qemu(output):
    return output('machine/xeon/qemu/build.sh')


@pytest.fixture
def starts(run):
    """Asserts that QEMU takes arguments, but for the terminal and an open file."""
    def assert_starts(command):
        command = [re.sub('^stdio,', 'null,', word) for word in command]
        if '-initrd' in command:
            at = command.index('-initrd')
            del command[at:at + 2]
        done = run([*command, '-display', 'none', '-S', '-monitor', 'stdio'], stdin=None,
                   input='quit\n')
        assert done.returncode == 0, done.stdout

    return assert_starts


def test_qemu_has_the_machine_of_syz_manager(qemu, top, tmp_path, starts):
    image, key = tmp_path / 'image', tmp_path / 'key'
    image.write_bytes(bytes(1 << 20))
    key.touch()
    # The network is QEMU's own, and needs another build.
    config = json.loads(subprocess.run(
        [top / 'lab/smoke/syzkaller', tmp_path, tmp_path, image, key], check=True,
        env=os.environ | {'SNBEP_QEMU': qemu}, stdout=subprocess.PIPE).stdout)
    assert all(os.path.exists(config[name])
               for name in ('kernel_obj', 'syzkaller', 'image', 'sshkey'))
    vm = config['vm']
    starts([qemu, '-m', str(vm['mem']), '-smp', str(vm['cpu']), '-device', 'virtio-rng-pci',
            *vm['qemu_args'].split(' '), '-device', f'{vm["network_device"]},netdev=net0',
            '-netdev', 'hubport,id=net0,hubid=0', '-hda', config['image'], '-snapshot'])


def test_qemu_has_the_machine_of_virtme_ng(qemu, top, tmp_path, kernel, run, starts):
    unpack = f'''. "$1"
        packages=$(closure trixie virtme-ng | grep -E '^({PACKAGES})=')
        unpack_debs trixie "$2" $packages'''
    subprocess.run(['sh', '-c', unpack, top / 'scripts/a-test', top / 'scripts/lib.sh', tmp_path],
                   check=True)
    command = re.search(r'^  vng --run.*?(?=^$)', (
        top / 'Documentation/machine-kernel.rst').read_text(), re.M | re.S)[0]
    command = re.sub(r'~/linux/\S*', f'{kernel("6.1")}/vmlinuz --dry-run', command)
    # virtme-ng wants a terminal.
    printed = run(['script', '-qec', command, '/dev/null'], cwd=top, env=os.environ | {
        'PATH': f'{tmp_path}/usr/bin:{os.environ["PATH"]}',
        'PYTHONPATH': f'{tmp_path}/usr/lib/python3/dist-packages'}).stdout.replace('\r', '')
    line, = re.findall('^/.*qemu-system.* -append .*', printed, re.M)
    words = shlex.split(line)
    assert words[0] == qemu
    starts(words)
