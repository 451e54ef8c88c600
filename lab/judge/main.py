# SPDX-License-Identifier: GPL-2.0-only
"""Compare a series of patches for Linux's uncore drivers, or for perf, with its base, on the
emulated machine, patch by patch."""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import traceback

from . import coverage, lists, machine, report, runs, smoke
from .process import SCRIPTS, CouldNot, DoesNotBuild, Sandbox, command, ktap, processors, run
from .runs import Result, Results, Task
from .series import Series, part_of

EPILOG = """\
SERIES is a file of mails (an mbox, a patch, "-"), a directory of *.patch, a range of commits (A..B,
or one commit) of TREE or of the current directory, or a tree, which is compared as it is.

The driver is built alone, for a stock kernel, where a series touches no more than
arch/x86/events/intel/uncore*; the perf tool, where it touches tools/perf. For anything else -K
builds a small kernel for each state: six minutes on two idle processors for the first one, twenty
seconds for each other. All of smoke, the reproducers and, for perf, the metrics of Intel's lists
run on the base and on the result; what differs runs on each patch in between.

Prints "# verdict: WORD ..." and KTAP: for each patch, whether it builds, and each result that
differs from the patch before, "(fixed)" or "(broken)". Exit status: 0; 1 if something is broken or
does not build; 2 for a wrong option; 125 if the series cannot be tested, and 128 for a fault of the
lab or the host: git bisect run skips at the first, and ends at the second.

--filter FILE prints what of a file of mails is for the lab, by the paths alone, and exits with 0,
or with 125 if nothing is; --prepare downloads what a run takes."""


def arguments() -> argparse.Namespace:
    """The command line"""
    parser = argparse.ArgumentParser(
        prog='test', description=__doc__, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('series', metavar='SERIES')
    parser.add_argument('-t', '--tree',
                        help='a clone of Linux; without, Debian\'s source of KERNEL')
    parser.add_argument('-k', '--kernel', default='newest',
                        help='the stock kernel to build for, of scripts/kernels (newest), or a '
                        'directory that has its vmlinuz, build and lib/modules')
    parser.add_argument('-g', '--generations', action='extend', type=str.split,
                        help='of the machine, such as "1 spr" (all)')
    parser.add_argument('-p', '--parts', action='extend', type=str.split,
                        help='of smoke, such as "basic rebind" (all)')
    parser.add_argument('-r', '--reproducers', metavar='PATTERN', default='*',
                        help='which reproducers run, such as "box-*"; "" is none (all)')
    parser.add_argument('-M', '--metrics', metavar='PATTERN',
                        help='of the perf tool, a regular expression; "" is none (all)')
    parser.add_argument('-c', '--coverage', action='store_true',
                        help='run smoke once more, and say which changed lines of the driver ran')
    parser.add_argument('-K', '--build-kernel', action='store_true',
                        help="build the tree's own kernel, for a series of the driver, too")
    parser.add_argument('-j', '--jobs', type=int, default=processors(),
                        help='machines at a time (%(default)s)')
    parser.add_argument('-s', '--seconds', type=int, default=0,
                        help='the most that all of it may take (no limit)')
    parser.add_argument('-o', '--output', type=pathlib.Path, metavar='DIR',
                        help="keep the guests' logs and what was built")
    parser.add_argument('--json', type=pathlib.Path, metavar='FILE',
                        help="write all results in KCIDB's schema")
    parser.add_argument('--junit', type=pathlib.Path, metavar='FILE', help='and as JUnit')
    parser.add_argument('--sandbox', choices=['bwrap', 'none'], default='bwrap',
                        help='where a series is built (bubblewrap); none: in a container that is '
                        'one itself')
    options = parser.parse_args()
    kernels = [words[0] for words in machine.table(SCRIPTS / 'kernels')]
    for option, words, known, whose in (
            ('-k', [] if '/' in options.kernel else [options.kernel], kernels, 'the kernels are'),
            ('-g', options.generations or [], machine.generations(), 'the machine has'),
            ('-p', options.parts or [], list(smoke.PARTS), 'smoke has')):
        for word in words:
            if word not in known:
                refuse(f'{option} {word}: {whose} {" ".join(known)}')
    for option, number, least in ('-j', options.jobs, 1), ('-s', options.seconds, 0):
        if number < least:
            refuse(f'{option} {number}: it is at least {least}')
    for option, file in ('--json', options.json), ('--junit', options.junit):
        # At the end, the results of an hour would be lost.
        if file and (file.is_dir() or not os.access(file if file.exists() else file.parent,
                                                    os.W_OK)):
            refuse(f'{option} {file}: it cannot be written')
    if '/' in options.kernel:
        options.kernel = os.path.abspath(options.kernel)
        for name in 'vmlinuz', 'build/Makefile':
            if not os.path.exists(os.path.join(options.kernel, name)):
                refuse(f'-k {options.kernel}: it has no {name}')
    known = runs.reproducers({'module', 'kernel', 'perf'})
    if options.reproducers and not fnmatch.filter(known, options.reproducers):
        refuse(f'-r {options.reproducers}: the reproducers are {" ".join(known)}')
    try:
        re.compile(options.metrics or '')
    except re.error as error:
        refuse(f'-M {options.metrics}: {error}')
    if options.tree is not None:
        if not os.path.isdir(options.tree):
            refuse(f'-t {options.tree}: no such directory')
        done = command('git', '-C', options.tree, 'rev-parse', '--verify', 'HEAD^{commit}')
        if done.returncode:
            why = done.stderr.splitlines()[0].removeprefix('fatal: ')
            refuse(f'-t {options.tree}: no clone of Linux: {why}')
    return options


def say(text):
    print(f'test: {text}', file=sys.stderr, flush=True)


def refuse(text):
    """Say what is wrong with an option"""
    say(text)
    sys.exit(2)


def limit(seconds: int) -> None:
    """End with a verdict when the time is over"""
    def over(*_):
        raise CouldNot(f'it took more than {seconds} seconds', 'time-limit')
    signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)


