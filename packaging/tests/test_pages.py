# SPDX-License-Identifier: GPL-2.0-only
"""README.md and Documentation/: HTML, links, file names."""
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


@pytest.mark.ci
@pytest.mark.package
def test_make_docs_builds_the_html_without_a_warning(top, run):
    done = run(['make', '-s', '-C', top, 'docs'])
    assert done.returncode == 0, done.stdout
