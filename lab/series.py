# SPDX-License-Identifier: GPL-2.0-only
"""A series of patches on its base: the states of the source, and what is built of each."""
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

import mails

TOP = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = TOP / 'scripts'
BUILD = pathlib.Path(os.environ.get('SNBEP_BUILD', TOP / 'build')) / 'lab-test'
EVENTS = 'arch/x86/events'
LISTS = 'tools/perf/pmu-events/arch/x86'
# What is built alone, what is not code, and what takes a kernel: the first pattern that fits
PARTS = [(EVENTS + '/intel/uncore*', 'module'), ('tools/perf/*', 'perf'), ('tools/lib/*', 'perf'),
         ('tools/*', None), ('Documentation/*', None), ('MAINTAINERS', None), ('*', 'kernel')]
SOMEBODY = '-c', 'user.name=test', '-c', 'user.email=test@example.org'
# perf on libc alone, which any guest can run
PERF = ['LDFLAGS=-static', 'WERROR=0'] + [f'NO_{name}=1' for name in (
    'LIBELF LIBDW LIBUNWIND LIBTRACEEVENT LIBPYTHON LIBPERL SLANG GTK2 LIBCRYPTO LIBBPF BPF_SKEL '
    'LIBNUMA LIBAUDIT JVMTI LIBPFM4 LIBCAP LIBZSTD LZMA ZLIB BACKTRACE DEMANGLE LIBBABELTRACE '
    'LIBDEBUGINFOD CAPSTONE LIBLLVM SDT RUST').split()]


class CouldNot(Exception):
    """Why there is no verdict"""


class DoesNotBuild(Exception):
    """A patch's fault; the text is the end of the log."""


def command(*words, stderr=subprocess.PIPE):
    """A command that has ended. Not all that a stranger's code prints is text."""
    return subprocess.run([str(word) for word in words], check=False, encoding='utf-8',
                          errors='replace', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=stderr)


def run(program, *words):
    """What a program prints; CouldNot if it fails, after what it has said of it"""
    done = command(program, *words, stderr=None)
    if done.returncode:
        words = ' '.join(map(str, words))
        raise CouldNot(f'{os.path.basename(program)} {words}: exit status {done.returncode}')
    return done.stdout.strip()


def git(directory, *words):
    """What git prints; CouldNot with its error"""
    done = command('git', *SOMEBODY, '-C', directory, *words)
    if done.returncode:
        raise CouldNot(f'git {words[0]}: {(done.stderr or "it fails").splitlines()[0]}')
    return done.stdout.strip()


