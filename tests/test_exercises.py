# SPDX-License-Identifier: GPL-2.0-only
"""Commands of Documentation/exercises.rst in the machine: what perf prints, beside the tables"""
import re

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.seconds(30), pytest.mark.xdist_group('exercises')]


def exercises(top):
    """{title: (commands, rows of the table)}"""
    found, title, last, commands = {}, '', '', False
    for line in (top / 'Documentation/exercises.rst').read_text('utf-8').splitlines():
        command = re.match(r'  \$ (.*)', line) or commands and re.match(' {6}(.*)', line)
        row = re.match(r'(\S.*?)  +(\S.*?)  +(\S.*?)$', line)
        if re.match('==+$', line):
            title = last
            found[title] = '', []
        elif command:
            found[title] = f'{found[title][0]}{command[1]}\n', found[title][1]
        elif row and row[1] != 'Count' and not line.startswith('=='):
            found[title][1].append(row.groups())
        commands, last = bool(command) or commands and line.startswith('  '), line
    return {title: what for title, what in found.items() if what[0]}


@pytest.fixture(scope='module')
def printed(bin_vm, top, tmp_path_factory):
    """{title: what its commands print}; one machine runs all."""
    directory, titles = tmp_path_factory.mktemp('exercises'), exercises(top)
    for n, (commands, _) in enumerate(titles.values()):
        (directory / str(n)).write_text(commands)
    done = bin_vm(f'for i in $(seq 0 {len(titles) - 1}); do\n'
                  'sh -e /extra/$i > /extra/$i.out 2>&1 || exit 1; done', '-W', '-e', directory)
    assert done.returncode == 0, done.stdout + done.stderr
    return {title: (directory / f'{n}.out').read_text() for n, title in enumerate(titles)}


def value(text, counts):
    """Of an expression of numbers and counts"""
    text = re.sub(r'[a-z]\w*', lambda name: counts[name[0]], re.sub(r'(?<=\d),(?=\d)', '', text))
    assert re.fullmatch(r'[-\d +*/().]+', text), text
    return eval(text)  # pylint: disable=eval-used


def pytest_generate_tests(metafunc):
    metafunc.parametrize('title', exercises(metafunc.config.rootpath))


def test_counts_of_an_exercise_are_those_of_its_table(top, printed, title):
    rows, text = exercises(top)[title][1], printed[title]
    counts = [{name: count for count, name in re.findall(
        rf'^S{socket}\s+\d+\s+(\d+)\s+(\w+)\s', text, re.M)} for socket in (0, 1)]
    wanted = [[value(row[1 + socket], counts[socket]) for socket in (0, 1)] for row in rows]
    most = max(max(row) for row in wanted)
    # 3 % of a count, or of the largest one if that is ten times as large
    got = [[pytest.approx(value(row[0], counts[socket]), rel=0,
                          abs=0.03 * (want if want > most / 10 else most))
            for socket, want in enumerate(wants)] for row, wants in zip(rows, wanted)]
    assert wanted == got, text