class Lab:
    """The states of a series and their results"""

    def __init__(self, options: argparse.Namespace, work: pathlib.Path):
        self.options = options
        self.work = work
        self.series = Series(options.series, options.tree, options.kernel, work,
                             Sandbox(options.sandbox), options.build_kernel)
        parts = self.series.parts
        if 'kernel' in parts and not options.build_kernel:
            others = [file for file in self.series.files if part_of(file) == 'kernel']
            raise CouldNot(f'the series touches {", ".join(others[:3])}: it takes a kernel, '
                           'which -K builds (six minutes on two cores)', 'needs-a-kernel')
        if not parts:
            raise CouldNot('the series touches nothing that is built here: '
                           + ', '.join(self.series.files[:3]), 'not-for-the-lab')
        if 'perf' in parts and self.series.own:
            raise CouldNot('-k DIRECTORY is for a series of the driver alone', 'usage')
        self.tasks = self._tasks()
        if not self.tasks:
            raise CouldNot('nothing is to run', 'usage')
        self.extra = work / 'extra'
        self.extra.mkdir()
        subprocess.run(['gcc', '-std=gnu11', '-O2', '-static', '-D_GNU_SOURCE', '-o',
                        self.extra / 'race', runs.REPRODUCERS / 'race.c'], check=True)
        self.built: dict[int, dict] = {}

    def _tasks(self):
        parts, options = self.series.parts, self.options
        generations = machine.generations() if options.generations is None else \
            options.generations
        tasks = []
        if parts != {'perf'}:
            tasks = [Task('smoke', generation, part) for generation in generations
                     for part in smoke.parts_of(generation)
                     if part in (options.parts or [part])]
        if 'perf' in parts and options.metrics != '':
            tasks += [Task('metrics', generation) for generation in generations
                      if generation in lists.NAMES]
        wanted = parts if parts == {'perf'} else parts | {'module'}
        names = fnmatch.filter(runs.reproducers(wanted, generations), options.reproducers)
        if options.reproducers and not names:
            self.series.notes.append(f'-r {options.reproducers}: none is for '
                                     + ', '.join(sorted(parts)))
        return tasks + [Task('reproducer', name) for name in names]

    def build(self, number: int) -> dict[str, list[str]]:
        """The options that run a state: {'vm': of smoke and vm, 'metrics': of metrics}"""
        if number not in self.built:
            parts = self.series.parts
            stock = self.series.stock()
            options = {'vm': stock, 'metrics': stock}
            if 'kernel' in parts:
                options['vm'] = self.series.image(number)
            elif 'module' in parts:
                options['vm'] = stock + ['-b', str(self.series.module(number))]
            if 'perf' in parts:
                perf, events = self.series.perf(number)
                options['vm'] = options['vm'] + ['-f', str(perf)]
                options['metrics'] = stock + ['-f', str(perf), '-l', str(events)]
            if self.options.output:
                self.options.output.mkdir(parents=True, exist_ok=True)
                for name in 'module', 'perf', 'kernel':
                    command('cp', '-a', '--', self.work / f'{name}-{number}', self.options.output)
            self.built[number] = options
        return self.built[number]

    def run(self, number: int, tasks: list[Task], again: bool = False) -> Results:
        """The results of a state; those of the base are kept in the cache."""
        kept = None
        if number == 0 and not again:
            kept = self.series.cache() / f'base-{self.series.key()}.json'
        results = json.loads(kept.read_text(encoding='utf-8')) if kept and kept.exists() else {}
        pattern = self.options.metrics or ''
        key = {task: f'{task.label()}{pattern if task.kind == "metrics" else ""}' for task in tasks}
        left = [task for task in tasks if key[task] not in results]
        if left:
            options = self.build(number)
            logs = self.options.output and self.options.output / f'logs-{number}'
            # No "with", which would wait for what runs: main() does not.
            pool = concurrent.futures.ThreadPoolExecutor(self.options.jobs)
            jobs = {pool.submit(runs.run_task, task,
                                options['metrics' if task.kind == 'metrics' else 'vm'], self.extra,
                                pattern, logs): task for task in left}
            try:
                for job in concurrent.futures.as_completed(jobs):
                    results[key[jobs[job]]] = job.result()
            except CouldNot:
                raise
            except Exception as error:
                raise CouldNot(f'{jobs[job].label()}{error}') from error
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        if kept and left:
            kept.with_suffix(f'.{os.getpid()}').write_text(json.dumps(results), encoding='utf-8')
            kept.with_suffix(f'.{os.getpid()}').rename(kept)
        return {name: Result(*result) for task in tasks
                for name, result in results[key[task]].items()}

    @staticmethod
    def fails(results: Results, name: str) -> bool:
        """Whether it is there and fails"""
        return name in results and results[name].status == 'FAIL'

    def differing(self, before: Results, after: Results) -> list[Task]:
        """The tasks whose results differ"""
        names = {name for name in before.keys() | after.keys() if self.fails(before, name)
                 != self.fails(after, name)}
        return [task for task in self.tasks
                if any(name.startswith(task.label()) for name in names)]

    def unstable(self, states: dict[int, Results]) -> list[str]:
        """The results that differ between the states, and in a second run of one of them"""
        names, tasks = set(), self.differing(states[0], states[max(states)])
        for number in states if tasks else ():
            again = self.run(number, tasks, again=True)
            names |= {name for name in again if name in states[number]
                      and self.fails(again, name) != self.fails(states[number], name)}
        return sorted(names)


