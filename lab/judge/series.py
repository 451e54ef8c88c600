# SPDX-License-Identifier: GPL-2.0-only
"""A series of patches on its base: the states of the source, and what is built of each."""
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import tempfile
from collections.abc import Iterable

from . import mails
from .process import (SCRIPTS, SOMEBODY, TOP, CouldNot, DoesNotBuild, Sandbox, command, git, read,
                      run, take)

EVENTS = 'arch/x86/events'
LISTS = 'tools/perf/pmu-events/arch/x86'
# What is built alone, what is not code, and what takes a kernel: the first pattern that fits
PARTS = [(EVENTS + '/intel/uncore*', 'module'), ('tools/perf/*', 'perf'), ('tools/lib/*', 'perf'),
         ('tools/*', None), ('Documentation/*', None), ('MAINTAINERS', None), ('*', 'kernel')]
# What a tree of Linux has: a patch may make another directory
TOPS = set('arch block certs crypto drivers fs include init io_uring ipc kernel lib mm net rust '
           'samples scripts security sound tools usr virt'.split())
# perf on libc alone, which any guest can run
PERF = ['LDFLAGS=-static', 'WERROR=0'] + [f'NO_{name}=1' for name in (
    'LIBELF LIBDW LIBUNWIND LIBTRACEEVENT LIBPYTHON LIBPERL SLANG GTK2 LIBCRYPTO LIBBPF BPF_SKEL '
    'LIBNUMA LIBAUDIT JVMTI LIBPFM4 LIBCAP LIBZSTD LZMA ZLIB BACKTRACE DEMANGLE LIBBABELTRACE '
    'LIBDEBUGINFOD CAPSTONE LIBLLVM SDT RUST').split()]

# The arcs that gcov.c writes; the driver's end is called by its own.
GCOV = ('-fprofile-arcs -ftest-coverage -fprofile-update=atomic '
        '-fprofile-info-section=gcov_objects -Dcleanup_module=driver_cleanup')


def part_of(path: str) -> str | None:
    """What a file is a part of: module, perf, kernel or None"""
    return next(part for pattern, part in PARTS if fnmatch.fnmatch(path, pattern))


def objects_of(makefile: str) -> list[str]:
    """What intel_uncore is linked of: a series may add a line"""
    lines = re.findall(r'^intel-uncore-(?:objs|y)\s*[:+]?=((?:.*\\\n)*.*)', makefile, re.M)
    return ' '.join(lines).replace('\\\n', ' ').split()


def check_names(paths: Iterable[str]) -> None:
    """CouldNot if a name of a stranger could be an option, another path or several words"""
    for path in sorted(paths):
        names = path.split('/')
        if not all(re.fullmatch('[A-Za-z0-9._+-]+', name) for name in names) or \
                {'.', '..', '.git', '.gitattributes', '.lfsconfig'} & {*names} or path[0] == '-':
            raise CouldNot(f'a patch is of a file that no tree of Linux has: {path}', 'no-series')


