# SPDX-License-Identifier: GPL-2.0-only
"""What lab/test takes as a series, and what it refuses in one line."""
import copy
import ctypes
import email
import email.charset
import email.mime.multipart
import email.mime.text
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import types

import pytest

from judge import mails as mails_module
from judge import process
from judge import series as module
from judge.process import CouldNot, Sandbox, git

LAB = pathlib.Path(__file__).parent.parent
DRIVER = 'arch/x86/events/intel/uncore.c'


def commit(tree, file, text, subject):
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text(text, encoding='utf-8')
    git(tree, 'add', '-A')
    git(tree, 'commit', '-q', '-m', subject)


@pytest.fixture
def tree(tmp_path):
    """A tree with a driver and two commits on it"""
    path = tmp_path / 'linux'
    path.mkdir()
    git(path, 'init', '-q')
    for name, subject in ('a', 'base'), ('b', 'first'), ('c', 'second'):
        commit(path, DRIVER, f'int {name};\n', subject)
    return path


@pytest.fixture
def series(tmp_path):
    """A function that makes a Series"""
    def make(what, tree=None, **options):
        work = tmp_path / f'work{len(list(tmp_path.iterdir()))}'
        work.mkdir()
        return module.Series(str(what), tree and str(tree), 'newest', work, **options)
    return make


def mbox(tree, *options):
    """The last two commits as mails; the tree loses them."""
    path = tree.parent / f'mbox{len(list(tree.parent.iterdir()))}'
    path.write_text(git(tree, 'format-patch', '--stdout', *options, 'HEAD~2'), encoding='utf-8')
    git(tree, 'reset', '-q', '--hard', 'HEAD~2')
    return path


def mails_of(tree, *options):
    """A cover letter and the two patches as messages"""
    path = mbox(tree, '-n', '--cover-letter', '--thread', *options)
    return [email.message_from_string('From ' + text) for text in
            ('\n' + path.read_text(encoding='utf-8')).split('\nFrom ')[1:]]


def write(tree, mails):
    path = tree.parent / 'thread'
    path.write_bytes(b'\n'.join(mail.as_bytes(unixfrom=True) for mail in mails))
    return path


def changed(mail, subject=None, payload=None, **headers):
    """A copy of a mail, with another subject, other text and other headers"""
    mail = copy.deepcopy(mail)
    if subject:
        mail.replace_header('Subject', subject)
    if payload:
        mail.set_payload(payload(mail.get_payload()))
    for name, value in headers.items():
        mail.replace_header(name.replace('_', '-'), value)
    return mail


def test_range_of_a_tree_that_is_left_alone(series, tree, monkeypatch):
    def state():
        return [git(tree, *words.split()) for words in ('for-each-ref', 'worktree list',
                                                       'status -s', 'rev-parse HEAD')]
    before = state()
    found = series('HEAD~2..', tree)
    assert found.subjects[1:] == ['first', 'second'] and found.parts == {'module'}
    assert found.base_name() == f'commit {git(tree, "rev-parse", "HEAD~2")}'
    for number, text in enumerate(('int a;\n', 'int b;\n', 'int c;\n')):
        found.checkout(number)
        assert (found.repo / DRIVER).read_text() == text
    for what, subjects in {
            'HEAD~1': ['first'], 'HEAD~2..HEAD~1': ['first'], 'HEAD~1..': ['second']}.items():
        found = series(what, tree)
        assert found.subjects == ['the base', *subjects], what
        assert found.base == git(tree, 'rev-parse', found.commits[1] + '^')
    assert state() == before
    assert series('HEAD~2..', tree, build_kernel=True).parts == {'kernel'}
    monkeypatch.setenv('HOME', str(tree.parent))
    assert series('~/' + mbox(tree).name, tree).subjects[1:] == ['first', 'second']


