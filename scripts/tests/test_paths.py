# SPDX-License-Identifier: GPL-2.0-only
"""A tree, cache or build directory with blanks and worse in its path is refused before anything is
made or removed."""
import re
import subprocess

import pytest

import collector

# What a shell or make treats specially
SPECIAL = '\t\n:*[\'"\\$%#,;&|(`=!{<'


@pytest.fixture
def refused(run, monkeypatch):
    """Asserts that a command fails with a matching line, and leaves a directory as it is."""
    def assert_refused(directory, pattern, *command, **environment):
        before = sorted(directory.rglob('*'))
        for name, value in environment.items():
            if value is None:
                monkeypatch.delenv(name, raising=False)
            else:
                monkeypatch.setenv(name, str(value))
        done = run(command)
        assert done.returncode and re.search(pattern, done.stdout), done.stdout
        assert sorted(directory.rglob('*')) == before

    monkeypatch.delenv('SNBEP_CACHE', raising=False)
    return assert_refused


@pytest.mark.parametrize('reason, environment', [
    ('the cache .* has a character', {'XDG_CACHE_HOME': None, 'HOME': '{}/x y'}),
    ('the build directory .* has a character', {'SNBEP_BUILD': '{}/x y'}),
    ('TMPDIR has a character', {'TMPDIR': '{}/x,y'}),
    ("is not an absolute path: 'cache/snbep-uncore'", {'XDG_CACHE_HOME': 'cache'}),
    ('HOME is not set: set it, or XDG_CACHE_HOME', {'XDG_CACHE_HOME': None, 'HOME': None}),
    *(('has a character', {'SNBEP_CACHE': f'{{0}}/x{{1[{n}]}}y'}) for n in range(len(SPECIAL)))])
def test_environment_is_refused(refused, tmp_path, top, reason, environment):
    refused(tmp_path, reason, top / 'scripts/files', **{
        name: value and value.format(tmp_path, SPECIAL) for name, value in environment.items()})


@pytest.mark.parametrize('environment', [
    {'XDG_CACHE_HOME': '{}', 'HOME': None}, {'XDG_CACHE_HOME': None, 'HOME': '{}'},
    {'SNBEP_CACHE': '{}/Jörg~1.0+b-2_@x'}])
def test_xdg_cache_home_and_what_package_versions_have_are_enough(
        run, shell, tmp_path, monkeypatch, environment):
    monkeypatch.delenv('SNBEP_CACHE', raising=False)
    for name, value in environment.items():
        monkeypatch.delenv(name, raising=False)
        if value:
            monkeypatch.setenv(name, value.format(tmp_path))
    assert run([*shell, 'echo "$CACHE"']).stdout == f'{collector.cache()}\n'


@pytest.fixture(scope='module')
def checkout(top, tmp_path_factory):
    """A directory with a checkout in "Jörg Müller", beside a directory "Jörg\""""
    base = tmp_path_factory.mktemp('blank')
    tree = base / 'Jörg Müller/tree'
    for directory in (tree / 'build/docs/html', base / 'Jörg/tree/build/docs/html'):
        directory.mkdir(parents=True)
    subprocess.run(['sh', '-c', 'scripts/files | tar -cf - -T - | tar -C "$1" -xf -', 'sh', tree],
                   cwd=top, check=True)
    return base


@pytest.mark.parametrize('directory', ['.', 'Documentation', 'events', 'tools'])
@pytest.mark.parametrize('goal', ['all', 'clean'])
def test_make_refuses_a_checkout_and_an_output_with_a_blank(
        refused, checkout, top, directory, goal):
    blank = 'a path has a blank|a blank in its path'
    refused(checkout, blank, 'make', '-s', '-C', checkout / 'Jörg Müller/tree' / directory, goal)
    if directory != '.':
        refused(checkout, blank, 'make', '-s', '-C', top / directory, goal,
                f'O={checkout}/Jörg Müller', f'DESTDIR={checkout}/Jörg Müller')


def test_scripts_refuse_a_checkout_with_a_blank(refused, checkout):
    refused(checkout, "the project's directory has a character",
            checkout / 'Jörg Müller/tree/machine/xeon/vm/vm', '--', 'true')


def test_no_rm_has_a_variable_outside_quotes(run, top):
    rm = re.compile(r'''(^|[^a-zA-Z_-])rm( -[a-zA-Z-]+)* +[^"';|&]*\$'''
                    r'''|RM\)( -[a-z]+)* +[^"';|&]*\$|xargs [^'0]*\brm\b''')
    found = [f'{name}: {line}' for name in run(top / 'scripts/files').stdout.splitlines()
             if not re.match(r'Documentation|lab/.*\.patch$', name)
             for line in (top / name).read_text(errors='replace').splitlines() if rm.search(line)]
    assert found == []
