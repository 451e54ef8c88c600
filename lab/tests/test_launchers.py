# SPDX-License-Identifier: GPL-2.0-only
"""What the commands of lab.rst take. QEMU makes the machine as others start it: syz-manager,
with the configuration that lab/smoke/syzkaller prints and the arguments that it adds
(vm/qemu/qemu.go), and Debian 13's virtme-ng, by the command in machine-kernel.rst."""
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest

from judge import report

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


@pytest.mark.parametrize('program, first, last', [
    ('lab/test', 'A series of patches', 'syzkaller'),
    ('lab/smoke/smoke', 'Smoke test', 'A series of patches')])
def test_options_on_the_page_are_those_of_the_program(top, run, program, first, last):
    page = (top / 'lab/lab.rst').read_text()
    page = page[page.index(f'\n{first}\n='):page.index(f'\n{last}\n=')]
    named = {*re.findall(r'``(--?[a-zA-Z]+)', page), *(word for line in re.findall(
        rf'^  (?:{program}|.*uncore-test) (.*)', page, re.M)
                for word in re.findall(r'(?<= )--?[a-zA-Z]+', ' ' + line))}
    known = re.findall(r'(?<![\w-])--?[a-zA-Z]+', run([top / program, '-h']).stdout)
    assert len(named) > 5 and named - {'--network', '--rm'} <= {*known}


def test_verdicts_are_those_of_the_page(top):
    rows = re.findall(r'^- ((?:(?!\n- )[^:])*?), (\d+):', (top / 'lab/lab.rst').read_text(), re.M)
    assert {word: int(code) for words, code in rows
            for word in re.findall('``([a-z][a-z-]*)``', words)} == report.VERDICTS


@pytest.mark.parametrize('fails', ['', 'kernel', 'linux-source', 'vm'])
def test_all_that_a_run_downloads_is_prepared(top, run, tmp_path, fails):
    steps = {'kernel': 'newest', 'linux-source': 'newest', 'vm': '-k newest -- true',
             'guard': f'- /usr/bin/python3 -I {tmp_path}/lab/judge --sandbox=none -x --prepare'}
    for name in steps:
        file = tmp_path / ('machine/xeon/vm' if name == 'vm' else 'scripts') / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/ran\n'
                        f'[ {name} != "{fails}" ]\n')
        file.chmod(0o755)
    (tmp_path / 'lab').mkdir()
    shutil.copy(top / 'lab/test', tmp_path / 'lab')
    assert run([tmp_path / 'lab/test', '--prepare']).returncode == bool(fails)
    names = [*steps][:[*steps, ''].index(fails) + 1 if fails else 3]
    assert not run([tmp_path / 'lab/test', '--sandbox=none', '-x', '--prepare']).stdout
    assert (tmp_path / 'ran').read_text().splitlines() == [
        f'{name} {steps[name]}' for name in (*names, 'guard')]


def test_qemu_has_the_machine_of_syz_manager(qemu, top, tmp_path, run, starts):
    def config(image, *options):
        return json.loads(subprocess.run(
            [top / 'lab/smoke/syzkaller', *options, '.', tmp_path / 'syz', image, 'key'],
            check=True, env=os.environ | {'SNBEP_QEMU': qemu}, cwd=tmp_path,
            stdout=subprocess.PIPE).stdout)
    image = tmp_path / 'image'
    image.write_bytes(bytes(1 << 20))
    (tmp_path / 'syz').mkdir()
    for number, (name, options) in enumerate(
            {'image': [], 'x.cpio': ['-o', 'generation=spr'], 'x.gz': []}.items()):
        made = config(name, *options)
        # The network is QEMU's own, and needs another build.
        vm = made['vm']
        starts([qemu, '-m', str(vm['mem']), '-smp', str(vm['cpu']), '-device', 'virtio-rng-pci',
                *vm['qemu_args'].split(' '), '-device', f'{vm["network_device"]},netdev=net0',
                '-netdev', 'hubport,id=net0,hubid=0', '-hda', str(image),
                '-snapshot'])
        assert ('spr.units' in vm['qemu_args']) == bool(options)
        assert vm['qemu'] == qemu and made['cover'] == (number > 1)
        assert (vm['kernel'], made['image'], vm.get('initrd'), made['sshkey']) == (
            f'{tmp_path}/arch/x86/boot/bzImage', f'{tmp_path}/{name}',
            f'{tmp_path}/{name}' if number else None, f'{tmp_path}/key')
        assert (made['workdir'], made['kernel_obj'], made['syzkaller']) == (
            f'{tmp_path}/syz/uncore', str(tmp_path), f'{tmp_path}/syz')
        (tmp_path / '.config').write_text(f'{"#" * (1 - number)}CONFIG_KCOV=y\n')
    for words in [], ['-x'], ['a', 'b', 'c']:
        done = run([top / 'lab/smoke/syzkaller', *words])
        assert done.returncode == 1 and 'usage: syzkaller [-o OPTIONS] LINUX' in done.stdout
    subprocess.run([top / 'lab/smoke/syzkaller', 'seeds', tmp_path / 'new/seeds'], check=True)
    seeds = {path.name: path.read_text() for path in (tmp_path / 'new/seeds').iterdir()}
    assert seeds.keys() == {f'{kind}-{cpu}' for kind in range(6, 31) for cpu in (0, 2)}
    opened = re.compile(r'= perf_event_open\(\S+?=\{(\w+), .*0xf+, (0x[02]), (\w+),')
    for name, text in seeds.items():
        kind, cpu = map(int, name.split('-'))
        assert opened.findall(text) == [(hex(kind), hex(cpu), leader)
                                        for leader in ('0xffffffffffffffff', 'r0')]
        # ENABLE, RESET and DISABLE of linux/perf_event.h
        assert re.findall('r0, (0x24..)', text) == ['0x2400', '0x2403', '0x2401']


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
