# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages, as they are built; test_deb_root.py installs them."""
import hashlib
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


def test_all_lists_of_events_are_packed(release):
    names = run('dpkg-deb', '-c', release('snbep-uncore-tools'))
    assert set(re.findall('/share/snbep-uncore/(.+)$', names, re.M)) == {
        f'{name}{kind}.json' for name in ('snbep-uncore', 'uncore-names')
        for kind in ('', '-metrics')} | {'snbep-events.csv'}


def test_a_service_that_runs_is_restarted_by_an_upgrade_and_stopped_by_a_removal(release):
    for script, action in ('postinst', 'restart'), ('prerm', 'stop'):
        assert re.search(rf'(=|deb-systemd-invoke ){action}\b',
                         run('dpkg-deb', '-I', release('uncorestat'), script))


def test_a_program_of_another_package_before_is_replaced(release, mounts, tmp_path):
    done = mounts("""cd "$1"; mkdir -p old/DEBIAN old/usr/bin db/var/lib/dpkg/updates
        printf 'Package: snbep-uncore-tools\\nVersion: 0.9\\nArchitecture: amd64
Maintainer: x\\nDescription: x\\n' > old/DEBIAN/control
        touch old/usr/bin/uncorestat db/var/lib/dpkg/status
        dpkg-deb -b old old.deb
        dpkg --force-not-root,script-chrootless --root="$1/db" --unpack old.deb "$2" """, tmp_path,
                  release('uncorestat'))
    assert done.returncode == 0, done.stdout
