# SPDX-License-Identifier: GPL-2.0-only
"""lab/test: what it takes, what it refuses, and what it says of results."""
import argparse
import contextlib
import copy
import email
import email.charset
import email.mime.multipart
import email.mime.text
import gzip
import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types

import pytest

import ktap

LAB = pathlib.Path(__file__).parent.parent
DRIVER = 'arch/x86/events/intel/uncore.c'


def git(directory, *words):
    return subprocess.run(['git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-C',
                           directory, *words], check=True, capture_output=True, text=True).stdout


def commit(tree, file, text, subject):
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text(text, encoding='utf-8')
    git(tree, 'add', '-A')
    git(tree, 'commit', '-q', '-m', subject)


@pytest.fixture(scope='module')
def program():
    """What lab/test runs, as a module"""
    import compare as module
    return module


@pytest.fixture
def tree(tmp_path):
    """A tree with a driver and two commits on it"""
    path = tmp_path / 'linux'
    path.mkdir()
    git(path, 'init', '-q')
    commit(path, DRIVER, 'int a;\n', 'base')
    commit(path, DRIVER, 'int b;\n', 'first')
    commit(path, DRIVER, 'int c;\n', 'second')
    return path


@pytest.fixture
def series(program, tmp_path):
    """A function that makes a Series"""
    def make(what, tree=None):
        work = tmp_path / f'work{len(list(tmp_path.iterdir()))}'
        work.mkdir()
        return program.Series(str(what), tree and str(tree), 'newest', work)
    return make


def mbox(tree, *options):
    path = tree.parent / f'mbox{len(list(tree.parent.iterdir()))}'
    path.write_text(git(tree, 'format-patch', '--stdout', *options, 'HEAD~2'), encoding='utf-8')
    git(tree, 'reset', '-q', '--hard', 'HEAD~2')
    return path


def test_range_of_a_tree(series, tree):
    found = series('HEAD~2..', tree)
    assert found.subjects[1:] == ['first', 'second']
    assert found.parts == {'module'}
    found.checkout(1)
    assert (found.repo / DRIVER).read_text() == 'int b;\n'


def test_tree_of_the_user_is_left_alone(series, tree):
    before = git(tree, 'for-each-ref'), git(tree, 'worktree', 'list'), git(tree, 'status', '-s')
    series('HEAD~2..', tree)
    series(mbox(tree), tree)
    git(tree, 'reset', '-q', '--hard', 'ORIG_HEAD')
    assert (git(tree, 'for-each-ref'), git(tree, 'worktree', 'list'),
            git(tree, 'status', '-s')) == before


def test_mails_of_a_thread_in_any_order(series, tree, tmp_path):
    path = mbox(tree, '-n', '--cover-letter')
    mails = path.read_text(encoding='utf-8').split('\nFrom ')
    mails = [mails[0]] + ['From ' + mail for mail in mails[1:]]
    path.write_text('\n'.join([mails[0], mails[2].rstrip() + '\n', mails[1].rstrip() + '\n']))
    assert series(path, tree).subjects[1:] == ['first', 'second']


def mails_of(tree, *options):
    """A cover letter and two patches, which the tree has no more, as messages"""
    path = mbox(tree, '-n', '--cover-letter', '--thread', *options)
    return [email.message_from_string('From ' + text) for text in
            ('\n' + path.read_text(encoding='utf-8')).split('\nFrom ')[1:]]


def write(tree, mails):
    path = tree.parent / 'thread'
    path.write_bytes(b'\n'.join(
        mail.as_bytes(unixfrom=True) if isinstance(mail, email.message.Message) else mail
        for mail in mails))
    return path


