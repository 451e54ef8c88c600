# SPDX-License-Identifier: GPL-2.0-only
"""scripts/kbuild and packaging/dkms.conf, with a makefile in place of a kernel's."""
import subprocess

import pytest


@pytest.fixture
def kernel(tmp_path):
    """A directory of kernel headers whose makefile writes what it is given into the module"""
    (tmp_path / 'include/config').mkdir(parents=True)
    (tmp_path / 'Makefile').write_text(
        'modules:\n\techo "$(origin LLVM) $(LLVM) $(CC)" > $(M)/module.ko\n', encoding='ascii')
    return tmp_path


@pytest.mark.parametrize('config, given, want', [
    ('CONFIG_CC_IS_GCC=y\n', [], 'undefined  cc'),
    ('CONFIG_CC_IS_CLANG=y\n', [], 'command line 1 cc'),
    ('CONFIG_CC_IS_CLANG=y\n', ['CC=clang-19'], 'undefined  clang-19')])
def test_compiler_is_the_kernels(top, kernel, config, given, want):
    (kernel / 'include/config/auto.conf').write_text(config, encoding='ascii')
    # Other variables build anew.
    for words in ([], given)[not given:]:
        subprocess.run([top / 'scripts/kbuild', top, kernel, kernel / 'out', *words], check=True)
    assert (kernel / 'out/module.ko').read_text(encoding='ascii').strip() == want


@pytest.mark.parametrize('config, llvm', [('CONFIG_CC_IS_GCC=y\n', False),
                                          ('CONFIG_CC_IS_CLANG=y\n', True)])
def test_dkms_uses_the_kernels_compiler(top, kernel, config, llvm):
    (kernel / 'include/config/auto.conf').write_text(config, encoding='ascii')
    make = subprocess.run(
        ['bash', '-ec', '. "$0"; echo "${MAKE[0]}"', top / 'packaging/dkms.conf'], check=True,
        env={'kernel_source_dir': str(kernel), 'PATH': '/usr/bin:/bin'},
        encoding='utf-8', stdout=subprocess.PIPE).stdout
    assert (' LLVM=1 ' in make) == llvm and make.rstrip().endswith(' modules')
