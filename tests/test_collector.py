# SPDX-License-Identifier: GPL-2.0-only
"""Rows of lists become items of pytest, and no failure of a program is lost."""
import importlib.machinery
import pathlib
import signal
import sys
import textwrap
import time
import types
import xml.etree.ElementTree

import pytest

import ktap

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture
def run(pytester, monkeypatch):
    """Run pytest over a list whose only row runs a shell script: run(script, option...)"""
    monkeypatch.setenv('PYTHONPATH', f'{HERE}:{HERE.parent}/scripts')

    def run_script(script, *options):
        pytester.makeini('[pytest]\naddopts = -ra\nmarkers = quick\n  slow\n  seconds(n)\n')
        pytester.path.joinpath('program').write_text(textwrap.dedent(script))
        pytester.path.joinpath('TESTS').write_text(
            '# comment\nprogram\t1\tquick\tsh ./program\t# what it shows\n')
        # Workers are other processes.
        start = pytester.runpytest_subprocess if '-n' in options else pytester.runpytest_inprocess
        return start('-p', 'collector', *options)
    return run_script


FAILED = """
    echo 1..3; echo ok 1 - one; echo '# before'; echo not ok 2 - sum; echo '# five is not six'
    echo '# indeed'; echo ok 3 - three; exit 1"""
SUBTEST = """
    echo '    ok 1 - inner'; echo '    not ok 2 - deep'; echo '    1..2'
    echo not ok 1 - outer; echo 1..1"""


@pytest.mark.parametrize('script, options, outcomes, lines', [
    (FAILED, ['--maxfail=2'], {'passed': 2, 'failed': 2},
     ['before', 'five is not six', 'indeed', 'FAILED TESTS::program::sum*']),
    (SUBTEST, [], {'passed': 1, 'failed': 2}, ['FAILED TESTS::program::outer: deep*']),
    ('echo ok 1 - counts twice; echo 1..1', ['-v'], {'passed': 2},
     ['TESTS::program PASSED*100%*', 'TESTS::program::counts twice PASSED*']),
    *((script, [], outcomes, ['SKIPPED * no such thing']) for script, outcomes in (
        ("echo 1..0 '# SKIP no such thing'", {'skipped': 1}),
        ("echo 1..1; echo 'ok 1 - no such thing # SKIP'", {'passed': 1, 'skipped': 1}),
        ("echo 1..1; echo 'ok 1 - one # SKIP no such thing'", {'passed': 1, 'skipped': 1}))),
    *(('echo ok 1; echo 1..1', options, {'passed': 2}, []) for options in (
        ['-m', 'quick'], ['-k', 'shows'], ['-k', 'program'])),
    *(('exit 1', options, {'deselected': 1}, [])
      for options in (['-m', 'slow'], ['-k', 'nothing'])),
    *((script, [], None, [reason, 'FAILED TESTS::program*']) for script, reason in (
        ("echo 1..2; echo ok 1; echo 'SUMMARY: a crash'; kill -SEGV $$", 'SUMMARY: a crash'),
        ('echo 1..2; echo ok 1; echo ok 2; exit 7', 'exit status 7*'),
        ('echo 1..2; echo ok 1', 'planned 2 results, printed 1'),
        ('echo ok 1', 'printed no plan'), ('echo hello', 'printed no result'),
        ('exit 0', 'printed no result'),
        ('echo 1..1; echo Bail out! no actor', 'Bail out! no actor'),
        ('echo "1..0 # SKIP no such thing"; exit 1', 'exit status 1*'),
        ('echo "1..0 # SKIP"', 'skips without a reason'), ('no-such-program', '*not found')))])
def test_outcomes_are_those_of_the_program_with_their_reasons(
        run, script, options, outcomes, lines):
    result = run(script, *options)
    found = result.parseoutcomes()
    assert found == outcomes or outcomes is None and found['failed'] == 1
    result.stdout.no_fnmatch_line('*stopping after*')
    result.stdout.fnmatch_lines(lines)
    assert result.ret == (
        pytest.ExitCode.NO_TESTS_COLLECTED if 'deselected' in found else
        pytest.ExitCode.TESTS_FAILED if 'failed' in found else pytest.ExitCode.OK)


def test_results_are_named_by_workers_and_in_xml(run, pytester):
    run('echo ok 1 - one; echo not ok 2 - two; echo ok 3 - one; echo 1..3; exit 1', '-n', '1',
        '--junitxml=results.xml')
    cases = xml.etree.ElementTree.parse(pytester.path / 'results.xml').iter('testcase')
    assert {case.get('name'): len(case.findall('failure')) for case in cases} == {
        'program': 1, 'one': 0, 'two': 1, 'one (2)': 0}