@pytest.mark.parametrize('encoding', ['base64', 'quoted-printable'])
def test_encoded_mails(series, tree, encoding):
    commit(tree, DRIVER, 'int ä = 0x7f; /* = */\n', 'third: ä')
    git(tree, 'reset', '-q', '--soft', 'HEAD~2')
    git(tree, 'commit', '-qm', 'second: ä = [7/9]')
    mails = mails_of(tree)
    for mail in mails:
        text = mail.get_payload()
        del mail['Content-Type'], mail['Content-Transfer-Encoding'], mail['MIME-Version']
        charset = email.charset.Charset('utf-8')
        charset.body_encoding = getattr(email.charset, {'base64': 'BASE64'}.get(encoding, 'QP'))
        mail.set_payload(text, charset)
        assert mail['Content-Transfer-Encoding'] == encoding
    # A thread in any order
    found = series(write(tree, [mails[0], mails[2], mails[1]]), tree)
    assert found.subjects[1:] == ['first', 'second: ä = [7/9]']
    assert (found.repo / DRIVER).read_text(encoding='utf-8') == 'int ä = 0x7f; /* = */\n'
    assert found.parts == {'module'}


def test_encoded_patch_of_a_file_outside_the_tree(series, program, tree):
    mail = mails_of(tree)[1]
    text = mail.get_payload().replace(DRIVER, '../../x')
    mail.set_payload(text, 'utf-8')
    with pytest.raises(program.CouldNot, match=r'is of a file outside the tree: \.\./\.\./x'):
        series(write(tree, [mail]), tree)


def test_attached_patch(series, tree):
    plain = mails_of(tree)[1]
    mail = email.mime.multipart.MIMEMultipart()
    for name in 'From', 'Subject', 'Date', 'Message-Id':
        mail[name] = plain[name]
    message, patch = plain.get_payload().split('---\n', 1)
    mail.attach(email.mime.text.MIMEText(message))
    mail.attach(email.mime.text.MIMEText('---\n' + patch, 'x-patch'))
    mail.set_unixfrom('From x Thu Jan  1 00:00:00 1970')
    assert series(write(tree, [mail]), tree).subjects[1:] == ['first']


@pytest.mark.parametrize('encoding', ['8bit', 'base64'])
def test_lines_that_end_in_cr_lf(series, tree, encoding):
    mails = mails_of(tree)
    if encoding == '8bit':
        path = write(tree, mails)
        path.write_bytes(path.read_bytes().replace(b'\n', b'\r\n'))
    else:
        for mail in mails:
            mail.set_payload(mail.get_payload().replace('\n', '\r\n'), 'utf-8')
        path = write(tree, mails)
    found = series(path, tree)
    assert found.subjects[1:] == ['first', 'second']
    assert (found.repo / DRIVER).read_bytes() == b'int c;\n'


def test_number_is_that_of_the_subject(series, tree):
    path = mbox(tree, '-N')
    path.write_text(path.read_text().replace('\n---\n', '\n\nSee [9/10].\n---\n', 1))
    found = series(path, tree)
    assert found.subjects[1:] == ['first', 'second'] and not found.notes


def test_mail_that_came_twice_and_replies(series, tree):
    mails = mails_of(tree)
    reply = copy.deepcopy(mails[1])
    reply.replace_header('Subject', 'Re: [PATCH 1/2] first')
    reply.replace_header('Message-Id', '<reply@example.org>')
    found = series(write(tree, [mails[1], *mails, mails[2], reply]), tree)
    assert found.subjects[1:] == ['first', 'second']
    assert found.notes == ['left out, a reply: Re: [PATCH 1/2] first']


def test_newest_version_of_a_series(series, tree):
    new = [copy.deepcopy(mail) for mail in mails_of(tree, '-v3')]
    git(tree, 'reset', '-q', '--hard', 'ORIG_HEAD')
    git(tree, 'reset', '-q', '--hard', 'HEAD~2')
    commit(tree, DRIVER, 'int other;\n', 'first')
    commit(tree, DRIVER, 'int old;\n', 'second')
    old = mails_of(tree, '-v2')
    found = series(write(tree, [*old, *new]), tree)
    assert (found.repo / DRIVER).read_text() == 'int c;\n'
    assert found.notes == ['left out, an older version: [PATCH v2 1/2] first',
                           'left out, an older version: [PATCH v2 2/2] second']


