# SPDX-License-Identifier: GPL-2.0-only
"""The patches of a series in a file of mails or in a directory, in their order"""
import email.parser
import gzip
import io
import os
import pathlib
import re
import subprocess
import zlib

from .process import command, ktap

# Bytes and mails, more than any thread has: nothing else limits what a gzip file unpacks to.
LIMIT = 64 << 20
MOST = 1000
DIFF = re.compile(rb'^(?:diff --git |--- (?:"?a/|/dev/null))', re.M)
OLD_NAME = re.compile(r'^(?:rename|copy) from (.*)', re.M)
# What precedes a subject, and is no part of the commit's
TAGS = re.compile(r'(?:(?:re|aw|fwd?):|\s|\[[^]]*\])*', re.I)


class NoSeries(Exception):
    """Why mails are no series"""


class Mail:
    """What git am takes of a mail: git mailinfo decodes base64, quoted-printable, attachments."""

    def __init__(self, path, work):
        self.path = path
        message, patch = work / 'message', work / 'diff'
        with path.open('rb') as f:
            done = subprocess.run(['git', 'mailinfo', '-k', '--quoted-cr=strip', message, patch],
                                  stdin=f, capture_output=True, check=False)
            f.seek(0)
            head = email.parser.BytesHeaderParser().parse(f)
        self.id, self.answers = (str(head[name] or '').strip()
                                 for name in ('message-id', 'in-reply-to'))
        self.patch = b'' if done.returncode else patch.read_bytes()
        found = re.search(r'^Subject: (.*)', done.stdout.decode(errors='replace'), re.M)
        self.subject = ktap.clean(found[1]) if found else path.name
        tags = TAGS.match(self.subject)[0]
        self.title = self.subject[len(tags):]
        self.reply = re.search(r'\w:', re.sub(r'\[[^]]*\]', '', tags)) is not None
        tags = ' '.join(re.findall(r'\[([^]]*)\]', tags))
        numbers = re.findall(r'(?<![\w.])(\d{1,4})/(\d{1,4})(?![\w./])', tags)
        self.number, self.total = map(int, numbers[-1]) if numbers else (None, None)
        version = re.search(r'\bv(\d{1,4})\b', tags, re.I)
        self.version = int(version[1]) if version else 1

    def has_patch(self) -> bool:
        return bool(DIFF.search(self.patch))

    def diff(self) -> list[bytes]:
        """The patch without what a mailing list puts around it"""
        return [line for line in self.patch[DIFF.search(self.patch).start():].splitlines()
                if line[:1] in b'+-@ ' and line[:3] != b'-- ']

    def files(self, work: pathlib.Path) -> set[str]:
        """The files that it touches"""
        (work / 'diff').write_bytes(self.patch)
        # In a repository, git apply leaves out what is not below the current directory.
        done = subprocess.run(['git', 'apply', '--numstat', '-z', 'diff'], check=False, cwd=work,
                              capture_output=True,
                              env=dict(os.environ, GIT_CEILING_DIRECTORIES=str(work.parent)))
        if done.returncode:
            why = done.stderr.decode(errors='replace').strip()
            raise NoSeries(f'{self.subject}: git apply: {why}')
        rows = done.stdout.decode(errors='replace').split('\0')
        return ({row.split('\t', 2)[2] for row in rows if row}
                | set(OLD_NAME.findall(self.patch.decode(errors='replace'))))


