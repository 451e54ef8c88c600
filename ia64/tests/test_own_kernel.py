# SPDX-License-Identifier: GPL-2.0-only
"""The lines of ia64/itanium_ia64.rst that configure the kernel of one's own system."""
import pathlib
import re
import subprocess

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.seconds(60)]


def test_the_lines_of_the_page_configure_what_a_distribution_asks_for(top, tmp_path):
    page = (top / 'ia64/itanium_ia64.rst').read_text(encoding='utf-8')
    block = re.search(r'^  sudo apt-get install linux-source-6\.1\n(.*\n)*?.*olddefconfig\n', page,
                      flags=re.M).group(0)
    tarball = pathlib.Path(subprocess.run([top / 'scripts/linux-source', '6.1'], check=True,
                                          encoding='utf-8', stdout=subprocess.PIPE).stdout.strip())
    # The host's compiler answers the questions of Kconfig, too.
    for old, new in (
            ('  sudo apt-get install linux-source-6.1\n', ''),
            ('$(ia64/linux/toolchain)', ''),
            ('/tmp/linux', f'{tmp_path}/linux'),
            ('/usr/src/linux-source-6.1.tar.xz', f'{tarball.parent}/tarball')):
        assert old in block
        block = block.replace(old, new)
    done = subprocess.run(['sh', '-euc', block], cwd=top, check=False, encoding='utf-8',
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout[-3000:]
    config = (tmp_path / 'linux/.config').read_text(encoding='ascii').splitlines()
    wanted = (top / 'ia64/linux/config-system').read_text(encoding='ascii').splitlines()
    wanted = [line for line in wanted if line.startswith('CONFIG_')]
    assert len(wanted) > 10
    assert not [line for line in wanted if line not in config]
    # ... and the drivers of disks and networks that the architecture's own configuration has
    for option in 'CONFIG_SCSI_SYM53C8XX_2', 'CONFIG_TIGON3', 'CONFIG_EXT4_FS':
        assert any(line in (f'{option}=y', f'{option}=m') for line in config), option