@pytest.mark.parametrize('answers', [True, False])
def test_second_version_of_one_patch(series, program, tree, answers):
    """In answer to the first one it takes its place; without, the rest of v2 is missing."""
    mails = mails_of(tree)
    again = copy.deepcopy(mails[2])
    again.set_payload(again.get_payload().replace('+int c;', '+int d;'))
    again.replace_header('Subject', '[PATCH v2 2/2] second')
    again.replace_header('Message-Id', '<again@example.org>')
    again.replace_header('In-Reply-To', mails[2 if answers else 0]['Message-Id'])
    path = write(tree, [again, *mails])
    if not answers:
        with pytest.raises(program.CouldNot, match='patch 1/2 of v2 is missing'):
            series(path, tree)
        return
    found = series(path, tree)
    assert found.subjects[1:] == ['first', 'second']
    assert (found.repo / DRIVER).read_text() == 'int d;\n'


def test_missing_patch(tree):
    for number in range(3, 6):
        commit(tree, DRIVER, f'int n{number};\n', f'number {number}')
    path = mbox(tree, '-n', 'HEAD~3')
    git(tree, 'reset', '-q', '--hard', 'ORIG_HEAD')
    text = git(tree, 'format-patch', '-n', '--stdout', 'HEAD~5').split('\nFrom ')
    path.write_text('\nFrom '.join(text[:2] + text[3:]), encoding='utf-8')
    run = subprocess.run([LAB / 'test', '-t', tree, path], check=False, capture_output=True,
                         text=True)
    assert run.returncode == 4 and run.stderr == 'test: patch 3/5 is missing\n'
    (tree.parent / 'dir').mkdir()
    for number, mail in enumerate(text):
        if number != 2:
            (tree.parent / f'dir/{9 - number}.patch').write_text(
                'From ' * (number > 0) + mail + '\n')
    run = subprocess.run([LAB / 'test', '-t', tree, tree.parent / 'dir'], check=False,
                         capture_output=True, text=True)
    assert run.returncode == 4 and run.stderr == 'test: patch 3/5 is missing\n'


def test_patch_alone_of_a_series(series, tree):
    path = mbox(tree, '-n')
    path.write_text(path.read_text().split('\nFrom ')[0] + '\n')
    found = series(path, tree)
    assert found.subjects[1:] == ['first'] and found.notes == ['this is patch 1 of 2 alone']


def test_two_series(series, program, tree):
    mails = mails_of(tree)
    other = copy.deepcopy(mails[1])
    other.replace_header('Subject', '[PATCH 1/3] other')
    other.replace_header('Message-Id', '<other@example.org>')
    with pytest.raises(program.CouldNot, match='two series: ".PATCH 1/2. first" and '
                       '".PATCH 1/3. other"'):
        series(write(tree, [*mails, other]), tree)


@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_end_by_a_signal_leaves_no_files(tmp_path, number):
    with subprocess.Popen([LAB / 'test', '-'], stdin=subprocess.PIPE,
                          env={**os.environ, 'TMPDIR': str(tmp_path)}) as run:
        while not list(tmp_path.glob('*/lab-test.*')) and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(number)
        assert run.wait(60) == (-9 if number == signal.SIGKILL else 130)
    end = time.monotonic() + 60
    while list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.01)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize('error, text', [
    ('CouldNot("why")', 'test: why'), ('OSError(28, "No space left")', 'No space left'),
    ('ValueError("a fault")', 'ValueError: a fault')])
def test_error_ends_what_runs(tmp_path, error, text):
    """At once, and not with the status of something that is broken"""
    script = ('import compare, subprocess, threading, sys\n'
              'from compare import CouldNot\n'
              'def test(*_):\n'
              '    threading.Thread(target=subprocess.run, args=[["sleep", "600.5"]]).start()\n'
              f'    raise {error}\n'
              'compare.test = test\n'
              'sys.argv = ["test", "x"]\n'
              'compare.main()\n')
    start = time.monotonic()
    run = subprocess.run([LAB.parent / 'scripts/guard', '-', sys.executable, '-c', script],
                         env={**os.environ, 'TMPDIR': str(tmp_path), 'PYTHONPATH': str(LAB)},
                         check=False, capture_output=True, text=True)
    assert run.returncode == 4 and text in run.stderr
    assert time.monotonic() - start < 300 and not list(tmp_path.iterdir())


