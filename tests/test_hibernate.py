# SPDX-License-Identifier: GPL-2.0-only
"""snbep_uncore:sleep and offcore_rsp:suspend with hibernation in place of S3: open events go on
counting in a second machine, which resumes from the first one's disk with its registers as after a
reset."""
import os
import re
import subprocess

import pytest

import ktap

SLEEPS = '''mkswap /dev/vda > /dev/null && swapon /dev/vda
cd /selftests/drivers/perf/'''
RESUMES = '''cat /sys/block/vda/dev > /sys/power/resume
echo "Bail out! the machine does not resume"; exit 1'''


@pytest.fixture
def machine(bin_vm, run, top, kernel, tmp_path):
    """A machine with a disk: machine(name, modules, command), and its kernel's log"""
    programs = run([top / 'tests/kselftest', '-B'], check=True).stdout.strip()
    disk, root = tmp_path / 'disk', tmp_path / 'root'
    disk.touch()
    os.truncate(disk, 1 << 30)
    root.mkdir()

    def boot(name, modules, command, *options):
        # The disk's driver, which other guests do not have
        driver, = kernel(name).glob('lib/modules/*/kernel/drivers/block/virtio_blk.ko*')
        unpack = {'.xz': 'xz', '.zst': 'zstd'}.get(driver.suffix)
        (root / 'virtio_blk.ko').write_bytes(subprocess.run(
            [unpack, '-dc', driver], check=True, stdout=subprocess.PIPE).stdout
            if unpack else driver.read_bytes())
        done = bin_vm(f'insmod /virtio_blk.ko && {command}', '-k', name, '-l', tmp_path / 'log',
                      '-m', modules, '-f', programs, '-f', root, '-o', 'core-pmu=on', *options,
                      '-q', '-drive', '-q', f'if=none,id=disk,format=raw,file={disk}',
                      '-q', '-device', '-q', 'virtio-blk-pci,bus=pcie.0,drive=disk')
        return done, (tmp_path / 'log').read_text(errors='replace')

    return boot


def without_linuxs_own(log):
    """irqrouter_resume() runs ACPI's code while timekeeping is suspended, and a new slab, whose
    objects are in random order, asks for the time."""
    return re.sub(r'^.*WARNING: .* ktime_get_seconds(?:.*\n)*?.*end trace.*\n',
                  lambda trace: '' if 'irqrouter_resume' in trace[0] else trace[0], log, flags=re.M)


@pytest.mark.slow
@pytest.mark.seconds(30)
@pytest.mark.parametrize('collection, program, options', [
    ('snbep_uncore', 'sleep disk', []),
    # On its own counters, as Linux's core PMU does not restore its registers
    ('offcore_rsp', 'suspend direct disk', ['-a', 'clearcpuid=arch_perfmon'])],
    ids=['snbep_uncore', 'offcore_rsp'])
def test_open_events_go_on_counting_after_hibernation_in_a_second_machine(
        machine, run, top, tmp_path, collection, program, options):
    # The first machine is switched off before the program ends, which its runner reports.
    first, log = machine('6.1', collection, f'{SLEEPS}{collection} && ./{program}', *options)
    with open(tmp_path / 'disk', 'rb') as disk:
        assert first.returncode == 125 and disk.read(4096)[4086:4095] == b'S1SUSPEND', first
    second, more = machine('6.1', '', RESUMES, *options)
    test = ktap.parse((first.stdout + second.stdout).splitlines())
    assert second.returncode == 0 and test.children, second
    assert [*test.faults, *(failed.name for failed in test.failures())] == [], second
    (tmp_path / 'log').write_text(without_linuxs_own(log + more))
    checked = run([top / 'machine/xeon/vm/check-log', tmp_path / 'log'])
    assert checked.returncode == 0, checked.stdout