def split(what: str, work: pathlib.Path) -> list[Mail]:
    """The mails of a file, "-" is standard input, as git mailsplit parts them"""
    # /dev/stdin cannot be opened where it is another user's.
    with open(os.dup(0) if what == '-' else what, 'rb') as f:
        text = f.read(LIMIT + 1)
    # lore.kernel.org gives a thread as t.mbox.gz.
    if text[:2] == b'\x1f\x8b':
        try:
            text = gzip.GzipFile(fileobj=io.BytesIO(text)).read(LIMIT + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise NoSeries(f'{what} is a damaged gzip file: {error}') from error
    if len(text) > LIMIT:
        raise NoSeries(f'{what} has more than {LIMIT >> 20} MiB: give the mails of one thread')
    if not text.strip():
        raise NoSeries(f'{what} is empty')
    if text.count(b'\nFrom ') > MOST:
        raise NoSeries(f'{what} has more than {MOST} mails: give those of one thread')
    directory = work / 'mails'
    directory.mkdir(exist_ok=True)
    (work / 'mbox').write_bytes(text)
    # -b: a mail without a "From " line, too
    done = command('git', 'mailsplit', '-b', '-d6', f'-o{directory}', work / 'mbox')
    if done.returncode:
        raise NoSeries(f'{what} is no file of mails: git mailsplit: {done.stderr.strip()}')
    return [Mail(path, work) for path in sorted(directory.iterdir())]


def read(what: str, work: pathlib.Path) -> tuple[list[Mail], list[str]]:
    """The patches of a file or a directory, and what is to be said of them"""
    if not os.path.isdir(what):
        found = split(what, work)
    else:
        found = []
        for number, path in enumerate(sorted(pathlib.Path(what).glob('*.patch'))):
            part = work / f'mail-{number}'
            part.mkdir()
            found += split(path, part)
    several = [mail for mail in found if mail.number != 0 and mail.has_patch()]
    if os.path.isdir(what) and len({(mail.total, mail.version) for mail in several}) > 1:
        # Patches of several series: somebody has put them into an order by their names.
        patches, notes = several, []
    else:
        patches, notes = choose(found)
    if not patches:
        raise NoSeries(f'{what} has no patch'
                       + (' (*.patch), nor arch/x86/events' if os.path.isdir(what) else ''))
    return patches, notes


def choose(found: list[Mail]) -> tuple[list[Mail], list[str]]:
    """Those of the newest version, and what is left out"""
    notes, seen, patches = [], set(), []
    for mail in found:
        # Lists and archives deliver a mail twice.
        if not (mail.id and mail.id in seen) and mail.number != 0 and mail.has_patch():
            patches.append(mail)
        seen.add(mail.id)
    if any(not mail.reply for mail in patches):
        notes += [f'left out, a reply: {mail.subject}' for mail in patches if mail.reply]
        patches = [mail for mail in patches if not mail.reply]
    numbered = [mail for mail in patches if mail.number]
    if len(patches) < 2:
        if numbered and patches[0].total > 1:
            notes.append(f'this is patch {patches[0].number} of {patches[0].total} alone')
        return patches, notes
    if not numbered:
        newest = {}
        for mail in patches:
            newest[mail.title] = max(newest.get(mail.title, 1), mail.version)
        notes += [f'left out, an older version: {mail.subject}' for mail in patches
                  if mail.version < newest[mail.title]]
        return [mail for mail in patches if mail.version == newest[mail.title]], notes
    notes += [f'left out, no part of the series: {mail.subject}' for mail in patches
              if not mail.number]
    chosen = [mail for _, mail in sorted(series(numbered, found).items())]
    notes += [f'left out, an older version: {mail.subject}' for mail in numbered
              if mail.version < max(mail.version for mail in numbered)
              and mail not in chosen]
    return chosen, notes


def series(patches: list[Mail], found: list[Mail]) -> dict[int, Mail]:
    """{number: the newest patch}; NoSeries if one is missing"""
    version = max(mail.version for mail in patches)
    last = [mail for mail in patches if mail.version == version]
    total = last[0].total
    other = next((mail for mail in last if mail.total != total), None)
    if other:
        raise NoSeries(f'these are two series: "{last[0].subject}" and "{other.subject}"')
    chosen = {}
    for mail in last:
        first = chosen.setdefault(mail.number, mail)
        if first.diff() != mail.diff():
            raise NoSeries(f'two patches are {mail.number}/{total}: "{first.subject}" and '
                           f'"{mail.subject}"')
    older = [mail for mail in patches if mail.version < version and mail.total == total]
    number_of = {mail.id: mail.number for mail in older}
    if older and all(number_of.get(mail.answers) == mail.number for mail in last):
        # A patch alone was sent again, in answer to the old one.
        chosen = {**series(older, found), **chosen}
    for number in range(1, total + 1):
        if number not in chosen:
            there = any((mail.number, mail.version, mail.reply) == (number, version, False)
                        for mail in found)
            raise NoSeries(f'patch {number}/{total}' + (f' of v{version}' if version > 1 else '')
                           + (' has no patch in its mail' if there else ' is missing'))
    return chosen