def test_output_that_cannot_be_written_is_no_verdict():
    script = ('import compare, sys\ncompare.test = lambda *_: print("ok") or 0\n'
              'sys.argv = ["test", "x"]\ncompare.main()\n')
    with open('/dev/full', 'w', encoding='ascii') as full:
        run = subprocess.run([sys.executable, '-c', script], check=False, stdout=full,
                             stderr=subprocess.PIPE, text=True,
                             env={**os.environ, 'PYTHONPATH': str(LAB),
                                  'PYTHONUNBUFFERED': ''})
    assert (run.returncode, run.stderr) == (4, 'test: [Errno 28] No space left on device\n')


def test_failure_of_a_task_begins_nothing_more(program, monkeypatch):
    began, end = [], threading.Event()

    def run_task(task, *_):
        began.append(task.name)
        if task.name == 'first':
            while len(began) < 2:
                time.sleep(0.01)
            raise RuntimeError('no machine')
        end.wait(300)
        return {}

    monkeypatch.setattr(program.runs, 'run_task', run_task)
    monkeypatch.setattr(os, 'cpu_count', lambda: 2)
    lab = program.Lab.__new__(program.Lab)
    lab.options = argparse.Namespace(parts='', metrics=None)
    lab.series, lab.extra = argparse.Namespace(parts={'perf'}), None
    lab.build = lambda number: {'vm': []}
    tasks = [program.runs.Task('smoke', name) for name in ('first', 'second', *'3456789')]
    timer = threading.Timer(60, end.set)
    timer.start()
    with pytest.raises(program.CouldNot, match='first: no machine'):
        try:
            lab.run(0, tasks)
        finally:
            waited = end.is_set()
            end.set()
            timer.cancel()
    assert '9' not in began and not waited


@pytest.mark.parametrize('options, text', [
    (['-g', '1 xyz'], r'-g xyz: the machine has 1 2 3 4'),
    (['-p', 'basic rebnd'], r'-p rebnd: smoke has basic .* rebind .*suspend-to-ram'),
    (['-r', 'nothing*'], r'-r nothing\*: the reproducers are box-1 .* update-2'),
    (['-k', 'nokernel'], r'-k nokernel: the kernels are 5\.10 .*newest'),
    (['-t', '/nonexist'], r'-t /nonexist: no such directory'), (['-t', ''], '-t : no such dir.*'),
    (['-t', '/dev'], r'-t /dev: no clone of Linux: not a git repository.*'),
    (['-M', '('], r'-M \(: missing .*')])
def test_wrong_option_is_refused_at_once(options, text):
    run = subprocess.run([LAB / 'test', 'x', *options], check=False, capture_output=True,
                         text=True)
    assert run.returncode == 2 and re.fullmatch(f'test: {text}.*\n', run.stderr)


@pytest.mark.parametrize('series, text', [
    ('/dev/null', '/dev/null is empty'),
    ('a..b', r'a\.\.b is no file, and no range of commits in .'),
    ('a/b', 'a/b is no file, and no range of commits in .'),
    ('strange', r'git am, on linux-source-\S+ \S+: error: no/such/file.c: does not exist.*')])
def test_error_is_one_line(tmp_path, series, text):
    (tmp_path / 'strange').write_text(
        'From: me\nSubject: [PATCH] x\n\n---\n--- a/no/such/file.c\n+++ b/no/such/file.c\n'
        '@@ -1 +1 @@\n-a\n+b\n', encoding='ascii')
    run = subprocess.run([LAB / 'test', series], check=False, capture_output=True, text=True,
                         cwd=tmp_path)
    assert run.returncode == 4 and re.fullmatch(f'test: {text}\n', run.stderr), run.stderr


