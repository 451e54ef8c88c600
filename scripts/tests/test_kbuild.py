# SPDX-License-Identifier: GPL-2.0-only
"""scripts/kbuild and packaging/dkms.conf, with a makefile in place of a kernel's."""
import os
import re
import subprocess
import time

import pytest


@pytest.fixture
def kernel(tmp_path):
    """A directory of kernel headers whose makefile writes what it is given into the module"""
    (tmp_path / 'include/config').mkdir(parents=True)
    (tmp_path / 'Makefile').write_text(
        'modules:\n\techo "$(origin LLVM) $(LLVM) $(CC) $(KCFLAGS)" > $(M)/module.ko\n')
    return tmp_path


@pytest.mark.parametrize('config, given, want', [
    ('CONFIG_CC_IS_GCC=y\n', [], 'undefined  cc'),
    ('CONFIG_CC_IS_CLANG=y\n', [], 'command line 1 cc'),
    ('CONFIG_CC_IS_CLANG=y\n', ['CC=clang-19'], 'undefined  clang-19')])
def test_compiler_is_the_kernels(run, top, kernel, config, given, want):
    (kernel / 'include/config/auto.conf').write_text(config, encoding='ascii')
    # Other variables build anew.
    for words in ([], given)[not given:]:
        subprocess.run([top / 'scripts/kbuild', top, kernel, kernel / 'out', *words], check=True)
    assert (kernel / 'out/module.ko').read_text(encoding='ascii') == (
        f'{want} -ffile-prefix-map={kernel}/out/=\n')
    assert (kernel / 'out/VERSION').read_text() == run(top / 'scripts/version').stdout
    make = run(['bash', '-ec', '. "$0"; echo "${MAKE[0]}"', top / 'packaging/dkms.conf'],
               env={'kernel_source_dir': str(kernel), 'PATH': '/usr/bin:/bin'}).stdout
    assert (' LLVM=1 ' in make) == ('CLANG' in config) and make.endswith(' modules\n')


def test_modules_are_built_anew_only_for_a_change_and_of_the_sources_alone(run, top, tmp_path):
    source, kdir, out = (tmp_path / name for name in ('source', 'kernel', 'out'))
    for name in ('Kbuild', 'x.c', 'sub/x.h', 'n.def', 'x.mod.c', 'build/y.c', 'tests/z.c', 'x.txt',
                 'sub/Makefile', '../kernel/Makefile', '../other/Kbuild', '../other/x.c'):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text('obj-$(CONFIG_X1) := x.o\n')
    rules = 'modules:\n\t@echo x.c:1: warning: w; echo >> ../calls; {}\n'
    (kdir / 'Makefile').write_text(rules.format('touch $(M)/x.ko; cp -L $(M)/x.c $(M)/seen'))

    def built(*words, source=source, status=0):
        """Whether something was built, and what was said"""
        (tmp_path / 'calls').write_text('')
        done = run([top / 'scripts/kbuild', source, kdir, out, *words])
        assert done.returncode == status, done.stdout
        assert status or (out / 'x.ko').exists()
        return bool((tmp_path / 'calls').read_text()), done.stdout

    def touch(path, text='2'):
        time.sleep(0.02)
        path.write_text(text)

    yes, no = (True, 'x.c:1: warning: w\n'), (False, '')
    assert built() == yes
    links = {str(path.relative_to(out)) for path in out.rglob('*') if path.is_symlink()}
    assert links == {'Kbuild', 'x.c', 'sub/x.h', 'n.def'}
    for name in 'x.txt', 'build/y.c':
        assert built() == no
        touch(source / name)
    for change in (lambda: touch(source / 'sub/x.h'), lambda: touch(source / 'new.h'),
                   lambda: (source / 'new.h').unlink(), lambda: touch(source / 'x.c'),
                   lambda: os.utime(kdir / 'Makefile', (1, 1)), lambda: os.utime(kdir, (1, 1))):
        change()
        assert (built(), built()) == (yes, no)
    assert not (out / 'new.h').is_symlink() and (out / 'seen').read_text() == '2'
    for words, directory in (['A=1'], source), ([], tmp_path / 'other'), ([], source):
        (out / 'old.o').touch()
        for want in yes, no:
            assert built(*words, source=directory) == want
        assert not (out / 'old.o').exists()
    # So are those after a change meanwhile, or a failure.
    touch(kdir / 'Makefile', rules.format('sleep 0.02; touch $(M)/x.c $(M)/x.ko'))
    assert built() == built() == yes
    touch(kdir / 'Makefile', rules.format('echo bad; false'))
    for _ in range(2):
        assert re.search(f'\nbad\n(.*\n)*kbuild: the modules of {source} do not build against '
                         f'{kdir}\n', built(status=1)[1])
    touch(kdir / 'Makefile', rules.format('true'))
    assert built(status=1)[1].endswith(
        f'kbuild: {source}/Kbuild builds no module, but may with CONFIG_X1=m in the environment\n')
    for words, said in (((source, tmp_path), 'kbuild: there are no kernel headers at'),
                        ((tmp_path, kdir), 'kbuild: no Kbuild in')):
        done = run([top / 'scripts/kbuild', *words, out])
        assert done.returncode == 1 and done.stdout.startswith(said)
