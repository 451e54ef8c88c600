# SPDX-License-Identifier: GPL-2.0-only
"""What of the changed lines of a driver has run: it is built with GCC's coverage, and writes its
counters when it is unloaded (gcov.c), in a run apart from the verdict's."""
import array
import concurrent.futures
import itertools
import os
import pathlib
import re
from collections.abc import Iterable

from .process import read, run
from .runs import Task
from .series import Series
from .smoke import Smoke

# Lines without code: comments, preprocessor, braces
NO_CODE = re.compile(r'\s*(?:/?\*|//|#|[{}();,]*\s*$)')


def changed(diff: str) -> dict[str, list[int]]:
    """The numbers of the new lines of a diff without context, by file"""
    found: dict[str, list[int]] = {}
    for file, text in re.findall(r'^\+\+\+ b/(.*)\n((?:(?!diff --git).*\n?)*)', diff, re.M):
        for first, number in re.findall(r'^@@ -\S+ \+(\d+)(?:,(\d+))? @@', text, re.M):
            found.setdefault(file, []).extend(
                range(int(first), int(first) + int(number or 1)))
    return found


def counters(dumps: Iterable[bytes]) -> dict[bytes, bytes]:
    """A file for gcov for each object, by its stamp: all dumps of it differ in counters alone"""
    found: dict[bytes, array.array] = {}
    # A stranger's may have anything. Each object begins with the same magic and version.
    for dump in (dump for dump in dumps if len(dump) > 8):
        for part in dump.split(dump[:8])[1:]:
            words = array.array('I', dump[:8] + part[:len(part) & ~3])
            old = found.setdefault(part[:4], words)
            found[part[:4]] = array.array('I', map(max, old, words))
    return {stamp: words.tobytes() for stamp, words in found.items()}


def numbers(places: Iterable[tuple[str, int]]) -> str:
    """Such as uncore.c:5, 7-9, uncore.h:3"""
    said, last = [], ''
    for (file, _), span in itertools.groupby(
            enumerate(sorted(places)), lambda row: (row[1][0], row[1][1] - row[0])):
        lines = [line for _, (_, line) in span]
        said.append(('' if file == last else f'{os.path.basename(file)}:') + str(lines[0])
                    + (f'-{lines[-1]}' if len(lines) > 1 else ''))
        last = file
    return ', '.join(said)


def is_data(lines: list[str], number: int) -> bool:
    """Whether a line is of a variable of the file: none of the lines above it begins a function."""
    for line in reversed(lines[:number]):
        if re.match(r'[\w{]', line):
            return re.match(r'\w.*(?:\{|=.*)$', line) is not None
    return False


def told(lines: dict[str, list[int]], texts: dict[str, list[str]], log: str) -> str:
    """A line of the report, of what gcov has printed"""
    counts: dict[tuple[str, int], bool] = {}
    file = ''
    for count, number, text in re.findall(r'^ *([^\s:]+): *(\d+):(.*)', log, re.M):
        if number == '0':
            file = os.path.normpath(text[7:]) if text.startswith('Source:') else file
        elif count != '-':
            place = file, int(number)
            counts[place] = counts.get(place, False) or count[0] not in '#=0'
    places = [(file, line) for file, all_of in lines.items() for line in all_of]
    code = [place for place in places if place in counts]
    missed = [place for place in code if not counts[place]]
    data = [(file, line) for file, line in places if file in texts and (file, line) not in counts
            and not NO_CODE.match(texts[file][line - 1]) and is_data(texts[file], line)]
    text = f'of {len(code)} changed lines {len(code) - len(missed)} ran'
    if missed:
        text += f', {len(missed)} did not: {numbers(missed)}'
    if data:
        text += f'; of {len(data)} lines of data nothing tells: {numbers(data)}'
    return text


def measure(series: Series, tasks: list[Task], jobs: int) -> str:
    """Run smoke's tasks on the last state"""
    module = series.module(len(series.commits) - 1, gcov=True)
    written = [series.work / f'gcov.{number}' for number in range(len(tasks))]

    def smoke(task: Task, extra: pathlib.Path) -> None:
        extra.mkdir()
        options = [*series.stock(), '-b', str(module), '-e', str(extra)]
        list(Smoke([f'generation={task.name}'], options,
                   before="trap 'rmmod intel_uncore 2> /dev/null' EXIT; ").results(task.part))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(smoke, tasks, written))
    objects = counters((extra / 'gcov').read_bytes() for extra in written
                       if (extra / 'gcov').is_file())
    names = []
    for notes in sorted(module.glob('*.gcno')):
        if notes.read_bytes()[8:12] in objects:
            names.append(notes.with_suffix('.gcda'))
            names[-1].write_bytes(objects[notes.read_bytes()[8:12]])
    # gcov prints nothing of a file that is not there.
    log = series.sandbox.run(series.work / 'gcov.log', 'env', '-C', series.repo, series.gcov(),
                             '--stdout', *names, shown=[module, series.repo, *series.tools()],
                             written=[])
    lines = changed(run('git', '-C', series.repo, 'diff', '-U0', '--no-ext-diff', series.base,
                        'HEAD'))
    texts = {file: read(series.repo / file).split('\n') for file in lines if file.endswith('.c')}
    return told(lines, texts, log)
