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

    def run(self, command, *options):
        """A command, which has to succeed"""
        done = self.call(['dkms', command, '--dkmstree', self.directory / 'tree', '--sourcetree',
                          self.directory / 'src', '--installtree', self.directory / 'lib',
                          self.package, *options], env=self.environment)
        assert done.returncode == 0, done.stdout

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
def test_make_modules_install_installs_both_modules(top, linux, tmp_path, run):
    subprocess.run([top / 'packaging/source', tmp_path / 'tree'], check=True)
    done = run(['make', '-C', tmp_path / 'tree', f'KDIR={linux[0]}/build',
                f'INSTALL_MOD_PATH={tmp_path}/to', 'modules_install'])
    assert done.returncode == 0, done.stdout
    assert sorted(path.name.partition('.')[0] for path in (tmp_path / 'to').rglob('*.ko*')) == [
        'offcore_rsp', 'snbep_uncore']
