# SPDX-License-Identifier: GPL-2.0-only
"""A kernel given by its path: missing options are named before the boot, wherever its configuration
is; it boots with its modules, and a driver is built for it. The user's kernel is a copy of
Debian's."""
import collections
import gzip
import re
import shutil
import struct
import subprocess

import pytest


class OwnKernel:
    """A kernel of the user, vmlinuz and its configuration, and what own-kernel says of others"""

    def __init__(self, debian, directory, run, script):
        self.debian, self.directory, self.script, self._run = debian, directory, script, run
        self.release = (debian / 'release').read_text().strip()
        self.config = directory / f'config-{self.release}'
        self.image = directory / 'vmlinuz'
        shutil.copy(debian / 'vmlinuz', self.image)
        shutil.copy(debian / f'boot/config-{self.release}', self.config)

    def run(self, *arguments):
        return self._run([self.script, *arguments])

    def make(self, image, modules='', *drivers):
        shutil.rmtree(self.directory / 'made', ignore_errors=True)
        return self.run(image, modules, self.directory / 'made', *drivers)

    def lacks(self, image, modules='', *drivers):
        """The one line with which it fails"""
        done = self.make(image, modules, *drivers)
        assert done.returncode == 1 and done.stdout.count('\n') == 1, done.stdout
        return done.stdout

    def fits(self, image, modules='', *drivers):
        """Whether it succeeds silently"""
        done = self.make(image, modules, *drivers)
        return (done.returncode, done.stdout) == (0, '') and (
            self.directory / 'made/release').read_text().strip() == self.release


@pytest.fixture
def own(kernel, tmp_path, run, top):
    return OwnKernel(kernel('6.1'), tmp_path, run, top / 'machine/xeon/vm/own-kernel')


Tree = collections.namedtuple('Tree', 'image config')


@pytest.fixture
def tree(own):
    """A build tree without modules, with .config"""
    image = own.directory / 'tree/arch/x86/boot/bzImage'
    image.parent.mkdir(parents=True)
    shutil.copy(own.image, image)
    config = own.directory / 'tree/.config'
    config.write_text(own.run('-c').stdout)
    return Tree(image, config)


def edit(path, pattern, text=''):
    path.write_text(re.sub(pattern, text, path.read_text(), flags=re.M))


def test_file_that_is_not_there(own):
    assert 'no such file' in own.lacks(own.directory / 'nothing')


def test_file_that_is_no_kernel(own):
    assert 'is no bzImage' in own.lacks(__file__)


@pytest.mark.parametrize('name', ['../../up', '../x', '/', '.', '.hidden', 'a;b', '', 'x*'])
def test_release_that_is_no_name_of_a_directory(own, name):
    image = bytearray(own.image.read_bytes())
    at = 0x200 + struct.unpack_from('<H', image, 0x20e)[0]
    image[at:at + len(name) + 2] = f'{name} \0'.encode()
    own.image.write_bytes(image)
    assert 'has no release of a kernel' in own.lacks(own.image)


def test_kernel_without_its_modules(own):
    assert re.search(r'lacks CONFIG_VIRTIO_PCI \(its module virtio_pci .*CONFIG_X86_MSR',
                     own.lacks(own.image))


def test_modules_of_another_kernel(own):
    assert f'has no lib/modules/{own.release}' in own.lacks(own.image, own.directory)


def test_kernel_with_its_modules_or_in_its_place_fits(own):
    assert own.fits(own.image, own.debian, '9p', 'intel_uncore')
    assert own.fits(own.image, own.debian / f'lib/modules/{own.release}')
    assert own.fits(own.debian / 'vmlinuz', '', '9p')


def test_option_that_is_off(own):
    edit(own.config, '^CONFIG_SERIAL_8250_CONSOLE=.*\n')
    assert 'lacks CONFIG_SERIAL_8250_CONSOLE:' in own.lacks(own.image, own.debian)


def test_build_tree_with_all_that_is_wanted_built_in_fits(own, tree):
    assert own.fits(tree.image, '', '9p', 'intel_uncore')


