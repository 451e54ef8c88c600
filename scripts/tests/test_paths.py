# SPDX-License-Identifier: GPL-2.0-only
"""A tree, cache or build directory with blanks and worse in its path is refused before anything is
made or removed."""
import re
import subprocess

import pytest

BLANK = 'a path has a blank|a blank in its path'
# All that a shell or make treats specially
SPECIAL = ' \t\n:*?[]\'"\\$%#,;&|(`=!{<'


def names(directory):
    return sorted(directory.rglob('*'))


@pytest.fixture
def refused(run, monkeypatch):
    """Asserts that a command fails with a matching line, and leaves a directory as it is."""
    def assert_refused(directory, pattern, *command, **environment):
        before = names(directory)
        for name, value in environment.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, str(value))
        done = run(command)
        assert done.returncode and re.search(pattern, done.stdout), done.stdout
        assert names(directory) == before

    monkeypatch.delenv('SNBEP_CACHE', raising=False)
    return assert_refused


@pytest.fixture
def files(top):
    """A command that needs no more than its environment"""
    return top / 'scripts/files'


@pytest.fixture
def beside(tmp_path):
    """A directory x, which is somebody's, for a cache below 'x y' beside it"""
    (tmp_path / 'x').mkdir()
    (tmp_path / 'x/file').write_text('text')
    return tmp_path


@pytest.mark.parametrize('goal', ['demo', 'vm', 'check', 'ia64', 'deb'])
def test_make_refuses_a_cache_with_a_blank(refused, beside, top, goal):
    refused(beside, 'the cache .* has a character .*/x y', 'make', '-s', '-C', top, goal,
            XDG_CACHE_HOME=beside / 'x y')


@pytest.mark.parametrize('reason, environment', [
    ('the cache .* has a character', {'XDG_CACHE_HOME': None, 'HOME': '{}/x y'}),
    ('the build directory .* has a character', {'SNBEP_BUILD': '{}/x y'}),
    ('TMPDIR has a character', {'TMPDIR': '{}/x,y'}),
    ("is not an absolute path: 'cache/snbep-uncore'", {'XDG_CACHE_HOME': 'cache'}),
    ('HOME is not set: set it, or XDG_CACHE_HOME', {'XDG_CACHE_HOME': None, 'HOME': None})])
def test_environment_is_refused(refused, beside, files, reason, environment):
    refused(beside, reason, files, **{name: value and value.format(beside)
                                      for name, value in environment.items()})


def test_xdg_cache_home_is_enough_without_home(run, files, tmp_path, monkeypatch):
    monkeypatch.delenv('SNBEP_CACHE', raising=False)
    monkeypatch.delenv('HOME')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert run(files).returncode == 0


@pytest.mark.parametrize('character', SPECIAL, ids=ascii)
def test_special_character_is_refused(refused, files, tmp_path, character):
    refused(tmp_path, 'has a character', files, SNBEP_CACHE=tmp_path / f'x{character}y')


def test_letters_with_accents_and_what_package_versions_have_are_accepted(
        run, files, tmp_path, monkeypatch):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'Jörg~1.0+b-2_@x'))
    assert run(files).returncode == 0


def test_removed_at_exit_removes_a_directory_with_a_blank_and_nothing_else(run, shell, tmp_path):
    # As if lib.sh had accepted the path all the same
    for name in 'a', 'b', 'a b':
        (tmp_path / name).mkdir()
    assert run([*shell, 'removed_at_exit "$1"', tmp_path / 'a b']).returncode == 0
    assert names(tmp_path) == [tmp_path / 'a', tmp_path / 'b']


# A checkout in "Jörg Müller", beside a directory "Jörg"

@pytest.fixture(scope='module')
def checkout(top, tmp_path_factory):
    base = tmp_path_factory.mktemp('checkout')
    tree = base / 'Jörg Müller/tree'
    for directory in (tree / 'build/docs/html', tree / 'build/events/reference',
                      base / 'Jörg/tree/build/docs/html'):
        directory.mkdir(parents=True)
    subprocess.run(['sh', '-c', 'scripts/files | tar -cf - -T - | tar -C "$1" -xf -', 'sh', tree],
                   cwd=top, check=True)
    return base


@pytest.mark.parametrize('goal', ['modules', 'demo', 'vm', 'check', 'hwtest', 'docs',
                                  'install-tools', 'fresh', 'clean'])
def test_make_refuses_a_checkout_with_a_blank(refused, checkout, goal):
    refused(checkout, 'a blank in its path: .*Jörg Müller', 'make', '-s', '-C',
            checkout / 'Jörg Müller/tree', goal)


@pytest.mark.parametrize('directory', ['Documentation', 'events', 'tools'])
def test_makefiles_refuse_a_checkout_and_an_output_with_a_blank(refused, checkout, top, directory):
    refused(checkout, BLANK, 'make', '-s', '-C', checkout / 'Jörg Müller/tree' / directory)
    refused(checkout, BLANK, 'make', '-s', '-C', top / directory, f'O={checkout}/Jörg Müller')


def test_scripts_refuse_a_checkout_with_a_blank(refused, checkout):
    refused(checkout, "the project's directory has a character",
            checkout / 'Jörg Müller/tree/machine/xeon/vm/vm', '--', 'true')


def test_uninstall_refuses_a_destdir_with_a_blank(refused, checkout, top):
    refused(checkout, 'a path has a blank', 'make', '-s', '-C', top / 'tools',
            f'DESTDIR={checkout}/Jörg Müller', 'uninstall')


def test_lock_directory_that_is_gone_is_made_again(run, shell, tmp_path, monkeypatch):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path))
    assert run([*shell, 'lock a; rm -r "$CACHE/lock"; unlock; lock b']).returncode == 0


def test_no_rm_has_a_variable_outside_quotes(run, files, top):
    rm = re.compile(r'''(^|[^a-zA-Z_-])rm( -[a-zA-Z-]+)* +[^"';|&]*\$'''
                    r'''|RM\)( -[a-z]+)* +[^"';|&]*\$|xargs [^'0]*\brm\b''')
    found = [f'{name}: {line}' for name in run(files).stdout.splitlines()
             if not re.match(r'Documentation|lab/[a-z0-9]+/.*\.patch$', name)
             for line in (top / name).read_text(errors='replace').splitlines() if rm.search(line)]
    assert found == []
