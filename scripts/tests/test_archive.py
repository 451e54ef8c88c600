# SPDX-License-Identifier: GPL-2.0-only
"""Kernels, sources and roots are made of a small archive's packages, once, and whole or not."""
import gzip
import os
import re
import shutil
import struct
import subprocess
import tarfile

import pytest

# Of all packages, an installation takes those that are asked for and libraries.
SUITE_APT = r'''#!/bin/bash
work=$PWD
cd "$(dirname "$0")/../archive" && echo "$*" >> asked
[[ "$* " =~ ^(-[st]\ )?(bookworm|bullseye|trixie|sid)\  ]] || exit 9
case "$*" in
-t*) cat stamp ;;
*search*) ls *.deb | sed 's/_.*//' | grep -E -e "${!#}" | sed 's/$/ - text/' ;;
*showsrc*) [ "${!#}" = libpfm4 ] && printf 'Package: x\nVersion: %s\n' 1.9 1.10 1.2 ;;
*' source '*) version=${!##*=} && cp libpfm4_$version* "$work" ;;
*' install '*) for name in "${@:6}" $(ls | grep -E '^(lib|linux-kbuild|perl).*deb'); do
    name=${name%_1.0.deb}
    [ -e "${name%=*}_1.0.deb" ] || ! echo "E: no $name" || exit 100
    echo "Inst ${name%=*} (1.0 x [amd64])"
  done ;;
*' download '*) for name in "${@:4}"; do cp "${name/=/_}.deb" "$work" || exit; done ;;
esac
'''
MAKE = r'''#!/bin/sh
[ "$KCSAN_SANITIZE" = n ] || exit
for word; do case $word in
O=*) o=${word#O=} ;;
KCONFIG_ALLCONFIG=*) grep -v LOST "${word#*=}" > "$o/.config" ;;
INSTALL_MOD_PATH=*) cd "${word#*=}" && mkdir -p lib/modules/1.0 && ln -s x lib/modules/1.0/build ;;
*Image) mkdir -p "$o/include/config" "$o/arch/x86/boot"
    echo 1.0 > "$o/include/config/kernel.release"; echo "$*" > "$o/arch/x86/boot/bzImage" ;;
esac; done
'''
ELF = b'\x7fELF' + os.urandom(1000)
RELEASE = '6.1.0-10-amd64'
HEADERS = f'usr/src/linux-headers-{RELEASE}'


class Archive:
    """Packages, and a copy of scripts/ with a suite-apt that has them"""

    def __init__(self, top, directory, run):
        self.scripts = shutil.copytree(top / 'scripts', directory / 'scripts')
        self.place, self.cache, self.call = directory / 'archive', directory / 'cache', run
        self.place.mkdir()
        self.replace('suite-apt', SUITE_APT)
        self.write('stamp', '1\n')

    def replace(self, script, text):
        (self.scripts / script).write_text(text)

    def write(self, path, content):
        path = self.place / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o755)

    def add(self, name, **files):
        control = f'Package: {name}\nVersion: 1.0\nArchitecture: amd64\nMaintainer: x <x@y>\n'
        shutil.rmtree(self.place / 'deb', ignore_errors=True)
        for path, content in {'DEBIAN/control': control + 'Description: x\n', **files}.items():
            self.write(f'deb/{path}', content)
        subprocess.run(['dpkg-deb', '-Znone', '-b', 'deb', f'{name}_1.0.deb'], cwd=self.place,
                       check=True, stdout=subprocess.DEVNULL)

    def run(self, script, *arguments, status=0):
        """The last line of a script, and what it asked the archive for but the stamp"""
        (self.place / 'asked').write_text('')
        done = self.call([self.scripts / script, *arguments])
        assert done.returncode == status, done.stdout
        asked = [line for line in (self.place / 'asked').read_text().splitlines()
                 if not line.startswith('-t')]
        return ''.join(done.stdout.splitlines()[-1:]), asked