def states_of(lab: Lab) -> tuple[dict[int, Results], dict[int, str]]:
    """The results of the base and of the last state that builds, and what does not build"""
    last = len(lab.series.commits) - 1
    states, errors = {}, {}
    try:
        states[0] = lab.run(0, lab.tasks)
        if not states[0]:
            raise CouldNot('nothing has run: no generation has these parts, or no metric this name',
                           'usage')
    except DoesNotBuild as error:
        raise CouldNot(f'the base does not build:\n{error}', 'base-does-not-build') from error
    for number in range(1, last + 1):
        # Each patch has to build.
        try:
            lab.build(number)
        except DoesNotBuild as error:
            errors[number] = str(error)
    end = max(set(range(last + 1)) - errors.keys())
    states[end] = lab.run(end, lab.tasks)
    for name in lab.unstable(states):
        say(f'not the same in two runs, left out: {name}')
        for results in states.values():
            results.pop(name, None)
    return states, errors


def test(options: argparse.Namespace, work: pathlib.Path) -> int:
    """Everything; the exit status"""
    lab = Lab(options, work)
    series = lab.series
    last = len(series.commits) - 1
    for note in series.notes:
        say(note)
    base = series.base_name()
    say(f'{last} patch{"es" if last > 1 else ""} on {base}, for {options.kernel}: '
        + ', '.join(sorted(series.parts)))
    states, errors = states_of(lab)
    end = max(states)
    tasks = lab.differing(states[0], states[end])
    top = ktap.Test()
    rerun = ' '.join(['lab/test TASK', *(['-K'] if options.build_kernel else []), *(
        word for option, given in (('-t', options.tree), ('-k', options.kernel)) if given
        for word in (option, shlex.quote(given))), shlex.quote(options.series)])
    before = states[0]
    for number in range(1, last + 1):
        after = before
        if number not in errors:
            if number in states:
                after = states[number]
            elif tasks:
                ran = lab.run(number, tasks)
                after = {**before, **{name: ran[name] for name in ran if name in states[0]
                                      or name in states[end]}}
        top.children.append(report.patch(series.subjects[number], errors.get(number), before,
                                         after, rerun))
        before = after
    version = run(SCRIPTS / 'version')
    verdict = 'broken' if top.failures() else 'good'
    fails = sum(result.status == 'FAIL' for result in before.values())
    print(f'# verdict: {verdict}: {len(before)} results, of which {fails} fail\n'
          f'# base: {base}, kernel {options.kernel}, lab {version}')
    print('\n'.join(ktap.tap(top)))
    smoke_tasks = [task for task in lab.tasks if task.kind == 'smoke']
    if options.coverage and 'module' in series.parts and last not in errors:
        try:
            print(f'# {coverage.measure(series, smoke_tasks, options.jobs)}')
        except DoesNotBuild as error:
            print(f'# which of the changed lines ran is not known: {str(error).splitlines()[0]}')
    if options.json:
        made = report.kcidb(base, None if series.debian else series.base, options.kernel,
                            series.patches(), errors, before, version)
        options.json.write_text(json.dumps(made, indent=1) + '\n', encoding='utf-8')
    if options.junit:
        report.junit(before).write(options.junit, encoding='utf-8', xml_declaration=True)
    return report.VERDICTS[verdict]


def main() -> None:
    """Does not return"""
    code = report.VERDICTS['error']
    try:
        options = arguments()
        limit(options.seconds)
        work = tempfile.mkdtemp(prefix='lab-test.')
        # Another run builds the same modules.
        os.environ['SNBEP_BUILD'] = os.path.join(work, 'build')
        code = test(options, pathlib.Path(work))
        sys.stdout.flush()
    except (CouldNot, OSError) as error:
        verdict = getattr(error, 'verdict', 'error')
        code = report.VERDICTS[verdict]
        say(error)
        # A pipe that is gone, or a full disk
        try:
            print(f'# verdict: {verdict}: {str(error).splitlines()[0]}', flush=True)
        except OSError:
            code = report.VERDICTS['error']
    except Exception:
        traceback.print_exc()
        print('# verdict: error: a fault of the lab', flush=True)
    # sys.exit() would wait for what other tasks run, which guard ends.
    os._exit(code)