def test_directory_that_makefiles_do_not_take(tmp_path):
    (tmp_path / 'a blank').mkdir()
    run = subprocess.run([LAB / 'test', 'x'], check=False, capture_output=True, text=True,
                         env={**os.environ, 'TMPDIR': str(tmp_path / 'a blank')})
    assert run.returncode == 4 and 'TMPDIR has a character' in run.stderr
    assert 'Traceback' not in run.stderr


def test_nothing_that_a_guest_or_a_compiler_prints_is_refused():
    import series as module
    assert module.command('printf', r'\377').stdout == '\ufffd'


def test_mangled_patch(series, program, tree):
    mail = mails_of(tree)[1]
    mail.set_payload(mail.get_payload().replace('+int b;', 'int b;'))
    with pytest.raises(program.CouldNot, match=r'\[PATCH 1/2\] first: git apply: .*corrupt patch'):
        series(write(tree, [mail]), tree)


def test_rename_is_a_change(series, tree):
    git(tree, 'mv', DRIVER, DRIVER + 'x')
    git(tree, 'commit', '-qm', 'rename')
    path = tree.parent / 'rename'
    path.write_text(git(tree, 'format-patch', '--stdout', 'HEAD~1'))
    git(tree, 'reset', '-q', '--hard', 'HEAD~1')
    assert series(path, tree).subjects[1:] == ['rename']


def test_compressed_file(series, program, tree):
    path = mbox(tree)
    whole = gzip.compress(path.read_bytes())
    path.write_bytes(whole)
    assert series(path, tree).subjects[1:] == ['first', 'second']
    path.write_bytes(whole[:-20])
    with pytest.raises(program.CouldNot, match='is a damaged gzip file'):
        series(path, tree)
    # A gigabyte of blanks
    path.write_bytes(gzip.compress(b' ' * (1 << 20)) * 1024)
    with pytest.raises(program.CouldNot, match='has more than 64 MiB'):
        series(path, tree)


def test_patch_that_does_not_apply_has_no_verdict(series, program, tree):
    path = mbox(tree)
    commit(tree, DRIVER, 'int z;\n', 'other')
    with pytest.raises(program.CouldNot, match='git am, on .* other: error: patch failed'):
        series(path, tree)


@pytest.mark.parametrize('path', ['../../../linux-source/newest', '/etc/passwd'])
@pytest.mark.parametrize('clone', [True, False])
def test_patch_of_a_file_outside_the_tree(series, program, tree, path, clone):
    mails = mbox(tree)
    mails.write_text(mails.read_text().replace(f'a/{DRIVER}', f'a/{path}').replace(
        f'b/{DRIVER}', f'b/{path}'), encoding='utf-8')
    with pytest.raises(program.CouldNot, match='is of a file outside the tree: ' + path):
        series(mails, tree if clone else None)


@pytest.mark.parametrize('separator', ['\u2028', '\x1c', '\x85', '\x0c', '\x1b[2J'])
def test_subject_of_a_stranger_is_one_line_of_text(series, tree, separator):
    commit(tree, DRIVER, 'int d;\n', f'third{separator}HEAD~2 fourth')
    found = series('HEAD~2..', tree)
    assert len(found.commits) == 3
    assert found.subjects[2].startswith('third') and found.subjects[2].isprintable()


def test_tree_is_not_compared_with_another_one(series, program, tree):
    with pytest.raises(program.CouldNot, match="is compared with Debian's source of -k"):
        series(tree, tree)


def test_partial_clone_fetches_what_it_lacks(series, tree):
    git(tree, 'config', 'uploadpack.allowFilter', 'true')
    git(tree, 'clone', '-q', '--filter=blob:none', f'file://{tree}', tree.parent / 'partial')
    found = series('HEAD~2..', tree.parent / 'partial')
    for number, text in enumerate(('int a;\n', 'int b;\n', 'int c;\n')):
        found.checkout(number)
        assert (found.repo / DRIVER).read_text() == text


def test_range_of_a_shallow_clone(series, program, tree):
    git(tree, 'clone', '-q', '--depth', '1', f'file://{tree}', tree.parent / 'shallow')
    with pytest.raises(program.CouldNot, match='shallow, a shallow clone: git fetch --unshallow'):
        series('HEAD~1..', tree.parent / 'shallow')


