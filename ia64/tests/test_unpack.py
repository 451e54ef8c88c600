# SPDX-License-Identifier: GPL-2.0-only
"""Whatever a hostile guest sends as the files of /extra, nothing is written outside of that
directory and nothing harmful is left in it."""
import os
import re
import stat
import subprocess

import pytest


def entry(name, mode, data='', inode=0):
    """A file of an archive, as Linux's buffer-format.rst describes"""
    fields = [inode, mode, 0, 0, 2 if inode else 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
    text = '070701' + ''.join(f'{field:08X}' for field in fields) + name + '\0'
    text += '\0' * (-len(text) & 3) + data
    return text + '\0' * (-len(text) & 3)


END = entry('TRAILER!!!', 0)


class Extra:
    """A directory "in", beside a file "outside" """

    def __init__(self, top, path):
        self.top, self.path, self.inside = top, path / 'top', path / 'top/in'
        for name in self.inside, self.path / 'other':
            name.mkdir(parents=True)
            name.chmod(0o755)
        self.outside = self.path / 'outside'
        self.outside.write_text('mine', encoding='ascii')
        self.outside.chmod(0o644)
        self.before = self.files()

    def unpack(self, archive):
        """The exit status and standard error"""
        done = subprocess.run([self.top / 'ia64/linux/unpack', self.inside],
                              check=False, input=archive.encode('latin-1'), capture_output=True,
                              umask=0o022)
        return done.returncode, done.stderr.decode()

    def files(self):
        """All below top, with type and mode, and size if regular"""
        found = {}
        for path in self.path.rglob('*'):
            mode = path.lstat().st_mode
            found[str(path.relative_to(self.path))] = (
                (oct(stat.S_IMODE(mode)), path.lstat().st_size) if stat.S_ISREG(mode) else
                (stat.filemode(mode)[0], oct(stat.S_IMODE(mode))))
        return found

    def new(self):
        """What was not there before; nothing has gone or changed"""
        files = self.files()
        assert {name: files.get(name) for name in self.before} == self.before
        return {name: files[name] for name in files if name not in self.before}


@pytest.fixture
def extra(top, tmp_path):
    return Extra(top, tmp_path)


def test_files_and_their_directories_arrive(extra):
    assert extra.unpack(entry('./out', 0o100644, 'text') + entry('sub/run', 0o100755, 'abcde') +
                        entry('b', 0o100600) + END) == (0, '')
    assert extra.new() == {'in/b': ('0o600', 0), 'in/out': ('0o644', 4),
                           'in/sub': ('d', '0o755'), 'in/sub/run': ('0o755', 5)}
    assert (extra.inside / 'out').stat().st_uid == os.geteuid()


def test_hard_links_of_a_file_arrive(extra):
    assert extra.unpack(entry('y', 0o100644, '', 7) + entry('z', 0o100644, 'data', 7) +
                        END)[0] == 0
    assert [(extra.inside / name).read_text() for name in 'yz'] == ['data', 'data']


@pytest.mark.parametrize('name', ['/ABSOLUTE', '//ABSOLUTE', '../outside', 'sub/../../outside',
                                  './../outside', '', 'sub/', '.', './', '..'])
def test_an_unsafe_name_is_left_out(extra, name):
    name = name.replace('/ABSOLUTE', str(extra.outside))
    status, err = extra.unpack(entry(name, 0o100644, 'guest') + entry('after', 0o100644, 'x') + END)
    assert status == 0
    assert re.fullmatch(r'unpack: .* has an unsafe name and is left out\n', err)
    assert {**extra.new(), 'in/sub': 0} == {'in/after': ('0o644', 1), 'in/sub': 0}
    assert extra.outside.read_text() == 'mine'


def test_a_file_below_a_link_of_the_user(extra):
    (extra.inside / 'link').symlink_to('../other')
    status, err = extra.unpack(entry('link/file', 0o100644, 'guest') + END)
    assert status == 0 and 'unsafe name' in err
    assert (extra.inside / 'link').is_symlink() and set(extra.new()) == {'in/link'}


def test_a_file_in_the_place_of_a_symbolic_link_of_the_user(extra):
    (extra.inside / 'link').symlink_to('../outside')
    assert extra.unpack(entry('link', 0o100644, 'guest') + END)[0] == 0
    assert extra.outside.read_text() == 'mine' and not (extra.inside / 'link').is_symlink()


def test_a_file_in_the_place_of_a_hard_link_of_the_user(extra):
    os.link(extra.outside, extra.inside / 'link')
    assert extra.unpack(entry('link', 0o100644, '', 9) + entry('link', 0o100644, 'data', 9) +
                        END)[0] == 0
    assert extra.outside.read_text() == 'mine'
    assert (extra.inside / 'link').read_text() == 'data'


@pytest.mark.parametrize('mode', [0o060666, 0o020666, 0o010666, 0o140666, 0o666],
                         ids=['block device', 'character device', 'FIFO', 'socket', 'no type'])
def test_what_is_no_file_is_left_out(extra, mode):
    status, err = extra.unpack(entry('node', mode) + END)
    assert status == 0 and 'no regular file' in err and not extra.new()


def test_no_file_is_setuid_or_setgid_or_writable_for_others(extra):
    assert extra.unpack(entry('sub', 0o046777) + entry('suid', 0o106755, 'x') +
                        entry('all', 0o100666, 'x') + END)[0] == 0
    assert extra.new() == {'in/all': ('0o644', 1), 'in/suid': ('0o755', 1)}


def test_control_characters_of_a_name_do_not_reach_the_terminal(extra):
    assert extra.unpack(entry('a\x1b[2J\n', 0o120777, 'x') + END)[1] == (
        'unpack: /extra/a?[2J? is no regular file and is left out\n')


def test_5000_files_that_are_left_out_make_eleven_lines(extra):
    status, err = extra.unpack(''.join(entry(f'n{i}', 0o120777, 'x') for i in range(5000)) + END)
    assert status == 0 and err.count('\n') == 11 and '4990 more files are left out' in err


FILE = entry('f', 0o100644)


@pytest.mark.parametrize('archive', [
    'x' * 500, entry('f', 0o100644, 'data' * 100)[:300], '', FILE[:94] + 'FFFFFFFF' + FILE[102:],
    FILE[:54] + 'FFFFFFFF' + FILE[62:] + END],
    ids=['no archive', 'ends early', 'empty', 'a name of 4 GB', 'a file of 4 GB without data'])
def test_what_is_no_archive_is_an_error(extra, archive):
    status, err = extra.unpack(archive)
    assert status != 0 and err.startswith("unpack: the guest's files ") and not extra.new()
