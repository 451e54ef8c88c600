# SPDX-License-Identifier: GPL-2.0-only
"""Groups of Linux's resctrl beside the sockets, over files of a fake /sys/fs/resctrl."""
import re
import shutil
import urllib.parse

import pytest

from fake_pmus import numbered, samples

pytestmark = pytest.mark.sanitizers
MB = 1000000


@pytest.fixture(params=['v3', 'v4'])
def later(uncorestat, generation, request):
    """uncorestat on two sockets, packages 0 (L3 cache 9) and 3 (8), with no group yet"""
    boxes = [*numbered('cbox', 2), 'ha_0', *numbered('imc', 4), 'pcu']
    uncorestat.machine = generation(request.param, boxes=boxes)
    return uncorestat


def add(files, **values):
    """A shell command that gives a group's files in both caches other values"""
    return '; '.join(f'echo {value} > {files}/mon_L3_{cache:02d}/{name}'
                     for name, both in values.items() for cache, value in zip((8, 9), both))


def totals(later, command, *options):
    """What a group's line has at the end of a command: {label: numbers}"""
    output = later.run('-g', 'resctrl', *options, '--', 'sh', '-c', command)
    assert output.code == 0, output.text
    return output


def test_groups_have_lines_below_their_sockets_which_have_their_sums(later):
    """A monitoring group is not counted twice."""
    groups = {'': 5, '/job': 1000, '/mon_groups/a': 7, '/job/mon_groups/b': 9}
    files = [later.machine.resctrl(path.lstrip('/'), mbm_total_bytes=start, mbm_local_bytes=start,
                                   llc_occupancy=3072000) for path, start in groups.items()]
    output = totals(later, '; '.join(
        add(file, mbm_total_bytes=(start + n * MB, start + 2 * n * MB),
            mbm_local_bytes=(start + MB, start + 2 * MB))
        for n, (file, start) in enumerate(zip(files, groups.values()), 3)))
    # The socket's line is the sum of two, beside its memory.
    for socket, times in (3, 1), (0, 2):
        for n, path in enumerate(groups, 3):
            assert output.line(f'S{socket} {path or "/"}') == (
                f'{n * times}.0 {times}.0 {(n - 1) * times}.0 3.1')
        assert output.line(f'S{socket}').split()[:4] == [
            f'{7 * times}.0', f'{2 * times}.0', f'{5 * times}.0', '6.1']
    assert len(output.line('S3').split()) == 6
    # Beside a group of columns that has sockets alone
    assert later.run('-n', 1, '-g', 'numa,resctrl').line('S3 /job')


def test_two_caches_in_a_socket_are_added(later):
    job = later.machine.resctrl('job', mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=2048000)
    (later.machine.cpus / 'cpu11/cache/index3/id').write_text('8\n')
    (later.machine.cpus / 'cpu1/cache/index3/id').write_text('10\n')
    shutil.copytree(job / 'mon_L3_08', job / 'mon_L3_10')
    (later.machine.cpus / 'cpu11/cache/index3/id').write_text('9\n')
    output = totals(later, f'{add(job, mbm_total_bytes=(MB, 0))}; '
                    f'echo {2 * MB} > {job}/mon_L3_10/mbm_total_bytes')
    assert output.line('S3 /job').split()[:4] == ['3.0', '0.0', '3.0', '4.1']


def test_group_without_bandwidth_has_its_occupancy(later, tmp_path):
    """Haswell counts no traffic. A level is a gauge for Prometheus."""
    later.machine.resctrl('job', llc_occupancy=10240000)
    later.run('-n', 2, '-g', 'resctrl', '--prometheus', tmp_path / 'prom')
    assert samples(tmp_path / 'prom')['uncorestat_resctrl_llc_mb{socket="0",box="/job"}'] == 10.24
    output = totals(later, 'sleep 0.01')
    assert output.line('S0 /job') == '- - - 10.2'
    assert 'this processor does not count mbm_total_bytes' in output.text


@pytest.mark.parametrize('name', ['a b', 'a"b', 'a\\b', 'a,b', 'a\x1b[31mb', 'a%b', 'ä', 'a<b>&c',
                                  'mon_x', 'a' * 200, '.a'])
