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
import subprocess
import sys
import tempfile
import traceback

import runs
from series import BUILD, SCRIPTS, CouldNot, DoesNotBuild, Series, command, part_of

EPILOG = """\
SERIES is a file of mails (an mbox, a patch, "-"), a directory of *.patch, a range of commits (A..B,
or one commit) of TREE or of the current directory, or a tree, which is compared as it is.

The driver is built alone, for a stock kernel, where a series touches no more than
arch/x86/events/intel/uncore*; the perf tool, where it touches tools/perf. For anything else -K
builds a small kernel for each state: six minutes on two idle processors for the first one, twenty
seconds for each other. All of smoke, the reproducers and, for perf, the metrics of Intel's lists
run on the base and on the result; what differs runs on each patch in between.

Prints KTAP: for each patch, whether it builds, and each result that differs from the patch before:
"# fixed" or "# broken". Exit status: 0; 1 if something is broken or does not build; 2 for a wrong
option; 4 if there is no verdict."""


def arguments():
    """The command line"""
    parser = argparse.ArgumentParser(
        prog='test', description=__doc__, epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('series', metavar='SERIES')
    parser.add_argument('-t', '--tree',
                        help='a clone of Linux; without, Debian\'s source of KERNEL')
    parser.add_argument('-k', '--kernel', default='newest',
                        help='the stock kernel to build for, of scripts/kernels (newest)')
    parser.add_argument('-g', '--generations', help='of the machine, such as "1 spr" (all)')
    parser.add_argument('-p', '--parts', help='of smoke, such as "basic rebind" (all)')
    parser.add_argument('-r', '--reproducers', metavar='PATTERN', default='*',
                        help='which reproducers run, such as "box-*"; "" is none (all)')
    parser.add_argument('-M', '--metrics', metavar='PATTERN',
                        help='of the perf tool, a regular expression; "" is none (all)')
    parser.add_argument('-e', '--each', action='store_true', help='run everything on every patch')
    parser.add_argument('-K', '--build-kernel', action='store_true',
                        help='build a kernel, where the series takes one')
    options = parser.parse_args()
    kernels = runs.names(SCRIPTS / 'kernels')
    for option, words, known, whose in (
            ('-k', [options.kernel], kernels, 'the kernels are'),
            ('-g', (options.generations or '').split(), runs.generations(), 'the machine has'),
            ('-p', (options.parts or '').split(), runs.parts(), 'smoke has')):
        for word in words:
            if word not in known:
                refuse(f'{option} {word}: {whose} {" ".join(known)}')
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


class Lab:
    """The states of a series and their results"""

    def __init__(self, options, work):
        self.options = options
        self.work = work
        self.series = Series(options.series, options.tree, options.kernel, work)
        parts = self.series.parts
        if 'kernel' in parts and not options.build_kernel:
            others = [file for file in self.series.files if part_of(file) == 'kernel']
            raise CouldNot(f'the series touches {", ".join(others[:3])}: it takes a kernel, '
                           'which -K builds (six minutes on two cores)')
        if not parts:
            raise CouldNot('the series touches nothing that is built here: '
                           + ', '.join(self.series.files[:3]))
        generations = (options.generations or ' '.join(runs.generations())).split()
        self.tasks = []
        if parts != {'perf'}:
            self.tasks = [runs.Task('smoke', generation) for generation in generations]
        if 'perf' in parts and options.metrics != '':
            self.tasks += [runs.Task('metrics', generation) for generation in generations
                           if generation in runs.LISTS]
        wanted = parts if parts == {'perf'} else parts | {'module'}
        names = fnmatch.filter(runs.reproducers(wanted), options.reproducers)
        if options.reproducers and not names:
            self.series.notes.append(f'-r {options.reproducers}: none is for '
                                     + ', '.join(sorted(parts)))
        self.tasks += [runs.Task('reproducer', name) for name in names]
        if not self.tasks:
            raise CouldNot('nothing is to run')
        self.extra = work / 'extra'
        self.extra.mkdir()
        subprocess.run(['gcc', '-std=gnu11', '-O2', '-static', '-D_GNU_SOURCE', '-o',
                        self.extra / 'race', runs.REPRODUCERS / 'race.c'], check=True)
        self.built = {}

    def build(self, number):
        """The options that run a state: {'vm': of smoke and vm, 'metrics': of metrics}"""
        if number not in self.built:
            parts = self.series.parts
            stock = ['-k', self.options.kernel]
            options = {'vm': stock, 'metrics': stock}
            if 'kernel' in parts:
                options['vm'] = self.series.image(number)
            elif 'module' in parts:
                options['vm'] = stock + ['-b', str(self.series.module(number))]
            if 'perf' in parts:
                perf, lists = self.series.perf(number)
                options['vm'] = options['vm'] + ['-f', str(perf)]
                options['metrics'] = stock + ['-f', str(perf), '-l', str(lists)]
            self.built[number] = options
        return self.built[number]

    def run(self, number, tasks, again=False):
        """The results of a state; those of the base are kept in build/."""
        kept = None
        if number == 0 and not again and self.series.parts == {'module'}:
            kept = BUILD / f'base-{self.series.key(0)}.json'
        results = json.loads(kept.read_text(encoding='utf-8')) if kept and kept.exists() else {}
        parts = (self.options.parts or '').split()
        left = [task for task in tasks if f'{task.label()}{parts}' not in results]
        if left:
            options = self.build(number)
            # No "with", which would wait for what runs: main() does not.
            pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
            jobs = {task: pool.submit(
                runs.run_task, task, options['metrics' if task.kind == 'metrics' else 'vm'],
                [self.options.metrics] if task.kind == 'metrics' else parts, self.extra)
                    for task in left}
            try:
                for task, job in jobs.items():
                    results[f'{task.label()}{parts}'] = job.result()
            except Exception as error:
                raise CouldNot(f'{task.name}: {error}') from error
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        if kept and left:
            BUILD.mkdir(parents=True, exist_ok=True)
            kept.with_suffix('.new').write_text(json.dumps(results), encoding='utf-8')
            kept.with_suffix('.new').rename(kept)
        return {name: tuple(result) for task in tasks
                for name, result in results[f'{task.label()}{parts}'].items()}

    def differing(self, before, after):
        """The tasks whose results differ"""
        names = {name for name in before.keys() | after.keys()
                 if before.get(name, (True,))[0] != after.get(name, (True,))[0]}
        return [task for task in self.tasks
                if any(name.startswith(task.label()) for name in names)]

    def unstable(self, states):
        """The results that differ between two states, and in a second run of one of them"""
        names, numbers = set(), sorted(states)
        for pair in zip(numbers, numbers[1:]):
            tasks = self.differing(*(states[number] for number in pair))
            for number in pair if tasks else ():
                again = self.run(number, tasks, again=True)
                names |= {name for name, result in again.items()
                          if result[0] != states[number].get(name, result)[0]}
        return sorted(names)


class Report:
    """KTAP, a patch at a time"""

    def __init__(self, patches):
        self.number = self.failed = 0
        self.counts = {'fixed': 0, 'broken': 0}
        print(f'KTAP version 1\n1..{patches}', flush=True)

    def patch(self, subject, error, before, after):
        """A patch, with why it does not build, or the results before and after it"""
        lines, good = [], True
        if error:
            lines.append(('not ok', 'it builds', '', error))
            good = False
        else:
            lines.append(('ok', 'it builds', '', ''))
        same = bad = 0
        for name in [*before, *(name for name in after if name not in before)]:
            old, new = before.get(name, (True, ''))[0], after.get(name, (True, ''))[0]
            if old == new:
                same += name in before
                bad += not new
                continue
            word = 'fixed' if new else 'broken'
            self.counts[word] += 1
            good = good and new
            lines.append(('ok' if new else 'not ok', name, f' # {word}',
                          '' if new else after[name][1]))
        print(f'  KTAP version 1\n  1..{len(lines)}')
        for number, (result, name, word, text) in enumerate(lines, 1):
            # What a guest printed is no KTAP, though it may look so.
            for line in text.splitlines()[:20]:
                print(f'  # | {line}')
            print(f'  {result} {number} - {name.replace("#", "")}{word}')
        if before:
            print(f'  # as before: {same}, of which {bad} fail')
        self.number += 1
        self.failed |= not good
        print(f'{"ok" if good else "not ok"} {self.number} - {subject.replace("#", "")}',
              flush=True)


def test(options, work):
    """Everything; the exit status"""
    lab = Lab(options, work)
    series = lab.series
    last = len(series.commits) - 1
    for note in series.notes:
        say(note)
    say(f'{last} patch{"es" if last > 1 else ""} on {series.commits[0][:12]}, '
        f'for {options.kernel}: {", ".join(sorted(series.parts))}')
    states, errors = {}, {}
    try:
        states[0] = lab.run(0, lab.tasks)
        if not states[0]:
            raise CouldNot('nothing has run: no generation has these parts, or no metric this name')
    except DoesNotBuild as error:
        raise CouldNot(f'the base does not build:\n{error}') from error
    for number in range(1, last + 1):
        # Each patch has to build.
        try:
            lab.build(number)
            if options.each or number == last:
                states[number] = lab.run(number, lab.tasks)
        except DoesNotBuild as error:
            errors[number] = str(error)
            if number == last:
                last_good = max(set(range(last)) - errors.keys())
                states[last_good] = lab.run(last_good, lab.tasks)
    end = max(states)
    for name in lab.unstable(states):
        say(f'not the same in two runs, left out: {name}')
        for results in states.values():
            results.pop(name, None)
    tasks = lab.differing(states[0], states[end])
    report = Report(last)
    print(f'# base: {series.commits[0][:12]} {series.subjects[0]}, kernel {options.kernel}')
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
        report.patch(series.subjects[number], errors.get(number), before, after)
        before = after
    fails = sum(not result[0] for result in before.values())
    print(f'# fixed {report.counts["fixed"]}, broken {report.counts["broken"]}, '
          f'{len(before)} results, of which {fails} fail')
    return 1 if report.failed else 0


def main():
    # What make and git say is read here.
    os.environ['LC_ALL'] = 'C.UTF-8'
    code = 4
    try:
        options = arguments()
        work = tempfile.mkdtemp(prefix='lab-test.')
        # Another run builds the same modules.
        os.environ['SNBEP_BUILD'] = os.path.join(work, 'build')
        code = test(options, pathlib.Path(work))
        sys.stdout.flush()
    except (CouldNot, OSError) as error:
        code = 4
        say(error)
    except Exception:
        traceback.print_exc()
    # sys.exit() would wait for what other tasks run, which guard ends.
    os._exit(code)


if __name__ == '__main__':
    main()
