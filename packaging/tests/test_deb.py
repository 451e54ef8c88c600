# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages, as they are built; test_deb_root.py installs them."""
import hashlib
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


def test_a_release_is_built_in_a_relative_directory(top, tmp_path):
    run(top / 'packaging/deb', '-o', 'deb', '1.0', cwd=tmp_path)
    assert list(tmp_path.glob('deb/uncorestat_1.0-1_*.deb'))
