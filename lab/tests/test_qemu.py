# SPDX-License-Identifier: GPL-2.0-only
"""The patches for QEMU, on the QEMU that they are for: they apply, checkpatch finds nothing, and
send makes mails of them. With QEMU_BUILD=1 in the environment it is built, its tests pass, and
fail without the fixes, and perf in a guest counts what is injected."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time

import pytest

TOP = pathlib.Path(__file__).parent.parent.parent
LAB = TOP / 'lab'
SERIES = 'qemu-fixes', 'qemu'
# The first test that needs the build waits for it.
pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.xdist_group('qemu'),
              pytest.mark.timeout(3600)]

# ACPI tables need all of CXL.
DEVICES = ('Q35 I440FX PXB PCIE_PORT CXL CXL_MEM_DEVICE VIRTIO_PCI VIRTIO_SERIAL VIRTIO_9P '
           'GENERIC_LOADER INTEL_UNCORE')
CONFIGURE = ('--target-list=x86_64-softmmu --without-default-features --without-default-devices '
             '--with-devices-x86_64=uncore --enable-tcg --enable-kvm --enable-fdt --enable-virtfs '
             '--enable-attr --enable-cap-ng --disable-docs --disable-install-blobs '
             '--disable-debug-info --disable-werror')
PROGRAMS = ('qemu-system-x86_64', 'tests/qtest/intel-uncore-test', 'tests/qtest/q35-test',
            'tests/qtest/qos-test', 'tests/qtest/tcg-smc-test')


def patches(series):
    return sorted((LAB / series).glob('0*.patch'))


@pytest.fixture(scope='module')
def source(tmp_path_factory):
    """The source of that version, and a commit of what the patches touch"""
    version = (LAB / 'qemu/version').read_text(encoding='ascii').strip()
    tree = tmp_path_factory.mktemp('qemu') / 'source'
    done = subprocess.run([TOP / 'scripts/apt-source', '-s', 'sid', f'qemu={version}', tree],
                          check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        pytest.skip(f'qemu {version} cannot be had: {done.stderr.strip().splitlines()[-1]}')
    touched = sorted({name for series in SERIES for patch in patches(series)
                      for name in re.findall(r'^--- a/(\S+)', patch.read_text(), re.M)})
    for words in ['init', '-q'], ['add', '-f', *touched], ['commit', '-q', '-m', version]:
        git(tree, *words)
    return tree


def git(tree, *words):
    return subprocess.run(
        ['git', '-c', 'user.name=test', '-c', 'user.email=test@example.org', '-C', tree, *words],
        check=True, stdout=subprocess.PIPE, text=True).stdout


@pytest.fixture
def clean(source):
    """The source as Debian has it, before and after"""
    base = git(source, 'rev-parse', 'HEAD').strip()
    yield source
    git(source, 'reset', '-q', '--hard', base)


@pytest.mark.parametrize('series', SERIES)
def test_applies_and_checkpatch_finds_nothing(clean, series):
    git(clean, 'am', '-q', *patches(series))
    for patch in patches(series):
        done = subprocess.run(['perl', 'scripts/checkpatch.pl', '-q', '--strict', '--no-signoff',
                               patch], cwd=clean, check=False, stdout=subprocess.PIPE, text=True)
        assert (done.returncode, done.stdout) == (0, '')


@pytest.mark.parametrize('series', SERIES)
def test_send_makes_mails(clean, series, tmp_path):
    config = tmp_path / 'config'
    config.write_text('[user]\n\tname = Erika Mustermann\n\temail = erika@mailbox.test\n')
    done = subprocess.run(
        [LAB / 'send', '-a', 'a tool', '-t', clean, series, tmp_path / 'mails'], check=False,
        input='yes\n', capture_output=True, text=True,
        env=dict(os.environ, GIT_CONFIG_GLOBAL=str(config), GIT_CONFIG_NOSYSTEM='1'))
    assert done.returncode == 0, done.stderr
    assert 'checkpatch --strict finds nothing' in done.stderr
    assert "'--cc=qemu-devel@nongnu.org'" in done.stdout
    mails = [path.read_text() for path in sorted((tmp_path / 'mails').iterdir())]
    cover = (LAB / series / 'cover').exists()
    assert len(mails) == len(patches(series)) + cover
    assert all('Signed-off-by: Erika Mustermann' in mail for mail in mails[cover:])


class Build:
    """QEMU with both series"""

    def __init__(self, tree, directory):
        self.tree, self.directory = tree, directory
        self.base = git(tree, 'rev-parse', 'HEAD').strip()
        self.binary = directory / 'qemu-system-x86_64'
        git(tree, 'am', '-q', *patches('qemu-fixes'), *patches('qemu'))
        (tree / 'configs/devices/x86_64-softmmu/uncore.mak').write_text(
            ''.join(f'CONFIG_{name}=y\n' for name in DEVICES.split()))
        # Debian 12's meson is too old.
        python = directory.parent / 'python'
        subprocess.run(['/usr/bin/python3', '-m', 'venv', '--without-pip',
                        '--system-site-packages', python], check=True)
        root = subprocess.run([TOP / 'scripts/suite-root', 'trixie', 'meson'], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()
        packages = next(python.glob('lib/python3*/site-packages'))
        for path in pathlib.Path(root, 'usr/lib/python3/dist-packages').glob('meson*'):
            (packages / path.name).symlink_to(path)
        directory.mkdir()
        subprocess.run([tree / 'configure', f'--python={python}/bin/python3', *CONFIGURE.split()],
                       check=True, cwd=directory, stdout=subprocess.DEVNULL)
        self.make()
        # Debian's source has no firmware.
        for path in ('/usr/share/qemu', '/usr/share/seabios'):
            subprocess.run(f'ln -sf {path}/*.bin qemu-bundle/usr/local/share/qemu', shell=True,
                           check=True, cwd=directory)

    def make(self):
        done = subprocess.run(['ninja', *PROGRAMS], check=False, cwd=self.directory,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout[-3000:]

    def qtest(self, name, *options):
        return subprocess.run([self.directory / 'tests/qtest' / name, '--tap', *options],
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd=self.directory,
                              env=dict(os.environ, QTEST_QEMU_BINARY=str(self.binary)))


@pytest.fixture(scope='module')
def build(source, tmp_path_factory):
    if os.environ.get('QEMU_BUILD') != '1':
        pytest.skip('it builds QEMU: set QEMU_BUILD=1 in the environment')
    base = git(source, 'rev-parse', 'HEAD').strip()
    yield Build(source, tmp_path_factory.mktemp('build') / 'build')
    git(source, 'reset', '-q', '--hard', base)


QTESTS = {
    'intel-uncore-test': [],
    'q35-test': ['-p', '/x86_64/q35/wakeup-keeps-memory'],
    'qos-test': ['-p', '/x86_64/pc/i440FX-pcihost/pci-bus-pc/pci-bus/virtio-serial-pci/'
                 'virtio-serial/virtio-serial-tests/open-waits-for-buffer'],
    'tcg-smc-test': [],
}


@pytest.mark.parametrize('name', QTESTS)
def test_qtest_passes(build, name):
    done = build.qtest(name, *QTESTS[name])
    assert done.returncode == 0 and re.search('^ok 1 ', done.stdout, re.M), done.stdout


def filtered(arguments):
    """Arguments of QEMU with the model's devices, for one without them"""
    drop = 'xeon-', 'pxb-pcie', 'montecito-'
    words = iter(arguments)
    for word in words:
        value = next(words) if word in ('-device', '-cpu') else None
        if word == '-cpu':
            yield from (word, 'SapphireRapids,-hypervisor')
        elif value is None:
            yield word
        elif not value.startswith(drop):
            # Further CPUs
            yield from (word, value.replace('SandyBridge-', 'SapphireRapids-'))


