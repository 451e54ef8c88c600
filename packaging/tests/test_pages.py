# SPDX-License-Identifier: GPL-2.0-only
"""README.md and Documentation/: HTML, links, file names, and what make install-tools installs."""
import pathlib
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


def test_files_of_modprobe_have_the_same_names_on_all_pages(top, run):
    # The package's file has another name, so that it overwrites no user's.
    found = run(['grep', '-rhoE', r'/etc/modprobe\.d/[a-zA-Z0-9_.-]*\.conf', 'README.md',
                 'Documentation', 'packaging', 'tools', 'common', 'snbep', 'snbep_uncore.c',
                 'snbep_uncore.h', 'offcore', 'offcore_rsp.c', 'itanium', 'itanium_pmu.c'],
                cwd=top).stdout.split()
    assert {pathlib.PurePath(name).name for name in found} == {
        'snbep-uncore.conf', 'snbep-uncore-dkms.conf'}


@pytest.mark.ci
@pytest.mark.package
def test_make_docs_builds_the_html_without_a_warning(top, run):
    done = run(['make', '-s', '-C', top, 'docs'])
    assert done.returncode == 0, done.stdout


@pytest.mark.ci
@pytest.mark.package
def test_make_install_tools_has_the_cited_manual_pages_and_uninstall_tools_leaves_nothing(
        top, run, tmp_path, pages):
    def make(goal):
        return run(['make', '-s', '-C', top, goal, f'DESTDIR={tmp_path}/root',
                    f'O={tmp_path}/build'])

    done = make('install-tools')
    assert done.returncode == 0, done.stdout
    # Our own pages that another one cites, as **NAME**\ (SECTION)
    cited = {name for text in pages.values() if ':Manual section:' in text
             for name in re.findall(r'\*\*(uncore[a-z-]*)\*\*\\ \(8\)', text)}
    assert cited
    assert {f'{name}.8' for name in cited} <= {
        path.name for path in (tmp_path / 'root/usr/share/man/man8').iterdir()}
    done = make('uninstall-tools')
    assert (done.returncode, done.stdout) == (0, '')
    assert not [path for path in (tmp_path / 'root').rglob('*') if path.is_file()]
