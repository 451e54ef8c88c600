# SPDX-License-Identifier: GPL-2.0-only
"""The patches for QEMU, on the QEMU that they are for: they apply, and checkpatch finds nothing.
With QEMU_BUILD=1 in the environment it is built, its tests pass, and fail without the fixes."""
import os
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).parent.parent.parent
LAB = TOP / 'lab'
# The first test that needs the build waits for it.
pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.xdist_group('qemu'),
              pytest.mark.timeout(3600)]

# ACPI tables need all of CXL.
DEVICES = ('Q35 I440FX PXB PCIE_PORT CXL CXL_MEM_DEVICE VIRTIO_PCI VIRTIO_SERIAL VIRTIO_9P '
           'GENERIC_LOADER')
CONFIGURE = ('--target-list=x86_64-softmmu --without-default-features --without-default-devices '
             '--with-devices-x86_64=uncore --enable-tcg --enable-kvm --enable-fdt --enable-virtfs '
             '--enable-attr --enable-cap-ng --disable-docs --disable-install-blobs '
             '--disable-debug-info --disable-werror')
PROGRAMS = ('qemu-system-x86_64', 'tests/qtest/q35-test', 'tests/qtest/qos-test',
            'tests/qtest/tcg-smc-test')


def patches():
    return sorted((LAB / 'qemu-fixes').glob('0*.patch'))


@pytest.fixture(scope='module')
def source(tmp_path_factory):
    """The source of that version, and a commit of what the patches touch"""
    version = (LAB / 'qemu-fixes/version').read_text(encoding='ascii').strip()
    tree = tmp_path_factory.mktemp('qemu') / 'source'
    done = subprocess.run([TOP / 'scripts/apt-source', '-s', 'sid', f'qemu={version}', tree],
                          check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        pytest.skip(f'qemu {version} cannot be had: {done.stderr.strip().splitlines()[-1]}')
    touched = sorted({name for patch in patches()
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


def test_applies_and_checkpatch_finds_nothing(clean):
    git(clean, 'am', '-q', *patches())
    for patch in patches():
        done = subprocess.run(['perl', 'scripts/checkpatch.pl', '-q', '--strict', '--no-signoff',
                               patch], cwd=clean, check=False, stdout=subprocess.PIPE, text=True)
        assert (done.returncode, done.stdout) == (0, '')


class Build:
    """QEMU with the patches"""

    def __init__(self, tree, directory):
        self.tree, self.directory = tree, directory
        self.base = git(tree, 'rev-parse', 'HEAD').strip()
        self.binary = directory / 'qemu-system-x86_64'
        git(tree, 'am', '-q', *patches())
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
    'q35-test': ['-p', '/x86_64/q35/wakeup-keeps-memory'],
    'qos-test': ['-p', '/x86_64/pc/i440FX-pcihost/pci-bus-pc/pci-bus/virtio-serial-pci/'
                 'virtio-serial/virtio-serial-tests/open-waits-for-buffer'],
    'tcg-smc-test': [],
}


@pytest.mark.parametrize('name', QTESTS)
def test_qtest_passes(build, name):
    done = build.qtest(name, *QTESTS[name])
    assert done.returncode == 0 and re.search('^ok 1 ', done.stdout, re.M), done.stdout


# The last test, as it changes the tree
def test_qtest_fails_without_the_fix(build):
    git(build.tree, 'checkout', '-q', build.base, '--', 'accel', 'hw/core', 'hw/char', 'include')
    build.make()
    for name, said in (('q35-test', '== written'), ('qos-test', 'virtio'),
                       ('tcg-smc-test', '< hang')):
        done = build.qtest(name, *QTESTS[name])
        assert done.returncode and said in done.stdout, done.stdout
