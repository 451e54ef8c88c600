# SPDX-License-Identifier: GPL-2.0-only
"""Documentation/install.rst names what the RPM is built with."""
import re


def test_rpm_is_built_with_what_the_page_installs(top):
    spec = (top / 'packaging/snbep-uncore-tools.spec').read_text(encoding='utf-8')
    page = (top / 'Documentation/install.rst').read_text(encoding='utf-8')
    installed = re.search(r'# dnf install (rpm-build (?:.*\\\n)*.*)', page)[1].split()
    wanted = set(re.findall(r'^BuildRequires: *(\S+)', spec, re.M))
    assert wanted and not wanted - set(installed)
