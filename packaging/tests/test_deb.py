# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages, as they are built; test_deb_root.py installs them."""
import hashlib
import pathlib
import re
import subprocess

import pytest

pytestmark = [pytest.mark.package, pytest.mark.slow]


def run(*command, **options):
    """Run a command; its output."""
    return subprocess.run(command, check=True, encoding='utf-8', stdout=subprocess.PIPE,
                          **options).stdout


def test_two_builds_in_different_places_are_byte_for_byte_alike(top, tmp_path):
    hashes = []
    for place in tmp_path / 'here', tmp_path / 'elsewhere/with/a/longer/name':
        run(top / 'packaging/deb', '-o', place)
        names = [path for pattern in ('*.deb', '*.dsc', '*.tar.xz') for path in place.glob(pattern)]
        assert len(names) == 8
        hashes.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in names})
    assert hashes[0] == hashes[1]
    # The directory of a build can be built again (Policy 4.9).
    tree, = (tmp_path / 'here').glob('snbep-uncore-*/')
    assert (tree / 'build').exists()
    run('debian/rules', 'clean', cwd=tree)
    assert not (tree / 'build').exists()


@pytest.fixture(scope='module')
def release(top, tmp_path_factory):
    """The packages of a release, which are built in a relative directory"""
    place = tmp_path_factory.mktemp('release')
    run(top / 'packaging/deb', '-o', 'deb', '1.0', cwd=place)
    return lambda package: next(place.glob(f'deb/{package}_1.0-1_*.deb'))


def test_packages_have_their_files_scripts_and_dependencies(top, release, installed, tmp_path):
    run(top / 'packaging/modules', tmp_path / 'modules', '1.0')
    sources = [str(path.relative_to(tmp_path / 'modules'))
               for path in (tmp_path / 'modules').rglob('*') if path.is_file()]
    doc, source, lists = 'share/doc/{}/', 'src/snbep-uncore-1.0/', 'share/snbep-uncore/'
    want = {
        'uncorestat': {*installed['uncorestat'], f'{doc}NEWS', 'share/lintian/overrides/{}'},
        'snbep-uncore-tools': {
            *installed['snbep-uncore-tools'], f'{lists}snbep-events.csv',
            *(f'{lists}{name}{kind}.json' for name in ('snbep-uncore', 'uncore-names')
              for kind in ('', '-metrics'))},
        'snbep-uncore-dkms': {
            *(source + name for name in ['dkms.conf', *sources]),
            *(doc + name for name in ('README.Debian', 'install.rst', 'messages.rst',
                                      'examples/snbep-uncore.conf'))}}
    scripts = {'uncorestat': {'postinst', 'postrm', 'prerm'}, 'snbep-uncore-tools': set(),
               'snbep-uncore-dkms': {'postinst', 'prerm'}}
    for package, names in want.items():
        modes = {'./': 'drwxr-xr-x root/root'}
        for name in {*names, f'{doc}changelog.Debian', f'{doc}copyright'}:
            path = pathlib.Path('usr', name.format(package))
            modes.update({f'./{parent}/': 'drwxr-xr-x root/root' for parent in path.parents[:-1]})
            program = re.match('s?bin/|libexec/', name)
            modes[f'./{path}'] = ('-rwxr-xr-x' if program else '-rw-r--r--') + ' root/root'
        listed = [line.split() for line in run('dpkg-deb', '-c', release(package)).splitlines()]
        assert {words[5].removesuffix('.gz'): ' '.join(words[:2]) for words in listed} == modes
        control = tmp_path / package
        run('dpkg-deb', '-e', release(package), control)
        assert {path.name for path in control.iterdir()} == {
            'control', 'md5sums', *scripts[package]}
        fields = (control / 'control').read_text(encoding='ascii')
        depends = re.search('^Depends: (.*)', fields, re.M)[1]
        assert set(re.findall('(?:^|, )([a-z]*)', depends)) == {
            'uncorestat': {'libc', 'libjansson', 'libncursesw', 'libtinfo'},
            'snbep-uncore-tools': {'libc'}, 'snbep-uncore-dkms': {'dkms'}}[package]
    root = tmp_path / 'root'
    for package in want:
        run('dpkg-deb', '-x', release(package), root)
    conf = (root / 'usr' / source / 'dkms.conf').read_text(encoding='ascii')
    assert conf == (top / 'packaging/dkms.conf').read_text(encoding='ascii').replace(
        '#MODULE_VERSION#', '1.0')
    assert (root / 'usr' / source / 'VERSION').read_text(encoding='ascii') == '1.0\n'
    for program in 'bin/uncorestat', 'libexec/snbep-uncore/uncore-hwtest-measure':
        elf = run('readelf', '-d', '-h', root / 'usr' / program)
        assert re.search("NOW", elf) and re.search(r"Type: *DYN", elf)
    assert run(root / 'usr/bin/uncorestat', '--version').startswith('uncorestat 1.0\n')


def test_a_service_that_runs_is_restarted_by_an_upgrade_and_stopped_by_a_removal(release):
    for script, action in ('postinst', 'restart'), ('prerm', 'stop'):
        text = run('dpkg-deb', '-I', release('uncorestat'), script)
        assert re.search(rf'(=|deb-systemd-invoke ){action}\b', text)
        # It is enabled by nobody but the user.
        assert 'was-enabled' in text or script == 'prerm'
