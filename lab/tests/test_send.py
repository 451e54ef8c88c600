# SPDX-License-Identifier: GPL-2.0-only
"""lab/send with a made-up person, from a cache in which nothing is unpacked. Its mails go to
no one."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).parent.parent.parent
SEND = TOP / 'lab/send'
LAB = TOP / 'lab'
LINUX = LAB / 'linux'
pytestmark = pytest.mark.lab
ME = ('Erika Mustermann', 'erika@mailbox.test')


@pytest.fixture(scope='module')
def cache(tmp_path_factory):
    """A cache with the tarballs alone; linked, they take no room."""
    mine = pathlib.Path(os.environ.get('XDG_CACHE_HOME', pathlib.Path.home() / '.cache'))
    mine /= 'snbep-uncore'
    for name in 'newest', '6.1', '6.12':
        subprocess.run([TOP / 'scripts/linux-source', name, 'MAINTAINERS'], check=True,
                       stdout=subprocess.DEVNULL)
    there = tmp_path_factory.mktemp('cache') / 'snbep-uncore'
    for tarball in mine.glob('linux-source-*/*/tarball'):
        to = there / tarball.relative_to(mine)
        to.parent.mkdir(parents=True)
        try:
            to.hardlink_to(tarball)
        except OSError:
            shutil.copy2(tarball, to)
        shutil.copy2(tarball.with_name('ready'), to.parent)
    for name in 'linux-source', 'apt':
        shutil.copytree(mine / name, there / name, symlinks=True)
    return there.parent


@pytest.fixture
def send(cache, tmp_path):
    """A function that runs send as somebody: the process, and the directory of the mails"""
    def run(series, answers='yes\n', person=ME, options=('-a', 'a tool')):
        config = tmp_path / 'config'
        config.write_text('[user]\n\tname = {}\n\temail = {}\n'.format(*person) if person else '')
        mails = tmp_path / 'mails'
        env = dict(os.environ, GIT_CONFIG_GLOBAL=str(config), GIT_CONFIG_NOSYSTEM='1',
                   GIT_CEILING_DIRECTORIES='/', XDG_CACHE_HOME=str(cache))
        return subprocess.run([SEND, *options, series, mails], check=False, input=answers, env=env,
                              capture_output=True, text=True, cwd='/'), mails
    return run


@pytest.mark.parametrize('person, why', [
    (None, 'set your name'),
    (('Seed fd1d97db maintainers', 'maintainers@users.noreply.a-seed-fd1d97db.example'),
     'nobody who can sign')])
def test_who_cannot_sign_sends_nothing(send, person, why):
    done, mails = send('core', person=person)
    assert done.returncode == 1 and why in done.stderr and not mails.exists()


@pytest.mark.slow
def test_without_a_yes_nothing_is_written(send):
    done, mails = send('perf', answers='no\n')
    assert done.returncode == 1 and 'nothing is written' in done.stderr and not mails.exists()


@pytest.mark.parametrize('series, why', [
    ('nothing', 'there is no series nothing: box core'), ('box/99', 'box has patches 1 to'),
    ('box/0', 'box has patches 1 to'), ('box/3-2', 'box has patches 1 to'),
    ('box/1-2-3', 'box has patches 1 to'), ('box/²', 'box has patches 1 to'),
    ('pcp', 'needs -t, a clone'), ('qemu-fixes', 'needs -t, a clone of QEMU')])
def test_what_is_not_there(send, series, why):
    done, mails = send(series)
    assert done.returncode == 1 and why in done.stderr and not mails.exists()


def check_mails(done, mails, count):
    """Each mail has a sender and trailers, and checkpatch finds nothing."""
    assert done.returncode == 0, done.stderr
    texts = [mail.read_text(encoding='utf-8') for mail in sorted(mails.glob('0*.patch'))
             if not mail.name.startswith('0000-')]
    assert len(texts) == count
    for text in texts:
        assert re.search('^Signed-off-by: Erika Mustermann <erika@mailbox.test>$', text, re.M)
        assert re.search('^Assisted-by: a tool$', text, re.M)
    for mail in mails.iterdir():
        text = mail.read_text(encoding='utf-8')
        assert not re.search(r'^From:.*(maintainers|noreply)|\*\*\* (SUBJECT|BLURB)|^Notes:',
                             text, re.M)
    return texts


@pytest.mark.slow
@pytest.mark.parametrize(
    'series', sorted(path.parent.name for path in LINUX.glob('*/0001-*.patch')))
def test_series_for_linux(send, series):
    done, mails = send(series)
    check_mails(done, mails, len(list((LINUX / series).glob('0*.patch'))))
    assert re.search(r"^    '--[tc][oc]=.*vger\.kernel\.org'", done.stdout, re.M)
    assert 'checkpatch --strict finds nothing' in done.stderr


@pytest.mark.slow
def test_patches_of_a_series(send):
    done, mails = send('fixes/3-4')
    texts = check_mails(done, mails, 2)
    assert 'Subject: [PATCH 1/2] perf/x86/intel/uncore: Fix the format of occ_edge' in texts[0]
    assert 'occ_edge=1 sets bit 14' in texts[0] and '\nReproduce: ' in texts[0]


PARTS = [part for part in re.findall(r'^- (\S+/\S+)',
                                     (LAB / 'order').read_text(encoding='utf-8'), re.M)
         if (LINUX / part.partition('/')[0]).is_dir()]


@pytest.mark.slow
@pytest.mark.parametrize('part', PARTS)
def test_each_part_of_the_order_applies(send, part):
    done, _ = send(part, answers='no\n')
    assert f'{part} applies' in done.stderr and 'nothing is written' in done.stderr


@pytest.mark.slow
def test_what_a_part_needs_is_said_in_its_first_mail(send):
    done, mails = send('box/2-6')
    texts = check_mails(done, mails, 5)
    assert [re.search('^On top of these.*\n\n  perf/x86/intel/uncore: Stop the events of a box ',
                      text, re.M) is not None for text in texts] == [True] + [False] * 4
    assert re.findall(r'^send: 000(\d)-\S+: add the Fixes:', done.stderr, re.M) == ['3', '5', '6']


@pytest.mark.slow
def test_a_backport_keeps_its_author(send):
    done, mails = send('stable-6.1')
    [text] = check_mails(done, mails, 1)
    assert '\nFrom: Peter Zijlstra <peterz@infradead.org>\n' in text


@pytest.mark.slow
def test_libpfm4(send):
    done, mails = send('libpfm4')
    check_mails(done, mails, len(list((TOP / 'lab/libpfm4').glob('0*.patch'))))
    assert '--to=perfmon2-devel@lists.sourceforge.net' in done.stdout


@pytest.mark.slow
def test_pull_request(send, tmp_path):
    clone = tmp_path / 'pcp'
    file = clone / 'src/pmdas/perfevent/parse_events.c'
    patch = (TOP / 'lab/others/pcp.patch').read_text(encoding='utf-8')
    assert f'--- a/{file.relative_to(clone)}' in patch
    # What its hunks take away, at their lines
    lines = []
    for start, hunk in re.findall(
            r'^@@ -(\d+).*?@@.*\n((?:[ +\\-].*\n|\n)+?)(?=@@|-- \n|diff )', patch, re.M):
        lines += [''] * (int(start) - 1 - len(lines))
        lines += [line[1:] for line in hunk.splitlines() if line[:1] in (' ', '-')]
    for name in re.findall(r'^--- a/(\S+)', patch, re.M):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text('\n'.join(lines) + '\n')
    for words in (['init', '-q'], ['add', '-A'],
                  ['-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'base']):
        subprocess.run(['git', '-C', clone, *words], check=True)
    done, mails = send('pcp', options=('-a', 'a tool', '-t', clone))
    check_mails(done, mails, 1)
    assert f'git am --keep-cr {mails}/*.patch' in done.stdout


@pytest.mark.parametrize('dates, said', [
    (['-', '-', '-'], r'1 of 3: perfmon/4: first\n  lab/send -t CLONE perfmon/4 DIR\n'),
    (['2026-12-01', '-', '-'], r'2 of 3: core/1-4: second\n  lab/send core/1-4 DIR\n'
                               r"  pytest-3 -k 'prove and core/1' "),
    (['2026-12-01', '2026-12-01', '-'], r'3 of 3: others/pmu-tools.md: .*\n  Read lab/others'),
    (['2026-12-01'] * 3, r'All of lab/order is sent\.\n')])
def test_next_is_what_is_not_sent(tmp_path, dates, said):
    shutil.copytree(LAB, tmp_path / 'lab', ignore=shutil.ignore_patterns('tests'))
    rows = 'perfmon/4 first', 'core/1-4 second', 'others/pmu-tools.md third'
    (tmp_path / 'lab/order').write_text('# What to send\n' + ''.join(
        f'{date} {row}\n' for date, row in zip(dates, rows)), encoding='utf-8')
    done = subprocess.run([tmp_path / 'lab/send', '--next'], check=True, capture_output=True,
                          text=True)
    assert re.match(said, done.stdout), done.stdout


def test_order_has_each_patch_and_report_once():
    found = []
    for line in (LAB / 'order').read_text(encoding='utf-8').splitlines():
        if not line or line[0] == '#':
            continue
        what = line.split()[1]
        series, _, numbers = what.partition('/')
        if what.endswith('.md') or what in ('libpfm4', 'pcp'):
            found.append(what)
            continue
        first, _, last = (numbers or '1-9999').partition('-')
        directory = (LAB if series in ('perfmon', 'qemu', 'qemu-fixes') else LINUX) / series
        patches = [path for path in directory.glob('0*[0-9]-*.patch')
                   if int(first) <= int(path.name[:4]) <= int(last or first)]
        assert patches, line
        found += [f'{series}/{path.name}' for path in patches]
    there = [f'{path.parent.name}/{path.name}'
             for where in ('linux/*', 'perfmon', 'qemu', 'qemu-fixes')
             for path in LAB.glob(f'{where}/0*.patch')]
    there += [str(path.relative_to(LAB)) for where in ('others', 'perfmon/issues')
              for path in LAB.glob(f'{where}/*.md')]
    assert sorted(found) == sorted([*there, 'libpfm4', 'pcp'])