UNITS = ('intel-uncore,id=pkg0,bus=pcie.0',
         'intel-uncore-unit,id=cha0,bus=pkg0.0,unit-type=0,addr=0x2000',
         'intel-uncore-unit,id=cha1,bus=pkg0.0,unit-type=0,unit=1,addr=0x2010',
         'intel-uncore-unit,id=pcu0,bus=pkg0.0,unit-type=4,addr=0x2fc0',
         'intel-uncore-unit,id=imc0,bus=pkg0.0,mmio=on,unit-type=6,addr=0x22800,ctl-offset=0x40,'
         'ctr-offset=8',
         'intel-uncore-unit,id=imc1,bus=pkg0.0,mmio=on,unit-type=6,unit=1,addr=0x26800,'
         'ctl-offset=0x40,ctr-offset=8')
EVENTS = {'uncore_cha_0/event=0x35,umask=1/': ('cha0', 0x35, 1, 123456),
          'uncore_cha_1/event=0x35,umask=1/': ('cha1', 0x35, 1, 77),
          'uncore_pcu/event=5/': ('pcu0', 5, 0, (1 << 40) + 1),
          'uncore_imc_0/event=5,umask=3/': ('imc0', 5, 2, 4096)}


def inject(path, events):
    """Over QMP; the answers to each command are one line of JSON."""
    with socket.socket(socket.AF_UNIX) as qmp:
        qmp.connect(str(path))
        lines = qmp.makefile('rw')
        lines.readline()
        commands = [{'execute': 'qmp_capabilities'}]
        commands += [{'execute': 'qom-set', 'arguments': {
            'path': unit, 'property': 'inject',
            'value': {'event': event, 'umask': umask, 'cycles': cycles}}}
                     for unit, event, umask, cycles in events]
        for command in commands:
            lines.write(json.dumps(command) + '\n')
            lines.flush()
            answer = json.loads(lines.readline())
            while 'event' in answer:
                answer = json.loads(lines.readline())
            assert answer == {'return': {}}, (command, answer)