def test_what_is_neither_a_file_nor_a_range(series, program, tree, tmp_path):
    with pytest.raises(program.CouldNot, match='is no file, and no range of commits'):
        series('nothing', tree)
    (tmp_path / 'empty').mkdir()
    with pytest.raises(program.CouldNot, match='has no patch .*nor arch/x86/events'):
        series(tmp_path / 'empty', tree)
    (tmp_path / 'mail').write_text('From: me\n\nhello\n')
    with pytest.raises(program.CouldNot, match='has no patch'):
        series(tmp_path / 'mail', tree)


@pytest.mark.parametrize('path, part', [
    (DRIVER, 'module'), ('arch/x86/events/intel/core.c', 'kernel'),
    ('kernel/events/core.c', 'kernel'),
    ('tools/perf/util/pmu.c', 'perf'), ('tools/lib/perf/evlist.c', 'perf'),
    ('tools/testing/selftests/Makefile', None),
    ('Documentation/admin-guide/perf/index.rst', None)])
def test_what_a_file_is_a_part_of(path, part):
    import series as module
    assert module.part_of(path) == part


def test_error_of_a_build_names_the_file_of_the_tree(tmp_path):
    import series as module
    (tmp_path / 'Makefile').write_text('all:\n\t@echo CC x; echo "$(CURDIR)/whole/kernel/x.c:1:9: '
                                       'error: no_such_function"; exit 1\n')
    with pytest.raises(module.DoesNotBuild) as error:
        module.make(tmp_path / 'log', '-C', tmp_path)
    assert str(error.value) == 'kernel/x.c:1:9: error: no_such_function'
    (tmp_path / 'Makefile').write_text('all:\n\t@no-such-program\n')
    with pytest.raises(module.DoesNotBuild, match='no-such-program: No such file'):
        module.make(tmp_path / 'log', '-C', tmp_path)


def test_objects_of_the_module_are_those_of_all_lines():
    import series as module
    assert module.objects_of('obj-m += intel-uncore.o\nintel-uncore-objs := a.o \\\n\tb.o\n'
                             'intel-uncore-y\t+= c.o\nintel-other-y += d.o\n') == [
        'a.o', 'b.o', 'c.o']


@pytest.mark.parametrize('elsewhere', [False, True])
def test_whole_source_has_the_files_of_a_state_and_the_cache_stays_as_it_is(
        monkeypatch, tmp_path, elsewhere):
    import series as module
    cache, repo = tmp_path / 'cache', tmp_path / 'repo'
    if elsewhere:
        # Debian 13 has /tmp in memory: no links to it.
        memory = tempfile.TemporaryDirectory(dir='/dev/shm')
        cache = pathlib.Path(memory.name) / 'cache'
        assert os.stat('/dev/shm').st_dev != tmp_path.stat().st_dev
    for directory, names in (cache, ['changed', 'deleted', 'other']), (repo, ['changed']):
        directory.mkdir()
        for name in names:
            (directory / name).write_text(directory.name)
    run = module.run
    monkeypatch.setattr(module, 'run', lambda program, *words: run(program, *words)
                        if program == 'cp' else str(cache))
    state = types.SimpleNamespace(work=tmp_path, kernel='6.1', repo=repo,
                                  files=['changed', 'deleted'])
    whole = module.Series._overlay(state)
    assert {path.name: path.read_text() for path in whole.iterdir()} == {
        'changed': 'repo', 'other': 'cache'}
    assert {path.read_text() for path in cache.iterdir()} == {'cache'}


def test_series_that_takes_a_kernel_says_so(tree):
    commit(tree, 'kernel/events/core.c', 'int core;\n', 'third')
    run = subprocess.run([LAB / 'test', '-t', tree, 'HEAD'], check=False, capture_output=True,
                         text=True)
    assert run.returncode == 4
    assert 'touches kernel/events/core.c: it takes a kernel, which -K builds' in run.stderr