@pytest.fixture
def archive(top, tmp_path, run, monkeypatch):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    # A make check that fills the cache has it.
    monkeypatch.delenv('SNBEP_FILLING', raising=False)
    return Archive(top, tmp_path, run)


def image():
    """A bzImage: one sector of setup, and the kernel"""
    packed = gzip.compress(ELF, mtime=0)
    head = bytearray(1024)
    head[0x1f1], head[0x202:0x206] = 1, b'HdrS'
    struct.pack_into('<H', head, 0x20e, 0x100)
    struct.pack_into('<II', head, 0x248, 0, len(packed))
    return bytes(head) + packed


@pytest.mark.parametrize('foreign', [False, True])
def test_kernel_has_all_that_it_promises_and_is_made_once(archive, shell, foreign):
    suite = 'bullseye' if foreign else archive.call([*shell, 'host_suite']).stdout.strip()
    for name in '9', '10', '12':
        archive.add(f'linux-image-6.1.0-{name}-amd64', **{
            f'boot/vmlinuz-6.1.0-{name}-amd64' if foreign else
            f'usr/lib/modules/6.1.0-{name}-amd64/vmlinuz': image(),
            f'lib/modules/6.1.0-{name}-amd64/build': '', 'usr/share/doc/x': ''})
    for name in '9', '10', '11':
        archive.add(f'linux-headers-6.1.0-{name}-amd64', **{
            f'usr/src/linux-headers-6.1.0-{name}-amd64/{path}': text for path, text in {
                'Makefile': 'include /usr/src/linux-headers-6.1.0-10-common/Makefile\n',
                '.kernelvariables': 'CC = $(CROSS_COMPILE)gcc-12\n'}.items()})
    for name in 'image', 'headers':
        archive.add(f'linux-{name}-6.1.0-99-amd64-dbg')
    archive.add('linux-kbuild-6.1', **{'usr/lib/linux-kbuild-6.1/tool': ''})
    archive.add('libc6', **{'usr/lib/libc.so.6': ''})
    archive.replace('suite-root', 'echo "$*" >> "$(dirname "$0")/../archive/asked"; echo /tools')
    row = fr'6.1 {suite} 6\.1\.0-[0-9]+ linux-source-6\.1'
    archive.replace('kernels', f'{row}\n')
    path, asked = archive.run('kernel', '6.1')
    made = archive.cache / 'kernel' / os.path.basename(path)
    assert str(made) == path and made.name.startswith(f'{RELEASE}_1.0-')
    assert [(made / name).read_text() for name in ('release', 'suite')] == [
        f'{RELEASE}\n', f'{suite}\n']
    assert (made / 'vmlinux').read_bytes() == ELF and (made / 'vmlinuz').read_bytes() == image()
    assert (made / 'build/.kernelvariables').samefile(made / HEADERS / '.kernelvariables')
    makefile = ['export PATH := /tools/usr/bin:$(PATH)'] * foreign + [
        f'include {made}/usr/src/linux-headers-6.1.0-10-common/Makefile']
    assert (made / 'build/Makefile').read_text().splitlines() == makefile
    tools = f'-x {suite} gcc-12 binutils linux-kbuild-6.1'
    assert (tools in asked) == foreign == (made / 'lib/linux-kbuild-6.1').is_symlink()
    assert foreign or (made / 'lib/linux-kbuild-6.1/tool').exists()
    assert (made / f'lib/modules/{RELEASE}/modules.dep').exists()
    assert not any((made / name).exists() for name in (
        f'lib/modules/{RELEASE}/build', 'usr/share', 'lib/libc.so.6'))
    assert archive.run('kernel', '6.1') == archive.run('kernel', path) == (path, [])
    # What is newer is looked for, and no second one made of the same packages.
    archive.write('stamp', '2\n')
    again, asked = archive.run('kernel', '6.1')
    assert again == path and asked and not any('download' in line for line in asked)
    # Of newest, another one stands in for what has gone, and newer is none that newest is.
    for newest, newer, seen in (9, '[0-9]+', (9, 10)), (7, '[0-9]+', (10, 10)), (9, 9, (9, None)):
        archive.replace('kernels', f'newest {suite} 6.1.0-{newest} x\n'
                        f'newer {suite} 6.1.0-{newer} x\n')
        for name, number in zip(('newest', 'newer'), seen):
            got = archive.run('kernel', name, status=0 if number else 4)[0]
            assert f'/6.1.0-{number}-amd64_1.0-' in got if number else \
                got == f'kernel: {suite} has no kernel newer'
    archive.replace('kernels', f'{row}\n')
    for status, said in (4, path), (1, ''):
        archive.replace('suite-apt', f'exit {status}')
        assert archive.run('kernel', '6.1', status=status % 4)[0] == said


