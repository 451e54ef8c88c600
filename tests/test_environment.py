# SPDX-License-Identifier: GPL-2.0-only
"""Neither make nor scripts obey an environment that is for something else."""
import os
import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).parents[1]
NAMES = ('T TAG SUITE LIST GUEST EXTRA MODEL KERNEL KMODULES SOCKETS MODULES CMD M FUZZ IA64 '
         'HWTEST').split()
# What other programs would obey
HOSTILE = dict(
    CDPATH='.:/tmp', POSIXLY_CORRECT='1', QUOTING_STYLE='shell-always', BLOCK_SIZE='1',
    TAR_OPTIONS='--none', PERL5OPT='-MNone', PYTHONPATH='/none', PYTHONOPTIMIZE='2',
    GIT_DIR='/none', GIT_WORK_TREE='/none', XZ_OPT='--none', CFLAGS='--none', CPPFLAGS='--none',
    LDFLAGS='--none', CPATH='/none', MAKEFILES='/none.mk', MAKEFLAGS='k', O='/none',
    DESTDIR='/none', KBUILD_OUTPUT='/none', ARCH='arm64', CROSS_COMPILE='none-', KCFLAGS='--none',
    TERM='../../none', IFS='/')


def output(*command, cwd, **environment):
    """What a command prints, which has to succeed"""
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **environment}, check=False,
                          encoding='utf-8', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize('goal', [*'check check-all fresh vm ia64-vm fuzz hwtest'.split(), *(
    f'-C {name} check' for name in ('lab', 'ia64') if (TOP / name).exists())])
def test_make_takes_its_variables_from_the_command_line_alone(top, goal):
    command = 'make', '-n', '-s', *goal.split()
    assert output(*command, cwd=top, **dict.fromkeys(NAMES, 'x')) == output(*command, cwd=top)


def test_asserts_of_tests_are_checked_in_a_hostile_environment(top, tmp_path):
    """make check runs Python's asserts, though PYTHONOPTIMIZE turns them off."""
    test = tmp_path / 'test_false.py'
    test.write_text('def test_false():\n    assert False\n')
    (tmp_path / 'pytest.ini').touch()
    done = subprocess.run([top / 'scripts/check', '-c', tmp_path / 'pytest.ini', test],
                          env={**os.environ, **HOSTILE, 'SNBEP_BUILD': str(tmp_path)}, check=False,
                          encoding='utf-8', stdout=subprocess.PIPE)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED and '1 failed' in done.stdout


def test_modules_are_those_of_the_relative_directory_in_a_hostile_environment(top, tmp_path):
    """Two trees, older than the last build, and with other kinds of makefiles"""
    for tree, rules in ('base', 'Kbuild'), ('patched', 'Makefile'):
        source = tmp_path / tree / 'driver'
        source.mkdir(parents=True)
        (source / rules).write_text('obj-m := empty.o\n')
        (source / 'empty.c').write_text(
            f'#include <linux/module.h>\nMODULE_LICENSE("GPL");\nMODULE_VERSION("{tree}");\n')
        for file in source.iterdir():
            os.utime(file, (0, 0))
    built = {}
    for tree in 'base', 'patched', 'base':
        built[tree] = tmp_path / output(
            top / 'scripts/modules', '6.1', f'{tree}/driver', cwd=tmp_path, **HOSTILE,
            SNBEP_BUILD=str(tmp_path / 'build')).strip()
        # That of the other one may still be copied.
        for name, directory in built.items():
            assert f'version={name}\0'.encode() in (directory / 'empty.ko').read_bytes()


@pytest.mark.seconds(10)
def test_machine_boots_with_a_relative_extra_in_a_hostile_environment(top, tmp_path):
    (tmp_path / 'rel').mkdir()
    output(top / 'bin/vm', '-m', '', '-e', 'rel', '--', 'touch /extra/made', cwd=tmp_path,
           **HOSTILE)
    assert (tmp_path / 'rel/made').exists()