def make(log, *words):
    """Run make; its output goes to a file."""
    with open(log, 'w', encoding='utf-8') as f:
        done = subprocess.run(['make', f'-j{os.cpu_count()}', *map(str, words)], stdout=f,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise DoesNotBuild(failure(log.read_text(encoding='utf-8', errors='replace'), log.parent))


def failure(log, work):
    """The errors in the log of a build, or its end, with paths as in the tree"""
    lines = log.splitlines()
    errors = [line for line in lines if re.search('error:|ERROR:|undefined reference', line)]
    return re.sub(rf'{re.escape(str(work))}/(?:whole|linux|built)/', '',
                  '\n'.join(errors[:10] or lines[-10:]))


def part_of(path):
    """What a file is a part of: module, perf, kernel or None"""
    return next(part for pattern, part in PARTS if fnmatch.fnmatch(path, pattern))


def objects_of(makefile):
    """What intel_uncore is linked of: a series may add a line"""
    lines = re.findall(r'^intel-uncore-(?:objs|y)\s*[:+]?=((?:.*\\\n)*.*)', makefile, re.M)
    return ' '.join(lines).replace('\\\n', ' ').split()


class Series:
    """The commits of a series in a repository of its own; state 0 is the base."""

    def __init__(self, what, tree, kernel, work):
        self.kernel = kernel
        self.work = work
        self.repo = work / 'linux'
        self.debian = None
        self.base = None
        self.notes = []
        what = os.path.expanduser(what)
        if os.path.isdir(os.path.join(what, EVENTS)):
            if tree:
                raise CouldNot(f'{what} is a tree, which is compared with Debian\'s source of -k, '
                               f'and not with that of -t {tree}')
            self._compare_tree(pathlib.Path(what))
        elif os.path.exists(what) or what == '-':
            self._apply(what, tree)
        else:
            self._range(what, tree or '.')
        # A stranger's subject may have what splitlines() parts at, or a terminal obeys.
        log = [line for line in git(self.repo, 'log', '--reverse', '--format=%H %s',
                                    f'{self.base}..HEAD').split('\n') if line]
        self.commits = [self.base] + [line.partition(' ')[0] for line in log]
        self.subjects = ['the base'] + [
            ''.join(c for c in line.partition(' ')[2] if c.isprintable()) for line in log]
        if not log:
            raise CouldNot(f'{what} changes nothing')
        self.files = git(self.repo, 'diff', '--name-only', self.base, 'HEAD').splitlines()
        self.parts = {part_of(file) for file in self.files} - {None}

    def _source(self, *paths):
        self.debian = pathlib.Path(run(SCRIPTS / 'linux-source', self.kernel, *paths))
        return self.debian

    def _apply(self, what, tree):
        try:
            patches, self.notes = mails.read(what, self.work)
            touched = set().union(*(mail.files(self.work) for mail in patches))
        except mails.NoSeries as error:
            raise CouldNot(error) from error
        # git am refuses these, too, but the files are copied before it runs.
        outside = [path for path in sorted(touched) if path[0] == '/' or '..' in path.split('/')]
        if outside:
            raise CouldNot(f'a patch is of a file outside the tree: {outside[0]}')
        if tree:
            self._clone(tree, git(tree, 'rev-parse', 'HEAD'), touched)
        else:
            self._repository(touched)
        why = ''
        for options in ([], ['-3']):
            done = command('git', *SOMEBODY, '-C', self.repo, 'am', '-q', '--quoted-cr=strip',
                           '--patch-format=mbox', *options, *(mail.path for mail in patches))
            if not done.returncode:
                return
            command('git', '-C', self.repo, 'am', '--abort')
            why = why or (done.stderr + done.stdout).strip().splitlines()[0]
        base = git(self.repo, 'log', '-1', '--format=%s' if self.debian else '--format=%h %s')
        raise CouldNot(f'git am, on {base}: {why} '
                       '(-t: a tree; -k: another kernel of scripts/kernels)')

    def _repository(self, touched):
        """A repository of Debian's source: the driver, and the files that patches touch"""
        source = self._source(EVENTS, 'kernel/events', *sorted(
            {path.split('/')[0] for path in touched if part_of(path)}))
        self.repo.mkdir()
        shutil.copytree(source / EVENTS, self.repo / EVENTS)
        for path in touched:
            if (source / path).is_file() and not (self.repo / path).exists():
                (self.repo / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / path, self.repo / path)
        git(self.repo, 'init', '-q')
        git(self.repo, 'add', '-A', '-f')
        git(self.repo, 'commit', '-q', '-m', run(SCRIPTS / 'linux-source', '-v', self.kernel))
        self.base = git(self.repo, 'rev-parse', 'HEAD')

    def _clone(self, tree, commit, touched):
        """A clone that shares the objects of a tree, with no more files than are built"""
        git('.', 'clone', '-q', '-s', '-n', os.path.abspath(tree), self.repo)
        partial = command('git', '-C', tree, 'config', '--get-regexp', r'^remote\..*\.promisor$')
        if partial.stdout:
            # A partial clone lacks files, which its remote has.
            name = partial.stdout.split()[0].removeprefix('remote.').removesuffix('.promisor')
            git(self.repo, 'config', 'remote.origin.url', git(tree, 'remote', 'get-url', name))
            git(self.repo, 'config', 'remote.origin.promisor', 'true')
        if {part_of(path) for path in touched} <= {'module', None}:
            git(self.repo, 'sparse-checkout', 'set', '--no-cone', f'/{EVENTS}/',
                *(f'/{path}' for path in sorted(touched)))
        git(self.repo, 'checkout', '-q', '--detach', commit)
        self.base = commit

    def _compare_tree(self, tree):
        """A tree as it is, as one change of Debian's source"""
        self._repository(set())
        shutil.rmtree(self.repo / EVENTS)
        shutil.copytree(tree / EVENTS, self.repo / EVENTS,
                        ignore=shutil.ignore_patterns('*.o', '.*'))
        git(self.repo, 'add', '-A', '-f')
        git(self.repo, 'commit', '-q', '--allow-empty', '-m', f'{EVENTS} of {tree}')

    def _range(self, what, tree):
        first, dots, last = what.partition('..')
        if not dots:
            first, last = what + '^', what
        try:
            last = git(tree, 'rev-parse', '--verify', '-q', (last or 'HEAD') + '^{commit}')
            first = git(tree, 'merge-base', first or 'HEAD', last)
        except CouldNot:
            shallow = command('git', '-C', tree, 'rev-parse', '--is-shallow-repository').stdout
            raise CouldNot(f'{what} is no file, and no range of commits in {tree}' + (
                ', a shallow clone: git fetch --unshallow' if shallow == 'true\n' else '')
            ) from None
        self._clone(tree, last, git(tree, 'diff', '--name-only', first, last).splitlines())
        self.base = first

    def checkout(self, number):
        git(self.repo, 'checkout', '-q', '-f', self.commits[number])

    def module(self, number):
        """Build intel_uncore for the kernel: the directory of its .ko"""
        self.checkout(number)
        source, built = self.work / 'intel_uncore', self.work / 'built'
        shutil.rmtree(source, ignore_errors=True)
        events = source / EVENTS
        (events / 'intel').mkdir(parents=True)
        for file in (self.repo / EVENTS).glob('*.h'):
            shutil.copy(file, events)
        for file in (self.repo / EVENTS / 'intel').glob('uncore*.[ch]'):
            shutil.copy(file, events / 'intel')
        makefile = (self.repo / EVENTS / 'intel/Makefile').read_text(encoding='utf-8')
        objects = objects_of(makefile)
        if not objects:
            raise CouldNot(f'{EVENTS}/intel/Makefile has no intel-uncore')
        (source / 'Kbuild').write_text(
            'obj-m := intel-uncore.o\nintel-uncore-y := '
            + ' '.join(f'{EVENTS}/intel/{name}' for name in objects) + '\n',
            encoding='utf-8')
        kernel = run(SCRIPTS / 'kernel', self.kernel)
        # Links to sources of another state, whose dates say nothing
        shutil.rmtree(built, ignore_errors=True)
        done = command(SCRIPTS / 'kbuild', source, kernel + '/build', built)
        if done.returncode:
            raise DoesNotBuild(failure(done.stdout + done.stderr, self.work))
        # Without a Kbuild, which vm would build again
        ready = self.work / f'module-{number}'
        ready.mkdir()
        shutil.copy(built / 'intel-uncore.ko', ready)
        return ready

    def key(self, number):
        """What the results of a state depend on"""
        self.checkout(number)
        digest = hashlib.sha256(run(SCRIPTS / 'kernel', self.kernel).encode())
        for root in (self.repo / EVENTS, TOP / 'machine/xeon', TOP / 'lab'):
            for file in sorted(root.rglob('*')):
                if file.is_file() and '__pycache__' not in file.parts:
                    digest.update(f'{file.relative_to(root)}\0'.encode() + file.read_bytes())
        return digest.hexdigest()[:16]

    def perf(self, number):
        """Build the perf tool, static: a directory for the guest's root, and one of its lists"""
        self.checkout(number)
        source = self._overlay() if self.debian else self.repo
        out = self.work / 'perf'
        root, lists = (self.work / f'{name}-{number}' for name in ('perf', 'lists'))
        out.mkdir(exist_ok=True)
        make(self.work / 'perf.log', '-C', source / 'tools/perf', f'O={out}', *PERF, out / 'perf')
        (root / 'usr/bin').mkdir(parents=True)
        shutil.copy(out / 'perf', root / 'usr/bin/perf')
        shutil.copytree(source / LISTS, lists / LISTS)
        return root, lists

    def _overlay(self):
        """Debian's whole source with the files of this state"""
        whole = self.work / 'whole'
        if not whole.exists():
            source = run(SCRIPTS / 'linux-source', self.kernel)
            if command('cp', '-al', source, whole).returncode:
                # The cache is another file system.
                shutil.rmtree(whole, ignore_errors=True)
                run('cp', '-a', source, whole)
        for file in self.files:
            # The others may be links to the cache.
            (whole / file).unlink(missing_ok=True)
            if (self.repo / file).exists():
                (whole / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.repo / file, whole / file)
        return whole

    def image(self, number):
        """Build a small kernel: its options for smoke and vm"""
        self.checkout(number)
        source = self._overlay() if self.debian else self.repo
        out = self.work / 'kernel'
        out.mkdir(exist_ok=True)
        checked = (SCRIPTS / 'checked.config').read_text(encoding='ascii')
        config = [line for line in checked.splitlines()
                  if not line.startswith('CONFIG_PROC_SYSCTL=')]
        config.append((TOP / 'lab/tests/kernel.config').read_text(encoding='ascii'))
        (out / 'all').write_text('\n'.join(config), encoding='ascii')
        log = self.work / 'kernel.log'
        make(log, '-C', source, f'O={out}', f'KCONFIG_ALLCONFIG={out}/all', 'allnoconfig')
        make(log, '-C', source, f'O={out}', 'bzImage', 'modules')
        # The next state is built in the same place.
        kept = self.work / f'kernel-{number}'
        make(log, '-C', source, f'O={out}', f'INSTALL_MOD_PATH={kept}', 'modules_install')
        shutil.copy(out / 'arch/x86/boot/bzImage', kept)
        return ['-k', str(kept / 'bzImage'), '-K', str(kept)]