def test_debug_kernel_is_built_for_its_configuration_which_is_not_lost(archive, monkeypatch):
    archive.replace('linux-source', 'echo /src')
    archive.replace('setup', ':')
    archive.write('make', MAKE)
    monkeypatch.setenv('PATH', f'{archive.place}:{os.environ["PATH"]}')
    archive.replace('checked.config', 'CONFIG_A="x"\n# Z\n')
    seen = []
    for config in 'CONFIG_B=y\nCONFIG_LOST=n\n', 'CONFIG_B=n\n', 'CONFIG_B=n\nCONFIG_LOST=y\n':
        archive.replace('kcsan.config', config)
        if 'LOST=y' not in config:
            seen.append(archive.run('kernel', 'kcsan')[0])
            made = archive.cache / seen[-1]
            assert f'-C /src O={made}.new/build -j2 bzImage modules' in (
                made / 'vmlinuz').read_text()
            assert (made / 'release').read_text() == '1.0\n'
            assert os.listdir(made / 'lib/modules/1.0') == []
            assert (made / 'build/.config').read_text().startswith('CONFIG_A="x"\n# Z\nCONFIG_B=')
    assert seen[0] != seen[1] and archive.run('kernel', 'kcsan', status=1)[0] == (
        'checked-kernel: kcsan.config asks for what this kernel cannot have: CONFIG_LOST=y')
    archive.write('make', 'exit 1')
    archive.replace('kcsan.config', 'CONFIG_B=n\n')
    assert archive.run('kernel', 'kcsan')[0] == seen[1]
    assert archive.run('kernel', 'debug', status=1)[0].startswith('checked-kernel: failed: make ')


def test_cache_is_filled_and_checks_run_in_time(archive, monkeypatch):
    for name in 'kernel', 'suite-root', 'linux-source', 'libpfm4', 'guard':
        archive.replace(name, f"""cd "$(dirname "$0")/../archive"
            echo "{name} ${{SNBEP_FILLING:-}} $*" >> asked; echo "$PWD/k" """)
    archive.write('k/suite', 'trixie')
    assert sorted(archive.run('fetch')[1]) == [
        'kernel  5.10', 'kernel  newest', 'libpfm4  ', 'linux-source  6.1 tools',
        'linux-source  newest tools', *['suite-root  trixie linux-perf'] * 2]
    monkeypatch.setenv('PATH', f'{archive.place}:{os.environ["PATH"]}')
    for words, filling, processors, jobs in (
            (['-m', 'quick'], 'yes', 1, 2), (['-m', 'quick', 'x'], '', 2, 3), ([], '', 64, 4),
            ([], '', 3, 4), ([], '', 7, 7)):
        archive.write('nproc', f'#!/bin/sh\necho {processors}\n')
        monkeypatch.setenv('JOBS', '7' * (jobs == 7))
        asked = archive.run('check', *words)[1]
        assert asked[0].startswith(f'guard {filling} ') and re.search(
            f' -n {jobs} --dist loadgroup --junitxml=.*/build/check/results.xml$',
            asked[-1].removesuffix(' '.join(['', *words])))


