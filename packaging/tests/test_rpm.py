# SPDX-License-Identifier: GPL-2.0-only
"""The RPM package of the tools, from Debian's rpmbuild: built, installed and erased."""
import os
import subprocess

import pytest

# What Fedora's packages redhat-rpm-config and systemd-rpm-macros define; its flags are others
MACROS = r"""
%_docdir /usr/share/doc
%_unitdir /usr/lib/systemd/system
%bash_completions_dir /usr/share/bash-completion/completions
%systemd_post() : post %1
%systemd_preun() : preun %1
%systemd_postun_with_restart() : postun %1
%build_cflags -O2 -g -fPIE -Wl,-z,origin
%_sbindir %_bindir
%build_ldflags -pie -Wl,-z,now
"""


def run(*command, **options):
    """Run a command; its output, with both streams."""
    done = subprocess.run(command, check=False, encoding='utf-8', stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.package
@pytest.mark.slow
@pytest.mark.xdist_group('rpm')
def test_rpm_has_the_version_the_flags_and_the_unit_and_erasing_leaves_no_file(top, tmp_path):
    for names in 'packages', 'rpm.packages':
        run(top / 'scripts/setup', top / 'packaging' / names)
    (tmp_path / 'macros').write_text(MACROS, encoding='ascii')
    # Debian's names of packages are not those that the spec asks for.
    run(top / 'packaging/rpm', '--nodeps', f'--load={tmp_path}/macros',
        env={**os.environ, 'SNBEP_BUILD': str(tmp_path)})
    binary, = tmp_path.glob('rpm/RPMS/x86_64/*.x86_64.rpm')
    assert list(tmp_path.glob('rpm/SRPMS/*.src.rpm'))
    version = run(top / 'scripts/version').strip()
    assert run('rpm', '-qp', '--qf', '%{VERSION}', binary) == version
    scripts = run('rpm', '-qp', '--scripts', binary)
    assert all(f': {script} uncorestat.service' in scripts
               for script in ('post', 'preun', 'postun'))
    root = tmp_path / 'root'
    root.mkdir()
    rpm = ['rpm', '--root', root, '--dbpath', '/rpmdb', '--nodeps', '--noscripts']
    run(*rpm, '-i', binary)
    assert run(root / 'usr/bin/uncorestat', '--version').startswith(f'uncorestat {version}\n')
    said = run('readelf', '-d', root / 'usr/bin/uncorestat')
    assert {'BIND_NOW', 'ORIGIN'} <= {*said.split()}
    assert (root / 'usr/lib/systemd/system/uncorestat.service').exists()
    run(*rpm, '-e', 'snbep-uncore-tools')
    assert not [path for path in root.rglob('*') if path.is_file() and 'rpmdb' not in path.parts]
