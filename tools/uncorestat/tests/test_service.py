# SPDX-License-Identifier: GPL-2.0-only
"""node_exporter, which is neither root nor the service's user, reads the service's file."""
import configparser
import json
import pathlib
import shutil
import subprocess
import tempfile

import pytest


@pytest.fixture
def unit(top):
    """Settings of the service, of which the last one of a name counts"""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(top / 'tools/uncorestat/uncorestat.service')
    return parser['Service']


@pytest.fixture
def runtime_directory(unit):
    """/run/uncorestat, as systemd makes it"""
    base = pathlib.Path(tempfile.mkdtemp())
    base.chmod(0o755)
    directory = base / unit['RuntimeDirectory']
    directory.mkdir()
    directory.chmod(int(unit.get('RuntimeDirectoryMode', '0755'), 8))
    yield directory
    shutil.rmtree(base)


def test_link_to_the_units_file_is_in_the_directory_that_it_asks_for_and_goes(unit):
    file = unit['ExecStart'].split()[-1]
    assert file == f'%t/{unit["RuntimeDirectory"]}/uncore.prom'
    link = unit.parser['Unit']['AssertPathIsDirectory'] + '/uncore.prom'
    assert unit['ExecStartPre'] == f'+/bin/ln -sfT {file} {link}'
    assert unit['ExecStopPost'] == f'+/bin/rm -f {link}'


def test_image_runs_what_the_unit_runs(unit, top):
    text = (top / 'tools/uncorestat/Containerfile').read_text()
    options = unit['ExecStart'].split()[1:-2]
    assert f"ENTRYPOINT {json.dumps(['/uncorestat', *options, '--listen'])}\n" in text


def test_capabilities_are_what_the_kernels_ask_for_and_no_more(unit):
    """Upstream's CAP_PERFMON, and Debian's CAP_SYS_ADMIN: see denial() of machine.c"""
    assert unit['AmbientCapabilities'] == unit['CapabilityBoundingSet'] == \
        'CAP_PERFMON CAP_SYS_ADMIN'


@pytest.mark.root
def test_user_other_than_root_and_the_owner_reads_the_services_file(busy, unit, runtime_directory):
    """Each interval's file replaces the last one."""
    # With -n it stays.
    file = runtime_directory / 'uncore.prom'
    command = unit['ExecStart'].replace('%t/uncorestat', str(runtime_directory)).split()
    assert command[:3] == ['/usr/bin/uncorestat', '-i', '15'] and '/dev/null' in command
    for intervals in 1, 3:
        output = busy.run('-n', intervals, *command[3:], umask=int(unit.get('UMask', '0022'), 8))
        assert output.code == 0
        read = subprocess.run(['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups',
                               'cat', file], check=False, encoding='utf-8',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert read.returncode == 0, read.stdout
        assert 'uncorestat_mem_read_bytes_total' in read.stdout
