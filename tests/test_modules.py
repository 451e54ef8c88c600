# SPDX-License-Identifier: GPL-2.0-only
"""Which modules are loaded: by udev, and beside Linux's own driver"""
import subprocess

import pytest

slow = pytest.mark.slow
# intel_uncore and ours, of which the second one is refused
BOTH = '''modprobe intel_uncore || echo intel refused
modprobe snbep_uncore && echo ours loaded beside intel
echo intel has $(ls /sys/bus/event_source/devices | grep -c '^uncore_') PMUs
perf stat -a --per-socket -x, -e uncore_imc_0/event=0x4,umask=0x3/ \\
    uncore-stim imc_0 event=4,umask=3,count=17 2>&1 | cut -d, -f1-3
rmmod intel_uncore
modprobe snbep_uncore || echo ours refused
modprobe intel_uncore && echo intel loaded beside ours
perf stat -a --per-socket -x, -e snbep_uncore_imc_0/event=0x4,umask=0x3/ \\
    uncore-stim imc_0 event=4,umask=3,count=19 2>&1 | cut -d, -f1-3
rmmod snbep_uncore
modprobe intel_uncore && echo intel loaded after ours'''
UNLOAD = ('intel_uncore is active: unload it (modprobe -r intel_uncore), or keep it from loading '
          'with "blacklist intel_uncore" in')


@pytest.mark.parametrize('module, aliases', [
    ('snbep_uncore', ['cpu:type:x86,ven0000fam0006mod002D:', *(
        f'pci:v00008086d0000{device}sv' for device in
        '3C41 3C42 3C43 3C44 3C45 3C46 3CB0 3CB1 3CB4 3CB5'.split())]),
    ('offcore_rsp', [f'cpu:type:x86,ven0000fam0006mod00{model}:' for model in
                     '1A 1E 1F 2E 25 2C 2F 2A 2D'.split()])])
def test_module_has_the_aliases_that_udev_loads_it_by(top, module, aliases):
    made = subprocess.run([top / 'scripts/modules', '6.1', top], check=True, encoding='utf-8',
                          stdout=subprocess.PIPE).stdout.strip()
    has = subprocess.run(['modinfo', '-F', 'alias', top / made / f'{module}.ko'], check=True,
                         encoding='utf-8', stdout=subprocess.PIPE).stdout
    assert [alias for alias in aliases if alias not in has] == []


@slow
@pytest.mark.seconds(10)
def test_intel_uncore_built_in_can_be_kept_from_loading_as_the_log_says(bin_vm, top, tmp_path):
    """initcall_blacklist works on modules, too; a stand-in is loaded for the built-in driver."""
    done = bin_vm('''modprobe intel_uncore 2> /dev/null || echo blacklisted
        modprobe snbep_uncore && rmmod snbep_uncore && echo loaded
        modprobe builtin_uncore
        modprobe snbep_uncore || echo refused''', '-W', '-s', '1', '-c', '1', '-m', '',
                  '-b', top / 'tests/drivers/uncore/builtin', '-l', tmp_path / 'log',
                  '-a', 'initcall_blacklist=intel_uncore_init')
    assert (done.returncode, done.stdout.split()) == (
        0, ['blacklisted', 'loaded', 'refused']), done.stderr
    assert 'if it is built in, boot with initcall_blacklist=intel_uncore_init' in (
        tmp_path / 'log').read_text()


@slow
@pytest.mark.seconds(10)
@pytest.mark.parametrize('name', ['6.1', 'newest'])
def test_intel_uncore_and_ours_go_on_counting_and_refuse_each_other(
        bin_vm, kernel, tmp_path, name):
    kernel(name)
    done = bin_vm(BOTH, '-W', '-k', name, '-m', '', '-s', '1', '-c', '8', '-l', tmp_path / 'log')
    assert (done.returncode, done.stdout.splitlines()) == (0, [
        'intel has 20 PMUs', 'S0,1,17', 'S0,1,19', 'intel loaded after ours']), done.stderr
    log = (tmp_path / 'log').read_text()
    assert UNLOAD in log and 'intel_uncore not loaded' in log


@slow
@pytest.mark.seconds(10)
def test_uncore_names_gives_the_aliases_of_intel_uncore_its_encodings(bin_vm):
    done = bin_vm('''cd /sys/bus/event_source/devices
        modprobe intel_uncore && grep . uncore_imc_0/events/* uncore_qpi_0/events/* && echo ==
        rmmod intel_uncore && modprobe snbep_uncore uncore_names=1
        grep . uncore_imc_0/events/* uncore_qpi_0/events/*''', '-W', '-m', '')
    assert done.returncode == 0, done.stderr
    intel, ours = (set(text.split('\n')) for text in done.stdout.strip().split('\n==\n'))
    assert len(intel) == 11 and intel <= ours
