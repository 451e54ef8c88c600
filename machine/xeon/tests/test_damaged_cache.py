# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command makes anew what is damaged in the cache, or says which file is, and the next one
works. The copy has a small package of its own in place of Debian's kernel."""
import os
import pathlib
import subprocess
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.seconds(5), pytest.mark.xdist_group('damaged cache')]
CONTROL = '''Package: linux-image
Version: 1
Architecture: amd64
Maintainer: a test
Description: a kernel
'''
# Downloads are that package, and a build of QEMU is a copy.
FAKES = {
    'apt-get': '''case " $* " in
*' download '*) exec cp "$TEST_DIR/kernel.deb" . ;;
*' source '*) mkdir -p tree && : > x.dsc ;;
*) exec /usr/bin/apt-get "$@" ;;
esac''',
    'dpkg-source': '''for tree; do :; done
mkdir -p "$tree" && echo source > "$tree/source"
printf '#!/bin/sh\\n: > build.ninja\\n' > "$tree/configure" && chmod +x "$tree/configure"''',
    'patch': 'exit 0',
    'ninja': 'exec cp "$TEST_QEMU" "$2/qemu-system-x86_64"'}
HOW = 'cut', 'emptied', 'gone', 'of games', 'of tomorrow'
LISTS = 'apt/bookworm-deb'
# Patterns of files in the copy, and how each is damaged. Lists are fetched again: once is enough.
DAMAGE = [*((pattern, how) for pattern in (
    'kernel/[0-9]*/vmlinux', 'kernel/[0-9]*/release', 'kernel/[0-9]*/ready',
    'kernel/[0-9]*/lib/modules/*/modules.order', 'initramfs/*[0-9a-f]', 'initramfs/*.ready',
    'qemu/bin/*[0-9a-f]', 'qemu/bin/*.ready', 'qemu/tree-*/source',
    'qemu/tree-*/build/qemu-system-x86_64') for how in HOW),
          # Nothing looks at its date.
          *(('kernel/current-6.1', how) for how in HOW[:-1]),
          (f'{LISTS}/lists/*_bookworm_main*_Packages*', 'emptied'),
          (f'{LISTS}/lists/*-updates_main*_Packages*', 'of games'),
          (f'{LISTS}/lists/*-security_main*_Packages*', 'of tomorrow'),
          (f'{LISTS}/stamp', 'cut'), (f'{LISTS}/ready', 'emptied')]


class Copy:
    """A cache with a kernel, an initramfs and QEMU, and commands that use it"""

    def __init__(self, top, directory, environment):
        self.top, self.path, self.environment = top, directory / 'cache', environment

    def use(self, script, *arguments):
        return subprocess.run([self.top / script, *arguments], env=self.environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding='utf-8')

    def machine(self, *options):
        return self.use('machine/xeon/vm/vm', *options, '--', 'echo hello')

    def make(self):
        """All that a machine needs"""
        for script, *arguments in (('scripts/kernel', '6.1'), (
                'machine/xeon/vm/initramfs', 'bookworm'), ('machine/xeon/qemu/build.sh',)):
            done = self.use(script, *arguments)
            assert done.returncode == 0, done.stderr

    def file(self, pattern):
        path, = self.path.glob(pattern)
        return path

    def contents(self):
        """What has to be as it was; an archive has the time at which it was made"""
        script = '''cpio -t --quiet < "$1" | sort
            find kernel/[0-9]* qemu/bin apt/*/lists apt/*/sources.list -type f ! -name ready \\
                ! -name '*.ready' -exec sha256sum {} + | sort
            find . -newermt '1 hour' ! -path '*/lock/*' ! -path '*/log/*' '''
        return subprocess.run(['sh', '-euc', script, 'sh', self.file('initramfs/*[0-9a-f]')],
                              cwd=self.path, check=True, stdout=subprocess.PIPE).stdout


@pytest.fixture(scope='module')
def copy(top, kernel, output, shell, run, tmp_path_factory):
    """Copy(), complete; .before has its contents"""
    directory = tmp_path_factory.mktemp('damage')
    linux, qemu = kernel('6.1'), output('machine/xeon/qemu/build.sh')
    release = (linux / 'release').read_text().strip()
    package = directory / 'package'
    headers = package / f'usr/src/linux-headers-{release}'
    for made in package / 'boot', package / 'DEBIAN', headers, directory / 'bin', \
            directory / 'cache/apt':
        made.mkdir(parents=True)
    cache = pathlib.Path(run([*shell, 'echo "$CACHE"']).stdout.strip())
    for command in (['cp', linux / f'boot/vmlinuz-{release}', package / 'boot'],
                    [top / 'machine/xeon/vm/guest-modules', linux, package],
                    ['cp', '-a', cache / LISTS, directory / 'cache/apt']):
        subprocess.run(command, check=True)
    (headers / 'Makefile').write_text('# Headers of /usr/src/linux\n')
    (package / 'DEBIAN/control').write_text(CONTROL)
    subprocess.run(['dpkg-deb', '-Znone', '-b', package, directory / 'kernel.deb'], check=True)
    for name, script in FAKES.items():
        (directory / 'bin' / name).write_text(f'#!/bin/sh\n{script}\n')
        (directory / 'bin' / name).chmod(0o755)
    copy = Copy(top, directory, os.environ | {
        'PATH': f'{directory}/bin:{os.environ["PATH"]}', 'SNBEP_CACHE': str(directory / 'cache'),
        'TEST_DIR': str(directory), 'TEST_QEMU': qemu})
    assert copy.machine().stdout == 'hello\n'
    copy.make()
    assert copy.file('qemu/bin/*[0-9a-f]').read_bytes() == pathlib.Path(qemu).read_bytes()
    copy.before = copy.contents()
    return copy


@pytest.mark.parametrize('pattern, how', DAMAGE)
def test_damaged_file_is_made_anew(copy, as_root, pattern, how):
    path = copy.file(pattern)
    if how == 'cut':
        os.truncate(path, path.stat().st_size // 2)
    elif how == 'emptied':
        os.truncate(path, 0)
    elif how == 'gone':
        path.unlink()
    elif how == 'of games':
        as_root('chown', 'games', path)
    else:
        os.utime(path, (time.time() + 86400,) * 2)
    if pattern.startswith('qemu/tree'):
        # What is made at need is right when it is there again.
        copy.file('qemu/bin/*.ready').unlink()
    copy.make()
    assert copy.contents() == copy.before
    assert copy.file(pattern).stat().st_uid == os.geteuid()


@pytest.mark.parametrize('pattern, at, size', [
    ('kernel/[0-9]*/vmlinux', 1 / 3, 1 << 21), ('initramfs/*[0-9a-f]', 0, 64),
    ('qemu/bin/*[0-9a-f]', 0, 1 << 21)], ids=['kernel', 'initramfs', 'QEMU'])
def test_machine_that_does_not_start_names_the_damaged_file_and_the_next_one_starts(
        copy, pattern, at, size):
    path = copy.file(pattern)
    was = path.stat()
    with path.open('r+b') as file:
        file.seek(int(was.st_size * at))
        file.write(bytes(size))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    done = copy.machine('-t', '60')
    assert done.returncode == 125, done.stderr
    assert f'cache: {path} is damaged: it has other contents\n' in done.stderr
    assert 'try again' in done.stderr and 'make clean-cache' in done.stderr
    assert copy.machine().stdout == 'hello\n'