def test_repository_and_environment_of_the_caller_are_not_worked_on(tree, tmp_path):
    """A hook has git work on its own repository and index; the caller signs, and has hooks."""
    path = mbox(tree)
    commit(tree, 'mine', 'mine', 'mine')
    before = git(tree, 'log', '--all', '--format=%H'), git(tree, 'status', '-sb')
    config = tmp_path / 'config'
    (tmp_path / 'hooks').mkdir()
    for hook in 'pre-commit', 'post-checkout', 'applypatch-msg', 'post-index-change':
        (tmp_path / 'hooks' / hook).write_text(f'#!/bin/sh\ntouch {tmp_path}/ran; exit 1\n')
        (tmp_path / 'hooks' / hook).chmod(0o755)
    config.write_text(f'[commit]\ngpgsign = true\n[core]\nhooksPath = {tmp_path}/hooks\n')
    script = ('import sys, pathlib; sys.path.insert(0, sys.argv[1])\n'
              'from judge.series import Series\n'
              'work = pathlib.Path(sys.argv[4])\n'
              'print(Series(sys.argv[2], sys.argv[3], "newest", work).subjects)')
    hook = {'GIT_DIR': str(tree / '.git'), 'GIT_INDEX_FILE': str(tree / '.git/index'),
            'GIT_WORK_TREE': str(tree), 'GIT_CONFIG_GLOBAL': '/nonexistent',
            'GIT_CONFIG_PARAMETERS': f"'include.path={config}'"}
    for name, environment in ('config', hook), ('.gitconfig', {}):
        config = config.rename(tmp_path / name)
        (tmp_path / f'work{name}').mkdir()
        done = subprocess.run(
            ['/usr/bin/python3', '-c', script, LAB, path, tree, tmp_path / f'work{name}'],
            check=False, capture_output=True, text=True, cwd=tree,
            env={**os.environ, **environment, 'HOME': str(tmp_path)})
        assert done.stdout == "['the base', 'first', 'second']\n", done.stderr
    assert (git(tree, 'log', '--all', '--format=%H'), git(tree, 'status', '-sb')) == before
    assert not (tmp_path / 'ran').exists()


@pytest.mark.parametrize('encoding', ['base64', 'quoted-printable', 'attached', 'cr-lf',
                                      'quoted-printable, cr-lf around it'])
def test_encoded_mails_of_a_thread_in_any_order(series, tree, encoding):
    commit(tree, DRIVER, 'int ä = 0x7f; /* = */\n', 'third: ä')
    git(tree, 'reset', '-q', '--soft', 'HEAD~2')
    git(tree, 'commit', '-qm', 'second: ä = [7/9]')
    mails = mails_of(tree)
    for number, mail in enumerate(mails):
        text = mail.get_payload()
        for name in 'Content-Type', 'Content-Transfer-Encoding', 'MIME-Version':
            del mail[name]
        charset = email.charset.Charset('utf-8')
        charset.body_encoding = email.charset.QP if 'quoted' in encoding else email.charset.BASE64
        if encoding == 'attached' and number:
            message, patch = text.split('---\n', 1)
            mails[number] = whole = email.mime.multipart.MIMEMultipart()
            for name in 'From', 'Subject', 'Date', 'Message-Id':
                whole[name] = mail[name]
            whole.attach(email.mime.text.MIMEText(message))
            whole.attach(email.mime.text.MIMEText('---\n' + patch, 'x-patch'))
            whole.set_unixfrom('From x Thu Jan  1 00:00:00 1970')
        else:
            mail.set_payload(text.replace('\n', '\r\n') if encoding == 'cr-lf' else text, charset)
    path = write(tree, [mails[0], mails[2], mails[1]])
    if 'around' in encoding:
        path.write_bytes(path.read_bytes().replace(b'\n', b'\r\n'))
    found = series(path, tree)
    assert found.subjects[1:] == ['first', 'second: ä = [7/9]']
    assert (found.repo / DRIVER).read_bytes() == 'int ä = 0x7f; /* = */\n'.encode()


def test_number_is_that_of_the_subject(series, tree):
    path = mbox(tree, '-N')
    path.write_text(path.read_text().replace('\n---\n', '\n\nSee [9/10].\n---\n', 1))
    found = series(path, tree)
    assert found.subjects[1:] == ['first', 'second'] and not found.notes


def again(mails, answers):
    """The second patch once more, as v2 and in answer to a mail"""
    return changed(mails[2], '[PATCH v2 2/2] second',
                   lambda text: text.replace('+int c;', '+int d;'),
                    Message_Id='<again@example.org>', In_Reply_To=mails[answers]['Message-Id'])


