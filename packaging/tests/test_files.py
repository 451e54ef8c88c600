# SPDX-License-Identifier: GPL-2.0-only
"""All files of packaging/source, modules and in-tree, of make install and of make -C selftests
copy, with their modes, whatever the umask, and which package has what is installed."""
import fnmatch
import os
import re
import shutil

import pytest

SELFTESTS = 'tools/testing/selftests'
# What packaging/in-tree changes of a kernel tree: the text before and after
IN_TREE = {
    'drivers/perf/Makefile': ('obj-y += x.o\n', 'obj-y += x.o\nobj-y += snbep-uncore/\n'),
    'drivers/perf/Kconfig': (
        '# endmenu is last\nconfig X\nendmenu\n', '# endmenu is last\nconfig X\n'
        'source "drivers/perf/snbep-uncore/Kconfig"\nendmenu\n'),
    f'{SELFTESTS}/Makefile': (
        'TARGETS += a\nTARGETS += drivers/platform/x86\nTARGETS += z\n', 'TARGETS += a\n'
        'TARGETS += drivers/perf/itanium_pmu\nTARGETS += drivers/perf/offcore_rsp\n'
        'TARGETS += drivers/perf/snbep_uncore\nTARGETS += drivers/platform/x86\n'
        'TARGETS += z\n')}


@pytest.fixture
def umask():
    """Others could write what is made."""
    before = os.umask(0)
    yield
    os.umask(before)


def files(directory):
    """{name: mode} of all files; directories are as they should be."""
    paths = list(directory.rglob('*'))
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_dir()} <= {0o755}
    return {str(path.relative_to(directory)): path.stat().st_mode & 0o777
            for path in paths if not path.is_dir()}


def sources(top, *directories, pattern='*'):
    """{name: mode} of the files right in directories of this tree"""
    return {f'{directory}/{path.name}': path.stat().st_mode & 0o777 & ~0o022
            for directory in directories for path in (top / directory).iterdir()
            if path.is_file() and fnmatch.fnmatch(path.name, pattern)}


@pytest.mark.parametrize('place', ['out of it', '{}/out of it/in/it'])
@pytest.mark.parametrize('options, absent', [(['-v', '9', '-p'], ['lab/c d']), ([], [])])
@pytest.mark.usefixtures('umask')
def test_source_has_the_files_of_the_tree(tree, tmp_path, run, place, options, absent):
    (tree / 'a b').chmod(0o600)
    (tree / 'untracked').touch()
    out = tmp_path / place.format(tmp_path)
    done = run([tree / 'packaging/source', *options, place.format(tmp_path)], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, '')
    names = {*run(['git', 'ls-files', '-c', '-o'], cwd=tree).stdout.splitlines()}
    names -= {'link', *absent}
    want = {name: 0o755 if os.access(tree / name, os.X_OK) else 0o644 for name in names}
    assert files(out) == {**want, 'VERSION': 0o644}
    assert [name for name in names if (out / name).read_bytes() != (tree / name).read_bytes()] == []
    version, date = (run([tree / 'scripts/version', *word]).stdout.strip() for word in ([], ['-d']))
    if options:
        version = '9'
    assert (out / 'VERSION').read_text(encoding='ascii') == f'{version} {date}\n'
    assert {path.stat().st_mtime for path in [out, *out.rglob('*')]} == {int(date)}


def test_source_refuses_other_words_a_directory_that_is_there_and_no_whole_clone(
        tree, tmp_path, run):
    for name in 'shallow', 'changed':
        run(['git', 'clone', '-q', '--depth=1', f'file://{tree}', tmp_path / name], check=True)
    (tmp_path / 'changed/NEWS').write_text('new\n', encoding='ascii')
    shutil.copytree(tree, tmp_path / 'copy', ignore=lambda *_: ['.git'], symlinks=True)
    usage, clone = 'source: usage: source [-v VERSION] [-p] DIR', ': packages are of a whole clone'
    for place, words, text in (
            (tree, [], usage), (tree, ['-x', 'out'], usage), (tree, ['out', 'other'], usage),
            (tree, ['lab'], usage), (tmp_path / 'shallow', ['out'], f'.shallow{clone}'),
            (tmp_path / 'changed', ['out'], f'.shallow.dirty{clone}'),
            (tmp_path / 'copy', ['out'], f'.unknown{clone}')):
        done = run([place / 'packaging/source', *words], cwd=tree)
        assert done.returncode == 1 and text in done.stdout
        assert not run(['git', 'status', '--porcelain'], cwd=tree).stdout


