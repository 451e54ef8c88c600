# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the machine's tests: QEMU with the model, without a kernel or with Linux."""
import os
import subprocess

import pytest

import ktap


@pytest.fixture(scope='session')
def args_sh(run, top):
    """args.sh: QEMU's arguments for a machine of so many sockets and cores"""
    def arguments(*options, shape='2 2'):
        return run([top / 'machine/xeon/qemu/args.sh', *shape.split(), *map(str, options)],
                   stderr=subprocess.PIPE)

    return arguments


def assert_passes(text, said=''):
    """A program printed TAP, and each of its results is ok."""
    test = ktap.parse(text.splitlines())
    assert test.plan, f'no plan:\n{text}\n{said}'
    assert [failure.name for failure in test.failures()] == [], text


@pytest.fixture(scope='session')
def passes():
    """Asserts that TAP has no failure."""
    return assert_passes


class Bare:
    """The bare machine: no kernel, but the program of bare/ with its sets of tests"""

    def __init__(self, qemu, top, directory, args_sh):
        self.qemu, self.directory, self.args_sh = qemu, directory, args_sh
        subprocess.run(['make', '-s', '-C', top / 'machine/xeon/tests/bare', f'O={directory}',
                        directory / 'model.elf'], check=True)

    def run(self, tests, *options, shape='2 1', accel=()):
        """A set of tests on a machine: its output, and what args.sh and QEMU say"""
        arguments = self.args_sh(*options, shape=shape)
        said, serial = arguments.stderr, self.directory / 'serial'
        serial.write_bytes(b'')
        if arguments.returncode == 0:
            # The guest ends QEMU, whose status is then odd.
            said += subprocess.run(
                ['timeout', '1200', self.qemu, '-m', '64', *arguments.stdout.split(), *accel, '-L',
                 '/usr/share/seabios', '-L', '/usr/share/qemu', '-nodefaults', '-display', 'none',
                 '-no-reboot', '-device', 'isa-debug-exit,iobase=0xf4,iosize=4', '-serial',
                 f'file:{serial}', '-kernel', self.directory / 'model.elf', '-append', tests],
                check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, encoding='utf-8', errors='replace').stdout
        return serial.read_text(encoding='utf-8').replace('\r', ''), said

    def passes(self, tests, *options, **machine):
        """Assert that a set of tests passes: what it printed."""
        text, said = self.run(tests, *options, **machine)
        assert_passes(text, said)
        return text

    def rows(self, tests, *options, **machine):
        """What it prints in "# row" lines, and what args.sh says"""
        text, said = self.run(tests, *options, **machine)
        rows = [line[6:] for line in text.splitlines() if line.startswith('# row ')]
        assert rows, said
        return rows, said

    def refusal(self, *options, **machine):
        """Why args.sh or the device refuses the machine"""
        text, said = self.run('variant', *options, **machine)
        assert text == ''
        return said


@pytest.fixture(scope='session')
def bare(output, top, tmp_path_factory, args_sh):
    # SNBEP_QEMU: as for vm
    qemu = os.environ.get('SNBEP_QEMU') or output('machine/xeon/qemu/build.sh')
    return Bare(qemu, top, tmp_path_factory.mktemp('bare'),
                args_sh)