class Series:
    """The commits of a series in a repository of its own; state 0 is the base."""

    def __init__(self, what: str, tree: str | None, kernel: str, work: pathlib.Path,
                 sandbox: Sandbox | None = None, build_kernel: bool = False):
        # A kernel of the caller's own is a directory.
        self.own = pathlib.Path(kernel) if '/' in kernel else None
        self.kernel = 'newest' if self.own else kernel
        self.tree = tree
        self.work = work
        self.sandbox = sandbox
        self.build_kernel = build_kernel
        self.repo = work / 'linux'
        self.debian = self.base = None
        self.notes: list[str] = []
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
        log = [line for line in git(self.repo, 'log', '--reverse', '--format=%H %s',
                                    f'{self.base}..HEAD').split('\n') if line]
        self.commits = [self.base] + [line.partition(' ')[0] for line in log]
        self.subjects = ['the base'] + [line.partition(' ')[2] for line in log]
        if not log:
            raise CouldNot(f'{what} changes nothing', 'not-for-the-lab')
        changes = git(self.repo, 'log', '--no-renames', '--raw', '--format=',
                      '--diff-merges=first-parent', f'{self.base}..HEAD')
        for mode, path in re.findall(r'^:\d+ (\d+) .*?\t(.*)', changes, re.M):
            check_names([path])
            if mode not in ('100644', '100755', '000000'):
                raise CouldNot(f'a patch makes a link or a repository: {path}', 'no-series')
        self.files = git(self.repo, 'diff', '--name-only', '--no-renames', self.base,
                         'HEAD').splitlines()
        self.parts = {part_of(file) for file in self.files} - {None}
        if build_kernel and 'module' in self.parts:
            self.parts = self.parts - {'module'} | {'kernel'}

    def base_name(self) -> str:
        """The base by a name that stays: Debian's version, or the commit"""
        return self.debian_version() if self.debian else f'commit {self.base}'

    def stock(self) -> list[str]:
        """The options of smoke and vm for the kernel as it is"""
        if self.own:
            return ['-k', str(self.own / 'vmlinuz'), '-K', str(self.own)]
        return ['-k', self.kernel]

    def patches(self) -> list[bytes]:
        """The diffs of the commits"""
        return [git(self.repo, 'show', '--no-ext-diff', '--format=', commit).encode()
                for commit in self.commits[1:]]

    def debian_version(self) -> str:
        return run(SCRIPTS / 'linux-source', '-v', self.kernel)

    def _apply(self, what, tree):
        try:
            patches, self.notes = mails.read(what, self.work)
            touched = set().union(*(mail.files(self.work) for mail in patches))
        except mails.NoSeries as error:
            raise CouldNot(error, 'no-series') from error
        check_names(touched)
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
        last = self.work / 'last'
        last.write_bytes(patches[-1].patch)
        if not command('git', '-C', self.repo, 'apply', '--check', '-R', last).returncode:
            raise CouldNot(f'{base} has the series already', 'already-merged')
        alone = ''.join(f'{note}; ' for note in self.notes if note.endswith(' alone'))
        raise CouldNot(f'git am, on {base}: {why} ({alone}-t: a tree; -k: another kernel of '
                       'scripts/kernels)', 'does-not-apply')

    def _repository(self, touched):
        """A repository of Debian's source: the driver, and the files that patches touch"""
        tops = {path.split('/')[0] for path in touched if part_of(path)} & TOPS
        self.debian = source = pathlib.Path(run(SCRIPTS / 'linux-source', self.kernel, EVENTS,
                                                'kernel/events', *sorted(tops)))
        self.repo.mkdir()
        shutil.copytree(source / EVENTS, self.repo / EVENTS)
        for path in touched:
            if (source / path).is_file() and not (self.repo / path).exists():
                (self.repo / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source / path, self.repo / path)
        git(self.repo, 'init', '-q')
        git(self.repo, 'add', '-A', '-f')
        git(self.repo, 'commit', '-q', '-m', self.debian_version())
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
        if {part_of(path) for path in touched} <= {'module', None} and not self.build_kernel:
            git(self.repo, 'sparse-checkout', 'set', '--no-cone', f'/{EVENTS}/',
                *(f'/{path}' for path in sorted(touched)))
        git(self.repo, 'checkout', '-q', '--detach', commit)
        self.base = commit

    def _compare_tree(self, tree):
        """A tree as it is, as one change of Debian's source"""
        self._repository(set())
        shutil.rmtree(self.repo / EVENTS)
        shutil.copytree(tree / EVENTS, self.repo / EVENTS,
                        symlinks=True, ignore=shutil.ignore_patterns('*.o', '.*'))
        git(self.repo, 'add', '-A', '-f')
        git(self.repo, 'commit', '-q', '--allow-empty', '-m', f'{EVENTS} of {tree}')

    def _range(self, what, tree):
        first, dots, last = what.lstrip('-').partition('..')
        if not dots:
            first, last = what + '^', what
        try:
            last = git(tree, 'rev-parse', '--verify', '-q', (last or 'HEAD') + '^{commit}')
            first = git(tree, 'merge-base', first or 'HEAD', last)
        except CouldNot:
            shallow = command('git', '-C', tree, 'rev-parse', '--is-shallow-repository').stdout
            raise CouldNot(f'{what} is no file, and no range of commits in {tree}' + (
                ', a shallow clone: git fetch --unshallow' if shallow == 'true\n' else ''),
                'no-series') from None
        touched = git(tree, 'diff', '--name-only', '--no-renames', first, last).splitlines()
        check_names(touched)
        self._clone(tree, last, touched)
        self.base = first

    def checkout(self, number: int) -> None:
        git(self.repo, 'checkout', '-q', '-f', self.commits[number])

    def _headers(self) -> pathlib.Path:
        return (self.own or pathlib.Path(run(SCRIPTS / 'kernel', self.kernel))) / 'build'

    def tools(self) -> list[pathlib.Path]:
        """What a build of a module is shown: headers, and the compiler of the kernel's suite"""
        build = self._headers()
        # The caller's own may be one of the cache, too.
        return [build.parent, build.resolve(), *self.cache().parent.glob('root')]

    def gcov(self) -> str:
        """The gcov of the kernel's compiler"""
        build = self._headers()
        path = re.match(r'export PATH := (.*?):', read(build / 'Makefile'))
        version = re.search(r'gcc(-\d+)$', read((build / '.kernelvariables').resolve()), re.M)
        return f'{path[1] if path else "/usr/bin"}/gcov{version[1] if version else ""}'

    def module(self, number: int, gcov: bool = False) -> pathlib.Path:
        """Build intel_uncore for the kernel: the directory of its .ko"""
        self.checkout(number)
        # What an earlier one left, its makefiles may have made such that it cannot be removed.
        built = pathlib.Path(tempfile.mkdtemp(prefix='built', dir=self.work))
        events = built / EVENTS
        (events / 'intel').mkdir(parents=True)
        for file in (self.repo / EVENTS).glob('*.h'):
            shutil.copy(file, events, follow_symlinks=False)
        for file in (self.repo / EVENTS / 'intel').glob('uncore*.[ch]'):
            shutil.copy(file, events / 'intel', follow_symlinks=False)
        makefile = (self.repo / EVENTS / 'intel/Makefile').read_text(encoding='utf-8')
        objects = objects_of(makefile)
        if not objects:
            raise CouldNot(f'{EVENTS}/intel/Makefile has no intel-uncore', 'not-for-the-lab')
        check_names(objects)
        objects = [f'{EVENTS}/intel/{name}' for name in objects]
        lines = ['obj-m := intel-uncore.o',
                 f'intel-uncore-y := {"gcov.o" if gcov else ""} {" ".join(objects)}']
        if gcov:
            shutil.copy(TOP / 'lab/judge/gcov.c', built)
            lines += [f'CFLAGS_gcov.o := -DN_OBJECTS={len(objects)}',
                      *(f'CFLAGS_{name} := {GCOV}' for name in objects)]
        (built / 'Kbuild').write_text('\n'.join(lines) + '\n', encoding='utf-8')
        try:
            self.sandbox.make(self.work / 'module.log', '-C', self._headers(), f'M={built}',
                              f'KCFLAGS=-ffile-prefix-map={built}/=', 'modules',
                              shown=self.tools(), written=[built])
        except DoesNotBuild as error:
            why = f"\n(with the headers of -k {self.kernel}; -K builds the tree's own kernel)"
            raise DoesNotBuild(f'{error}{why if self.tree else ""}') from error
        ready = self.work / f'{"gcov" if gcov else "module"}-{number}'
        ready.mkdir()
        for name in ['intel-uncore.ko', *(name[:-1] + 'gcno' for name in objects if gcov)]:
            take(built, name, ready / os.path.basename(name))
        return ready

    def cache(self) -> pathlib.Path:
        """Where the results of bases are kept: the cache, which is the caller's own"""
        directory = pathlib.Path(run(SCRIPTS / 'kernel', self.kernel)).parents[1] / 'lab'
        directory.mkdir(mode=0o700, exist_ok=True)
        return directory

    def key(self) -> str:
        """What the results of the base depend on"""
        kernel = run(SCRIPTS / 'kernel', self.kernel)
        own = self.own and (self.own / 'vmlinuz').stat()
        changed = own and (own.st_mtime_ns, own.st_size)
        digest = hashlib.sha256(f'{kernel} {changed} {sorted(self.parts)} '.encode())
        tree = self.debian_version() if self.debian else git(self.repo, 'rev-parse',
                                                             f'{self.base}^{{tree}}')
        digest.update(tree.encode())
        for root in TOP / 'machine/xeon', TOP / 'lab', TOP / 'scripts':
            for file in sorted(root.rglob('*')):
                if file.is_file() and '__pycache__' not in file.parts:
                    digest.update(f'{file.relative_to(root)}\0'.encode() + file.read_bytes())
        return digest.hexdigest()[:16]

    def perf(self, number: int) -> tuple[pathlib.Path, pathlib.Path]:
        """Build the perf tool, static: a directory for the guest's root, and one of its lists"""
        self.checkout(number)
        source = self._overlay() if self.debian else self.repo
        out = self.work / 'perf'
        root, lists = (self.work / f'{name}-{number}' for name in ('perf', 'lists'))
        out.mkdir(exist_ok=True)
        self.sandbox.make(self.work / 'perf.log', '-C', source / 'tools/perf', f'O={out}', *PERF,
                          out / 'perf', shown=[source], written=[out])
        (root / 'usr/bin').mkdir(parents=True)
        take(out, 'perf', root / 'usr/bin/perf')
        shutil.copytree(source / LISTS, lists / LISTS, symlinks=True)
        return root, lists

    def _overlay(self):
        """Debian's whole source with the files of this state"""
        whole = self.work / 'whole'
        if not whole.exists():
            source = run(SCRIPTS / 'linux-source', self.kernel)
            if command('cp', '-al', '--', source, whole).returncode:
                # The cache is another file system.
                shutil.rmtree(whole, ignore_errors=True)
                run('cp', '-a', '--', source, whole)
        # A file may have become a directory, or the other way round.
        for file in map(whole.joinpath, reversed(self.files)):
            # The others may be links to the cache.
            if file.is_dir():
                shutil.rmtree(file)
            elif os.path.lexists(file):
                file.unlink()
        for file in self.files:
            if (self.repo / file).is_file():
                (whole / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.repo / file, whole / file, follow_symlinks=False)
        return whole

    def image(self, number: int) -> list[str]:
        """Build a small kernel, from that of the base: its options for smoke and vm"""
        out, kept = self.work / 'kernel', self.work / f'kernel-{number}'
        first = not out.exists()
        base = self.cache() / f'kernel-{self.key()}'
        kept.mkdir()
        if not self.debian and first:
            # What is newer than the objects of the base is compiled.
            self.checkout(0)
            run('find', self.repo, '-type', 'f', '-not', '-path', '*/.git/*', '-exec', 'touch',
                '-d', '@1', '{}', '+')
            # Without, the next checkout would write all files.
            git(self.repo, 'update-index', '-q', '--refresh')
        self.checkout(number)
        source = self._overlay() if self.debian else self.repo
        if first and base.exists():
            run('cp', '-a', '--', base, out)
        out.mkdir(exist_ok=True)
        checked = (SCRIPTS / 'checked.config').read_text(encoding='ascii')
        config = [line for line in checked.splitlines()
                  if not line.startswith('CONFIG_PROC_SYSCTL=')]
        config.append((TOP / 'lab/tests/kernel.config').read_text(encoding='ascii'))
        (self.work / 'all').write_text('\n'.join(config), encoding='ascii')
        tree, built, modules, options = (self.sandbox.place(path, name) for path, name in (
            (source, '/linux'), (out, '/out'), (kept, '/kept'), (self.work / 'all', '/all')))
        for words in ([f'KCONFIG_ALLCONFIG={options[1]}', 'allnoconfig'], ['bzImage', 'modules'],
                      [f'INSTALL_MOD_PATH={modules[1]}', 'modules_install']):
            self.sandbox.make(self.work / 'kernel.log', '-C', tree[1], f'O={built[1]}', *words,
                              shown=[tree, options], written=[built, modules])
        # The next state is built in the same place.
        take(out, 'arch/x86/boot/bzImage', kept / 'bzImage')
        # What a series may have made is not kept.
        if number == 0 and first and not base.exists():
            part = base.with_suffix(f'.{os.getpid()}')
            run('cp', '-a', '--', out, part)
            part.rename(base)
        return ['-k', str(kept / 'bzImage'), '-K', str(kept)]
