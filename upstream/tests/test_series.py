# SPDX-License-Identifier: GPL-2.0-only
"""upstream/test: what it takes, what it refuses, and what it says of results."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess

import pytest

import ktap

UPSTREAM = pathlib.Path(__file__).parent.parent
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
    """upstream/test as a module"""
    loader = importlib.machinery.SourceFileLoader('upstream_test', str(UPSTREAM / 'test'))
    spec = importlib.util.spec_from_loader('upstream_test', loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
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


def test_patch_that_does_not_apply_has_no_verdict(series, program, tree):
    path = mbox(tree)
    commit(tree, DRIVER, 'int z;\n', 'other')
    with pytest.raises(program.CouldNot, match='git am, on .* other: error: patch failed'):
        series(path, tree)


@pytest.mark.parametrize('path', ['../../../linux-source/newest', '/etc/passwd'])
@pytest.mark.parametrize('clone', [True, False])
def test_patch_of_a_file_outside_the_tree(series, program, tree, path, clone):
    mails = mbox(tree)
    mails.write_text(mails.read_text().replace(f'a/{DRIVER}', f'a/{path}'), encoding='utf-8')
    with pytest.raises(program.CouldNot, match='is of a file outside the tree: ' + path):
        series(mails, tree if clone else None)


@pytest.mark.parametrize('separator', ['\u2028', '\x1c', '\x85', '\x0c', '\x1b[2J'])
def test_subject_of_a_stranger_is_one_line_of_text(series, tree, separator):
    commit(tree, DRIVER, 'int d;\n', f'third{separator}HEAD~2 fourth')
    found = series('HEAD~2..', tree)
    assert len(found.commits) == 3
    assert found.subjects[2].startswith('third') and found.subjects[2].isprintable()


def test_what_is_neither_a_file_nor_a_range(series, program, tree, tmp_path):
    with pytest.raises(program.CouldNot, match='is no file, and no range of commits'):
        series('nothing', tree)
    (tmp_path / 'empty').mkdir()
    with pytest.raises(program.CouldNot, match='has neither arch/x86/events nor patches'):
        series(tmp_path / 'empty', tree)
    (tmp_path / 'mail').write_text('From: me\n\nhello\n')
    with pytest.raises(program.CouldNot, match='has no patch'):
        series(tmp_path / 'mail', tree)


@pytest.mark.parametrize('path, part', [
    (DRIVER, 'module'), ('arch/x86/events/intel/core.c', 'kernel'),
    ('kernel/events/core.c', 'kernel'),
    ('tools/perf/util/pmu.c', 'perf'), ('tools/testing/selftests/Makefile', None),
    ('Documentation/admin-guide/perf/index.rst', None)])
def test_what_a_file_is_a_part_of(path, part):
    import series as module
    assert module.part_of(path) == part


def test_series_that_takes_a_kernel_says_so(tree):
    commit(tree, 'kernel/events/core.c', 'int core;\n', 'third')
    run = subprocess.run([UPSTREAM / 'test', '-t', tree, 'HEAD'], check=False, capture_output=True,
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


def test_patch_that_does_not_build_fails(program):
    top, made = report(program, ('error: x', {'a': GOOD}, {'a': GOOD}))
    assert made.failed and 'error: x' in top.children[0].diagnostics
