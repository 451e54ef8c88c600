# SPDX-License-Identifier: GPL-2.0-only
"""packaging/in-tree/add puts the drivers into the source of Debian's newest kernel: they build,
built in and as modules, with itanium_pmu for the emulated machine's device; the kernel itself is
not linked. Their kselftest targets, pages and entry of MAINTAINERS work there."""
import pathlib
import re
import shutil
import subprocess
import types

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.package, pytest.mark.xdist_group('in-tree'),
              pytest.mark.seconds(40), pytest.mark.timeout(4500)]

GUIDE = 'Documentation/admin-guide/perf'
INDEX = f'{GUIDE}/index.rst'
SELFTESTS = 'tools/testing/selftests'
PAGES = ['snbep_uncore', 'offcore_rsp', 'itanium_pmu']
TARGETS = 'TARGETS=' + ' '.join(f'drivers/perf/{name}' for name in PAGES)
OPTIONS = ['MODULES', '64BIT', 'SMP', 'PCI', 'ACPI', 'PERF_EVENTS', 'CPU_SUP_INTEL']


def link_source(source, tree):
    """The source as links, but for the directories and files that get something"""
    for name in 'drivers/perf', GUIDE, SELFTESTS:
        (tree / name).mkdir(parents=True)
    for path in (source / SELFTESTS).glob('*.*'):
        if path.is_file():
            shutil.copy(path, tree / SELFTESTS)
    shutil.copy(source / SELFTESTS / 'Makefile', tree / SELFTESTS)
    shutil.copytree(source / SELFTESTS / 'kselftest', tree / SELFTESTS / 'kselftest')
    for name in 'MAINTAINERS', 'drivers/perf/Kconfig', 'drivers/perf/Makefile', INDEX:
        shutil.copy(source / name, tree / name)
    for name in ('.', 'Documentation', 'Documentation/admin-guide', GUIDE, 'drivers',
                 'drivers/perf', 'tools', 'tools/testing'):
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
    done = run([top / 'packaging/in-tree/add', place / 'source'])
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
    assert {*re.findall(r'__initcall__kmod_(\w+?)__\d', symbols)} == set(PAGES)


def test_drivers_are_built_as_three_modules_without_a_warning(linux, built, run):
    built('m')
    for name in PAGES:
        assert (linux.drivers / f'{name}.o').stat().st_size
        assert (linux.drivers / f'{name}.mod').stat().st_size
    assert not re.search('^[0-9a-f]{16} ', run(['nm', linux.drivers / 'built-in.a']).stdout, re.M)


def test_sphinx_makes_the_pages_of_the_guide(top, linux, run, tmp_path):
    subprocess.run([top / 'scripts/setup', top / 'Documentation/packages'], check=True)
    index = (linux.source / INDEX).read_text(encoding='utf-8')
    entries = [line for line in index.splitlines() if line.strip() in PAGES]
    assert len(entries) == 3
    for name in PAGES:
        shutil.copy(linux.source / GUIDE / f'{name}.rst', tmp_path)
    (tmp_path / 'index.rst').write_text(
        '\n'.join(['Pages', '=====', '', '.. toctree::', '', *entries, '']), encoding='ascii')
    done = run(['sphinx-build', '-q', '-W', '--keep-going', '-C', tmp_path, tmp_path / 'html'])
    assert done.returncode == 0, done.stdout
    assert (tmp_path / 'html/snbep_uncore.html').stat().st_size


@pytest.mark.parametrize('file', [
    'drivers/perf/snbep-uncore/snbep_uncore.c', f'{SELFTESTS}/drivers/perf/snbep_uncore/count.c',
    f'{GUIDE}/offcore_rsp.rst'], ids=['driver', 'selftest', 'page'])
def test_get_maintainer_finds_who_maintains_a_file(linux, run, file):
    # It wants to be in a tree.
    done = run(['scripts/get_maintainer.pl', '--no-git', '--no-git-fallback', '--sections', '-f',
                file], cwd=linux.source)
    assert len(re.findall('^INTEL XEON E5-2600 UNCORE', done.stdout, re.M)) == 1, done.stdout


def test_entry_of_maintainers_names_what_is_there(top, linux):
    entry = (top / 'packaging/in-tree/MAINTAINERS').read_text(encoding='ascii')
    names = re.findall(r'^F:\t(.*)', entry, re.M)
    assert names and not [name for name in names if not (linux.source / name).exists()]


def test_make_kselftest_runs_each_program_and_skips_it(linux):
    # This machine has no PMU of ours.
    output = linux.make('kselftest', TARGETS, 'FORCE_TARGETS=1')
    results = re.findall('^(?:not )?ok .*', output, re.M)
    assert len(results) == 30
    assert [line for line in results
            if not re.match('ok .* selftests: drivers/perf/.* # SKIP', line)] == []


def test_run_kselftest_of_make_kselftest_install_skips_all(linux, tmp_path, run):
    linux.make('kselftest-install', TARGETS, 'FORCE_TARGETS=1', f'KSFT_INSTALL_PATH={tmp_path}')
    done = run([tmp_path / 'run_kselftest.sh'])
    assert done.returncode == 0, done.stdout
    assert re.search('^# Totals: pass:0 fail:0 xfail:0 xpass:0 skip:30 error:0', done.stdout, re.M)
