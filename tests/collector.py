# SPDX-License-Identifier: GPL-2.0-only
"""Programs that print TAP or KTAP, for pytest: each row of a list is an item, and each result of
the program is reported below it.

The names of results are known only when the program has run. The item therefore passes or fails as
the program does, and reports of its results follow: in the summary, with -v, and in --junitxml.

A list is a file TESTS, or *.machines, whose rows are arguments of tests/kselftest. A row: name,
processor seconds, markers, command, and after "# " what it is about, with tabs between.
What a program printed is kept in build/check/, with the logs of its machines.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import ktap

GUARD = pathlib.Path(__file__).resolve().parents[1] / 'scripts/guard'
# Fixtures of tests that take something of the cache, and markers that `make check` leaves out
FILLED = {'kernel', 'linux_lists', 'libpfm4', 'guest', 'vm', 'bin_vm', 'copy_programs', 'output'}
OTHERS = {'ci', 'slow', 'debug', 'package', 'lab', 'root'}


def pytest_collect_file(file_path, parent):
    if file_path.name == 'TESTS' or file_path.suffix == '.machines':
        return List.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """What is long starts first. A test in Python is quick if no marker says otherwise."""
    for item in items:
        names = {marker.name for marker in item.iter_markers()}
        if not isinstance(item, Program) and not OTHERS & names:
            item.add_marker('quick')
    items.sort(key=order)


def order(item):
    """By the processor seconds of its marker; what needs a cache that is being filled last"""
    marker = item.get_closest_marker('seconds')
    needs = FILLED & set(getattr(item, 'fixturenames', ())) or 'kselftest' in getattr(
        item, 'command', '')
    return bool(needs and os.environ.get('SNBEP_FILLING')), -(marker.args[0] if marker else 0)


class List(pytest.File):
    """A file with a program in each row"""

    def collect(self):
        runner = 'tests/kselftest ' if self.path.suffix == '.machines' else ''
        for number, row in enumerate(self.path.read_text(encoding='utf-8').splitlines()):
            if row and not row.startswith('#'):
                name, seconds, markers, command, about = f'{row}\t'.split('\t')[:5]
                program = Program.from_parent(self, name=name)
                program.row, program.command = number, runner + command
                program.extra_keyword_matches |= {command, about}
                program.add_marker(pytest.mark.seconds(int(seconds)))
                # Ends what hangs, however much else the host does.
                program.add_marker(pytest.mark.timeout(max(3600, 60 * int(seconds))))
                for marker in markers.split():
                    program.add_marker(marker)
                yield program


class Program(pytest.Item):
    """A row of a list"""

    row = 0
    command = ''
    results = ()

    def reportinfo(self):
        return self.path, self.row, self.name

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
        if test.skipped() and not test.reason:
            test.faults.append('skips without a reason')
        bad = sum(outcome == 'failed' for _, outcome, _ in self.results)
        if code or bad or test.faults:
            end = test.diagnostics[-200:] if bad else lines[-30:]
            pytest.fail('\n'.join([
                self.command, *test.faults, f'exit status {code}, {bad} results failed',
                f'output in {tap.relative_to(top)}, logs in {runs.relative_to(top)}', *end]),
                        pytrace=False)
        if test.skipped():
            pytest.skip(test.reason)


def cache():
    """Where scripts/lib.sh has it"""
    above = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    return pathlib.Path(os.environ.get('SNBEP_CACHE') or pathlib.Path(above) / 'snbep-uncore')


def run(command, directory, output, environment):
    """The exit status of a command in a directory; its processes end with it"""
    # An interrupt may come before this process knows of the one that it has started.
    with open(output, 'wb') as out:
        return subprocess.run([GUARD, '-', 'sh', '-c', f'exec {command}'], check=False,
                              cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              stdout=out, stderr=out, start_new_session=True).returncode


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
                # ktap_helpers.sh has the reason in the name.
                yield name, 'skipped' if child.skipped() else 'passed', child.reason or child.name


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
    """Reports each result behind its program, to the summary and --junitxml alone: what counts and
    repeats items (--maxfail, --lf, the progress) knows the program."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        manager, (path, row, program) = self.config.pluginmanager, report.location
        terminal = manager.get_plugin('terminalreporter')
        tell = manager.subset_hook_caller('pytest_runtest_logreport', [self, *filter(None, map(
            manager.get_plugin, ('terminalreporter', 'session', 'lfplugin', 'stepwiseplugin')))])
        seen = collections.Counter()
        for name, outcome, text in getattr(report, 'results', ()):
            name = name.replace('::', ':')
            seen[name] += 1
            if seen[name] > 1:
                name += f' ({seen[name]})'
            one = pytest.TestReport(
                nodeid=f'{report.nodeid}::{name}', location=(path, row, f'{program}: {name}'),
                keywords={}, outcome=outcome, when='call',
                longrepr=(path, row + 1, f'Skipped: {text}') if outcome == 'skipped' else text)
            if hasattr(report, 'node'):
                one.node = report.node
            tell(report=one)
            terminal.stats.setdefault(outcome, []).append(one)
            if self.config.option.verbose > 0:
                terminal.ensure_newline()
                terminal.write_line(f'{one.nodeid} {outcome.upper()}')
