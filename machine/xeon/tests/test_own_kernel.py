# SPDX-License-Identifier: GPL-2.0-only
"""A kernel given by its path: missing options are named before the boot, wherever its configuration
is; it boots with its modules, and a driver is built for it. The user's kernel is a copy of
Debian's."""
import collections
import gzip
import lzma
import os
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


def test_kernel_that_lacks_something(own):
    assert 'no such file' in own.lacks(own.directory / 'nothing')
    assert 'is no bzImage' in own.lacks(__file__)
    assert re.search(r'lacks CONFIG_VIRTIO_PCI \(its module virtio_pci .*CONFIG_X86_MSR',
                     own.lacks(own.image))
    assert f'has no lib/modules/{own.release}' in own.lacks(own.image, own.directory)
    edit(own.config, '^CONFIG_SERIAL_8250_CONSOLE=.*\n')
    assert 'lacks CONFIG_SERIAL_8250_CONSOLE:' in own.lacks(own.image, own.debian)


@pytest.mark.parametrize('name', ['../../up', '../x', '/', '.', '.hidden', 'a;b', '', 'x*'])
def test_release_that_is_no_name_of_a_directory(own, name):
    image = bytearray(own.image.read_bytes())
    at = 0x200 + struct.unpack_from('<H', image, 0x20e)[0]
    image[at:at + len(name) + 2] = f'{name} \0'.encode()
    own.image.write_bytes(image)
    assert 'has no release of a kernel' in own.lacks(own.image)


def test_special_file_among_the_modules(own, tmp_path):
    modules = tmp_path / 'lib/modules' / own.release
    modules.mkdir(parents=True)
    os.mkfifo(modules / 'modules.dep.bin')
    assert 'modules.* is no regular file' in own.lacks(own.image, tmp_path)


def test_kernel_with_its_modules_or_in_its_place_fits(own):
    assert own.fits(own.image, own.debian, '9p', 'intel_uncore')
    assert own.fits(own.image, own.debian / f'lib/modules/{own.release}')
    assert own.fits(own.debian / 'vmlinuz', '', '9p')


def test_build_tree_fits_with_all_that_is_wanted_built_in(own, tree):
    assert own.fits(tree.image, '', '9p', 'intel_uncore')
    edit(tree.config, '^CONFIG_9P_FS=.*\n')
    assert 'lacks CONFIG_9P_FS:' in own.lacks(tree.image, '', '9p')
    # An option is needed only by what uses it.
    assert own.fits(tree.image)
    edit(tree.config, '^CONFIG_NR_CPUS=.*', 'CONFIG_NR_CPUS=2')
    assert 'lacks CONFIG_NR_CPUS=16 or more:' in own.lacks(tree.image)
    edit(tree.config, '^CONFIG_NR_CPUS=.*', 'CONFIG_NR_CPUS=16')
    assert own.fits(tree.image)


@pytest.mark.parametrize('program', ['gzip', 'xz', 'zstd', 'bzip2', 'lzma'])
def test_configuration_in_the_image_counts(own, tree, top, program):
    edit(tree.config, '^CONFIG_9P_FS=.*\n')
    packed = b'IKCFG_ST' + gzip.compress(tree.config.read_bytes()) + b'IKCFG_ED'
    payload = subprocess.run([program, '-c'], check=True, stdout=subprocess.PIPE,
                             input=b'x' * 5000 + packed + b'y' * 5000).stdout
    head = bytearray(tree.image.read_bytes()[:0x10000])
    # Four sectors, as ancient boot loaders have them
    head[0x1f1] *= program != 'xz'
    struct.pack_into('<II', head, 0x248, 0x10000 - ((head[0x1f1] or 4) + 1) * 512,
                     len(payload) + 4)
    tree.image.write_bytes(bytes(head) + payload + bytes(4))
    printed = subprocess.run([top / 'scripts/bzimage', '-c', tree.image], check=True,
                             stdout=subprocess.PIPE).stdout
    assert printed == tree.config.read_bytes()
    tree.config.unlink()
    own.config.unlink()
    assert 'lacks CONFIG_9P_FS:' in own.lacks(tree.image, '', '9p')


@pytest.mark.ci
def test_intel_uncore_built_in_has_all_processors(kernel, tmp_path, vm):
    # After 6.1, it counts CPUs to know how many CBos there are.
    newest, builtin = kernel('newest'), tmp_path / 'builtin'
    subprocess.run(['cp', '-rs', f'{newest}/.', builtin], check=True)
    names = builtin / 'lib/modules' / (newest / 'release').read_text().strip() / 'modules.builtin'
    text = names.read_text()
    names.unlink()
    names.write_text(text + 'kernel/arch/x86/events/intel/intel-uncore.ko\n')
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
def test_driver_is_built_in_the_build_directory_that_b_names(own, vm, top):
    done = vm('ls -d /sys/bus/event_source/devices/ha_example', '-k', own.image, '-K', own.debian,
              '-b', own.debian / 'build', *EXAMPLE, top / 'machine/xeon/example')
    assert done.returncode == 0, done.stdout


