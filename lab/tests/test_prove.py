# SPDX-License-Identifier: GPL-2.0-only
"""What a patch of lab/linux is for fails on Linux's own driver in Debian's newest kernel, or
in that of a stable series, and passes with the patches: `pytest-3 -k 'prove and box/1'`.

What shows it is reproducers/SERIES-N.sh, which says in its first lines how it is run ("# vm: " and
options of machine/xeon/vm/vm, "# modules: " and what is loaded) and exits with 0 or 1, or takes the
kernel down, or says that something hangs and does so; or a part of lab/smoke/smoke. Those for
libpfm4 have tests, and those for QEMU apply. All have what their maintainers want.
"""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from judge import lists, runs
from judge.process import Sandbox, git
from judge.series import Series

LAB = pathlib.Path(__file__).resolve().parents[1]
LINUX = LAB / 'linux'
# A generation, a part of smoke, and its result
SMOKE = {
    'box/1': ('discovery', 'socket-offline', 'type_2_0: both sockets count when it is back'),
    'box/2': ('1', 'rebind', 'perf counts on the other socket while a function is unbound'),
    'core/2': ('1', 'rotate-unload', 'no timer that rotates events is left after unload'),
    'core/3': ('1', 'rotate-offline', 'events that came back to their CPU are multiplexed there'),
    'fixes/3': ('1', 'basic', 'occ_edge is the edge of the occupancy, and leaves occ_sel alone'),
    'fixes/4': ('3', 'basic', 'uncore_pcu: filter_band1 of 0xc is FILTER 8-15'),
    'fixes/5': ('icx', 'basic', 'nothing is accessed where no unit is'),
    'fixes/7': ('2', 'basic', "uncore_imc_0: format/inv is the hardware's"),
    'fixes/8': ('spr', 'basic', 'uncore_upi_3 counts exactly'),
    'fixes/12': ('icx', 'basic', 'uncore_m2m_0: umask is CTL 8-15,32-39'),
    'fixes/13': ('icx', 'basic', 'uncore_cha_0: filter_tid of event=0x35,umask=0x1,tid_en=1 is '
                 'FILTER0 0-9'),
    'fixes/14': ('snr', 'basic', 'nothing is accessed where no unit is'),
    'stable-6.1/1': ('1', 'unload-while-opening', 'unloads while others open software events'),
    'stable-6.12/1': ('1', 'rotate-unload', 'no timer that rotates events is left after unload'),
    'stable-6.12/2': ('1', 'rotate-offline',
                      'events that came back to their CPU are multiplexed there')}
NOT_SHOWN = {'box/7': 'a window of two instructions',
             'update/1': 'nothing shows it without update/2',
             **dict.fromkeys((f'constraints/{n}' for n in range(1, 18)),
                             "smoke shows all events of a unit that count nothing on a counter")}
# Series for the driver alone, which are applied in this order
DRIVER = 'fixes', 'pci', 'box', 'constraints', 'update', 'suspend'
SECONDS = {'update/2': 300, 'suspend/1': 60}
PATCHES = [f'{path.parent.name}/{int(path.name[:4])}'
           for path in sorted(LINUX.glob('*/0*-*.patch'))]
SHOWN = [pytest.param(patch, id=patch, marks=pytest.mark.seconds(SECONDS.get(patch, 15)))
         for patch in PATCHES if patch not in NOT_SHOWN]