def test_option_is_needed_only_by_what_uses_it(own, tree):
    edit(tree.config, '^CONFIG_9P_FS=.*\n')
    assert 'lacks CONFIG_9P_FS:' in own.lacks(tree.image, '', '9p')
    assert own.fits(tree.image)


def test_kernel_for_two_processors(own, tree):
    edit(tree.config, '^CONFIG_NR_CPUS=.*', 'CONFIG_NR_CPUS=2')
    assert 'lacks CONFIG_NR_CPUS=16 or more:' in own.lacks(tree.image)


@pytest.mark.parametrize('program', ['gzip', 'xz', 'zstd'])
def test_configuration_in_the_image_counts(own, tree, top, program):
    edit(tree.config, '^CONFIG_9P_FS=.*\n')
    packed = b'IKCFG_ST' + gzip.compress(tree.config.read_bytes()) + b'IKCFG_ED'
    payload = subprocess.run([program, '-c'], check=True, stdout=subprocess.PIPE,
                             input=b'x' * 5000 + packed + b'y' * 5000).stdout
    head = bytearray(tree.image.read_bytes()[:0x10000])
    struct.pack_into('<II', head, 0x248, 0x10000 - (head[0x1f1] + 1) * 512, len(payload) + 4)
    tree.image.write_bytes(bytes(head) + payload + bytes(4))
    printed = subprocess.run([top / 'scripts/bzimage', '-c', tree.image], check=True,
                             stdout=subprocess.PIPE).stdout
    assert printed == tree.config.read_bytes()
    tree.config.unlink()
    own.config.unlink()
    assert 'lacks CONFIG_9P_FS:' in own.lacks(tree.image, '', '9p')


@pytest.mark.ci
def test_intel_uncore_built_in_has_all_processors(kernel, tmp_path, run, top, vm):
    # After 6.1, it counts CPUs to know how many CBos there are.
    newest, builtin = kernel('newest'), tmp_path / 'builtin'
    subprocess.run(['cp', '-rs', f'{newest}/.', builtin], check=True)
    names = builtin / 'lib/modules' / (newest / 'release').read_text().strip() / 'modules.builtin'
    text = names.read_text()
    names.unlink()
    names.write_text(text + 'kernel/arch/x86/events/intel/intel-uncore.ko\n')
    (builtin / 'ready').unlink()
    run([top / 'scripts/cache', 'seal', builtin / 'ready', 'builtin', '.'])
    assert vm('nproc', '-k', builtin).stdout.splitlines()[-1] == '16'


def test_boots_with_its_own_intel_uncore_and_extra(own, vm, tmp_path):
    (tmp_path / 'extra').mkdir()
    done = vm('''uname -r > /extra/release
        perf stat -x, -a --per-socket -e uncore_ha/event=0x1,umask=0x3/ -o /extra/stat \\
            uncore-stim ha event=1,umask=3,count=12''',
              '-k', own.image, '-K', own.debian, '-m', 'intel_uncore', '-e', tmp_path / 'extra')
    assert done.returncode == 0, done.stdout
    assert (tmp_path / 'extra/release').read_text() == f'{own.release}\n'
    assert re.search('^S0,1,12,', (tmp_path / 'extra/stat').read_text(), re.M)


EXAMPLE = '-m', 'ha_example', '-b'


@pytest.mark.ci
def test_driver_is_built_for_it(own, vm, top):
    done = vm('ls -d /sys/bus/event_source/devices/ha_example', '-k', own.debian / 'vmlinuz',
              *EXAMPLE, top / 'machine/xeon/example')
    assert done.returncode == 0, done.stdout


def test_driver_needs_a_build_directory(own, vm, top):
    done = vm('true', '-k', own.image, '-K', own.debian, *EXAMPLE, top / 'machine/xeon/example')
    assert done.returncode == 125 and done.stdout.count('\n') == 1
    assert 'has no module ha_example, and is not in a build directory' in done.stdout
