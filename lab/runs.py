# SPDX-License-Identifier: GPL-2.0-only
"""What runs on a state of a series: parts of smoke, the reproducers beside our own patches, and the
metrics of the perf tool."""
import dataclasses
import re
import sys

from series import TOP, command, run

sys.path.append(str(TOP / 'scripts'))
import ktap

SMOKE = TOP / 'lab/smoke'
sys.path.append(str(SMOKE))
from lists import LISTS

TESTS = TOP / 'lab/tests'
REPRODUCERS = TESTS / 'reproducers'
CRASH = re.compile(r'BUG:|Oops|general protection|hangs$', re.M)


@dataclasses.dataclass(frozen=True)
class Task:
    """Results of one or more boots, each with a name that begins with the task's"""
    kind: str           # smoke, metrics, reproducer
    name: str           # the generation, or the file's name

    def label(self):
        kinds = {'smoke': 'generation ', 'metrics': 'metrics of '}
        return f'{kinds.get(self.kind, "")}{self.name}: '


def names(file):
    """The first words of a table's rows"""
    return [line.split()[0] for line in file.read_text(encoding='ascii').splitlines()
            if line and line[0] != '#']


def generations():
    """All that smoke knows"""
    return names(TOP / 'machine/xeon/qemu/generations')


def parts():
    """Those of smoke"""
    return re.findall(r'^ {15}([a-z-]+): ', run(SMOKE / 'smoke', '-h'), re.M)


def reproducers(parts):
    """Those of the driver, of perf's core where a kernel is built, of the perf tool where it is"""
    series = {'core': 'kernel', 'perf': 'perf'}
    return [file.stem for file in sorted(REPRODUCERS.glob('*.sh'), key=_number)
            if series.get(file.stem.split('-')[0], 'module') in parts]


def _number(file):
    series, _, number = file.stem.rpartition('-')
    return series, int(number)


def _smoke(generation, options, parts):
    results = {}
    for part in parts or [None]:
        done = command(SMOKE / 'smoke', '-o', f'generation={generation}', *options,
                       *(['-p', part] if part else []))
        tests = ktap.parse(done.stdout.splitlines())
        if not tests.children:
            # A part that this generation does not have
            if part and 'has no part' in done.stderr:
                continue
            raise RuntimeError(done.stderr or 'smoke printed nothing')
        for child in tests.children:
            for test in child.children or [child]:
                if not test.skipped():
                    results[test.name] = (test.good, '\n'.join(test.diagnostics))
    return results


def _metrics(generation, options, pattern):
    done = command(TOP / 'lab/metrics', '-g', generation, *options,
                   *(['-M', pattern] if pattern else []))
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr or 'metrics printed nothing')
    # A metric that is known to be wrong is as good as any other here: the base has it, too.
    return {test.name.removeprefix(f'{generation}: '): (test.good, '\n'.join(test.diagnostics))
            for child in ktap.parse(done.stdout.splitlines()).children
            for test in child.children if not test.skipped()}


def _reproducer(name, options, extra):
    """0 is good, 1 and a crash are bad."""
    text = (REPRODUCERS / f'{name}.sh').read_text(encoding='utf-8')
    about = re.search(r'^# \w[\w. -]* (\d{4}): (.*?)(?:\n#?\n|\n[^#]|: |\. )', text, re.M | re.S)
    title = re.sub(r'\n# ?', ' ', about[2]).rstrip('.') if about else name
    own = re.search(r'^# vm: (.*)', text, re.M)
    own = own[1].replace('REPRODUCERS', str(REPRODUCERS)).split() if own else []
    modules = re.search(r'^# modules: (.*)', text, re.M)
    done = command(TOP / 'machine/xeon/vm/vm', '-b', TESTS / 'fakedisc', '-e', extra, '-t', '3000',
                   *options, *own, '-m', modules[1] if modules else '', '--', text)
    output = done.stdout + done.stderr
    if done.returncode not in (0, 1) and not CRASH.search(output):
        raise RuntimeError(f'exit status {done.returncode}\n{output[-2000:]}')
    return {title: (done.returncode == 0, '\n'.join(output.splitlines()[-20:]))}


def run_task(task, options, parts, extra):
    """The results of a task: name: (good, diagnostics). parts: of smoke, or a pattern of metrics"""
    if task.kind == 'smoke':
        found = _smoke(task.name, options, parts)
    elif task.kind == 'metrics':
        found = _metrics(task.name, options, *parts)
    else:
        found = _reproducer(task.name, options, extra)
    return {task.label() + name: result for name, result in found.items()}
