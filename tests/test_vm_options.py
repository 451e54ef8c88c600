# SPDX-License-Identifier: GPL-2.0-only
"""What QEMU and the guest get for each option of machine/xeon/vm/vm, by a program as QEMU"""
import os
import re
import subprocess

import pytest

import collector

# It keeps its arguments and the initramfs, and each of its files has the lines of SAID for it.
QEMU = r'''#!/bin/sh
printf '%s\n' "$@" > "$SEEN/args"
while [ $# -gt 0 ]; do
    case $1 in
    -initrd) cp "$2" "$SEEN/initrd" ;;
    file,id=*) name=${1#*id=}; printf "$SAID" | sed -n "s/^${name%%,*} //p" > "${1#*path=}" ;;
    esac
    shift
done
eval "$THEN"
'''
SAID = r'out a\nerr b\nstatus 7\nconsole BUG: c\n'
COMMAND = '''echo "a  $b" 'c'\\n'''


@pytest.fixture
def boot(vm, shell, run, tmp_path, monkeypatch):
    """The run, the arguments in one line, and the directory with the files of this run's archive"""
    (tmp_path / 'qemu').write_text(QEMU)
    (tmp_path / 'qemu').chmod(0o755)
    (tmp_path / 'run').mkdir()
    monkeypatch.setenv('SNBEP_QEMU', str(tmp_path / 'qemu'))
    monkeypatch.setenv('SEEN', str(tmp_path))
    monkeypatch.setenv('TMPDIR', str(tmp_path / 'run'))

    def booted(*options, said=SAID, then='', **more):
        monkeypatch.setenv('SAID', said)
        monkeypatch.setenv('THEN', then)
        done = vm(COMMAND, *options, **more)
        assert os.listdir(tmp_path / 'run') == []
        archives = (tmp_path / 'initrd').read_bytes()
        last = archives.split(b'TRAILER!!!')[-2].lstrip(b'\0') + b'TRAILER!!!\0'
        subprocess.run(['cpio', '-idu', '--quiet', '-D', tmp_path / 'guest'], check=True,
                       input=last + bytes(512))
        return done, (tmp_path / 'args').read_text().replace('\n', ' '), tmp_path / 'guest'
    (tmp_path / 'guest').mkdir()
    return booted


@pytest.mark.parametrize('options, pattern', [
    ([], r'-smp 1,sockets=2,cores=8,.* -m 1024 .*-kernel \S*/6\.1\.\S+/vmlinux .*madvise '
         r'random\.trust_bootloader=on   -chardev'),
    (['-s', '1', '-c', '3', '-k', 'newest'],
     r' -smp 1,sockets=1,.*core-id=2,.* -m 960 .*-kernel \S*/[789]\.\S+/vmlinux '),
    (['-a', 'x=1 y'], ' -append console=ttyS0 .* x=1 y -chardev '),
    (['-q', '-x', '-q', 'y z'], ' -x y z -nodefaults '),
    (['-o', 'uclk=1000 dclk=900', '-o', 'hide=8.0'],
     '^(?!.*addr=08.0).* xeon-uncore,(?=.*uclk=1000).*dclk=900'),
    (['-o', 'board=desktop-ports'],
     '^(?!.*addr=09.6).*-smp 1,sockets=1,.*,bus_nr=255 .*pci=nommconf'),
    (['-o', 'board=server'], '-smp 1,sockets=2,.*bus_nr=63 .*bus_nr=127 '),
    # As make vm MODEL=board=desktop gives no number of sockets; the last board counts.
    (['-s', '', '-o', 'board=desktop'], '-smp 1,sockets=1,'),
    (['-o', 'board=laptop', '-o', 'board=server-3586 generation=2 hide=8.0 buses=ff,7f'],
     r'^(?!.*addr=(08|09\.[26]|10\.4)).*generation=2,.*,bus_nr=255 .*,bus_nr=127 '),
    (['-o', 'board=server', '-o', 'board=desktop', '-o', 'generation=2'],
     '^(?!.*pci=nommconf).*-smp 1,sockets=1,.*xeon-uncore,sockets=1,generation=2,'),
    (['-m', 'offcore_rsp'], 'core-pmu'), (['-m', 'msr'], '^(?!.*core-pmu=)(?!.* -m 1792 )'),
    (['-m', 'intel_uncore'], ' -m 1024 '), (['-m', 'intel_uncore', '-k', '6.12'], ' -m 1792 '),
    (['-m', 'intel_uncore', '-k', '6.12', '-o', 'generation=spr'], '^(?!.* -m 1792 )')])
