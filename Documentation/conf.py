# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx: the pages of this directory, and the event reference beside them"""
from docutils import nodes
from sphinx.addnodes import pending_xref

project = "snbep-uncore"
root_doc = "index"
html_theme = "alabaster"
html_show_copyright = False
html_theme_options = {"page_width": "1100px", "show_powered_by": False}


def link_pages(app, doctree):
    """Make `text <page.rst>`_, which a forge can follow, a reference, whose page has to exist."""
    for link in list(doctree.findall(nodes.reference)):
        uri = link.get("refuri", "")
        if not uri.endswith(".rst") or "/" in uri:
            continue
        page = pending_xref("", refdomain="std", reftype="doc", reftarget="/" + uri[:-4],
                            refexplicit=True, refdoc=app.env.docname, refwarn=True)
        page += nodes.inline("", link.astext())
        link.replace_self(page)


def setup(app):
    app.connect("doctree-read", link_pages)
