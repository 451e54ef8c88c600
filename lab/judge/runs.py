# SPDX-License-Identifier: GPL-2.0-only
"""What runs on a state of a series: parts of smoke, the reproducers beside our own patches, and the
metrics of the perf tool."""
from __future__ import annotations

import dataclasses
import pathlib
import re
import shutil
import tempfile
from typing import NamedTuple

from . import metrics
from .process import TOP, command, ktap
from .smoke import Smoke

REPRODUCERS = TOP / 'lab/tests/reproducers'
CRASH = re.compile(r'BUG:|Oops|general protection|hangs$', re.M)


class Result(NamedTuple):
    """PASS, FAIL or SKIP, and what was printed for it"""
    status: str
    text: str = ''

    @classmethod
    def of(cls, test: ktap.Test) -> Result:
        """That of a test without others in it"""
        status = 'SKIP' if test.skipped() else 'PASS' if test.good and not test.faults else 'FAIL'
        return cls(status, '\n'.join(test.diagnostics + test.faults) or test.reason)


# By a name that stays from run to run: "GENERATION PART: RESULT", "reproducer NAME: WHAT"
Results = dict[str, Result]


@dataclasses.dataclass(frozen=True)
class Task:
    """Results of one or more boots, each with a name that begins with the task's"""
    kind: str           # smoke, metrics, reproducer
    name: str           # the generation, or the file's name
    part: str = ''      # of smoke

    def label(self) -> str:
        """What the names of its results begin with"""
        if self.kind == 'reproducer':
            return f'reproducer {self.name}: '
        return f'{self.name} {self.part or self.kind}: '


def path_of(name: str) -> str:
    """A result's name as KCIDB has those of tests"""
    words = name.replace(': ', ' ', 1).split(' ', 2)
    return '.'.join(['uncore', *(re.sub('[^A-Za-z0-9_-]+', '_', word).strip('_') or '_'
                                 for word in words)])


def reproducers(parts: set[str], generations: list[str] | None = None) -> list[str]:
    """Those of the driver, of perf's core where a kernel is built, of the perf tool where it is,
    but for those of other generations"""
    series = {'core': 'kernel', 'perf': 'perf'}
    return [file.stem for file in sorted(REPRODUCERS.glob('*.sh'), key=_number)
            if series.get(file.stem.split('-')[0], 'module') in parts and not (
                generations and {*re.findall(r'generation=(\w+)', file.read_text('utf-8'))}
                - {*generations})]


def _number(file):
    series, _, number = file.stem.rpartition('-')
    return series, int(number)


def _smoke(task, options, keep):
    part, = Smoke([f'generation={task.name}'], options, logs=keep).results(task.part)
    return {child.name: Result.of(child) for child in part.children}


def _metrics(task, options, pattern):
    words = metrics.arguments(*options, *(['-M', pattern] if pattern else []))
    # A metric that is known to be wrong is as good as any other here: the base has it, too.
    return {test.name.removeprefix(f'{task.name}: '): Result.of(test)
            for test in metrics.sweep(task.name, words, pathlib.Path(words.linux)).children}


def _reproducer(name, options, extra, keep):
    """0 is good, 1 and a crash are bad."""
    text = (REPRODUCERS / f'{name}.sh').read_text(encoding='utf-8')
    about = re.search(r'^# \w[\w. -]* (\d{4}): (.*?)(?:\n#?\n|\n[^#]|: |\. )', text, re.M | re.S)
    title = re.sub(r'\n# ?', ' ', about[2]).rstrip('.') if about else name
    own = re.search(r'^# vm: (.*)', text, re.M)
    own = own[1].replace('REPRODUCERS', str(REPRODUCERS)).split() if own else []
    modules = re.search(r'^# modules: (.*)', text, re.M)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        own += ['-l', keep / f'{name}.log']
    # A copy for each guest: one of a stranger's may change what the next one runs.
    with tempfile.TemporaryDirectory(prefix='extra.') as shared:
        shutil.copytree(extra, shared, dirs_exist_ok=True)
        done = command(TOP / 'machine/xeon/vm/vm', '-e', shared, '-t', '3000', *options, *own,
                       '-m', modules[1] if modules else '', '--', text)
    output = done.stdout + done.stderr
    if done.returncode not in (0, 1) and not CRASH.search(output):
        raise RuntimeError(f'exit status {done.returncode}\n{output[-2000:]}')
    return {title: Result('FAIL' if done.returncode else 'PASS',
                          '\n'.join(output.splitlines()[-20:]))}


def run_task(task: Task, options: list[str], extra: pathlib.Path, pattern: str = '',
             keep: pathlib.Path | None = None) -> Results:
    """The results of a task. pattern: of metrics; keep: where the guests' logs go"""
    if task.kind == 'smoke':
        found = _smoke(task, options, keep)
    elif task.kind == 'metrics':
        found = _metrics(task, options, pattern)
    else:
        found = _reproducer(task.name, options, extra, keep)
    return {task.label() + name: result for name, result in found.items()}