def driver_sources(top):
    """Those of the modules of x86"""
    return {'Kbuild': 0o644, 'snbep_uncore.c': 0o644, 'snbep_uncore.h': 0o644,
            'offcore_rsp.c': 0o644, 'events/boxes.def': 0o644,
            **sources(top, 'snbep', 'offcore', 'common'), **sources(top, 'events', pattern='*.h'),
            **sources(top, 'events', pattern='snbep_*'),
            **sources(top, 'events', pattern='offcore_*')}


def test_modules_has_the_sources_for_dkms_and_their_version(top, run, tmp_path):
    done = run([top / 'packaging/modules', 'a b/c', '1.1'], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, '')
    assert files(tmp_path / 'a b/c') == {**driver_sources(top), 'VERSION': 0o644}
    assert (tmp_path / 'a b/c/VERSION').read_text(encoding='ascii') == '1.1\n'


def test_in_tree_puts_drivers_and_selftests_into_a_kernel_tree_once(top, run, tmp_path):
    for name, (text, _) in IN_TREE.items():
        (tmp_path / 'a' / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / 'a' / name).write_text(text, encoding='ascii')
    assert 'usage: in-tree LINUX' in run([top / 'packaging/in-tree', 'b'], cwd=tmp_path).stdout
    done = run([top / 'packaging/in-tree', 'a'], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, '')
    drivers = {**driver_sources(top), 'Kconfig': 0o644, 'itanium_pmu.c': 0o644,
               **sources(top, 'itanium'), **sources(top, 'events', pattern='*.def')}
    want = {**{f'drivers/perf/snbep-uncore/{name}': mode for name, mode in drivers.items()},
            **{f'{SELFTESTS}/drivers/perf/{name}': mode for name, mode in selftests(top).items()},
            **dict.fromkeys(IN_TREE, 0o644)}
    for attempt in 'first', 'second':
        assert files(tmp_path / 'a') == want, attempt
        for name, (_, text) in IN_TREE.items():
            assert (tmp_path / 'a' / name).read_text(encoding='ascii') == text
        done = run([top / 'packaging/in-tree', 'a'], cwd=tmp_path)
        assert done.returncode == 1 and done.stdout.endswith('snbep-uncore is there already\n')


def selftests(top):
    names = sources(top / 'selftests', 'api', 'snbep_uncore', 'offcore_rsp', 'itanium_pmu')
    return {**names, 'api/model-port.h': 0o644}


def test_selftests_copy_removes_sources_that_are_gone_and_no_program(top, run, tmp_path):
    want = {**selftests(top), 'snbep_uncore/count': 0o644, 'other/x.c': 0o644}
    for name in 'snbep_uncore/count', 'snbep_uncore/gone.c', 'api/gone.sh', 'other/x.c':
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    run(['make', '-s', '-C', top / 'selftests', 'copy', f'TO={tmp_path}'], check=True)
    assert files(tmp_path) == want


KSELFTEST = """%:
	@echo "$@ $(TARGETS) $(FORCE_TARGETS) '$(KSFT_INSTALL_PATH)' $(origin O) $(CURDIR)"
"""


