# SPDX-License-Identifier: GPL-2.0-only
"""Programs that print TAP or KTAP, for pytest: each row of a list is an item, and each result of
the program is reported below it.

The names of results are known only when the program has run. The item therefore passes or fails as
the program does, and reports of its results follow: in the summary, with -v, and in --junitxml.

A list is a file TESTS, or *.machines, whose rows are arguments of tests/kselftest. A row: name,
processor seconds, markers, command, and after "# " what it is about, with tabs between.
What a program printed is kept in build/check/, with the logs of its machines.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import ktap

# What names a result in the sources of a program
RESULT = re.compile(r'\b(?:result|tap|BOTH|X86)\([^"]*"((?:[^"\\]|\\.)*)')
# Markers of tests that `make check` leaves out
OTHERS = {'ci', 'slow', 'debug', 'package', 'lab', 'root'}


def pytest_collect_file(file_path, parent):
    if file_path.name == 'TESTS':
        return List.from_parent(parent, path=file_path)
    if file_path.suffix == '.machines':
        return List.from_parent(parent, path=file_path, command='tests/kselftest ')
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What is long starts first. A test in Python is quick if no marker says otherwise."""
    for item in items:
        names = {marker.name for marker in item.iter_markers()}
        if not isinstance(item, Program) and not OTHERS & names:
            item.add_marker('quick')
    items.sort(key=lambda item: -seconds_of(item))


def seconds_of(item):
    """The processor seconds that a test takes, by its marker"""
    marker = item.get_closest_marker('seconds')
    return marker.args[0] if marker else 0


class List(pytest.File):
    """A file with a program in each row"""

    def __init__(self, *, command='', **more):
        super().__init__(**more)
        self.command = command

    def collect(self):
        for number, row in enumerate(self.path.read_text(encoding='utf-8').splitlines()):
            if row and not row.startswith('#'):
                name, seconds, markers, command, about = f'{row}\t'.split('\t')[:5]
                program = Program.from_parent(self, name=name)
                program.row, program.command = number, self.command + command
                program.extra_keyword_matches |= {command, about}
                # What takes long is not to run because of a result that a quick one has, too.
                if 'slow' not in markers:
                    for word in command.split():
                        program.extra_keyword_matches |= set(
                            names_of_results(self.config.rootpath / word))
                program.add_marker(pytest.mark.seconds(int(seconds)))
                # Ends what hangs, however much else the host does.
                program.add_marker(pytest.mark.timeout(max(1800, 30 * int(seconds))))
                for marker in markers.split():
                    program.add_marker(marker)
                yield program


def names_of_results(program):
    """For -k: what names the results of a program in the sources beside it, and these sources"""
    pattern = '*.[ch]' if program.name == 'driver' else f'{program.stem}*.c'
    for source in program.parent.glob(pattern) if program.with_suffix('.c').exists() else ():
        yield source.stem
        yield from RESULT.findall(source.read_text(encoding='utf-8'))


class Failed(Exception):
    """A program failed; the text is for people."""


class Program(pytest.Item):
    """A row of a list"""

    row = 0
    command = ''
    results = ()

    def reportinfo(self):
        return self.path, self.row, self.name

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Failed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def runtest(self):
        top = self.config.rootpath
        out = top / 'build/check' / re.sub(r'[^\w.-]+', '-', self.nodeid.replace('TESTS::', ''))
        runs, tap = out.with_name(f'{out.name}.runs'), out.with_name(f'{out.name}.tap')
        shutil.rmtree(runs, ignore_errors=True)
        runs.mkdir(parents=True)
        code = run(self.command, top, tap, {**os.environ, 'SNBEP_RUNS': str(runs)})
        lines = tap.read_text(encoding='utf-8', errors='replace').splitlines()
        test = ktap.parse(lines)
        self.results = list(results(test, versioned=any(map(ktap.VERSION.match, lines[:1]))))
        if not test.children and not test.skipped():
            test.faults.append('printed no result')
        bad = sum(outcome == 'failed' for _, outcome, _ in self.results)
        if code or bad or test.faults:
            end = test.diagnostics[-200:] if bad else lines[-30:]
            raise Failed('\n'.join([
                self.command, *test.faults, f'exit status {code}, {bad} results failed',
                f'output in {tap.relative_to(top)}, logs in {runs.relative_to(top)}', *end]))
        if test.skipped():
            pytest.skip(test.reason or 'without a reason')


def cache():
    """Where scripts/lib.sh has it"""
    above = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    return pathlib.Path(os.environ.get('SNBEP_CACHE') or pathlib.Path(above) / 'snbep-uncore')


def run(command, directory, output, environment):
    """The exit status of a command in a directory; its processes end with it"""
    with open(output, 'wb') as out:
        process = subprocess.Popen(
            ['setpriv', '--pdeathsig', 'TERM', 'sh', '-c', f'exec {command}'], cwd=directory,
            env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            start_new_session=True)
        try:
            return process.wait()
        finally:
            # After a time limit or an interrupt
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)


def results(test, versioned, prefix=''):
    """Each result without results of its own: name, outcome, and text. TAP without a version has
    diagnostics after a result as well, and KTAP before it."""
    for child in test.children:
        name = prefix + child.name
        inner = list(results(child, versioned, f'{name}: '))
        yield from inner
        if child in child.failures() or not inner:
            # Later results may have the same name.
            text = child.diagnostics[-60:] + ([] if versioned else child.after[:60])
            if child.failures():
                yield name, 'failed', '\n'.join([name, *child.faults, child.reason, *text])
            else:
                yield name, 'skipped' if child.skipped() else 'passed', child.reason


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    done = yield
    if isinstance(item, Program) and call.when == 'call':
        done.get_result().results = item.results


def pytest_configure(config):
    markers = {re.match(r'\w+', line)[0] for line in config.getini('markers')}
    unknown = set(re.findall(r'\w+', config.option.markexpr)) - markers - {'and', 'or', 'not'}
    if unknown:
        raise pytest.UsageError(f'-m {config.option.markexpr}: no marker '
                                f'{", ".join(sorted(unknown))}; pytest.ini has them')
    # Workers of xdist may only report their items.
    if not hasattr(config, 'workerinput'):
        config.pluginmanager.register(Reporter(config))


class Reporter:
    """Reports each result behind its program, as if it were an item."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        path, row, program = report.location
        seen = {}
        for name, outcome, text in getattr(report, 'results', ()):
            name = name.replace('::', ':')
            seen[name] = seen.get(name, 0) + 1
            if seen[name] > 1:
                name += f' ({seen[name]})'
            one = pytest.TestReport(
                nodeid=f'{report.nodeid}::{name}', location=(path, row, f'{program}: {name}'),
                keywords={}, outcome=outcome, when='call',
                longrepr=(path, row + 1, f'Skipped: {text}') if outcome == 'skipped' else text)
            one.result_of = report.nodeid
            if hasattr(report, 'node'):
                one.node = report.node
            self.config.hook.pytest_runtest_logreport(report=one)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report, config):
        # Thousands of dots tell nothing.
        if hasattr(report, 'result_of') and not report.failed and config.option.verbose <= 0:
            return report.outcome, '', report.outcome.upper()
        return None
