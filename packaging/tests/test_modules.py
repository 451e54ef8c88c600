# SPDX-License-Identifier: GPL-2.0-only
"""The modules: DKMS, in a temporary tree, and make install them."""
import os
import re
import subprocess

import pytest

pytestmark = [pytest.mark.package, pytest.mark.seconds(15)]

KERNELS = ['5.10', '6.1', '6.12', 'newest']


class Dkms:
    """DKMS with the drivers added"""

    def __init__(self, top, directory, run, version):
        self.directory, self.call, self.version = directory, run, version
        conf = (top / 'packaging/dkms.conf').read_text(encoding='ascii')
        name = re.search('^PACKAGE_NAME="(.*)"$', conf, re.M)[1]
        self.package = f'{name}/{self.version}'
        self.source = directory / f'src/{name}-{self.version}'
        subprocess.run([top / 'packaging/modules', self.source, version], check=True)
        (self.source / 'dkms.conf').write_text(conf.replace('#MODULE_VERSION#', self.version),
                                               encoding='ascii')
        (directory / 'tree').mkdir()
        # It makes a signing key if there is none: keep it out of /var/lib.
        self.environment = {**os.environ, 'mok_signing_key': str(directory / 'key'),
                            'mok_certificate': str(directory / 'certificate')}
        self.run('add')

    def run(self, command, *options, fails=False):
        """A command: what it printed"""
        done = self.call(['dkms', command, '--dkmstree', self.directory / 'tree', '--sourcetree',
                          self.directory / 'src', '--installtree', self.directory / 'lib',
                          self.package, *options], env=self.environment)
        assert bool(done.returncode) == fails, done.stdout
        return done.stdout

    def modules(self, release=''):
        """The files that are installed for a release, by their names"""
        return {path.name.partition('.')[0]: path
                for path in (self.directory / 'lib' / release).rglob('*.ko*')}


@pytest.fixture(scope='module')
def dkms(top, tmp_path_factory, run, output):
    return Dkms(top, tmp_path_factory.mktemp('dkms'), run, output('scripts/version'))


@pytest.fixture
def linux(kernel, dkms, request):
    """A kernel's directory, and its release"""
    directory = kernel(getattr(request, 'param', '6.1'))
    release = (directory / 'release').read_text(encoding='ascii').strip()
    (dkms.directory / 'lib' / release).mkdir(parents=True, exist_ok=True)
    return directory, release


@pytest.mark.ci
@pytest.mark.parametrize('linux', KERNELS, indirect=True)
def test_dkms_installs_both_modules_for_a_kernel_and_uninstalls_them(dkms, linux, run):
    directory, release = linux
    dkms.run('build', '-k', release, '--kernelsourcedir', directory / 'build')
    dkms.run('install', '-k', release, '--no-depmod', '--no-initrd')
    modules = dkms.modules(release)
    # itanium_pmu is for another architecture.
    assert sorted(modules) == ['offcore_rsp', 'snbep_uncore']
    assert not list((dkms.directory / 'tree').rglob('itanium_pmu.ko*'))
    for path in modules.values():
        assert run(['modinfo', '-F', 'version', path]).stdout.strip() == dkms.version
        assert run(['modinfo', '-F', 'vermagic', path]).stdout.split()[0] == release
    dkms.run('uninstall', '-k', release, '--no-depmod')
    assert not dkms.modules()


@pytest.mark.ci
def test_dkms_takes_names_of_newer_kernels_refuses_an_old_one_and_says_why(top, dkms, linux):
    # No headers of these are available.
    conf = (top / 'packaging/dkms.conf').read_text(encoding='ascii')
    names = re.search('^BUILD_EXCLUSIVE_KERNEL="(.*)"$', conf, re.M)[1]
    assert all(re.search(names, f'{name}-amd64') for name in ('5.15.0-1', '6.18.1+deb14', '10.1.0'))
    assert not re.search(names, '4.19.0-27-amd64')
    old = '5.9.0-5-amd64'
    said = dkms.run('build', '-k', old, '--kernelsourcedir', linux[0] / 'build', fails=True)
    assert re.search('BUILD_EXCLUSIVE directive,? which does not match this kernel',
                     ' '.join(said.split()))
    assert not dkms.modules(old)


@pytest.mark.ci
def test_make_modules_install_installs_both_modules(top, linux, tmp_path, run):
    subprocess.run([top / 'packaging/source', tmp_path / 'tree'], check=True)
    done = run(['make', '-C', tmp_path / 'tree', f'KDIR={linux[0]}/build',
                f'INSTALL_MOD_PATH={tmp_path}/to', 'modules_install'])
    assert done.returncode == 0, done.stdout
    assert sorted(path.name.partition('.')[0] for path in (tmp_path / 'to').rglob('*.ko*')) == [
        'offcore_rsp', 'snbep_uncore']