def test_makefile_beside_the_modules_is_never_run(own, vm, top, tmp_path):
    modules = tmp_path / 'lib/modules' / own.release
    shutil.copytree(own.debian / 'lib/modules' / own.release, modules, symlinks=True)
    (modules / 'build').mkdir()
    (modules / 'build/Module.symvers').write_text('')
    (modules / 'build/Makefile').write_text(f'modules:\n\ttouch {tmp_path}/ran; false\n')
    done = vm('true', '-k', own.image, '-K', tmp_path, *EXAMPLE, top / 'machine/xeon/example')
    assert done.returncode == 125 and done.stdout.count('\n') == 1, done.stdout
    assert 'has no module ha_example, and -b names no build directory' in done.stdout
    assert not (tmp_path / 'ran').exists()


class Hostile:
    """A kernel's modules whose index names any path, and what guest-modules copies of them"""

    def __init__(self, directory, run, script):
        self.directory, self._run, self.script = directory, run, script
        self.modules = directory / 'kernel/lib/modules/R'
        self.modules.mkdir(parents=True)
        (directory / 'kernel/release').write_text('R\n')
        for name in 'dep', 'order', 'builtin', 'builtin.modinfo', 'msr.ko', 'd/deep.ko.xz':
            file = self.modules / (name if '.ko' in name else f'modules.{name}')
            file.parent.mkdir(exist_ok=True)
            file.write_text(f'list {name}')
        (self.modules / 'd/deep.ko.xz').write_bytes(lzma.compress(b'list deep'))
        (directory / 'secret').write_text('secret')
        (directory / 'other.ko').write_text('list other')

    def copy(self, *paths):
        """What guest-modules says, of an index that names these paths; the guest's files"""
        value = f'{paths[0]}: {" ".join(paths[1:])}'.encode() + b'\0'
        (self.modules / 'modules.dep.bin').write_bytes(
            struct.pack('>III', 0xB007F457, 0x00020001, 12 | 0xC0000000) + b'msr\0' +
            struct.pack('>II', 1, 0) + value)
        root = self.directory / 'root'
        shutil.rmtree(root, ignore_errors=True)
        before = self.outside(root)
        done = self._run([self.script, self.directory / 'kernel', root])
        assert self.outside(root) == before, paths
        files = {str(path.relative_to(root / 'lib/modules/R')): path.read_text()
                 for path in root.rglob('*') if path.is_file()}
        assert all(text.startswith('list ') for text in files.values()), paths
        return done, files

    def outside(self, root):
        return {str(path): path.lstat().st_mtime_ns for path in self.directory.rglob('*')
                if root not in (path, *path.parents)}


@pytest.fixture
def hostile(tmp_path, run, top):
    return Hostile(tmp_path, run, top / 'machine/xeon/vm/guest-modules')


@pytest.mark.parametrize('path, link, reason', [
    ('../../../../secret', None, 'names a file that is not below lib/modules/R'),
    ('{0}/secret', None, 'names a file that is not below lib/modules/R'),
    ('L/../../written', 'd', 'names a file that is not below lib/modules/R'),
    ('m\x1b.ko', None, 'names a file that is not below lib/modules/R'),
    ('L/secret', '../../../..', 'leads to what is no module'),
    ('L', '/dev/zero', 'leads to what is no module'),
    ('L.ko', '../../../../none.ko', 'is no regular file')])
def test_path_in_modules_dep_is_refused(hostile, path, link, reason):
    path = path.format(hostile.directory)
    if link:
        (hostile.modules / path.split('/')[0]).symlink_to(link)
    done, _ = hostile.copy(path)
    assert done.returncode == 1 and done.stdout.count('\n') == 1, done.stdout
    assert reason in done.stdout and '\x1b' not in done.stdout


def test_list_of_modules_that_is_a_link_is_refused(hostile):
    (hostile.modules / 'modules.builtin').unlink()
    (hostile.modules / 'modules.builtin').symlink_to(hostile.directory / 'secret')
    assert 'leads to what is no module' in hostile.copy('msr.ko')[0].stdout


def test_module_of_another_directory_is_copied_by_its_link(hostile):
    (hostile.modules / 'weak.ko').symlink_to(hostile.directory / 'other.ko')
    files = hostile.copy('weak.ko', 'd/deep.ko.xz')[1]
    assert files['weak.ko'] == 'list other' and files['d/deep.ko'] == 'list deep'


@pytest.mark.ci
def test_drawn_modules_dep_never_leaves_the_guest_root(hostile, draw):
    words = ['..', '', '.', 'd', 'L', 'M', 'msr.ko', 'deep.ko.xz', 'secret', 'other.ko', ' ', '\n',
             str(hostile.directory), 'a' * 200, 'lib/modules/R', '\t-x', '$(id)', '\x1b[m', '%s']
    for name, target in ('L', 'd'), ('M', '../../../..'):
        (hostile.modules / name).symlink_to(target)
    counts = collections.Counter()
    for chance in draw():
        done, _ = hostile.copy(*(
            chance.choice(['msr.ko', 'L/deep.ko.xz',
                           '/'.join(chance.choices(words, k=chance.randint(1, 5)))])
            for _ in range(chance.randint(1, 3))))
        counts[done.returncode] += 1
        assert done.returncode in (0, 1) and not re.search('[\x00-\x09\x0b-\x1f]', done.stdout)
    assert counts[0] and counts[1]
