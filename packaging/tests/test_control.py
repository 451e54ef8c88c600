# SPDX-License-Identifier: GPL-2.0-only
"""debian/copyright says of each file what the file says."""
import fnmatch
import re
import subprocess


def stanzas(text):
    """Patterns and licence of each stanza of files, in order"""
    for paragraph in text.split('\n\n'):
        files = re.search(r'^Files:((?:.*\n)(?: .*\n)*)', paragraph + '\n', flags=re.M)
        if files:
            licence = re.search(r'^License: (.*)', paragraph, flags=re.M).group(1)
            yield files.group(1).split(), licence


def test_each_file_has_the_licence_that_the_copyright_file_gives(top):
    rules = list(stanzas((top / 'packaging/debian/copyright').read_text(encoding='utf-8')))
    names = subprocess.run([top / 'scripts/files'], check=True, encoding='utf-8',
                           stdout=subprocess.PIPE).stdout.splitlines()
    wrong, seen = [], 0
    for name in names:
        if name.startswith(('ia64/', 'lab/', 'machine/')):
            continue
        head = (top / name).read_bytes()[:2000].decode('utf-8', 'replace')
        tag = re.search(r'SPDX-License-Identifier: ([\w.-]+)', head)
        if not tag or name.endswith('.patch'):
            continue
        seen += 1
        given = [licence for patterns, licence in rules
                 if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
        if given[-1] != tag.group(1):
            wrong.append(f'{name}: {tag.group(1)}, and {given[-1]} in debian/copyright')
    assert not wrong, "\n".join(wrong)
    for pattern in (pattern for patterns, _ in rules for pattern in patterns):
        assert fnmatch.filter(names, pattern), f'{pattern} is the name of no file'
    assert seen > 200