@pytest.mark.parametrize('filling', ['', 'yes'])
def test_python_is_quick_without_another_marker_and_what_is_long_or_needs_no_cache_is_first(
        run, pytester, monkeypatch, filling):
    monkeypatch.setenv('SNBEP_FILLING', filling)
    pytester.makepyfile(test_x="""
        import pytest
        kernel = pytest.fixture(lambda: 0)
        def test_a(): pass
        @pytest.mark.slow
        def test_b(): pass
        @pytest.mark.seconds(9)
        def test_c(kernel): pass""")
    (pytester.path / 'sub').mkdir()
    (pytester.path / 'sub/TESTS').write_text(
        'other\t1\tslow\tfalse\t# why\nboot\t99\tquick\ttests/kselftest\n')
    lines = run('', '-m', 'quick', '--collect-only', '-q').outlines
    assert [line.partition('::')[2] for line in lines if '::' in line] == (
        ['program', 'test_a', 'boot', 'test_c'] if filling else
        ['boot', 'test_c', 'program', 'test_a'])


@pytest.mark.parametrize('options', [(), ('-n', '1')])
def test_selection_by_an_unknown_marker_is_an_error(run, options):
    result = run('exit 0', '-m', 'quick and not sloww', *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(['*no marker sloww;*'])


def test_summary_has_each_reason_once_what_was_drawn_and_where_time_went(pytester, monkeypatch):
    monkeypatch.setenv('PYTHONPATH', f'{HERE}:{HERE.parent}/scripts')
    monkeypatch.setenv('DRAW', '0.1')
    monkeypatch.setenv('SNBEP_TIMES', str(pytester.path / 'times'))
    (pytester.path / 'times').write_text('downloads 3\nbuilds 9\nbuilds -3\n')
    pytester.makeini('[pytest]\nmarkers = quick\n')
    pytester.makeconftest((HERE.parent / 'conftest.py').read_text())
    pytester.makepyfile("""
        import pytest
        @pytest.mark.parametrize('n', [1, 2])
        def test_s(n): pytest.skip('no such thing')
        def test_d(draw): assert len({chance.random() for chance in draw()}) > 2""")
    pytester.runpytest_subprocess().stdout.fnmatch_lines([
        'SKIPPED [[]2] no such thing', '*test_d: [1-9]* inputs drawn',
        '* s of tests; before and beside them 3 s of downloads, 6 s of builds for the cache'])


def test_last_failed_program_runs_again(run):
    run('echo not ok 1 - one; echo 1..1; exit 1')
    # A result that is renamed does not stay among what failed last.
    run('echo ok 1 - two; echo 1..1', '--lf').assert_outcomes(passed=2)
    assert 'run-last-failure: no previously failed tests' in str(
        run('echo ok 1 - two; echo 1..1', '--lf').stdout)


def test_interrupt_ends_the_processes_of_a_program(run, pytester):
    run('exit 0', '--collect-only')
    pytester.path.joinpath('program').write_text(
        'sleep 1000 & echo $! > pid.new; mv pid.new pid; wait')
    # A shell's background jobs ignore SIGINT.
    tests = pytester.popen([sys.executable, '-m', 'pytest', '-p', 'collector'],
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    pid = pytester.path / 'pid'
    wait_until(pid.exists)
    state = pathlib.Path('/proc', pid.read_text().strip(), 'stat')
    assert state.exists()
    tests.send_signal(signal.SIGINT)
    tests.wait(200)
    # Whoever adopts orphans may be slow to reap them.
    wait_until(lambda: not state.exists() or ') Z ' in state.read_text())


# What the guest prints of one program with one result, and its kernel's log meanwhile
RUNNER = ['TAP version 13', '1..1', '# selftests: drivers/perf/x: y', '# TAP version 13', '# 1..1',
          '# ok 1 one', 'ok 1 selftests: drivers/perf/x: y']
LOG = '[ 1.0] kselftest: Running tests in drivers/perf/x\n[ 1.1] kselftest: y\n[ 1.2] {}\n'


@pytest.fixture
def runner():
    """The module tests/kselftest"""
    loader = importlib.machinery.SourceFileLoader('kselftest', str(HERE / 'kselftest'))
    module = types.ModuleType(loader.name)
    module.__file__ = loader.path
    loader.exec_module(module)
    return module


@pytest.mark.parametrize('words, options, command', [
    ('-s 1 -m offcore_rsp -a x=1', '-m offcore_rsp -s 1 -a x=1',
     ' ./run_kselftest.sh -c drivers/perf/snbep_uncore 2>&1 | cat'),
    ('-E -k newest -o a=1 -o b machine offcore_rsp:load drivers/perf/x', '-o a=1 -o b -e /extra',
     ' ./run_kselftest.sh -c machine -t drivers/perf/offcore_rsp:load -c drivers/perf/x 2>&1'),
    ('machine,machine:random-x 5 $y', '',
     "KSELFTEST_RANDOM_X_ARGS='5 $y' ./run_kselftest.sh -c machine 2>&1"),
    ('-H -x a:b -x uncorestat:c uncorestat:d', '',
     'KSFT_MODEL=no ./run_kselftest.sh -t uncorestat:d -S drivers/perf/a:b -S uncorestat:c 2>&1')])
def test_runner_of_the_guest_gets_what_was_asked_for(
        runner, monkeypatch, tmp_path, words, options, command):
    (tmp_path / 'bin').mkdir()
    (tmp_path / 'bin/vm').write_text('#!/bin/sh\necho said >&2; printf "%s\\n" "$@"; exit 3\n')
    (tmp_path / 'bin/vm').chmod(0o755)
    monkeypatch.setattr(runner, 'TOP', str(tmp_path))
    monkeypatch.setattr(runner, 'build', lambda: 'built')
    parsed = runner.arguments().parse_args(words.split(',') if ',' in words else words.split())
    code, said, lines = runner.boot(parsed, str(tmp_path))
    text = ' '.join(lines).replace(f'{tmp_path}/', '/')
    assert (code, said) == (3, ['said']) and command in text, text
    assert text.startswith(f'-f built -k {parsed.kernel} -l /log {options}'.rstrip() + ' -- '), text
    assert (tmp_path / 'extra').exists() == ('-E' in words)


PASSED, KILLED = 'ok 1 - drivers/perf/x:y\n', 'the machine ran the programs'
COMPLAINT = ('#     [ 1.0] kselftest: Running tests in drivers/perf/x\n#     [ 1.1] kselftest: y\n'
             '#     [ 1.2] BUG: x\n' + ''.join(f'#     {n}\n' for n in range(24)))
REPORT = ('# FAILED drivers/perf/x:y on Linux 6.1, modules snbep_uncore\n#   not ok - one\n'
          "#     five is not six\n#   the kernel's log of it:\n#     [ 1.1] kselftest: y\n"
          '#     [ 1.2] fine\n')


@pytest.mark.parametrize('release, code, printed, log, failed, said', [
    (None, 0, [], '', [], "1..0 # SKIP Debian's mirror has no kernel 6.1\n"),
    ('6.1', 0, RUNNER, 'fine', [], PASSED),
    ('6.1', 124, RUNNER, 'fine', [f'{KILLED}: exit status 124, time over'], PASSED),
    ('6.1', 125, RUNNER, 'fine', [f'{KILLED}: exit status 125, the machine failed'], PASSED),
    ('6.1', 0, [], 'fine', [KILLED], ''),
    ('6.1', 0, [*RUNNER[:5], '# # five is not six', '# not ok 1 one', RUNNER[6]], 'fine', ['one'],
     REPORT),
    ('6.1', 0, [*RUNNER[:2], RUNNER[6]], 'fine', ['drivers/perf/x:y: printed no result'], ''),
    ('6.1', 0, ['1..2', *RUNNER[2:]], 'fine', [f'{KILLED}: planned 2 results, printed 1'], ''),
    ('6.1', 0, RUNNER, '\n'.join(['BUG: x', *map(str, range(40))]),
     ["the kernel's log has no warning: during drivers/perf/x:y"], COMPLAINT)])
def test_no_failure_of_a_machine_is_lost_and_all_are_reported(
        runner, monkeypatch, capsys, release, code, printed, log, failed, said):
    def boot(_, tmp):
        pathlib.Path(tmp, 'log').write_text(LOG.format(log))
        return code, [], printed

    monkeypatch.setattr(runner, 'release_of', lambda _: release)
    monkeypatch.setattr(runner, 'boot', boot)
    monkeypatch.setattr(sys, 'argv', ['kselftest'])
    assert runner.main() == bool(failed)
    text = capsys.readouterr().out
    assert said in text and text.startswith('KTAP version 1\n1..' if release else said)
    failures = ktap.parse(text.splitlines()).failures()
    assert [failure.name for failure in failures] == failed


@pytest.mark.parametrize('status, release', [(0, '6.1.0'), (4, None), (1, SystemExit)])
def test_kernel_that_the_mirror_lacks_is_skipped_and_other_failures_are_none(
        runner, monkeypatch, tmp_path, status, release):
    (tmp_path / 'scripts').mkdir()
    (tmp_path / 'scripts/kernel').write_text(f'#!/bin/sh\necho {tmp_path}/$1\nexit {status}\n')
    (tmp_path / 'scripts/kernel').chmod(0o755)
    (tmp_path / 'k').mkdir()
    (tmp_path / 'k/release').write_text('6.1.0\n')
    monkeypatch.setattr(runner, 'TOP', str(tmp_path))
    if release is SystemExit:
        with pytest.raises(SystemExit):
            runner.release_of('k')
    else:
        assert runner.release_of('k') == release


def wait_until(condition):
    """Wait for a condition, 200 seconds at most."""
    end = time.monotonic() + 200
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
