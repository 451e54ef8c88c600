# SPDX-License-Identifier: GPL-2.0-or-later
"""Fixtures of the machine's tests: QEMU with the model, whose processors do not run."""
import os
import re
import subprocess

import pytest

PORT = 0xa80  # console/model-port.h
WORDS = 1000  # of an answer


@pytest.fixture(scope='session')
def args_sh(run, top):
    """args.sh: QEMU's arguments for a machine of so many sockets and cores"""
    def arguments(*options, shape='2 2'):
        return run([top / 'machine/xeon/qemu/args.sh', *shape.split(), *map(str, options)],
                   stderr=subprocess.PIPE)

    return arguments


class Stopped:
    """Machines whose processors do not run: QEMU's test protocol has their ports and memory."""

    def __init__(self, qemu, args_sh):
        self.qemu, self.args_sh = qemu, args_sh

    def run(self, lines, *options, shape='2 1'):
        """What lines of the protocol read of a machine, and what args.sh and QEMU say"""
        arguments = self.args_sh(*options, shape=shape)
        if arguments.returncode:
            return [], arguments.stderr
        done = subprocess.run(
            [self.qemu, '-m', '64', *arguments.stdout.split(), '-L', '/usr/share/seabios', '-L',
             '/usr/share/qemu', '-nodefaults', '-display', 'none', '-S', '-qtest', 'stdio',
             '-qtest-log', 'none', '-device', 'isa-debug-exit,iobase=0xf4,iosize=4'],
            check=False, input='\n'.join([*lines, 'outb 0xf4 0\n']), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, encoding='utf-8')
        return [int(word, 16) for word in re.findall('^OK (0x.*)', done.stdout, re.M)], \
            arguments.stderr + done.stderr

    def rows(self, command, *options, after=(), **machine):
        """A command's answer, after lines of the protocol, and what args.sh and QEMU say"""
        words, said = self.run(
            [*after, *(f'outb {PORT:#x} {ord(letter):#x}' for letter in f'{command}\n'),
             *[f'inl {PORT:#x}'] * WORDS], *options, **machine)
        assert len(words) >= WORDS, said
        assert words[-1] == 0, 'the answer is longer'
        answer = b''.join(word.to_bytes(4, 'little') for word in words[-WORDS:])
        return answer.rstrip(b'\0').decode().splitlines(), said

    def refusal(self, *options, **machine):
        """Why args.sh or the device refuses the machine"""
        read, said = self.run([f'inl {PORT + 12:#x}'], *options, **machine)
        assert read == []
        return said


@pytest.fixture(scope='session')
def stopped(output, args_sh):
    # SNBEP_QEMU: as for vm
    return Stopped(os.environ.get('SNBEP_QEMU') or output('machine/xeon/qemu/build.sh'), args_sh)