@pytest.fixture
def linux(archive):
    """An archive with a source of Linux"""
    tree = archive.place / 'linux-source-6.1'
    for path in 'Makefile', 'arch/x86/a', 'drivers/perf/b', 'kernel/drivers/c', 'fs/d':
        archive.write(tree / path, path)
    with tarfile.open(archive.place / 'tar.xz', 'w:xz') as tar:
        tar.add(tree, tree.name)
    archive.tarball = (archive.place / 'tar.xz').read_bytes()
    archive.add('linux-source-6.1', **{'usr/src/linux-source-6.1.tar.xz': archive.tarball})
    for name in 'a-linux-source-6.1', 'linux-source-6.1-rt':
        archive.add(name)
    archive.replace('kernels', '6.1 bookworm x linux-source-6\\.1\n')
    return archive


@pytest.mark.parametrize('paths, name', [
    ([], 'whole'), (['arch', 'kernel/drivers'], 'part'), (['arch', 'drivers/perf'], 'whole')])
def test_source_is_downloaded_once_and_has_what_is_asked_for(linux, paths, name):
    assert linux.run('linux-source', '-v', '6.1')[0] == 'linux-source-6.1 1.0'
    path, asked = linux.run('linux-source', '6.1', *paths)
    assert path == f'{linux.cache}/linux-source-6.1/1.0/{name}' and len(asked) == 1
    found = {str(file.relative_to(path)) for file in (linux.cache / path).rglob('*')
             if file.is_file()}
    assert found == {'Makefile', 'arch/x86/a', 'kernel/drivers/c'} | (
        {'drivers/perf/b', 'fs/d'} if name == 'whole' else set())
    assert linux.run('linux-source', '6.1', 'arch') == (path, [])
    assert sorted(os.listdir(f'{linux.cache}/linux-source-6.1/1.0')) == sorted(['tarball', name])


def test_source_that_has_gone_has_a_status_of_its_own_and_newest_a_stand_in(linux):
    linux.replace('kernels', ''.join(f'{row}\n' for row in (
        '6.1 bookworm x linux-source-6.0', 'newest bookworm x linux-source-6.0',
        'newer bookworm x linux-source-[0-9.]+')))
    linux.add('linux-source-5.9')
    gone = 'linux-source: bookworm has no linux-source-6.0'
    assert linux.run('linux-source', '-v', '6.1', status=4)[0] == gone
    # Without the archive, what the cache has is used. A network that is down is no such archive.
    said = linux.run('linux-source', '-v', 'newest')[0]
    assert said == 'linux-source-6.1 1.0'
    for status in 1, 4:
        linux.replace('suite-apt', f'exit {status}')
        assert linux.run('linux-source', '-v', 'newest')[0] == said
        linux.run('linux-source', '-v', '6.1', status=status)


@pytest.mark.parametrize('of_package, said, left', [
    (False, '/tarball cannot be unpacked: xz: ', ['tarball']),
    (True, 'linux-source: linux-source-6.1_1.0.deb cannot be unpacked: .*(tar|dpkg-deb)', [])])
def test_damaged_source_is_named_and_not_taken_for_whole(linux, of_package, said, left):
    linux.add('linux-source-6.1', **{
        'usr/src/linux-source-6.1.tar.xz': linux.tarball[:-30] + bytes(30)})
    if of_package:
        os.truncate(linux.place / 'linux-source-6.1_1.0.deb', 900)
    assert re.search(said, linux.run('linux-source', '6.1', status=1)[0])
    assert os.listdir(linux.cache / 'linux-source-6.1/1.0') == left
    assert os.listdir(linux.cache / 'tmp') == []


