# SPDX-License-Identifier: GPL-2.0-only
"""The kernels for ia64 boot on the emulated Itanium, selftest of the guest passes in them, and
their patches have kernel style. With a cold cache a kernel takes ten minutes to build."""
import re
import subprocess

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.ia64, pytest.mark.seconds(300),
              pytest.mark.timeout(9000), pytest.mark.xdist_group('ia64-boot')]


@pytest.fixture(scope='module')
def boot(top, itanium):
    """A function that boots: the exit status, the console and the machine's messages"""
    made = itanium.run('make', '-s', '-C', top / 'ia64/emulator', f'O={itanium.build}/machine')
    assert (made.returncode, made.stdout + made.stderr) == (0, ''), 'the machine has warnings'

    def boot(seconds, *options):
        machine = itanium.build / 'machine/ia64-machine'
        done = subprocess.run([machine, '-s', str(seconds), *options], check=False,
                              input=b'selftest; exit\n', capture_output=True, timeout=seconds + 10)
        console, err = (out.decode(errors='replace').replace('\r', '')
                        for out in (done.stdout, done.stderr))
        return done.returncode, console, err
    return boot


def built(itanium, name):
    """The directory of a kernel"""
    done = itanium.run(itanium.linux / 'build', name)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize('name', ['smp', 'up'])
def test_kernel_boots_and_selftest_passes_at_its_console(itanium, boot, name):
    path = built(itanium, name)
    status, log, err = boot(300, '-k', f'{path}/vmlinux', '-i', f'{path}/root.cpio', '-m', '512',
                            '-c', 'console=ttyS0,115200n8 panic=1')
    assert status == 0, log[-3000:] + err
    results = re.findall(r'^(?:not )?ok \d+ - .*', log, re.MULTILINE)
    assert results and not [line for line in results if line.startswith('not')]
    assert re.search(f'^1..{len(results)}$', log, re.MULTILINE)
    # Words of the kernel when something is wrong, and what its handlers of faults say. One without
    # a network does without netlink.
    assert not [line for line in itanium.complaints(
        log, r'warning|\bbug\b|oops|call trace|unaligned|error|fail')
        if 'ACPI: Failed to create genetlink family' not in line]
    assert not err, 'the machine complains of how its monitors are used'


def test_a_compressed_kernel_that_panics_says_why_and_resets_the_machine(itanium, boot):
    status, log, err = boot(60, '-k', f'{built(itanium, "smp")}/vmlinux.gz', '-c',
                            'console=ttyS0,115200n8 panic=1')
    assert status == 3, err
    assert 'Kernel panic - not syncing' in log


def test_what_never_ends_is_stopped(itanium, boot):
    assert boot(1, '-k', f'{built(itanium, "smp")}/vmlinux', '-c', 'console=ttyS0')[0] == 4


@pytest.mark.parametrize('kernel', ['README.md', 'no-such-file'])
def test_what_is_no_kernel_is_not_started(top, boot, kernel):
    assert boot(10, '-k', top / kernel)[0] == 2


def test_patches_have_kernel_style(top, itanium):
    files = 'scripts/checkpatch.pl', 'scripts/spelling.txt', 'scripts/const_structs.checkpatch'
    linux = itanium.run(top / 'scripts/linux-source', '6.1', *files).stdout.strip()
    patches = sorted((itanium.linux / 'patches').glob('*.patch'))
    assert patches
    # By standard input, as checkpatch treats a file that git tracks as a source. Sign-off and
    # MAINTAINERS are for sending.
    for patch in patches:
        with open(patch, encoding='utf-8') as text:
            done = itanium.run('perl', f'{linux}/scripts/checkpatch.pl', '--no-tree', '--strict',
                               '--terse', '--show-types', '--no-summary', '--no-signoff',
                               '--ignore', 'FILE_PATH_CHANGES', '-', stdin=text)
        assert (done.returncode, done.stdout + done.stderr) == (0, ''), patch.name
