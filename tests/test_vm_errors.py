# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes of the user give one clear line before a boot, and words are taken as they are typed."""
import re
import subprocess

import pytest

VM = 'machine/xeon/vm/vm'


@pytest.mark.parametrize('command, status, reason', [
    ('make vm SOCKET=4 CMD=true', 2, 'does not know SOCKET: it takes CMD KERNEL .*SOCKETS'),
    ('make check T=x', 2, 'does not know T: it takes nothing'),
    ('bin/vm -m= -o nonsense -- true', 125, "no option 'nonsense'"),
    ('bin/vm -m= -o cores=9 -- true', 125, 'cores is 1 to 8, not 9'),
    *((f'{VM} {number} -- true', 125, f'^vm: {number}: ')
      for number in ('-c 08', '-c x', '-c 25', '-s 0', '-s 9', '-t 1e9', f'-t {9 ** 20}')),
    *((f'{VM} -{option} /nodir -- true', 125, f'^vm: -{option} /nodir: no such directory')
      for option in 'bef'),
    (f'{VM} -e x,y -- true', 125, '^vm: -e x,y: QEMU takes no comma'),
    (f'{VM} -K /tmp -- true', 125, '^vm: -K, or -b with .*: only a bzImage has them elsewhere'),
    (f'{VM} -b {{top}}/scripts -- true', 125, '^vm: -b .*: .* neither Kbuild nor Makefile in it'),
    (f'{VM} -k 4.19 -- true', 125, r'no kernel 4\.19: it is one of 5\.10 6\.1 .* debug kcsan\n'),
    *((f'{VM} {options} -- true', 125, f'^vm: {reason}') for options, reason in (
        ('-o board=', '-o board=: the boards are desktop desktop-fe '),
        ('-o board=Server', '-o board=Server: the boards are desktop '),
        ('-s 1 -o board=server', '-s 1: sockets of board server: 2$'),
        ('-o board=server-3586 -o generation=3',
         '-o generation=3: generations of board server-3586: 1,2$'),
        ('-o generation=spr -o board=server',
         '-o generation=spr: generations of board server: 1,2$'),
        ('-o board=server-v4-ones -o generation=1',
         '-o generation=1: generations of board server-v4-ones: 4$'))),
    ('bin/vm -m= -i', 125, 'a shell needs a terminal')])
def test_mistake_is_refused_in_one_line(run, top, command, status, reason):
    words = [part for word in command.format(top=top).split()
             for part in (['-m', ''] if word == '-m=' else [word])]
    done = run(words, cwd=top, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (status, '')
    # The first run says what it makes.
    said = re.sub('.*: (building the programs|fetching the package lists) .*\n', '', done.stderr)
    assert said.count('\n') == 1 and re.search(reason, said), said


def test_usage_has_each_option(run, top):
    done = run([top / VM])
    options = re.search('getopts (.*) opt', (top / VM).read_text())[1].replace(':', '')
    assert done.returncode == 125 and [*options] == sorted(
        re.findall('^ +(?:vm .*)?-([a-zA-Z])\\b', done.stdout, re.M), key=options.index)


STOPPED = ('vm: the guest stopped before the command was done; '
           "the end of its kernel's log is above\n")


@pytest.mark.parametrize('code, status, console, end, said', [
    *((0, f'{status}\n1\n', 'x', 0, f'{status}\n') for status in ('0', '42', '255')),
    (0, 'x\n', '', 125, 'vm: the guest reports no exit status\n'),
    (0, '', '', 125, 'qemu\nvm: the machine ended without a word\n'),
    (0, '', 'a\r\n\x1b[1mb\n', 125, 'a\n[1mb\nqemu\n' + STOPPED),
    (0, '', 'a\n' * 70 + 'Oops: 1\n' + 'b\n' * 80, 125,
     'Oops: 1\n' + 'b\n' * 80 + 'qemu\n' + STOPPED),
    (0, '', '\n'.join(map(str, range(90))), 125,
     ''.join(f'{n}\n' for n in range(30, 90)) + 'qemu\n' + STOPPED),
    (124, '0\n', 'a\n' * 30, 124, 'a\n' * 20 + 'vm: the command was not done after 1800 s\n'),
    (153, '0\n', '', 125, 'vm: the guest wrote more than 1024 MiB to its output, its log or a file '
                          'of /extra (ulimit -f)\n'),
    (1, '0\n', 'a\n', 125, 'a\nqemu\nvm: the machine ended with status 1\n')])
def test_end_of_a_machine_is_told_with_the_reason(
        run, shell, tmp_path, code, status, console, end, said):
    for name, text in ('status', status), ('console', console), ('machine', 'qemu\n'):
        (tmp_path / name).write_text(text)
    done = run([*shell[:-2], shell[-2].with_name('vm'), shell[-1], """. "$SCRIPTS/vm.sh"
        trap cleanup EXIT; code=$1 tmp=$2 log=$3; ulimit -f 2097152
        check_end "$tmp/console"; echo "$status"; done_well=yes; exit 0""", str(code), tmp_path,
                tmp_path.with_name('log')])
    assert (done.returncode, done.stdout) == (end, said)
    assert not tmp_path.exists() and tmp_path.with_name('log').read_text() == console.replace(
        '\r', '')


@pytest.mark.parametrize('word', ["don't", 'no$such', '$(shell touch made-by-make)'])
@pytest.mark.parametrize('words, said', [('vm CMD=true EXTRA', '-e {}: no such directory'),
                                         ('check-all TAG', '-m {}: no marker')])
def test_make_takes_a_word_as_it_is_typed(run, top, tmp_path, monkeypatch, words, said, word):
    """It would expand a $, and run $(shell ...) on the host."""
    if words.startswith('check'):
        # One check at a time runs in a build directory.
        monkeypatch.setenv('SNBEP_BUILD', str(tmp_path))
    done = run(['make', '-s', *f'{words}={word}'.split(' ', words.count(' '))], cwd=top)
    made = top / 'made-by-make'
    there = made.exists()
    made.unlink(missing_ok=True)
    assert said.format(word) in done.stdout and not there


def test_cache_that_cannot_be_written_is_named(mounts, top, tmp_path, monkeypatch):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path))
    done = mounts('mount -t tmpfs -o mode=700,ro none "$1"; exec "$2" -- true', tmp_path, top / VM)
    assert done.returncode == 125 and re.fullmatch(
        'setup: the cache .* is not writable: set XDG_CACHE_HOME.*\n', done.stdout)
