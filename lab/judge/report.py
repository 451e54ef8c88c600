# SPDX-License-Identifier: GPL-2.0-only
"""What is said of a series: KTAP for people, JSON in KCIDB's schema and JUnit for machines"""
import hashlib
import itertools
import re
from xml.etree import ElementTree

from .process import ktap
from .runs import Result, Results, path_of

ORIGIN = 'uncore'
# The exit status of a verdict: a bisection skips at 125, and ends above 127.
VERDICTS = {'good': 0, 'broken': 1, 'usage': 2, 'not-for-the-lab': 125, 'needs-a-kernel': 125,
            'no-series': 125, 'does-not-apply': 125, 'already-merged': 125,
            'base-does-not-build': 125, 'time-limit': 125, 'error': 128}


def patch(subject: str, error: str | None, before: Results, after: Results,
          rerun: str = '') -> ktap.Test:
    """A patch, with why it does not build, or the results that differ before and after it"""
    test = ktap.Test(subject)
    builds = ktap.Test('it builds', good=not error)
    builds.diagnostics = [f'| {line}' for line in (error or '').splitlines()[:20]]
    test.children.append(builds)
    same = bad = 0
    changed = []
    for name in {**before, **after}:
        old, new = (results.get(name, Result('PASS')) for results in (before, after))
        if (old.status == 'FAIL') == (new.status == 'FAIL'):
            same += name in before
            bad += new.status == 'FAIL'
        else:
            changed.append((name, new))

    def alike(row):
        return tuple(re.sub(r'\d+', '0', word) for word in (row[0], *row[1]))
    for _, rows in itertools.groupby(sorted(changed, key=alike), alike):
        (name, new), *others = rows
        result = ktap.Test(name.replace('#', ''), good=new.status != 'FAIL')
        result.name += f' and {len(others)} like it' if others else ''
        result.name += ' (broken)' if new.status == 'FAIL' else ' (fixed)'
        if new.status == 'FAIL':
            result.diagnostics = [f'| {line}' for line in new.text.splitlines()[:20]]
            result.diagnostics += [
                f'rerun: {rerun}'.replace('TASK', task_of(name), 1)] * bool(rerun)
        test.children.append(result)
    if before:
        test.diagnostics.append(f'as before: {same}, of which {bad} fail')
    return test


def task_of(name: str) -> str:
    """The options of lab/test for a result alone"""
    first, second = re.split('[ :]+', name)[:2]
    if first == 'reproducer':
        return f"-g '' -r {second}"
    return f"-g {first} -r '' " + ('' if second == 'metrics' else f"-p {second} -M ''")


def kcidb(base: str, commit: str | None, kernel: str, patches: list[bytes],
          errors: dict[int, str], results: Results, version: str) -> dict:
    """All results of the last state, as KCIDB takes them"""
    hashes = ''.join(f'{hashlib.sha256(text).hexdigest()}\n' for text in patches)
    patchset = hashlib.sha256(hashes.encode()).hexdigest()
    name = hashlib.sha256(f'{base} {patchset} {kernel} {version}'.encode()).hexdigest()[:16]
    ids = {word: f'{ORIGIN}:{name}' for word in ('id', 'checkout_id', 'build_id')}
    checkout = {'id': ids['id'], 'origin': ORIGIN, 'git_commit_name': base, 'valid': True,
                'patchset_hash': patchset}
    if commit:
        checkout['git_commit_hash'] = commit
    build = {'id': ids['id'], 'checkout_id': ids['checkout_id'], 'origin': ORIGIN,
             'architecture': 'x86_64', 'status': 'FAIL' if errors else 'PASS',
             'misc': {'kernel': kernel, 'lab': version}}
    if errors:
        build['log_excerpt'] = '\n'.join(errors.values())[-16000:]
    # By the name: runs of other generations or parts have the same build.
    tests = [{'id': f'{ids["id"]}.{hashlib.sha256(test.encode()).hexdigest()[:16]}',
              'build_id': ids['build_id'], 'origin': ORIGIN, 'path': path_of(test),
              'status': result.status, 'comment': test, 'log_excerpt': result.text[-16000:]}
             for test, result in results.items()]
    return {'version': {'major': 5, 'minor': 0}, 'checkouts': [checkout], 'builds': [build],
            'tests': tests}


def junit(results: Results) -> ElementTree.ElementTree:
    """The same for other dashboards"""
    failed = [name for name, result in results.items() if result.status == 'FAIL']
    suite = ElementTree.Element('testsuite', name='uncore', tests=str(len(results)),
                                failures=str(len(failed)))
    for name, result in results.items():
        place, _, last = path_of(name).rpartition('.')
        case = ElementTree.SubElement(suite, 'testcase', classname=place, name=last)
        if result.status != 'PASS':
            about = ElementTree.SubElement(case, {'FAIL': 'failure'}.get(result.status, 'skipped'))
            about.text = '\n'.join(map(ktap.clean, result.text.splitlines()))
    return ElementTree.ElementTree(suite)