@pytest.mark.parametrize('execute', [[], ['-x']])
def test_root_of_a_suite_runs_its_programs_with_its_libraries(archive, shell, tmp_path, execute):
    libs = 'usr/lib/x86_64-linux-gnu'
    archive.add('libc6', **{f'{libs}/{name}': open(f'/{libs}/{name}', 'rb').read() for name in (
        'ld-linux-x86-64.so.2', 'libc.so.6')})
    archive.add('coreutils', **{'bin/true': open('/bin/true', 'rb').read(),
                                'usr/share/doc/x': '', 'usr/share/y': '',
                                'usr/bin/script': '#!/bin/sh\n# ld-linux-x86-64.so.2\n'})
    for name in 'perl-base', 'libpython3-x':
        archive.add(name, **{f'usr/{name}': ''})
    path, _ = archive.run('suite-root', *execute, 'bookworm', 'coreutils')
    root = archive.cache / path
    assert sorted(os.listdir(root / 'usr')) == ['bin', 'lib', 'lib64', 'sbin', 'share']
    assert os.listdir(root / 'usr/share') == ['y']
    assert (root / 'lib64/ld-linux-x86-64.so.2').samefile(root / libs / 'ld-linux-x86-64.so.2')
    listed = archive.call(['ldd', root / 'bin/true']).stdout
    program = archive.call(['readelf', '-lW', root / 'bin/true']).stdout
    assert (f'{root}/{libs}/libc.so.6' in listed) == (f'{root}/{libs}/ld-linux' in program) == \
        bool(execute)
    assert archive.call([root / 'bin/true']).returncode == 0
    for copy, source in {'a': root, 'b': ''}.items():
        archive.call([*shell, 'copy_programs "$@"', source, tmp_path / copy, 'bin/true'])
        assert {'true', 'libc.so.6', 'ld-linux-x86-64.so.2'} == {
            file.name for file in (tmp_path / copy).rglob('*') if file.is_file()}
        assert (tmp_path / copy / 'lib64/ld-linux-x86-64.so.2').exists()
    assert archive.run('suite-root', *execute, 'bookworm', 'coreutils') == (path, [])
    shutil.rmtree(path)
    assert archive.run('suite-root', *execute, 'bookworm', 'coreutils')[0] == path
    assert os.path.exists(path)
    other = archive.run('suite-root', *({'-x'} - {*execute}), 'bookworm', 'coreutils')[0]
    assert other != path and archive.run('suite-root', 'bookworm', 'no', status=1)[0] == \
        'suite-root: bookworm: E: no no'


def test_source_package_is_the_newest_or_the_version_that_is_asked_for(archive, tmp_path):
    for version in '1.9', '1.10':
        for name, text in {
                'control': 'Source: libpfm4\nMaintainer: x <x@y>\n\nPackage: x\n'
                           'Architecture: all\nDescription: x\n',
                'changelog': f'libpfm4 ({version}) x; urgency=low\n\n  * x\n\n'
                             ' -- x <x@y>  Thu, 01 Jan 2026 00:00:00 +0000\n',
                'source/format': '3.0 (native)\n'}.items():
            archive.write(f'tree/debian/{name}', text)
        subprocess.run(['dpkg-source', '-b', 'tree'], cwd=archive.place, check=True,
                       stdout=subprocess.DEVNULL)
    assert archive.run('apt-source', '-v', 'libpfm4')[0] == '1.10'
    for wanted, version in ('libpfm4', '1.10'), ('libpfm4=1.9', '1.9'):
        asked = archive.run('apt-source', '-s', 'sid', wanted, tmp_path / f'{wanted}/new')[1]
        assert f'({version})' in (tmp_path / f'{wanted}/new/debian/changelog').read_text()
        assert all(line.startswith('-s sid ') for line in asked)
    for wanted, directory, said in (
            ('libpfm4=1.3', 'x', "Debian's mirrors have no libpfm4 1.3; the newest is 1.10"),
            ('none', 'x', 'bookworm has no source package none'),
            ('libpfm4', 'libpfm4', f'{tmp_path}/libpfm4 is not empty')):
        assert archive.run('apt-source', wanted, tmp_path / directory, status=1)[0] == \
            f'apt-source: {said}'
    path, asked = archive.run('libpfm4')
    assert path == f'{archive.cache}/src/libpfm4-1.10' and os.listdir(path) == ['debian']
    assert all(line.startswith('-s bookworm ') for line in asked)
    assert len(archive.run('libpfm4')[1]) == 1
