# SPDX-License-Identifier: GPL-2.0-only
"""The tarballs of make dist and make dist-ia64, run in bare installations of Debian 11 to 13,
unprivileged and without network."""
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tarfile

import pytest

import ktap
from collector import cache

pytestmark = [pytest.mark.package, pytest.mark.slow, pytest.mark.xdist_group('dist'),
              pytest.mark.seconds(20), pytest.mark.timeout(9000)]

# What make builds, and source packages that SOURCES has to name
MACHINES = {'uncore-machine': ('xeon', {'linux', 'qemu', 'busybox', 'glibc'}),
            'itanium-machine': ('itanium', {'linux', 'gcc-12', 'busybox', 'glibc'})}
# An event of the home agents, injected and counted
STIM = 'uncore-stim ha event=1,umask=3,count=1234 -s 1 ha event=1,umask=3,count=77'
COUNT = ('perf stat -a --per-socket -x, -o /tmp/stat -e {}/event=1,umask=3/ ' + STIM +
         ' && grep ^S /tmp/stat | cut -d, -f1,3')
COUNTED = 'S0,1234\nS1,77\n'
CHROOT = """root=$1; shift
mkdir -p "$root/proc" "$root/dev"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/ chroot --userspec=65534:65534 "$root" "$@"
"""