REPLIES = ['Re:', 'AW:', 'Fw:', 'FWD:', 'aw: [EXT] re:']
# Which mails a thread has, and what is taken of them: subjects, the driver and notes, or the reason
THREADS = {
    'a mail twice, and replies': (
        lambda mails: [mails[1], *mails, mails[2], *(
            changed(mails[1], f'{word} [PATCH 1/2] first', Message_Id=f'<{number}@example.org>')
            for number, word in enumerate(REPLIES))],
        ['first', 'second'], 'c', [f'left out, a reply: {word} [PATCH 1/2] first'
                                   for word in REPLIES]),
    'v2 of one patch, in answer to it': (
        lambda mails: [again(mails, 2), *mails], ['first', 'second'], 'd', None),
    'v2 of one patch, in answer to the cover': (
        lambda mails: [again(mails, 0), *mails], 'patch 1/2 of v2 is missing', None, None),
    'a patch alone': (lambda mails: mails[1:2], ['first'], 'b', ['this is patch 1 of 2 alone']),
    'the second alone': (
        lambda mails: mails[2:], 'git am, on .*this is patch 2 of 2 alone; -t: ', None, None),
    'no patch': (lambda mails: mails[:1], 'has no patch', None, None),
    'a missing patch': (
        lambda mails: [changed(mails[1], '[PATCH 1/3] first'), changed(
            mails[2], '[PATCH 3/3] second')], 'patch 2/3 is missing', None, None),
    'another one of a number': (
        lambda mails: [*mails, changed(mails[1], payload=lambda text: text.replace(
            '+int b;', '+int x;'), Message_Id='<o@x.example>')],
        'two patches are 1/2: ".PATCH 1/2. first" and ".PATCH 1/2. first"', None, None),
    'a patch beside the series': (
        lambda mails: [*mails, changed(mails[1], '[PATCH] x', Message_Id='<o@x.example>')],
        ['first', 'second'], 'c', ['left out, no part of the series: [PATCH] x']),
    'a mail without its patch': (
        lambda mails: [changed(mails[1], '[PATCH 1/3] first'), changed(
            mails[0], '[PATCH 2/3] x'), changed(mails[2], '[PATCH 3/3] second')],
        'patch 2/3 has no patch in its mail', None, None),
    'versions of a patch without a number': (
        lambda mails: [
            changed(mails[1], '[PATCH v2] first', lambda text: text.replace('+int b;', '+int v2;'),
                    Message_Id='<2@x.example>'), changed(mails[1], '[PATCH] first')],
        ['first'], 'v2', ['left out, an older version: [PATCH] first']),
    'a series of v2 that lacks one': (
        lambda mails: [changed(mails[2], '[PATCH v2 2/2] second')],
        'this is patch 2 of 2 alone', None, None),
    'two series': (
        lambda mails: [*mails, changed(mails[1], '[PATCH 1/3] other', Message_Id='<o@x.example>')],
        'two series: ".PATCH 1/2. first" and ".PATCH 1/3. other"', None, None),
    'a mangled patch': (
        lambda mails: [changed(mails[1], payload=lambda text: text.replace('+int b;', 'int b;'))],
        r'\[PATCH 1/2\] first: git apply: .*corrupt patch', None, None)}


@pytest.mark.parametrize('chosen, subjects, driver, notes', [
    pytest.param(*row, id=name) for name, row in THREADS.items()])
def test_what_is_taken_of_a_thread(series, tree, chosen, subjects, driver, notes):
    path = write(tree, chosen(mails_of(tree)))
    if isinstance(subjects, str):
        with pytest.raises(CouldNot, match=subjects):
            series(path, tree)
        return
    found = series(path, tree)
    assert found.subjects[1:] == subjects and notes in (None, found.notes)
    assert (found.repo / DRIVER).read_text() == f'int {driver};\n'


@pytest.mark.parametrize('newer, older', [(3, 2), (10, 9)])
def test_newest_version_of_a_series(series, tree, newer, older):
    new = [copy.deepcopy(mail) for mail in mails_of(tree, f'-v{newer}')]
    commit(tree, DRIVER, 'int other;\n', 'first')
    commit(tree, DRIVER, 'int old;\n', 'second')
    old = mails_of(tree, f'-v{older}')
    found = series(write(tree, [*old, *new]), tree)
    assert (found.repo / DRIVER).read_text() == 'int c;\n'
    assert found.notes == [f'left out, an older version: [PATCH v{older} 1/2] first',
                           f'left out, an older version: [PATCH v{older} 2/2] second']


def test_directory_lacks_a_patch(series, tree, tmp_path):
    for number, text in enumerate(git(tree, 'format-patch', '-n', '--stdout', 'HEAD~2').split(
            '\nFrom ')):
        (tmp_path / f'{9 - number}.patch').write_text(
            'From ' * (number > 0) + text.replace('/2]', '/3]') + '\n')
    with pytest.raises(CouldNot, match='patch 3/3 is missing'):
        series(tmp_path, tree)
    # Several series are in the order of their names, and other files are none of them.
    git(tree, 'reset', '-q', '--hard', 'HEAD~2')
    (tmp_path / '8.patch').rename(tmp_path / '99.patch')
    (tmp_path / '99.patch').write_text((tmp_path / '99.patch').read_text().replace('/3]', '/4]'))
    (tmp_path / 'x.txt').write_text('From x')
    found = series(tmp_path, tree)
    assert found.subjects[1:] == ['first', 'second'] and not found.notes
    assert [text.splitlines()[-1] for text in found.patches()] == [b'+int b;', b'+int c;']