def report(program, *patches):
    """The KTAP of patches, each (error, before, after), parsed, and the exit status"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        made = program.Report(len(patches))
        for error, before, after in patches:
            made.patch('subject', error, before, after)
    return ktap.parse(out.getvalue().splitlines()), made


GOOD, BAD = (True, ''), (False, 'why')


def test_fixed_and_broken_are_told_from_as_before(program):
    top, made = report(program, (None, {'a': BAD, 'b': GOOD, 'c': BAD},
                                 {'a': GOOD, 'b': BAD, 'c': BAD}))
    assert not top.faults and not top.children[0].good and made.failed
    assert [(test.good, test.name) for test in top.children[0].children] == [
        (True, 'it builds'), (True, 'a # fixed'), (False, 'b # broken')]
    assert made.counts == {'fixed': 1, 'broken': 1}


def test_failure_that_was_there_before_is_no_failure(program):
    _, made = report(program, (None, {'a': BAD}, {'a': BAD}))
    assert not made.failed


def test_new_failure_of_a_new_name_is_broken(program):
    _, made = report(program, (None, {'a': GOOD}, {'a': GOOD, 'event 3 runs on counter 0': BAD}))
    assert made.counts['broken'] == 1 and made.failed


KTAP_PATCHES = (
    (None, {'a': BAD, 'b # x': GOOD, 'c': BAD},
     {'a': GOOD, 'b # x': (False, 'why\nKTAP version 1\n1..3\nok 3 - x'), 'c': BAD}),
    ('error: x\nnot ok 1', {'a': GOOD}, {'a': GOOD}), (None, {'a': GOOD}, {'a': GOOD}))


def test_what_a_guest_printed_is_no_result(program):
    top, made = report(program, *KTAP_PATCHES)
    assert made.failed
    assert not any(test.faults for test in [top, *top.children]), [
        test.faults for test in [top, *top.children]]
    broken = top.children[0].children[2]
    assert (broken.name, broken.diagnostics[0]) == ('b  x # broken', '| why')
    assert [len(test.children) for test in top.children] == [3, 1, 1]


@pytest.mark.lab
def test_parser_of_kunit_reads_it(program):
    linux = subprocess.run([LAB.parent / 'scripts/linux-source', 'newest',
                            'tools/testing/kunit'], check=True, stdout=subprocess.PIPE, text=True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        made = program.Report(len(KTAP_PATCHES))
        for patch in KTAP_PATCHES:
            made.patch('subject # SKIP', *patch)
    script = ('import sys, kunit_parser, kunit_printer\n'
              'test = kunit_parser.parse_run_tests(sys.stdin.read().splitlines(),\n'
              '                                    kunit_printer.Printer(print=False))\n'
              'print(test.counts.passed, test.counts.failed, test.counts.errors)\n'
              'print([[len(test.subtests), test.status.name] for test in test.subtests])\n')
    done = subprocess.run(
        [sys.executable, '-c', script], check=True, input=out.getvalue(), stdout=subprocess.PIPE,
        text=True, env={'PYTHONPATH': linux.stdout.strip() + '/tools/testing/kunit'})
    assert done.stdout == "3 2 0\n[[3, 'FAILURE'], [1, 'FAILURE'], [1, 'SUCCESS']]\n"


def test_patch_that_does_not_build_fails(program):
    top, made = report(program, ('error: x', {'a': GOOD}, {'a': GOOD}))
    assert made.failed and '| error: x' in top.children[0].children[0].diagnostics


@pytest.fixture
def compare(program, tree, tmp_path, monkeypatch, capsys):
    """A function that compares the last commits of the tree, with a make that copies the file
    "state" to what it builds, and a guest whose results are in what was built: the exit status, the
    KTAP, parsed, and the tasks that ran."""
    series, ran = sys.modules['series'], []

    def make(_, *words):
        words = [str(word) for word in words]
        source = pathlib.Path(words[words.index('-C') + 1].removesuffix('/tools/perf'))
        out, text = (pathlib.Path(word.partition('=')[2])
                     for word in words if word.startswith('O=')), ''
        out = next(out)
        text = (source / 'tools/perf/state').read_text()
        if 'error' in text:
            raise series.DoesNotBuild(text)
        if words[-1] == 'modules_install':
            kept = next(word.partition('=')[2] for word in words if 'INSTALL_MOD_PATH' in word)
            pathlib.Path(kept).mkdir()
        (out / 'arch/x86/boot').mkdir(parents=True, exist_ok=True)
        for name in 'perf', 'arch/x86/boot/bzImage':
            (out / name).write_text(text)

    def run_task(task, options, parts, _):
        ran.append((task.kind, task.name, *parts))
        where = options[options.index('-f') + 1] + '/usr/bin/perf'
        texts = [pathlib.Path(where).read_text()]
        if 'bzImage' in options[1]:
            texts.append(pathlib.Path(options[1]).read_text())
        if '-l' in options:
            texts.append((pathlib.Path(options[options.index('-l') + 1])
                          / series.LISTS / 'list').read_text())
        assert len(set(texts)) == 1, texts
        found = {task.label() + 'x': ('good' in texts[0], texts[0])}
        if 'flaky' in texts[0]:
            found[task.label() + 'y'] = (ran.count(ran[-1]) > 1, '')
        else:
            found[task.label() + 'y'] = (True, '')
        return found

    monkeypatch.setattr(series, 'make', make)
    monkeypatch.setattr(program.runs, 'run_task', run_task)

    def commits(*texts, kernel=False, options=()):
        for number, text in enumerate(texts):
            for file in 'tools/perf/state', series.LISTS + '/list':
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                (tree / file).write_text(text)
            commit(tree, 'kernel/x' if kernel else 'tools/perf/y', text, f'perf {number}')
        monkeypatch.setattr(sys, 'argv', ['test', '-t', str(tree), '-g', 'spr', *(
            ['-K'] if kernel else []), *options, f'HEAD~{len(texts) - 1}..'])
        (tmp_path / 'compare').mkdir()
        status = program.test(program.arguments(), tmp_path / 'compare')
        return status, ktap.parse(capsys.readouterr().out.splitlines()), ran
    return commits


def results(top):
    return [[(test.good, test.name) for test in patch.children] for patch in top.children]


BUILDS = (True, 'it builds')


def test_perf_is_built_and_run_for_each_patch(compare):
    status, top, ran = compare('bad', 'bad too', 'good', 'good still')
    assert (status, top.faults) == (0, [])
    assert results(top)[0] == [BUILDS]
    assert (True, 'metrics of spr: x # fixed') in results(top)[1]
    assert (True, 'perf-1: x # fixed') in results(top)[1]
    assert results(top)[2] == [BUILDS]
    assert {kind for kind, *_ in ran} == {'metrics', 'reproducer'}


def test_perf_that_does_not_build_fails(compare):
    status, top, _ = compare('good', 'an error', 'good again')
    assert status == 1
    assert results(top) == [[(False, 'it builds')], [BUILDS]]


def test_reproducers_of_another_part_are_said_to_be_left_out(compare, program, monkeypatch):
    said = []
    monkeypatch.setattr(program, 'say', said.append)
    status, _, ran = compare('good', 'good still', options=['-r', 'core-*'])
    assert status == 0 and {kind for kind, *_ in ran} == {'metrics'}
    assert '-r core-*: none is for perf' in said


@pytest.mark.parametrize('each', [[], ['-e']])
def test_result_of_the_base_that_is_another_one_again_is_left_out(compare, each):
    status, top, _ = compare('flaky', 'stable', 'stable still', options=each)
    assert status == 0
    assert results(top) == [[BUILDS], [BUILDS]]


def test_patch_of_a_kernel_runs_with_its_own_image(compare):
    status, top, ran = compare('bad', 'bad too', 'good', 'good still', kernel=True)
    assert status == 0
    assert (True, 'generation spr: x # fixed') in results(top)[1]
    assert {kind for kind, *_ in ran} == {'smoke', 'metrics', 'reproducer'}