def test_goals_of_selftests_are_kselftests_own(top, run, tmp_path):
    runner = {'Makefile', 'lib.mk', 'kselftest.h', 'kselftest_harness.h', 'run_kselftest.sh',
              'kselftest/x.sh'}
    for name in [*(f'{SELFTESTS}/{name}' for name in runner), f'{SELFTESTS}/net/x',
                 'scripts/subarch.include', 'more/x.sh']:
        (tmp_path / 'a' / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / 'a' / name).write_text(KSELFTEST, encoding='ascii')
    out = tmp_path / 'out/linux'
    ours = ' '.join(f'drivers/perf/{name}' for name in ('snbep_uncore', 'offcore_rsp',
                                                        'itanium_pmu'))
    make = ['make', '-s', '-C', top / 'selftests', f'KSFT={tmp_path}/a/{SELFTESTS}',
            f'O={tmp_path}/out']
    for words, want in {
            '': f"all {ours} 1 '' undefined", 'run_tests': f"run_tests {ours} 1 '' undefined",
            'gen_tar TARGETS=drivers/perf/x': "gen_tar drivers/perf/x 1 '' undefined",
            'clean': f"clean {ours} 1 '' undefined", f'install KSFT_INSTALL_PATH={tmp_path}/to '
            f'MORE=more={tmp_path}/a/more': f"install {ours} 1 '{tmp_path}/to' undefined"}.items():
        done = run([*make, *words.split()])
        assert (done.returncode, done.stdout) == (0, f'{want} {out}/{SELFTESTS}\n')
        (out / SELFTESTS / 'kselftest/gone').touch()
    run([*make, 'MORE='], check=True)
    assert {*files(out)} == {'scripts/subarch.include', *(f'{SELFTESTS}/{name}' for name in (
        *runner, 'more/x.sh', 'more/tap.sh',
        *(f'drivers/perf/{name}' for name in selftests(top))))}
    assert run([*make, f'KSFT={tmp_path}/none']).returncode


COMPILE = 'CC -std=c11 -D_GNU_SOURCE{} CF -MMD -MP -Wall -Wextra W -I{} -I{} -c S -o O'


@pytest.mark.parametrize('words, static', [([], ''), (['STATIC=1'], ' -static')])
def test_tools_are_made_with_the_compiler_and_the_flags_that_are_given(top, run, words, static):
    make = ['make', '-n', '-s', 'O=/none', *words]
    text = run([*make, '-C', top / 'tools', 'CC=CC', 'CFLAGS=CF', 'LDFLAGS=LF', 'WERROR=W',
                'VERSION=9', 'curses=C', 'json=J']).stdout
    text = re.sub(r'( /none/objects\S*\.o)+', ' O', re.sub(r'/\S+\.c\b', 'S', text))
    include = top / 'tools/lib', top / 'events/tools'
    lines = [' '.join(line.split()) for line in text.splitlines() if line.startswith('CC')]
    versioned = COMPILE.format(" -DVERSION='\"9\"'", *include)
    assert lines.count(versioned) == 2 and set(lines) == {
        versioned, COMPILE.format('', *include),
        f'CC CF{static} -o /none/uncorestat O LF C J -lpthread -lm',
        f'CC CF{static} -o /none/uncore-hwtest-measure O LF -lpthread -lm'}
    text = run([*make, '-C', top / 'events', 'HOSTCC=CC', 'HOSTCFLAGS=CF',
                'EVENTS_LOCKED=y']).stdout
    lines = re.sub(r'( /none/\S*\.o)+', ' O', re.sub(r'/\S+\.c\b', 'S', text)).splitlines()
    assert {line for line in lines if line.startswith('CC')} == {
        'CC CF -D_GNU_SOURCE -MMD -MP -c -o O S', 'CC CF -o /none/gen O'}


