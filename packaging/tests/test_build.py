# SPDX-License-Identifier: GPL-2.0-only
"""packaging/deb and packaging/rpm with programs that print their words in place of
dpkg-buildpackage, lintian and rpmbuild: all that these are given."""
import email.utils
import os
import re
import tarfile

import pytest

URL = 'https://a.example/x'
MAINTAINER = 'A <a@b.example>'
PROGRAM = '''#!/bin/sh
echo "${0##*/} $*" >> "$LOG"
case $0 in
*/dpkg-buildpackage) pwd >> "$LOG"; touch ../x.deb ../x.changes ;;
*/rpmbuild) cd "${3#_topdir }"; mkdir RPMS SRPMS; touch RPMS/x.rpm SRPMS/x.src.rpm ;;
esac
[ "${0##*/}" != "$FAILS" ]
'''


@pytest.fixture
def build(tree, tmp_path, run):
    """Calls packaging/deb or rpm in the tree: what they print"""
    about = tree / 'packaging/about.sh'
    text = re.sub('^url=.*', f'url={URL}', about.read_text(encoding='ascii'), flags=re.M)
    about.write_text(re.sub('^maintainer=.*', f"maintainer='{MAINTAINER}'", text, flags=re.M),
                     encoding='ascii')
    for name in 'dpkg-buildpackage', 'lintian', 'rpmbuild', 'setup':
        program = tree / 'scripts/setup' if name == 'setup' else tmp_path / name
        program.write_text(PROGRAM, encoding='ascii')
        program.chmod(0o755)
    for command in 'add', '-c user.name=x -c user.email=x commit -q -m two':
        run(['git', '-C', tree, *command.split(), '.'], check=True)
    (tmp_path / 'build/deb').mkdir(parents=True)
    (tmp_path / 'build/rpm/SOURCES').mkdir(parents=True)
    for place in 'deb/old.deb', 'rpm/SOURCES/old':
        (tmp_path / 'build' / place).touch()

    def call(name, *words, fails='none'):
        return run([tree / 'packaging' / name, *words], cwd=tmp_path, env={
            **os.environ, 'SNBEP_BUILD': f'{tmp_path}/build', 'LOG': f'{tmp_path}/log',
            'FAILS': fails, 'PATH': f'{tmp_path}:{os.environ["PATH"]}'})

    call.version, call.date = (run([tree / 'scripts/version', *word]).stdout.strip()
                               for word in ([], ['-d']))
    call.log = lambda: (tmp_path / 'log').read_text(encoding='ascii').splitlines()
    return call


def assert_source(tree, run, file, version, date):
    """The tarball has the files of the tree but lab/, in their order, of nobody and of the date."""
    out = file.parent / 'unpacked'
    run([tree / 'packaging/source', '-p', '-v', version, out], check=True)
    with tarfile.open(file, 'r:xz') as tar:
        members = tar.getmembers()
    names = [member.name.rstrip('/') for member in members]
    assert names == sorted(names) and set(names) == {
        f'snbep-uncore-{version}', *(f'snbep-uncore-{version}/{path.relative_to(out)}'
                                     for path in out.rglob('*'))}
    assert {(member.uid, member.gid, member.uname, member.gname, member.mtime)
            for member in members} == {(0, 0, '', '', int(date))}


@pytest.mark.parametrize('words, place, version', [
    ([], 'build/deb', None), (['-o', 'other/place', '9'], 'other/place', '9')])
def test_deb_gives_dpkg_a_source_tree_and_lintian_the_changes(
        build, tree, tmp_path, run, words, place, version):
    done = build('deb', *words)
    version, out = version or build.version, tmp_path / place
    assert (done.returncode, done.stdout) == (0, f'{out}/x.deb\n')
    source = out / f'snbep-uncore-{version}'
    assert build.log() == [
        f'setup {tree}/packaging/packages',
        'dpkg-buildpackage --unsigned-source --unsigned-changes', str(source),
        'lintian --allow-root --pedantic --suppress-tags out-of-date-standards-version,alien-tag,'
        'initial-upload-closes-no-bugs --fail-on error,warning,info,pedantic --display-info '
        f'{out}/x.changes']
    assert {path.name for path in out.iterdir()} == {
        'x.deb', 'x.changes', 'log', source.name, f'snbep-uncore_{version}.orig.tar.xz'}
    debian = {path.name: path for path in (source / 'debian').iterdir()}
    assert {int(path.stat().st_mtime) for path in debian.values()} == {int(build.date)}
    assert debian.pop('changelog').read_text(encoding='ascii') == f'''\
snbep-uncore ({version}-1) unstable; urgency=medium

  * NEWS.gz says what changed.

 -- {MAINTAINER}  {email.utils.formatdate(int(build.date))}
'''.replace('-0000', '+0000')
    for name, path in debian.items():
        assert path.read_text() == (tree / 'packaging/debian' / name).read_text().replace(
            '@URL@', URL).replace('@MAINTAINER@', MAINTAINER)
    assert {*debian} == {path.name for path in (tree / 'packaging/debian').iterdir()}
    assert_source(tree, run, out / f'snbep-uncore_{version}.orig.tar.xz', version, build.date)


def test_rpm_gives_rpmbuild_a_spec_and_a_tarball(build, tree, tmp_path, run):
    done = build('rpm', '--nodeps', '--load=a b')
    out, spec = tmp_path / 'build/rpm', 'SPECS/snbep-uncore-tools.spec'
    assert (done.returncode, done.stdout) == (0, f'{out}/RPMS/x.rpm\n{out}/SRPMS/x.src.rpm\n')
    assert build.log() == [f'rpmbuild -ba --define _topdir {out} --nodeps --load=a b {out}/{spec}']
    tarball = f'SOURCES/snbep-uncore-{build.version}.tar.xz'
    assert {str(path.relative_to(out)) for path in out.rglob('*') if path.is_file()} == {
        'log', spec, tarball, 'RPMS/x.rpm', 'SRPMS/x.src.rpm'}
    text = (tree / 'packaging/snbep-uncore-tools.spec').read_text(encoding='ascii')
    assert (out / spec).read_text(encoding='ascii') == text.replace(
        '@URL@', URL).replace('@VERSION@', build.version)
    assert_source(tree, run, out / tarball, build.version, build.date)


@pytest.mark.parametrize('script, program', [
    ('deb', 'setup'), ('deb', 'dpkg-buildpackage'), ('deb', 'lintian'), ('rpm', 'rpmbuild')])
def test_a_program_that_fails_is_an_error(build, script, program):
    done = build(script, fails=program)
    assert done.returncode and not re.search('(deb|rpm)\n', done.stdout)
    assert [line for line in build.log() if line[0] != '/'][-1].startswith(f'{program} ')