@pytest.mark.parametrize('name', [
    '../../../x', '/etc/passwd', 'x --checkpoint=1 --checkpoint-action=exec=id/Kconfig', '-x/y',
    'arch/x86/events/intel/uncore$(id).c', 'arch/x86/.git/hooks/x', 'arch/x86/.gitattributes',
    'arch/\x1b[2J'])
@pytest.mark.parametrize('how', ['plain', 'base64', 'no clone'])
def test_file_of_a_name_that_no_tree_has(series, tree, name, how):
    mail = mails_of(tree)[1]
    text = mail.get_payload().replace(f'a/{DRIVER}', f'a/{name}').replace(
        f'b/{DRIVER}', f'b/{name}')
    mail.set_payload(text, 'utf-8' if how == 'base64' else None)
    with pytest.raises(CouldNot, match='file that no tree of Linux has|git apply: ') as error:
        series(write(tree, [mail]), None if how == 'no clone' else tree)
    assert str(error.value).isprintable() and error.value.verdict == 'no-series'


@pytest.mark.parametrize('what', ['mails', 'range', 'merge'])
def test_link_is_refused(series, tree, what):
    if what == 'merge':
        git(tree, 'commit', '-q', '--allow-empty', '-m', 'the other side')
        git(tree, 'checkout', '-q', '--detach', 'HEAD^')
        git(tree, 'merge', '-q', '--no-ff', '--no-commit', '@{1}')
    (tree / DRIVER).with_suffix('.h').symlink_to('/dev/zero')
    git(tree, 'add', '-A')
    git(tree, 'commit', '-qm', 'a link')
    (tree / DRIVER).with_suffix('.h').unlink()
    git(tree, 'commit', '-qam', 'and gone')
    with pytest.raises(CouldNot, match='makes a link .*: .*uncore.h'):
        series(mbox(tree) if what == 'mails' else 'HEAD~2..', tree)


def test_patch_that_does_not_apply_and_one_that_is_merged(series, tree):
    path = mbox(tree)
    git(tree, 'reset', '-q', '--hard', 'ORIG_HEAD')
    with pytest.raises(CouldNot, match='has the series already') as error:
        series(path, tree)
    assert error.value.verdict == 'already-merged'
    commit(tree, DRIVER, 'int z;\n', 'other')
    with pytest.raises(CouldNot, match='git am, on .* other: error: patch failed') as error:
        series(path, tree)
    assert error.value.verdict == 'does-not-apply'


def test_patch_whose_context_has_changed_applies_by_its_blobs(series, tree):
    lines = [f'int x{number};' for number in range(9)]
    for number, subject in (None, 'lines'), (5, 'patch'), (7, 'other'):
        commit(tree, DRIVER, '\n'.join(line + 'y' * (n == number) for n, line in enumerate(lines)),
               subject)
    path = tree.parent / 'patch'
    path.write_text(git(tree, 'format-patch', '--stdout', '-1', 'HEAD^'), encoding='utf-8')
    git(tree, 'reset', '-q', '--hard', 'HEAD~2')
    git(tree, 'cherry-pick', 'ORIG_HEAD')
    found = series(path, tree)
    assert (found.repo / DRIVER).read_text().count('y') == 2 and found.subjects[1:] == ['patch']


def test_rename_is_a_change(series, tree):
    git(tree, 'mv', DRIVER, DRIVER + 'x')
    git(tree, 'commit', '-qm', 'rename')
    path = tree.parent / 'rename'
    path.write_text(git(tree, 'format-patch', '--stdout', 'HEAD~1'))
    git(tree, 'reset', '-q', '--hard', 'HEAD~1')
    assert series(path, tree).subjects[1:] == ['rename']


def test_compressed_file(series, tree):
    path = mbox(tree)
    whole = gzip.compress(path.read_bytes())
    path.write_bytes(whole)
    assert series(path, tree).subjects[1:] == ['first', 'second']
    path.write_bytes(whole[:-20])
    with pytest.raises(CouldNot, match='is a damaged gzip file'):
        series(path, tree)
    # A gigabyte of blanks
    path.write_bytes(gzip.compress(b' ' * (1 << 20)) * 1024)
    with pytest.raises(CouldNot, match='has more than 64 MiB'):
        series(path, tree)
    path.write_bytes(b'From x\n\n' * 2000)
    with pytest.raises(CouldNot, match='has more than 1000 mails'):
        series(path, tree)


@pytest.mark.parametrize('separator', ['\u2028', '\x1c', '\x85', '\x0c', '\x1b[2J'])
def test_subject_of_a_stranger_is_one_line_of_text(series, tree, separator):
    commit(tree, DRIVER, 'int d;\n', f'third{separator}HEAD~2 fourth')
    found = series('HEAD~2..', tree)
    assert len(found.commits) == 3
    assert found.subjects[2].startswith('third') and found.subjects[2].isprintable()