@pytest.fixture(scope='module')
def tarball(top):
    """Builds the tarball of a machine, once: its path"""
    @functools.cache
    def build(machine):
        kind = MACHINES[machine][0]
        # The Itanium's compiler, programs and kernel take half an hour.
        if kind == 'itanium' and not list(cache().glob('ia64/linux-*/smp-*[0-9a-f]')):
            return None
        done = subprocess.run([top / 'packaging/dist/build', kind], check=False, encoding='utf-8',
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        return top / f'build/dist/{machine}.tar.gz'

    def get(machine):
        return build(machine) or pytest.skip('make ia64 has not been run')

    return get


@pytest.fixture(params=MACHINES)
def machine(request):
    return request.param


def test_tarball_has_sources_licences_and_no_name_or_path_of_who_packed_it(
        top, tarball, machine, tmp_path):
    digest = hashlib.sha256(tarball(machine).read_bytes()).hexdigest()
    assert tarball(machine).with_suffix('.gz.sha256').read_text(encoding='ascii') == (
        f'{digest}  {tarball(machine).name}\n')
    with tarfile.open(tarball(machine)) as tar:
        assert {(member.uid, member.uname) for member in tar} == {(0, '')}
    subprocess.run(['tar', '-C', tmp_path, '-xzf', tarball(machine)], check=True)
    place = tmp_path / machine
    assert {path.name.partition('.tar')[0] for path in tarball(machine).parent.iterdir()} <= {
        *MACHINES, 'Containerfile', 'Containerfile.test'}
    sources = (place / 'SOURCES').read_text(encoding='ascii')
    assert MACHINES[machine][1] <= set(re.findall(r'^(\S+) \d', sources, re.M))
    for licence in 'busybox-static', 'common-licenses/GPL-2':
        assert (place / 'licences' / licence).stat().st_size
    with tarfile.open(place / 'source.tar.gz') as tar:
        assert {(member.uid, member.uname) for member in tar} == {(0, '')}
        assert {name.partition('/')[0] for name in tar.getnames()} == {
            'snbep-uncore-' + (place / 'VERSION').read_text(encoding='ascii').strip()}
        names = [name.partition('/')[2] for name in tar.getnames()]
    assert {'VERSION', 'packaging/dist/build'} <= set(names)
    found = subprocess.run(['grep', '-r', '-l', '-a', '-F', '-e', cache(), '-e', f'{top}/',
                            tmp_path], check=False, stdout=subprocess.PIPE, encoding='utf-8')
    assert (found.returncode, found.stdout) == (1, '')


class Root:
    """A bare Debian with the Xeon's machine"""

    def __init__(self, directory, run_as_root):
        self.directory, self.run_as_root = directory, run_as_root

    def as_root(self, *command, **options):
        done = self.run_as_root(*command, **options)
        assert done.returncode == 0, done.stderr

    def run(self, *command):
        """A command as nobody, without network"""
        return self.run_as_root('unshare', '--mount', '--propagation', 'private', '--net', '--pid',
                                '--fork', '--kill-child', 'sh', '-euc', CHROOT, 'sh',
                                self.directory, *command)

    def assert_prints(self, text, *arguments, machine='uncore-machine', status=0):
        """What the machine prints, but for blanks, and its exit status"""
        done = self.run(f'/{machine}/{machine}', *arguments)
        assert (done.returncode, done.stdout.replace(' ', '')) == (status, text), done.stderr


# The newest comes first, as pytest sorts parameters by their index.
@pytest.fixture(scope='module', params=['trixie', 'bookworm', 'bullseye'])
def root(request, tarball, fresh, run_as_root, tmp_path_factory):
    root = Root(tmp_path_factory.mktemp(request.param), run_as_root)
    root.base = fresh('-b', request.param)
    root.as_root('tar', '-C', root.directory, '--numeric-owner', '-xpzf', root.base)
    root.as_root('tar', '-C', root.directory, '-xzf', tarball('uncore-machine'))
    root.as_root('mkdir', '-m', '777', root.directory / 'extra')
    root.as_root('sh', '-c', 'echo hello > "$1/extra/file"', 'sh', root.directory)
    yield root
    root.as_root('rm', '-rf', '--one-file-system', root.directory)


only_trixie = pytest.mark.parametrize('root', ['trixie'], indirect=True)


def test_perf_counts_exactly_and_status_and_shared_directory_come_out(root):
    root.assert_prints(COUNTED + 'hello\n', '-e', '/extra', '--',
                       f'{COUNT.format("snbep_uncore_ha")} && cat /extra/file; exit 7', status=7)


def test_a_kernel_given_by_its_path_counts_with_its_own_driver(root):
    root.assert_prints(COUNTED, '-k', '/uncore-machine/kernel/vmlinuz', '-K',
                       '/uncore-machine/kernel', '-m', 'intel_uncore', '--',
                       COUNT.format('uncore_ha'))


def test_itanium_counts_and_status_and_shared_directory_come_out(root, tarball):
    root.as_root('tar', '-C', root.directory, '-xzf', tarball('itanium-machine'))
    root.assert_prints(
        'counted\nhello\n', '-e', '/extra', '--',
        'perf stat -x, -o /tmp/stat -e itanium/ia64_inst_retired/u true && '
        'grep -q ^[1-9] /tmp/stat && echo counted; cat /extra/file; exit 7',
        machine='itanium-machine', status=7)


@only_trixie
def test_find_of_busybox_will_do(root):
    root.as_root('sh', '-c', 'mkdir "$1/bb" && ln -s ../uncore-machine/busybox/find "$1/bb"', 'sh',
                 root.directory)
    done = root.run('env', 'PATH=/bb:/usr/sbin:/usr/bin:/bin', '/uncore-machine/uncore-machine',
                    '--',
                    'echo hello')
    assert done.stdout == 'hello\n', done.stderr


@only_trixie
def test_uncorestat_runs_in_the_machine_and_without_it(root):
    root.assert_prints('1\n', '--', 'uncorestat sleep 0.1 > /tmp/out 2>&1 && '
                       'grep -q QPI.MB /tmp/out && echo 1; exit 0')
    done = root.run('/uncore-machine/programs/usr/bin/uncorestat', '--list', 'bandwidth')
    assert re.search('^mem_util', done.stdout, re.M), done.stderr


@only_trixie
def test_image_of_the_containerfile_counts_exactly(root, top, tarball, tmp_path):
    subprocess.run([top / 'scripts/setup', top / 'packaging/dist/packages'], check=True)
    context = tarball('uncore-machine').parent
    # Instead of debian:stable-slim, which is in a registry, this root
    done = root.run_as_root('unshare', '--mount', 'sh', '-euxc', """
        storage() { command=$1; shift; buildah --root "$tmp/all" --runroot "$tmp/run" \
            --storage-driver vfs "$command" "$@"; }
        tmp=$1
        base=$(storage from scratch)
        storage add "$base" "$2" /
        storage commit "$base" docker.io/library/debian:stable-slim
        storage bud --pull=never -t machine "$3"
        storage run --isolation chroot "$(storage from --pull=never machine)" -- \
            /uncore-machine/uncore-machine -- "$4" """, 'sh', tmp_path, root.base, context,
                            COUNT.format('snbep_uncore_ha'))
    assert done.stdout.replace(' ', '').endswith(COUNTED), done.stdout + done.stderr
    root.as_root('rm', '-rf', '--one-file-system', tmp_path)


@pytest.fixture
def lab(top):
    if not (top / 'lab').exists():
        pytest.skip('there is no lab/')
    return top / 'lab'


def test_series_is_compared_with_its_base_and_leaves_no_files(tarball, kernel, tmp_path, lab):
    kernel('newest')
    # Names have blanks.
    place = tmp_path / 'a directory'
    for directory in place, tmp_path / 'tmp':
        directory.mkdir()
    subprocess.run(['tar', '-C', place, '-xzf', tarball('uncore-machine')], check=True)
    patch, = (lab / 'linux/fixes').glob('0010-*.patch')
    shutil.copy(patch, place / 'a series')
    assert (place / 'uncore-machine/test.packages').read_text() == (lab / 'packages').read_text()
    done = subprocess.run(
        [place / 'uncore-machine/uncore-machine', 'test', '-g', 'discovery', '-p',
         'rotate-offline', '-r', 'fixes-10', 'a series'], check=False, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, encoding='utf-8', cwd=place,
        env={**os.environ, 'TMPDIR': str(tmp_path / 'tmp')})
    assert done.returncode == 0, done.stdout + done.stderr
    patches = ktap.parse(done.stdout.splitlines()).children
    assert [test.name for test in patches[0].children] == [
        'it builds',
        'reproducer fixes-10: a unit with twelve counters, of which the driver can use eight '
        '(fixed)']
    assert not list((tmp_path / 'tmp').iterdir())


@only_trixie
def test_smoke_tests_a_kernel_where_there_is_python(root, lab, shell, tmp_path):
    subprocess.run([*shell, 'unpack_debs trixie "$1" $(closure trixie python3)', tmp_path],
                   check=True)
    root.as_root('cp', '-a', tmp_path / 'usr', root.directory)
    done = root.run('/uncore-machine/uncore-machine', 'smoke', '-p', 'basic', '-k',
                    '/uncore-machine/kernel/vmlinuz', '-K', '/uncore-machine/kernel')
    test = ktap.parse(done.stdout.splitlines())
    assert not test.faults and len(test.children[0].children) > 50, done.stdout + done.stderr
