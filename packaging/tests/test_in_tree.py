# SPDX-License-Identifier: GPL-2.0-only
"""packaging/in-tree puts the drivers into the source of Debian's newest kernel: they build,
built in and as modules, with itanium_pmu for the emulated machine's device; the kernel itself is
not linked. Their kselftest targets work there."""
import pathlib
import re
import shutil
import types

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.package, pytest.mark.xdist_group('in-tree'),
              pytest.mark.seconds(40), pytest.mark.timeout(4500)]

SELFTESTS = 'tools/testing/selftests'
DRIVERS = ['snbep_uncore', 'offcore_rsp', 'itanium_pmu']
TARGETS = 'TARGETS=' + ' '.join(f'drivers/perf/{name}' for name in DRIVERS)
OPTIONS = ['MODULES', '64BIT', 'SMP', 'PCI', 'ACPI', 'PERF_EVENTS', 'CPU_SUP_INTEL']


def link_source(source, tree):
    """The source as links, but for the directories and files that get something"""
    for name in 'drivers/perf', SELFTESTS:
        (tree / name).mkdir(parents=True)
    for path in (source / SELFTESTS).glob('*.*'):
        if path.is_file():
            shutil.copy(path, tree / SELFTESTS)
    shutil.copy(source / SELFTESTS / 'Makefile', tree / SELFTESTS)
    shutil.copytree(source / SELFTESTS / 'kselftest', tree / SELFTESTS / 'kselftest')
    for name in 'drivers/perf/Kconfig', 'drivers/perf/Makefile':
        shutil.copy(source / name, tree / name)
    for name in '.', 'drivers', 'drivers/perf', 'tools', 'tools/testing':
        for path in (source / name).iterdir():
            if path.name[0] != '.' and not (tree / name / path.name).exists():
                (tree / name / path.name).symlink_to(path)


@pytest.fixture(scope='module')
def linux(top, run, output):
    """The tree with the drivers, where it is built, and make there"""
    # Objects are kept for the next time.
    place = top / 'build/in-tree-newest'
    shutil.rmtree(place / 'source', ignore_errors=True)
    (place / 'obj').mkdir(parents=True, exist_ok=True)
    link_source(pathlib.Path(output('scripts/linux-source', 'newest')),
                place / 'source')
    done = run([top / 'packaging/in-tree', place / 'source'])
    assert done.returncode == 0, done.stdout

    def make(*arguments):
        done = run(['make', '-C', place / 'source', f'O={place}/obj', 'ARCH=x86_64', *arguments])
        assert done.returncode == 0, done.stdout[-8000:]
        return done.stdout

    return types.SimpleNamespace(source=place / 'source', obj=place / 'obj', make=make,
                                 drivers=place / 'obj/drivers/perf/snbep-uncore')


@pytest.fixture
def built(linux, tmp_path):
    """Builds the drivers, built in (y) or as modules (m): make's output"""
    def build(value):
        wanted = [f'CONFIG_{option}=y' for option in OPTIONS]
        wanted += [f'CONFIG_{option}={value}' for option in ('SNBEP_UNCORE', 'OFFCORE_RSP')]
        (tmp_path / 'config').write_text('\n'.join(wanted) + '\n', encoding='ascii')
        linux.make(f'KCONFIG_ALLCONFIG={tmp_path}/config', 'allnoconfig')
        config = (linux.obj / '.config').read_text(encoding='ascii').splitlines()
        assert not set(wanted) - set(config)
        shutil.rmtree(linux.drivers, ignore_errors=True)
        output = linux.make('-j2', 'W=1', f'CONFIG_ITANIUM_PMU_MODEL={value}',
                            'drivers/perf/snbep-uncore/')
        assert not re.search(r'snbep-uncore.*(warning|error):', output), output
        return output

    return build


def test_drivers_are_built_in_without_a_warning_and_link_together(linux, built, tmp_path, run):
    built('y')
    done = run(['ld', '-r', '--whole-archive', linux.drivers / 'built-in.a', '-o', tmp_path / 'o'])
    assert done.returncode == 0, done.stdout
    symbols = run(['nm', tmp_path / 'o']).stdout
    assert {*re.findall(r'__initcall__kmod_(\w+?)__\d', symbols)} == set(DRIVERS)


def test_drivers_are_built_as_three_modules_without_a_warning(linux, built, run):
    built('m')
    for name in DRIVERS:
        assert (linux.drivers / f'{name}.o').stat().st_size
        assert (linux.drivers / f'{name}.mod').stat().st_size
    assert not re.search('^[0-9a-f]{16} ', run(['nm', linux.drivers / 'built-in.a']).stdout, re.M)


def test_run_kselftest_of_make_kselftest_install_skips_all(linux, tmp_path, run):
    linux.make('kselftest-install', TARGETS, 'FORCE_TARGETS=1', f'KSFT_INSTALL_PATH={tmp_path}')
    done = run([tmp_path / 'run_kselftest.sh'])
    assert done.returncode == 0, done.stdout
    programs = (tmp_path / 'kselftest-list.txt').read_text().split()
    assert {name.split(':')[0] for name in programs} == {f'drivers/perf/{name}' for name in DRIVERS}
    assert f'\n# Totals: pass:0 fail:0 xfail:0 xpass:0 skip:{len(programs)} error:0' in done.stdout