def test_perf_counts_what_is_injected(build, tmp_path, kernel):
    kernel('newest')
    extra, qmp, wrapper = tmp_path / 'extra', tmp_path / 'qmp', tmp_path / 'wrapper'
    extra.mkdir()
    wrapper.write_text(f'''#!{sys.executable}
import os, sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_qemu
os.execv({str(build.binary)!r}, [{str(build.binary)!r}, *test_qemu.filtered(sys.argv[1:]), '-qmp',
         'unix:{qmp},server=on,wait=off',
         *(word for unit in test_qemu.UNITS for word in ('-device', unit))])
''')
    wrapper.chmod(0o755)
    shutil.copy(wrapper, tmp_path / 'wrapper.ready')
    names = ','.join(EVENTS)
    guest = subprocess.Popen(
        [TOP / 'machine/xeon/vm/vm', '-k', 'newest', '-s', '1', '-c', '2', '-m', 'intel_uncore',
         '-o', 'generation=spr', '-e', extra, '-t', '600', '--',
         f"perf stat -a -x, -o /extra/counts -e '{names}' sh -c 'touch /extra/counting; "
         "while [ ! -e /extra/injected ]; do sleep 0.2; done'"],
        env=dict(os.environ, SNBEP_QEMU=str(wrapper)), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    try:
        while not (extra / 'counting').exists():
            assert guest.poll() is None, guest.communicate()[0]
            time.sleep(0.2)
        inject(qmp, EVENTS.values())
        (extra / 'injected').touch()
        text = guest.communicate()[0]
        assert guest.returncode == 0, text
    finally:
        guest.terminate()
        guest.wait()
    counts = [line.split(',')[0] for line in (extra / 'counts').read_text().splitlines()
              if line[:1] not in ('#', '')]
    assert counts == [str(count) for *_, count in EVENTS.values()]


# The last test, as it changes the tree
def test_qtest_fails_without_the_fix(build):
    git(build.tree, 'checkout', '-q', build.base, '--', 'accel', 'hw/core', 'hw/char', 'include')
    build.make()
    for name, said in (('q35-test', '== written'), ('qos-test', 'virtio'),
                       ('tcg-smc-test', '< hang')):
        done = build.qtest(name, *QTESTS[name])
        assert done.returncode and said in done.stdout, done.stdout
