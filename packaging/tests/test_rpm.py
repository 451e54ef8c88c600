# SPDX-License-Identifier: GPL-2.0-only
"""The RPM package of the tools, from Debian's rpmbuild: built, checked, installed and erased."""
import os
import subprocess

import pytest

pytestmark = [pytest.mark.package, pytest.mark.slow, pytest.mark.xdist_group('rpm')]

# What Fedora's packages redhat-rpm-config and systemd-rpm-macros define; the flags are those of
# Fedora without its files of GCC's specs.
MACROS = r"""
%_docdir /usr/share/doc
%_unitdir /usr/lib/systemd/system
%bash_completions_dir /usr/share/bash-completion/completions
%fish_completions_dir /usr/share/fish/vendor_completions.d
%zsh_completions_dir /usr/share/zsh/site-functions
%systemd_post() : post %1
%systemd_preun() : preun %1
%systemd_postun_with_restart() : postun %1
%__os_install_post bash /usr/lib/rpm/brp-compress
%build_cflags -O2 -g -fPIE -D_FORTIFY_SOURCE=2 -Werror=format-security
%build_ldflags -pie -Wl,-z,relro -Wl,-z,now -Wl,--build-id=sha1
"""

# Debian's rpmlint comes without Fedora's configuration, which turns the first six off, and has the
# licences of SPDX. The places are not resolved where there is no network; Fedora's rpmbuild strips.
RPMLINT = """
Filters = [
    'no-signature',
    'no-packager-tag',
    'no-group-tag',
    'no-buildroot-tag',
    'spelling-error',
    'invalid-url',
    'unstripped-binary-or-object',
    # 2.4.0 looks for a program's page among the sections
    'no-manual-page-for-binary',
]
ValidLicenses = ['GPL-2.0-only']
CompressExtension = 'gz'
"""


def run(*command, **options):
    """Run a command; its output, with both streams."""
    done = subprocess.run(command, check=False, encoding='utf-8', stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope='module')
def packages(top, tmp_path_factory):
    """The spec file, the source package and the binary package"""
    for names in 'packages', 'rpm.packages':
        run(top / 'scripts/setup', top / 'packaging' / names)
    tmp = tmp_path_factory.mktemp('rpm')
    (tmp / 'macros').write_text(MACROS, encoding='ascii')
    # Debian's names of packages are not those that the spec asks for.
    run(top / 'packaging/rpm', '--nodeps', f'--load={tmp}/macros',
        env={**os.environ, 'SNBEP_BUILD': str(tmp)})
    spec, = tmp.glob('rpm/SPECS/*.spec')
    source, = tmp.glob('rpm/SRPMS/*.src.rpm')
    binary, = tmp.glob('rpm/RPMS/x86_64/*.x86_64.rpm')
    return spec, source, binary


@pytest.fixture(scope='module')
def root(packages, tmp_path_factory):
    """A directory that the package is installed in"""
    root = tmp_path_factory.mktemp('root')
    run('rpm', '--root', root, '--dbpath', '/rpmdb', '--nodeps', '--noscripts', '-i', packages[2])
    return root


def test_uncorestat_prints_the_version_of_the_package(top, packages, root):
    version = run(top / 'scripts/version').strip()
    assert run('rpm', '-qp', '--qf', '%{VERSION}', packages[2]) == version
    assert run(root / 'usr/bin/uncorestat', '--version').startswith(f'uncorestat {version}\n')


def test_the_unit_is_there_once_and_its_scripts_name_it(packages, root):
    units = [str(unit.relative_to(root)) for unit in root.rglob('uncorestat.service')]
    assert units == ['usr/lib/systemd/system/uncorestat.service']
    scripts = run('rpm', '-qp', '--scripts', packages[2])
    for script in 'post', 'preun', 'postun':
        assert f': {script} uncorestat.service' in scripts


@pytest.mark.parametrize('program', ['bin/uncorestat',
                                     'libexec/snbep-uncore/uncore-hwtest-measure'])
def test_programs_are_linked_with_the_flags_of_the_distribution(root, program):
    path = root / 'usr' / program
    assert 'DYN (Position-Independent Executable file)' in run('readelf', '-h', path)
    dynamic = run('readelf', '-d', path)
    assert 'BIND_NOW' in dynamic and 'PIE' in dynamic
    assert 'GNU_RELRO' in run('readelf', '-lW', path)
    assert '.debug_info' in run('readelf', '-SW', path)


def test_rpmlint_has_nothing_to_say(packages, tmp_path):
    (tmp_path / 'rpmlint.toml').write_text(RPMLINT, encoding='ascii')
    said = run('rpmlint', '-c', tmp_path / 'rpmlint.toml', *packages)
    assert '0 errors, 0 warnings' in said, said


def test_erasing_leaves_no_file(packages, tmp_path):
    arguments = ['rpm', '--root', tmp_path, '--dbpath', '/rpmdb', '--nodeps', '--noscripts']
    run(*arguments, '-i', packages[2])
    for page in 'uncorestat', 'uncore-hwtest':
        assert (tmp_path / f'usr/share/man/man8/{page}.8.gz').exists()
    run(*arguments, '-e', 'snbep-uncore-tools')
    left = [path for path in tmp_path.rglob('*') if path.is_file() and 'rpmdb' not in path.parts]
    assert not left
