# SPDX-License-Identifier: GPL-2.0-only
"""README.md and Documentation/: HTML, links, file names."""
import os
import re

import pytest

LINKS = {'.md': r'\]\(([^)]+)\)', '.rst': r'<([^ <>]+\.rst)>`_'}


@pytest.fixture(scope='module')
def pages(top, run):
    """The text of each page by its path"""
    names = run([top / 'scripts/files', '*.md', 'Documentation/*.rst']).stdout.split()
    return {top / name: (top / name).read_text(encoding='utf-8') for name in names}


def test_links_lead_to_files(top, pages):
    links = [(page, link.partition('#')[0]) for page, text in pages.items()
             for link in re.findall(LINKS[page.suffix], text)
             if not re.match('[a-z]*://|#', link)]
    # lab/ and ia64/ may be absent.
    absent = tuple(name for name in ('lab/', 'ia64/') if not (top / name).exists())
    links = [(page, link) for page, link in links
             if not absent or not re.sub(r'^(\.\./)*', '', link).startswith(absent)]
    assert len(links) > 50
    assert [(page, link) for page, link in links if not (page.parent / link).exists()] == []


def test_index_has_a_link_to_every_page(top, pages):
    index = pages[top / 'Documentation/index.rst']
    assert [page.name for page in pages if page.suffix == '.rst' and page.name != 'index.rst'
            and f'<{page.name}>' not in index] == []


def test_paths_and_goals_in_pages_are_there(top, pages):
    """A path may be the begin of names, or have NAME in them; itanium/ is a PMU, too."""
    places = '|'.join(path.name for path in top.iterdir()
                      if path.is_dir() and path.name[0] not in '.i')
    paths, goals = set(), set()
    for page, text in pages.items():
        if page.parent in (top, top / 'Documentation'):
            paths |= set(re.findall(rf'(?<![\w./~-])(?:{places})/[\w./-]*\w', text))
            goals |= set(re.findall(r'(?:^ *[$#] |`)make (?:-s )?([a-z][a-z_0-9-]*)', text, re.M))
    assert len(paths) > 100 and len(goals) > 15
    # Of a kernel, what make makes
    made = re.compile('tools/testing/selftests|build/|events/index$')
    assert [path for path in paths if not made.match(path)
            and not list(top.glob(path.replace('NAME', '*') + '*'))] == []
    makefile = (top / 'Makefile').read_text(encoding='ascii').replace('\\\n', '')
    assert goals - set(re.search(r'^\.PHONY: (.*)', makefile, re.M)[1].split()) == set()


SPHINX = """#!/bin/sh
ls "$9" "$9/events" > "$LOG"
echo "$@" >> "$LOG"
mkdir "${10}"
echo x > "${10}/.buildinfo"
"""


def test_sphinx_gets_all_pages_and_the_reference_and_warnings_are_errors(
        pages, top, run, tmp_path, installed):
    (tmp_path / 'sphinx-build').write_text(SPHINX, encoding='ascii')
    (tmp_path / 'sphinx-build').chmod(0o755)
    out, log = tmp_path / 'out', tmp_path / 'log'
    names = sorted(page.name for page in pages if page.suffix == '.rst')
    reference = sorted(name.rpartition('/')[2] for name in installed['snbep-uncore-tools']
                       if '/events/' in name)
    # The second time, what the first has left is replaced; not what Sphinx did not make.
    for attempt in 'first', 'second', 'third':
        done = run(['make', '-s', '-C', top / 'Documentation', f'O={out}'], env={
            **os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}', 'LOG': str(log)})
        if attempt == 'third':
            break
        assert (done.returncode, done.stdout) == (0, f'{out}/html/index.html\n')
        source = f'{out}/snbep-uncore-pages'
        assert log.read_text(encoding='ascii').split() == [
            f'{source}:', *sorted(['conf.py', 'events', *names]), f'{source}/events:', *reference,
            *f'-q -n -W --keep-going -j auto -d {out}/doctrees {source} {out}/html'.split()]
        assert [path.name for path in (out / 'html').iterdir()] == ['.buildinfo']
        (out / 'snbep-uncore-pages/stale.rst').touch()
        (out / 'html/stale.html').touch()
        if attempt == 'second':
            (out / 'html/.buildinfo').unlink()
    assert done.returncode and f'{out}/html is not of Sphinx' in done.stdout
    assert (out / 'html/stale.html').exists()


@pytest.mark.ci
@pytest.mark.package
def test_make_docs_builds_the_html_without_a_warning(top, run):
    done = run(['make', '-s', '-C', top, 'docs'])
    assert (done.returncode, done.stdout) == (0, f'{top}/build/docs/html/index.html\n')
    # A page of Documentation, and one of the reference with a link that is resolved
    for page in 'install.html', 'events/cbox.html':
        assert (top / 'build/docs/html' / page).stat().st_size
    assert 'href="uncorestat.html"' in (top / 'build/docs/html/install.html').read_text('utf-8')