slow = pytest.mark.slow
lab = pytest.mark.lab
pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope='module')
def extra(tmp_path_factory):
    """The guest's /extra, and a build directory: another run builds the same modules."""
    directory = tmp_path_factory.mktemp('extra')
    subprocess.run(['gcc', '-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-static',
                    '-D_GNU_SOURCE', '-o', directory / 'race', runs.REPRODUCERS / 'race.c'],
                   check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('SNBEP_BUILD', str(tmp_path_factory.mktemp('build')))
        yield directory


def applied(tmp_path_factory, kernel, *names):
    """Debian's source with the patches of some series"""
    mails = tmp_path_factory.mktemp('mails')
    for number, path in enumerate(
            path for name in names for path in sorted((LINUX / name).glob('0*-*.patch'))):
        (mails / f'{number:04}.patch').symlink_to(path)
    return Series(str(mails), None, kernel, tmp_path_factory.mktemp('series'), Sandbox('bwrap'))


@pytest.fixture(scope='module')
def patched(tmp_path_factory):
    """The options of vm for Linux with the patches of some series"""
    @functools.cache
    def options(kernel, *names):
        series = applied(tmp_path_factory, kernel, *names)
        last = len(series.commits) - 1
        if 'kernel' in series.parts:
            return series.image(last)
        if 'perf' in series.parts:
            return ['-k', kernel, '-f', str(series.perf(last)[0])]
        return ['-k', kernel, '-b', str(series.module(last))]
    return options


def kernel_of(patch):
    series = re.match('stable-(.*)/', patch)
    return series[1] if series else 'newest'


def shows(patch, extra, *options):
    """Whether all is well, and what was printed. A complaint of the kernel is a fault, too."""
    if patch in SMOKE:
        generation, part, result = SMOKE[patch]
        found = runs.run_task(runs.Task('smoke', generation, part), [*options], extra)
        results = [found[f'{generation} {part}: {part}: the kernel has no complaint']]
        # Some names are those of failures alone.
        results += [found[name] for name in [f'{generation} {part}: {result}'] if name in found]
    else:
        task = runs.Task('reproducer', patch.replace('/', '-'))
        results = runs.run_task(task, [*options], extra).values()
    return all(status != 'FAIL' for status, _ in results), '\n'.join(text for _, text in results)


@slow
@lab
@pytest.mark.parametrize('patch', SHOWN)
def test_fault_is_in_debians_linux(patch, kernel, extra):
    kernel(kernel_of(patch))
    good, text = shows(patch, extra, '-k', kernel_of(patch))
    assert not good, text


@slow
@lab
@pytest.mark.parametrize('patch', SHOWN)
def test_fault_is_gone_with_the_patches(patch, kernel, extra, patched):
    name, series = kernel_of(patch), patch.split('/')[0]
    kernel(name)
    if series in DRIVER:
        options = patched(name, *DRIVER)
    elif series == 'perf' or os.environ.get('PROVE_KERNELS'):
        options = patched(name, series)
    else:
        pytest.skip('it builds a kernel, six minutes on two cores, with PROVE_KERNELS=1')
    # -W: the kernel's log has no warning.
    good, text = shows(patch, extra, *options, *([] if patch in SMOKE else ['-W']))
    assert good, text


@lab
@pytest.mark.ci
@pytest.mark.parametrize('names', [DRIVER, ['core'], ['perf']], ids=lambda names: '+'.join(names))
def test_patches_apply_together(tmp_path_factory, names):
    series = applied(tmp_path_factory, 'newest', *names)
    assert len(series.commits) - 1 == sum(
        patch.partition('/')[0] in names for patch in PATCHES)


def test_every_patch_has_what_shows_its_fault():
    assert {patch for patch in PATCHES if patch not in NOT_SHOWN and patch not in SMOKE} == {
        name.replace('-', '/') for name in runs.reproducers({'module', 'kernel', 'perf'})}


def test_each_patch_and_report_is_in_the_readme():
    text, listed = (LAB / 'README.md').read_text(encoding='utf-8'), []
    for place, rows in re.findall(r'^## .*\(`(.*)/`\).*\n((?:(?!## ).*\n)*)', text, re.M):
        for name, numbers in re.findall(r'^\| ([a-z][\w.-]* )?(\d[\d, to]*)', rows, re.M):
            for first, last in re.findall(r'(\d+)(?: to (\d+))?', numbers):
                listed += [f'{place}/{name}'.strip(' /') + f'/{number}'
                           for number in range(int(first), int(last or first) + 1)]
    assert sorted(listed) == sorted(
        f'{path.parent.relative_to(LAB)}/{int(path.name[:4])}'
        for place in ('linux/*', 'perfmon', 'libpfm4', 'qemu-fixes')
        for path in LAB.glob(f'{place}/0*.patch'))
    assert {path.stem for place in ('others/*', 'perfmon/issues/*') for path in LAB.glob(place)
            if path.stem not in text} == set()
    assert {*re.findall(r'HEAD~(\d+)', text)} == {f'{len([*LINUX.glob("box/0*.patch")])}'}


# A base that Debian's source is not, and the author of a backport
IGNORED = ('UNKNOWN_COMMIT_ID,GIT_COMMIT_ID,FROM_SIGN_OFF_MISMATCH,MISSING_SIGN_OFF,'
           'NO_AUTHOR_SIGN_OFF')


@lab
@pytest.mark.ci
@pytest.mark.seconds(60)
@pytest.mark.parametrize('patch', PATCHES)
def test_patch_has_what_its_maintainers_want(run, output, patch):
    source = output('scripts/linux-source', 'newest', 'scripts', 'MAINTAINERS')
    series, number = patch.split('/')
    path, = (LINUX / series).glob(f'{int(number):04}-*.patch')
    text = path.read_text(encoding='utf-8')
    message = text.partition('\n---\n')[0]
    fixes = re.findall(r'^Fixes: (.*)', message, re.M)
    assert all(re.fullmatch(r'[0-9a-f]{12} \("[^"]+"\)', line) for line in fixes), fixes
    # Below ---, a patch says which commit has to be looked up.
    assert fixes or 'RFC' in message or re.search(
        r'^Fixes: .*missing|^There is no Fixes:|No functional change', text, re.M)
    done = run(['perl', 'scripts/checkpatch.pl', '-q', '--strict', '--no-tree', '--ignore', IGNORED,
                path], cwd=source)
    assert (done.returncode, done.stdout) == (0, '')
    done = run(['perl', 'scripts/get_maintainer.pl', '--no-tree', '--no-git',
                '--no-git-fallback', '--no-rolestats', path], cwd=source)
    assert done.returncode == 0 and '@vger.kernel.org' in done.stdout, done.stdout


def unit_masks(tree, name):
    """{event and unit mask: bits} of libpfm4's tables for an uncore"""
    text = ''.join(path.read_text() for path in tree.glob(f'lib/events/intel_{name}_unc_*'))
    masks = {array: re.findall(r'\.uname *= *"(\w+)".*?\.ucode *= *0x(\w+)', rows, re.S)
             for array, rows in re.findall(
                 r'intel_x86_umask_t (\w+)\[\] *= *\{(.*?)^\};', text, re.S | re.M)}
    return {f'{event}.{mask}': int(bits, 16) >> 8 & 0xff for event, array in re.findall(
        r'\.name *= *"(\w+)"(?:(?!\.name).)*?\.umasks *= *(\w+)', text, re.S)
            for mask, bits in masks.get(array, ())}


@lab
@pytest.mark.ci
@pytest.mark.seconds(20)
def test_tests_of_libpfm4_fail_without_the_patches_to_its_tables(
        libpfm4, linux_lists, top, tmp_path, run):
    tree = tmp_path / 'tree'
    shutil.copytree(libpfm4, tree, symlinks=True)
    for words in (['init', '-q'], ['add', '-A', '-f'], ['commit', '-q', '-m', 'libpfm4'],
                  ['tag', 'base'], ['am', '-q', *sorted((top / 'lab/libpfm4').glob('0*.patch'))]):
        git(tree, *words)
    for name, intel in zip(('snbep', 'ivbep', 'hswep', 'bdx'), lists.NAMES.values()):
        ours = unit_masks(tree, name)
        theirs = {event['EventName'].upper(): int(event.get('UMask', '0'), 16)
                  for path in linux_lists('newest', lists.LISTS, 'tools/perf/pmu-events').glob(
                      f'{intel}/uncore-*.json')
                  for event in json.loads(path.read_text())}
        both = {key for key in ours.keys() & theirs.keys() if 'STATE_OCCUPANCY' not in key}
        assert len(both) > 290 and {key: ours[key] for key in both} == {
            key: theirs[key] for key in both}
    diff = git(tree, 'diff', 'base', 'HEAD', '--', 'tests')
    added = len(re.findall(r'^\+.*SRC_LINE', diff, re.M))
    for state, errors in ('base', added), ('HEAD', 0):
        git(tree, 'checkout', '-q', state, '--', 'lib')
        done = run(['sh', '-c', 'make -s -j2 lib && make -s -C tests && tests/validate -A'],
                   cwd=tree)
        found = re.findall(r' x86 events: (\d+) errors', done.stdout)
        assert added and (done.returncode != 0) == bool(errors), done.stdout
        assert not errors or found == [str(errors)], done.stdout


@slow
@lab
def test_patches_for_qemu_apply_and_checkpatch_finds_nothing(run, tmp_path):
    patches = sorted((LAB / 'qemu-fixes').glob('0*.patch'))
    version = (LAB / 'qemu-fixes/version').read_text(encoding='ascii').strip()
    tree = tmp_path / 'source'
    done = subprocess.run([LAB.parent / 'scripts/apt-source', '-s', 'sid', f'qemu={version}', tree],
                          check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        pytest.skip(f'qemu {version} cannot be had: {done.stderr.strip().splitlines()[-1]}')
    touched = {name for patch in patches
               for name in re.findall(r'^--- a/(\S+)', patch.read_text(), re.M)}
    for words in (['init', '-q'], ['add', '-f', *sorted(touched)], ['commit', '-q', '-m', version],
                  ['am', '-q', *patches]):
        git(tree, *words)
    done = run(['perl', 'scripts/checkpatch.pl', '-q', '--strict', '--no-signoff', *patches],
               cwd=tree)
    assert (done.returncode, done.stdout) == (0, '')