def test_partial_and_shallow_clones(series, tree):
    git(tree, 'config', 'uploadpack.allowFilter', 'true')
    git(tree, 'clone', '-q', '--filter=blob:none', f'file://{tree}', tree.parent / 'partial')
    found = series('HEAD~2..', tree.parent / 'partial')
    for number, text in enumerate(('int a;\n', 'int b;\n', 'int c;\n')):
        found.checkout(number)
        assert (found.repo / DRIVER).read_text() == text
    git(tree, 'clone', '-q', '--depth', '1', f'file://{tree}', tree.parent / 'shallow')
    with pytest.raises(CouldNot, match='shallow, a shallow clone: git fetch --unshallow'):
        series('HEAD~1..', tree.parent / 'shallow')


def test_what_is_neither_a_file_nor_a_range(series, tree, tmp_path):
    for what in 'nothing', '--output=x..HEAD':
        with pytest.raises(CouldNot, match='is no file, and no range of commits'):
            series(what, tree)
    (tmp_path / 'empty').mkdir()
    with pytest.raises(CouldNot, match='has no patch .*nor arch/x86/events'):
        series(tmp_path / 'empty', tree)
    with pytest.raises(CouldNot, match="is compared with Debian's source of -k"):
        series(tree, tree)


def test_what_a_file_is_a_part_of():
    parts = {'module': [DRIVER], 'perf': ['tools/perf/util/pmu.c', 'tools/lib/perf/evlist.c'],
             'kernel': ['arch/x86/events/intel/core.c', 'kernel/events/core.c'],
             None: ['tools/testing/selftests/Makefile', 'Documentation/admin-guide/index.rst']}
    assert {part: [file for file in files if module.part_of(file) == part]
            for part, files in parts.items()} == parts
    assert module.objects_of('obj-m += intel-uncore.o\nintel-uncore-objs := a.o \\\n\tb.o\n'
                             'intel-uncore-y\t+= c.o\nintel-other-y += d.o\n') == [
        'a.o', 'b.o', 'c.o']


@pytest.mark.parametrize('gcov', [False, True])
def test_module_is_built_of_the_files_of_a_state(series, tree, monkeypatch, tmp_path, gcov):
    for name in 'intel/Makefile', 'intel/uncore.h', 'intel/core.c', 'perf_event.h', 'core.c':
        text = 'intel-uncore-objs := uncore.o uncore_x.o\n' if name == 'intel/Makefile' else name
        commit(tree, f'{module.EVENTS}/{name}', text, name)
    commit(tree, DRIVER, 'int last;\n', 'last')
    kernel, said = tmp_path / 'kernel/6.1', []
    (kernel / 'build').mkdir(parents=True)
    (kernel / 'build/Makefile').write_text('export PATH := /gcc/bin:$(PATH)\n')
    (kernel / 'build/.kernelvariables').write_text('KERNEL_GCC = x-gcc-14\n')
    (tmp_path / 'root').mkdir()
    monkeypatch.setattr(module, 'run', lambda *_: str(kernel))
    found = series('HEAD~2..', tree)

    def make(log, *words, shown, written):
        built, = written
        files = {path.name: path.read_text() for path in built.rglob('*') if path.is_file()}
        assert files.pop('Kbuild').splitlines() == [
            'obj-m := intel-uncore.o', f'intel-uncore-y := {"gcov.o" if gcov else ""} '
            f'{module.EVENTS}/intel/uncore.o {module.EVENTS}/intel/uncore_x.o', *(
                ['CFLAGS_gcov.o := -DN_OBJECTS=2', *(
                    f'CFLAGS_{module.EVENTS}/intel/{name}.o := {module.GCOV}'
                    for name in ('uncore', 'uncore_x'))] if gcov else [])]
        assert {*files} == {'uncore.c', 'uncore.h', 'perf_event.h', *(['gcov.c'] if gcov else [])}
        assert files['uncore.c'] == 'int last;\n'
        assert words == ('-C', kernel / 'build', f'M={built}',
                         f'KCFLAGS=-ffile-prefix-map={built}/=', 'modules')
        assert shown == [kernel, kernel / 'build', tmp_path / 'root']
        if said:
            raise process.DoesNotBuild(f'{log.name}: error')
        for name in 'intel-uncore.ko', f'{module.EVENTS}/intel/uncore.gcno', \
                f'{module.EVENTS}/intel/uncore_x.gcno':
            (built / name).write_text(name)
    found.sandbox = types.SimpleNamespace(make=make)
    ready = found.module(2, gcov)
    assert {path.name: path.read_text().rpartition('/')[2] for path in ready.iterdir()} == {
        name: name for name in ['intel-uncore.ko', *['uncore.gcno', 'uncore_x.gcno'] * gcov]}
    assert ready.name == ('gcov-2' if gcov else 'module-2') and found.gcov() == '/gcc/bin/gcov-14'
    said.append('')
    with pytest.raises(process.DoesNotBuild, match=r'^module.log: error\n\(with the headers of -k '
                       r"newest; -K builds the tree's own kernel\)$"):
        found.module(2, gcov)
    commit(tree, f'{module.EVENTS}/intel/Makefile', 'obj-m := x.o\n', 'none')
    with pytest.raises(CouldNot, match='intel/Makefile has no intel-uncore'):
        series('HEAD~1..', tree).module(1)
    assert found.stock() == ['-k', 'newest'] and found.cache() == tmp_path / 'lab'
    assert found.cache().stat().st_mode & 0o777 == 0o700
    found.own = kernel
    assert found.stock() == ['-k', str(kernel / 'vmlinuz'), '-K', str(kernel)]