@pytest.mark.usefixtures('umask')
def test_install_puts_all_there_and_uninstall_removes_it(top, run, tmp_path, installed):
    (top / 'build/tools').mkdir(parents=True, exist_ok=True)
    make = ['flock', top / 'build/tools/.lock', 'make', '-C', top / 'tools',
            f'DESTDIR={tmp_path}/to', 'PREFIX=/opt/x', 'SBINDIR=/opt/y']
    done = run([*make, 'install'])
    assert done.returncode == 0, done.stdout
    to = tmp_path / 'to/opt/x'
    names = {name for names in installed.values() for name in names} - {'sbin/uncore-hwtest'}
    assert files(tmp_path / 'to') == {'opt/y/uncore-hwtest': 0o755, **{
        f'opt/x/{name}': 0o755 if re.match('bin/|libexec/', name) else 0o644 for name in names}}
    version = run([top / 'scripts/version']).stdout
    said = run([to / 'bin/uncorestat', '--version']).stdout
    assert said.startswith(f'uncorestat {version}') and 'Not in this build' not in said
    same = {path.name: path for place in ('.', 'Documentation', 'tools/uncorestat')
            for path in (top / place).iterdir()}
    same['uncorestat'] = same['completion']
    for path in (to / name for name in names):
        if re.search('share/(?!man|doc.*/events)', str(path)):
            assert path.read_bytes() == same[path.name].read_bytes()
    assert (to / 'lib/systemd/system/uncorestat.service').read_text(encoding='ascii') == \
        same['uncorestat.service'].read_text().replace('/usr/bin/uncorestat',
                                                       '/opt/x/bin/uncorestat')
    for page in 'uncorestat', 'uncore-hwtest':
        assert re.search(f'^.TH "?{page}"? "?8', (to / f'share/man/man8/{page}.8').read_text(),
                         re.M | re.I)
    others = {'opt/x/bin/other', 'opt/x/share/doc/other/NEWS'}
    for name in others:
        (tmp_path / 'to' / name).parent.mkdir(exist_ok=True)
        (tmp_path / 'to' / name).touch()
    run([*make, 'uninstall'], check=True)
    (tmp_path / 'rst2man').write_text('#!/bin/sh\necho rst2man "$@"\nexit 1\n', encoding='ascii')
    (tmp_path / 'rst2man').chmod(0o755)
    done = run([*make[:-3], f'DESTDIR={tmp_path}/fails', 'install'], env={
        **os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}'})
    assert done.returncode and re.findall('^rst2man .*', done.stdout, re.M) == [
        f'rst2man --halt=warning {top}/Documentation/uncorestat.rst {top}/build/tools/uncorestat.8']
    # And nothing is compiled again.
    assert ' -D_GNU_SOURCE ' not in done.stdout
    assert {str(path.relative_to(tmp_path / 'to')) for path in (tmp_path / 'to').rglob('*')} == {
        *others, *(str(parent) for name in others
                   for parent in list(type(tmp_path)(name).parents)[:-1])}


# What the macros of the spec stand for
MACROS = {'_bindir': 'bin', '_sbindir': 'sbin', '_libexecdir': 'libexec', '_mandir': 'share/man',
          '_unitdir': 'lib/systemd/system', '_datadir': 'share', '_docdir': 'share/doc',
          'bash_completions_dir': 'share/bash-completion/completions'}


def packed(entries, names):
    """The names that the entries of a package take; each takes some."""
    taken = [{name for name in names if fnmatch.fnmatch(name, entry) or
              name.startswith(f'{entry}/')} for entry in entries]
    assert all(taken), entries
    return set().union(*taken)


def test_packages_take_what_is_installed(top, installed):
    names = {f'usr/{name}' for names in installed.values() for name in names}
    spec = (top / 'packaging/snbep-uncore-tools.spec').read_text(encoding='ascii')
    entries = re.findall(r'^(?:%doc )?%\{(\w+)\}(/.*)', spec.partition('\n%files\n')[2], re.M)
    assert packed([f'usr/{MACROS[macro]}{name}' for macro, name in entries], names) == names
    names.add('usr/share/snbep-uncore/x.json')
    for package, want in installed.items():
        entries = (top / f'packaging/debian/{package}.install').read_text().split()
        assert packed(entries, names) == {f'usr/{name}' for name in want} | (
            names - {f'usr/{name}' for names in installed.values() for name in names}
            if package == 'snbep-uncore-tools' else set())