def test_name_of_a_group_ends_no_field(later, name):
    later.machine.resctrl(name, mbm_total_bytes=0, mbm_local_bytes=0, llc_occupancy=0)
    args = '-n', 1, '-m', 'resctrl_total', '--per', 'resctrl'
    boxes = {row['box'] for row in later.run('--json', *args).json()} - {'/'}
    assert len(boxes) == 1 and urllib.parse.unquote(*boxes) == '/' + name
    assert not re.search(r'["\\,<>&]', *boxes)
    table = later.run(*args).text
    assert table.isascii() and table.replace('\n', '').isprintable()


def test_long_names_are_told_apart_by_their_ends(later):
    for n in 1, 2:
        later.machine.resctrl(f'slurm_job_with_a_very_long_name_{n}', mbm_total_bytes=0)
    output = later.run('-n', 1, '-m', 'resctrl_total', '--per', 'resctrl')
    assert output.line('S0 ..rm_job_with_a_very_long_name_1') == '0.000'


def test_more_groups_than_a_run_has_room_for_are_a_note(later):
    for n in range(515):
        later.machine.resctrl(f'g{n}', mbm_total_bytes=0)
    output = later.run('-n', 2, '-m', 'resctrl_total', '--per', 'resctrl', '--csv')
    assert output.code == 0 and output.text.count('more groups than a run can have') == 2


def test_service_has_room_for_the_groups_of_months(later, tmp_path):
    """Those that are gone make it, and counters begin anew."""
    root = later.machine.resctrl(mbm_total_bytes=MB).parent
    for n in range(511):
        shutil.copytree(root / 'mon_data', root / f'g{n}/mon_data')
    file = tmp_path / 'file'
    with later.start('-i', 1, '-m', 'resctrl_total', '--prometheus', file, '--per', 'resctrl',
                     out=tmp_path / 'out') as running:
        running.step(1)
        assert 'S0 /g510' in running.text
        for n in range(511):
            (root / f'g{n}').rename(tmp_path / f'g{n}')
        later.machine.resctrl('late', mbm_total_bytes=0)
        running.step(4)
        text = file.read_text()
        assert 'box="/late"' in text and 'box="/"' in text and 'box="/g' not in text
        (root / 'mon_data/mon_L3_08/mbm_total_bytes').write_text(f'{5 * MB}\n')
        running.step(1)
        assert f'socket="3",box="/"}} {4 * MB}' in file.read_text()
        output = running.stop()
    assert output.code == 0 and 'more groups than a run' not in output.text


def test_groups_that_are_found_at_the_end_have_not_been_counted(later, tmp_path):
    groups = later.machine.resctrl(mbm_total_bytes=0).parent
    for n in range(40):
        later.machine.resctrl(f'job{n}', mbm_total_bytes=0)
        (groups / f'job{n}').rename(tmp_path / f'job{n}')
    output = totals(later, f'mv {tmp_path}/job* {groups}', '--summary', '--svg', tmp_path / 'svg')
    assert '/job39' not in output.text and '~' not in output.text


@pytest.mark.parametrize('mounted, reason', [
    (False, r'mount it \(mount -t resctrl resctrl /sys/fs/resctrl\)'),
    (None, 'CONFIG_X86_CPU_RESCTRL')])
def test_without_groups_a_dash_and_how_to_get_them(later, mounted, reason):
    if mounted is not None:
        later.machine.root.joinpath('sys/fs/resctrl').mkdir(parents=True)
    output = later.run('-n', 1, '-m', 'resctrl_total')
    assert re.search(reason, output.text) and output.line('S0') == '-'
    later.run('-n', 1, '-g', 'resctrl', '--per', 'resctrl').advises(f'.*{reason}.*')


def test_earlier_processors_say_what_counts_instead(uncorestat):
    uncorestat.run('-n', 1, '-g', 'resctrl').advises('.*offcore events count its reads.*')
    assert 'only v3 and v4' in uncorestat.run('-n', 1, '-m', 'resctrl_total').text