def test_tree_is_one_change_of_debians_source(series, tmp_path, output):
    source = pathlib.Path(output('scripts/linux-source', 'newest', module.EVENTS))
    shutil.copytree(source / module.EVENTS, tmp_path / 'tree' / module.EVENTS)
    for name in DRIVER, f'{module.EVENTS}/intel/uncore.o', f'{module.EVENTS}/.core.o.cmd':
        (tmp_path / 'tree' / name).write_text('int x;')
    found = series(tmp_path / 'tree')
    assert (found.files, found.parts) == ([DRIVER], {'module'})
    assert found.subjects == ['the base', f'{module.EVENTS} of {tmp_path}/tree']
    assert found.base_name().startswith('linux-source-')
    (tmp_path / 'tree' / DRIVER).write_bytes((source / DRIVER).read_bytes())
    assert series(tmp_path / 'tree').files == []


def test_results_of_the_base_are_of_the_callers_kernel_as_it_is(monkeypatch, tmp_path):
    one = module.Series.__new__(module.Series)
    one.own, one.kernel, one.parts, one.debian = tmp_path, '6.1', {'module'}, True
    monkeypatch.setattr(module, 'run', lambda *_: '')
    (tmp_path / 'vmlinuz').touch()
    keys = []
    # It is read, and then another one.
    for times in (1, 5), (2, 5), (2, 6):
        os.utime(tmp_path / 'vmlinuz', ns=times)
        keys.append(one.key())
    assert keys[0] == keys[1] != keys[2]
    one.parts = {'perf'}
    keys.append(one.key())
    monkeypatch.setattr(module, 'run', lambda *_: '6.12')
    keys.append(one.key())
    # What boots it, judges it and configures it
    monkeypatch.setattr(module, 'TOP', tmp_path)
    for name in 'machine/xeon/vm/vm', 'lab/smoke/sysfs', 'scripts/checked.config':
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
        keys.append(one.key())
    assert len(set(keys)) == 7
    (tmp_path / 'lab/__pycache__').mkdir()
    (tmp_path / 'lab/__pycache__/x').touch()
    assert one.key() == keys[-1] and len(keys[0]) == 16


def test_whole_source_has_the_files_of_a_state_and_the_cache_stays_as_it_is(monkeypatch, tmp_path):
    cache, repo = tmp_path / 'cache', tmp_path / 'repo'
    for directory, names in (cache, ['changed', 'deleted', 'other']), (repo, ['changed']):
        directory.mkdir()
        for name in names:
            (directory / name).write_text(directory.name)
    monkeypatch.setattr(module, 'run', lambda *words: str(cache))
    state = types.SimpleNamespace(work=tmp_path, kernel='6.1', repo=repo,
                                  files=['changed', 'deleted', 'turns', 'turns/into'])
    whole = module.Series._overlay(state)
    assert {path.name: path.read_text() for path in whole.iterdir()} == {
        'changed': 'repo', 'other': 'cache'}
    # A file that becomes a directory, and the other way round
    (repo / 'turns').mkdir()
    (repo / 'turns/into').write_text('repo')
    assert (module.Series._overlay(state) / 'turns/into').read_text() == 'repo'
    shutil.rmtree(repo / 'turns')
    (repo / 'turns').write_text('repo')
    assert (module.Series._overlay(state) / 'turns').read_text() == 'repo'
    assert {path.read_text() for path in cache.iterdir()} == {'cache'}


@pytest.fixture
def home(tmp_path):
    """A home, and what a stranger could want of it"""
    directory = tmp_path / 'home'
    directory.mkdir()
    (directory / 'secret').write_text('the secret\n')
    return directory


