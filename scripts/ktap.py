# SPDX-License-Identifier: GPL-2.0-only
"""Read KTAP: Documentation/dev-tools/ktap.rst of Linux, and what kselftest's runner makes of it.

A nested test is indented, or, as kselftest's runner prints it, has "# " before each line. Both
precede the result line of the test that they belong to, as diagnostics do.

What is read may be a stranger's: a guest's, a driver's, a compiler's.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

RESULT = re.compile(r'(not )?ok\b *(\d{0,6}) *(?:- *)?(.*)')
PLAN = re.compile(r'1\.\.(\d{1,6})(?:\s*#\s*SKIP\b\s*(.*))?$', re.IGNORECASE)
BAIL = re.compile(r'\s*Bail out!')
VERSION = re.compile(r'K?TAP version \d+$')
DIRECTIVE = re.compile(r'\s*#\s*(SKIP|TODO|XFAIL|TIMEOUT|ERROR)\b:?\s*(.*)$', re.IGNORECASE)
# kselftest's runner before and after a program's output
BEGIN = re.compile(r'selftests: (\S+): (\S+)$')
EXIT = re.compile(r'\s*# (exit=\d+)$')
HINT = re.compile(r'timeout set to|overriding timeout|selftests: ')
LONGEST = 2000
DEEPEST = 9


def clean(text: str) -> str:
    """A line that a stranger wrote, for terminals and pages: printable, and not endless"""
    text = text[:LONGEST]
    return text if text.isprintable() else ''.join(
        c if c.isprintable() or c == '\t' else '?' for c in text)


class Test:
    """A result with what was printed for it: diagnostics, and nested results"""

    def __init__(self, name: str = '', good: bool = True):
        self.name = name
        self.good = good        # what its own line says
        self.directive = ''     # SKIP, XFAIL ...
        self.reason = ''        # of the directive, or the exit status
        self.plan = None
        self.children = []
        self.diagnostics = []
        self.after = []         # comments up to the next result, as TAP has its diagnostics
        self.faults = []        # breaches of the format

    def failures(self) -> list[Test]:
        """The innermost tests that failed, this one if none of its children did"""
        inner = [failure for child in self.children for failure in child.failures()]
        if inner and not self.faults:
            return inner
        if self.faults or not (self.good or self.directive in ('TODO', 'XFAIL')):
            return inner + [self]
        return []

    def skipped(self) -> bool:
        return self.directive == 'SKIP'

    def _check(self):
        """Note where the children are not what the plan and the numbers say."""
        if self.plan is None and self.children:
            self.faults.append('printed no plan')
        if self.plan is not None and self.plan != len(self.children):
            self.faults.append(f'planned {self.plan} results, printed {len(self.children)}')

    def _nest(self, lines, depth):
        """Read a nested test from the lines before this one's result, or keep them."""
        indents = [len(line) - len(line.lstrip()) for line in lines
                   if VERSION.match(line.lstrip()) or PLAN.match(line.lstrip())]
        if indents and depth == DEEPEST:
            self.faults.append('nested too deep')
        elif indents:
            inner = parse((re.sub(f'^ {{0,{indents[0]}}}', '', line) for line in lines), depth + 1)
            self.plan, self.children = inner.plan, inner.children
            self.diagnostics, self.faults = inner.diagnostics, inner.faults
            if inner.skipped():
                self.directive, self.reason = 'SKIP', inner.reason
        else:
            self.diagnostics = [line for line in lines if not HINT.match(line)]


def _result(match, before, number, depth):
    test = Test(match[3])
    test.good = not match[1]
    directive = DIRECTIVE.search(match[3])
    if directive:
        test.name = match[3][:directive.start()]
        test.directive, test.reason = directive[1].upper(), directive[2]
    ended = EXIT.search(test.name)
    if ended:
        test.name, test.reason = test.name[:ended.start()], ended[1]
    begin = BEGIN.match(test.name)
    if begin:
        test.name = f'{begin[1]}:{begin[2]}'
    reason = test.reason
    test._nest(before, depth)
    test.reason = test.reason or reason
    if begin and not test.children:
        # A program that has not come to its plan
        test.faults += [line for line in before if BAIL.match(line) and line not in test.faults]
    if match[2] and int(match[2]) != number:
        test.faults.append(f'is number {match[2]}, not {number}')
    return test


def parse(lines: Iterable[str], depth: int = 0) -> Test:
    """A stream of KTAP, as a Test without a name"""
    top = Test()
    before = []
    for line in lines:
        line = clean(line).rstrip()
        result, plan = RESULT.match(line), PLAN.match(line)
        if plan:
            if top.plan is not None:
                top.faults.append('printed two plans')
            top.plan = int(plan[1])
            if plan[2] is not None:
                top.directive, top.reason = 'SKIP', plan[2]
            top.diagnostics += [text for text in before if not HINT.match(text)]
            before = []
        elif result:
            top.children.append(_result(result, before, len(top.children) + 1, depth))
            before = []
        elif BAIL.match(line):
            # Each test of the kselftest harness is a process of its own, which may print it.
            before.append(line)
            if line.lstrip() not in top.faults:
                top.faults.append(line.lstrip())
        elif line and not VERSION.match(line):
            # A nested test, a diagnostic, or what a program printed besides
            before.append(re.sub(r'^# ?', '', line))
            if top.children and line.startswith('#'):
                top.children[-1].after.append(before[-1])
    begun = [match for match in map(BEGIN.match, before) if match]
    if begun:
        # The machine ended in the middle of a program.
        last = Test(f'{begun[-1][1]}:{begun[-1][2]}')
        last._nest(before, depth)
        last.faults.append('did not end')
        top.children.append(last)
    elif before:
        top.diagnostics += before
    top._check()
    return top


def tap(test: Test, indent: str = '') -> Iterator[str]:
    """Lines of KTAP"""
    yield f'{indent}KTAP version 1'
    yield f'{indent}1..{len(test.children)}'
    for number, child in enumerate(test.children, 1):
        yield from result_lines(child, number, indent)


def result_lines(test: Test, number: int, indent: str = '') -> Iterator[str]:
    """Lines of one result: what is nested and the diagnostics precede it."""
    if test.children:
        yield from tap(test, indent + '  ')
    good = not test.failures()
    for line in test.diagnostics if not good or indent == '' else ():
        # What a guest printed is no KTAP, though it may look so.
        like = RESULT.match(line.lstrip()) or PLAN.match(line.lstrip()) or \
            VERSION.match(line.lstrip()) or BAIL.match(line)
        yield f'{indent}# {"| " if like else ""}{clean(line)}'
    name = ': '.join([test.name.replace('#', '')] + test.faults)
    if test.directive and good:
        name += f' # {"TODO" if test.directive == "XFAIL" else test.directive} {test.reason}'
    elif test.reason:
        name += f' ({test.reason})'
    yield f'{indent}{"ok" if good else "not ok"} {number} - {clean(name)}'