def test_option_is_an_argument_of_qemu_or_linux(boot, options, pattern):
    done, arguments, _ = boot(*options)
    assert done.returncode == 7 and re.search(pattern, arguments), arguments


@pytest.mark.parametrize('options, files', [
    ([], {'command': COMMAND, 'modules': '', 'joined': '', 'extra': None, 'traffic': None}),
    (['-m', 'msr x=1 y=2 loop'], {'modules': 'msr x=1 y=2\nloop\n'}),
    (['-o', 'traffic'], {'traffic': ''}), (['-e', 'shared'], {'extra': ''}),
    (['-f', 'one', '-f', 'two'], {'../a b': '1', '../../etc/b': '2'}),
    (['-b', 'one', '-b', 'two'], {'../../lib/modules/{}/updates/x.ko': 'one',
                                  '../../lib/modules/{}/updates/y.ko': 'two'}),
    (['-o', 'board=desktop-fe'], {'../../kernel/firmware/acpi/mcfg.aml': 'MCFG'})])
def test_guest_finds_the_command_its_modules_and_what_is_given(
        boot, kernel, tmp_path, options, files):
    for name, text in {'one/run/a b': '1', 'two/etc/b': '2', 'one/x.ko': 'one', 'two/y.ko': 'two',
                       'shared/x': ''}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    done, arguments, guest = boot(*options, cwd=tmp_path)
    release = (kernel('6.1') / 'release').read_text().strip()
    for name, text in files.items():
        path = guest / 'run/vm' / name.format(release)
        assert path.exists() == (text is not None), done.stdout
        assert text is None or path.read_text(errors='replace')[:len(text) or 1] == text
    assert (f'local,id=extra,path={tmp_path}/shared,' in arguments) == ('-e' in options)
    assert (guest / f'lib/modules/{release}/modules.dep').exists()
    assert os.access(guest / 'usr/bin/uncore-stim', os.X_OK) and os.access(guest / 'init', os.X_OK)


def test_status_output_and_log_are_the_guests(boot, tmp_path, monkeypatch):
    done, _, guest = boot('-W', '-l', tmp_path / 'log', stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (7, 'a\n') and done.stderr.startswith('b\ncheck-log: ')
    assert (tmp_path / 'log').read_text() == 'BUG: c\n' and not (guest / 'run/vm/joined').exists()
    for status, options, said in (1, ['-W'], SAID), (0, [], SAID), (0, ['-W'], 'status 0\n'):
        assert boot(*options, said=said.replace('7', '0'))[0].returncode == status
    # A limit; a signal of QEMU; and logs that are kept
    for then, limit, status, said in (
            ('sleep 1000', '5', 124, 'the command was not done after 5 s'),
            ('kill -9 $$', '99', 125, 'the machine ended with status 137')):
        monkeypatch.setenv('SNBEP_RUNS', str(tmp_path / 'logs'))
        (tmp_path / 'logs').mkdir(exist_ok=True)
        done = boot('-t', limit, then=then)[0]
        assert done.returncode == status and done.stdout.endswith(f'vm: {said}\n')
    assert [path.read_text() for path in (tmp_path / 'logs').iterdir()] == ['BUG: c\n'] * 2


@pytest.mark.parametrize('suite, perf', [('bookworm', '6.1'), ('bullseye', '5.10')])
def test_file_system_of_the_guest_has_a_shell_and_the_suites_perf(
        run, mounts, top, output, tmp_path, monkeypatch, suite, perf):
    output('scripts/suite-root', suite, 'linux-perf')
    (tmp_path / 'cache').mkdir(mode=0o700)
    for name in 'apt', 'root':
        (tmp_path / 'cache' / name).symlink_to(collector.cache() / name)
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    image = run([top / 'machine/xeon/vm/initramfs', suite]).stdout.strip()
    assert run([top / 'machine/xeon/vm/initramfs', suite]).stdout.strip() == image
    assert os.listdir(tmp_path / 'cache/tmp') == []
    with open(image, 'rb') as archive:
        subprocess.run(['cpio', '-id', '--quiet', '-D', tmp_path], check=True, stdin=archive)
    assert all((tmp_path / name).exists() for name in (
        'dev', 'proc', 'sys', 'tmp', 'root', 'run', 'etc/group', 'usr/lib/locale/C.utf8/LC_CTYPE'))
    done = mounts('exec chroot "$1" /bin/sh -c "perf --version; id -un"', tmp_path)
    assert re.fullmatch(rf'perf version {perf}\S*\nroot\n', done.stdout), done.stdout