# A makefile of a series, and what it prints in the sandbox
MAKEFILES = {
    'a file of the host': ('@cat {home}/secret', 'secret: No such file'),
    'a file that others may read': ('@cat /etc/passwd', 'passwd: No such file'),
    'the environment': ('@env | sort', 'HOME=/tmp'),
    'the environment of its first process': (
        "@tr '\\0' '\\n' < /proc/1/environ", 'HOME=/tmp'),
    'its time limit': ('@grep -l timeout /proc/[0-9]*/comm | wc -l', '^0$'),
    'the network': ('@cat /proc/net/dev | tail -n +3 | cut -d: -f1', ' lo'),
    'its user': ('@id -u', '65534'),
    'a source that it was shown': ('@touch $(CURDIR)/x', 'Read-only file system'),
    'the host by a link': ('@ln -s {home} $(OUT)/link; echo x > $(OUT)/link/new',
                           'Directory nonexistent'),
    'processes of the host': ('@ls /proc | grep -c ^[0-9]', ''),
    'a file without end': ('@cat /dev/zero > $(OUT)/big', 'ile too large|ile size limit'),
    'files without end': ('@i=0; while head -c 99999 /dev/urandom > $(OUT)/$$i; do '
                          'i=$$((i + 1)); done', 'it took more than 64 MiB of disk'),
    'time without end': ('@echo begin; sleep 99; echo 600', r'^begin\n(?!.*600)'),
    'memory without end': ("@perl -e '$$x = \"x\" x 9e9'", 'Out of memory'),
    'files in memory': ('@for d in / /dev /dev/shm /tmp; do df -k --output=size $$d | tail -n 1; '
                        'touch $$d/x; done', r'(?s)(Read-only.*){2} 1048576\n *1048576\nmake'),
    'a key of the session': ('@python3 -c "import ctypes; print(ctypes.CDLL(None).syscall(249, '
                             'b\'user\', b\'lab\', 0, 0))"', '^-1$'),
    'bytes for a terminal': ('@printf "\\033[2J\\rok"; exit 1', r'\?\[2J\?ok')}


@pytest.mark.parametrize('recipe, text, kind', [
    *(pytest.param(*row, 'bwrap', id=name) for name, row in MAKEFILES.items()),
    pytest.param(*MAKEFILES['the environment'], 'none', id='the environment without a sandbox')])
def test_makefile_of_a_series_reaches_nothing_of_the_host(
        tmp_path, home, monkeypatch, recipe, text, kind):
    monkeypatch.setenv('TOKEN', 'the secret')
    # add_key() to the session's keyring, and request_key() above
    assert ctypes.CDLL(None).syscall(248, b'user', b'lab', b'the secret', 10, -3) > 0
    monkeypatch.setattr(Sandbox, 'LIMITS', [*Sandbox.LIMITS, '--fsize=100000'])
    assert f'an hour, {Sandbox.DISK >> 30} GiB of disk, or a' in (LAB / 'lab.rst').read_text()
    assert (Sandbox.SECONDS, Sandbox.LIMITS[1]) == (3600, f'--as={8 << 30}')
    if 'sleep' in recipe:
        monkeypatch.setattr(Sandbox, 'SECONDS', 5)
    # What others write in the same file system counts, too.
    if 'of disk' in text:
        monkeypatch.setattr(Sandbox, 'DISK', 64 << 20)
    source, out = tmp_path / 'source', tmp_path / 'out'
    source.mkdir()
    out.mkdir()
    (source / 'Makefile').write_text('all:\n\t' + recipe.replace('{home}', str(home)) + '\n')
    log = tmp_path / 'log'
    try:
        Sandbox(kind).make(log, '-C', source, f'OUT={out}', shown=[source], written=[out])
    except process.DoesNotBuild:
        pass
    assert re.search(text, log.read_text(), re.M) and 'the secret' not in log.read_text()
    assert {path.name: path.read_text() for path in home.iterdir()} == {'secret': 'the secret\n'}


@pytest.mark.parametrize('text', ['exit 1', None])
def test_without_bubblewrap_nothing_is_built(tmp_path, monkeypatch, text):
    if text:
        (tmp_path / 'bwrap').write_text(f'#!/bin/sh\n{text}\n', encoding='ascii')
        (tmp_path / 'bwrap').chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(CouldNot, match='cannot make a sandbox here .*--sandbox=none'):
        Sandbox('bwrap')
    Sandbox('none')


@pytest.mark.parametrize('make', [
    lambda out, home: (out / 'perf').symlink_to(home / 'secret'),
    lambda out, home: [(out / 'arch').symlink_to(home), (out / 'arch/perf').exists()],
    lambda out, home: os.mkfifo(out / 'perf')])
def test_built_file_that_is_a_link_is_not_taken(tmp_path, home, make):
    out = tmp_path / 'out'
    out.mkdir()
    make(out, home)
    for name in 'perf', 'arch/secret':
        with pytest.raises(process.DoesNotBuild, match='is no file of the build'):
            process.take(out, name, tmp_path / 'taken')
    assert not (tmp_path / 'taken').exists() and process.read(out / 'perf') == ''
    # Nor is one written through a link.
    (out / 'built').write_text('built', encoding='ascii')
    (tmp_path / 'taken').symlink_to(home / 'secret')
    process.take(out, 'built', tmp_path / 'taken')
    assert (home / 'secret').read_text() == 'the secret\n'
    assert (tmp_path / 'taken').read_text() == 'built'
    (out / 'built').chmod(0o6775)
    process.take(out, 'built', tmp_path / 'taken')
    assert (tmp_path / 'taken').stat().st_mode & 0o7777 == 0o755
    with (out / 'built').open('wb') as big:
        big.truncate(process.LIMIT + 1)
    with pytest.raises(process.DoesNotBuild, match='built is no file of the build'):
        process.take(out, 'built', tmp_path / 'taken')


def test_program_prints_no_more_than_a_limit_and_its_failure_is_one_line(monkeypatch, capfd):
    monkeypatch.setattr(process, 'LIMIT', 1000)
    done = process.command('sh', '-c', 'cat; exec yes')
    assert (len(done.stdout), done.stderr, done.returncode) == (1000, '', -9)
    done = process.command('sh', '-c', 'exec timeout 5 yes >&2')
    assert (done.stdout, len(done.stderr)) == ('', 1000) and done.returncode not in (0, 124)
    done = process.command('printf', 'a\\033\\r\\nb\\377', environment={'PATH': '/usr/bin'})
    assert done.stdout == 'a??\nb\ufffd'
    with pytest.raises(CouldNot, match='^sh -c echo said >&2; exit 3: exit status 3$'):
        process.run('/bin/sh', '-c', 'echo said >&2; exit 3')
    assert process.run('echo', ' x ') == 'x' and capfd.readouterr().err == 'said\n'
    with pytest.raises(CouldNot, match='^git log: fatal: not a git repository.*$') as error:
        process.git('/', 'log')
    assert error.value.verdict == 'error'


def test_error_of_a_build_names_the_file_of_the_tree(tmp_path):
    assert process.failure(f'CC x\n{tmp_path}/whole/kernel/x.c:1:9: error: no_such_function',
                           tmp_path) == 'kernel/x.c:1:9: error: no_such_function'
    for place in 'linux', 'built1x':
        assert process.failure(f'x\ny\n{tmp_path}/{place}/a.c:1: undefined reference to f\nz',
                               tmp_path) == 'a.c:1: undefined reference to f'
    assert process.failure('ld: /linux/a.o: ERROR: x', tmp_path) == 'ld: a.o: ERROR: x'
    assert process.failure('\n'.join(map(str, range(99))), tmp_path).split()[0] == '89'
    assert process.failure('no-such-program: No such file', tmp_path).endswith('No such file')


def test_mails_are_hostile(tmp_path, home, tree, draw, monkeypatch):
    """Bytes of mails are changed at random: each is a series, or has one printable reason. The
    caller's home, tree and environment stay byte for byte."""
    monkeypatch.setenv('HOME', str(home))
    monkeypatch.chdir(home)

    def state():
        return dict(os.environ), {file: file.read_bytes() for place in (home, tree)
                                  for file in sorted(place.rglob('*')) if file.is_file()}
    path = mbox(tree)
    whole = path.read_bytes()
    words = [b'../', b' --x=y ', b'\0', b'\x1b[2J', b'[PATCH 99999999999999/1]', b'120000',
             b'/dev/null', b'-- ', b'\r', b'Content-Transfer-Encoding: base64\n', b'diff --git ',
              b'=?utf-8?q?']
    before = state()
    for chance in draw():
        text = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(text))
            text[at:at + chance.choice([0, 0, 1, 9])] = chance.choice(words)
        path.write_bytes(text)
        work = tmp_path / 'mails'
        subprocess.run(['rm', '-rf', work], check=True)
        work.mkdir()
        try:
            patches, notes = mails_module.read(str(path), work)
            module.check_names(set().union(*(mail.files(work) for mail in patches)))
            assert all(note.isprintable() for note in notes)
        except (mails_module.NoSeries, CouldNot) as error:
            assert '\x1b' not in str(error) and '\r' not in str(error)
    assert state() == before
