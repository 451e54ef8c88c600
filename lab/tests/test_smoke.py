# SPDX-License-Identifier: GPL-2.0-only
"""The smoke test of Linux's own driver on stock kernels: what fails is known, and fails."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import ktap
from judge import lists, machine, smoke
from judge.known import explain, known
from judge.machine import generations

TOP = pathlib.Path(__file__).parent.parent.parent
SMOKE = TOP / 'lab/smoke'


def run_smoke(*options):
    return subprocess.run([SMOKE / 'smoke', *options], check=False, capture_output=True, text=True)


def stock(generation, name, part='', seconds=0):
    marks = [pytest.mark.ci, pytest.mark.seconds(seconds)] if seconds else pytest.mark.slow
    return pytest.param(generation, name, part, marks=marks)


# Of the first generation, but for the results of each unit and those of a crash
RESULTS = """loads/loads again/no PMU has more boxes than the machine/a group
six events are multiplexed on four counters/an event goes with its CPU, and comes to another
a carry between the halves of a PCI counter
occ_edge is the edge of the occupancy, and leaves occ_sel alone/its PMUs go with the driver
unloaded and loaded again, it counts
imc_0: the other socket counts while a whole socket goes offline
imc_0: both sockets count when it is back/the events of a socket come back to its first CPU
events that came back to their CPU are multiplexed there
no timer that rotates events is left after unload/unloads while others open software events
perf counts on the other socket while a function is unbound/unbound and bound again, it counts
perf counts on the other socket while a function is removed
removed and found by a rescan, it counts/counts survive suspend to RAM"""


@pytest.mark.lab
@pytest.mark.timeout(7200)
@pytest.mark.parametrize('generation, name, part', [
    stock(generation, *row) for generation in generations() for row in (
        [('newest', '', 70)] if generation in ('1', 'discovery') else
        [('newest', 'basic', 15), ('newest', '', 0)]) + [('6.1', '', 0)]])
def test_what_fails_on_a_stock_kernel_is_known_and_what_is_known_fails(
        generation, name, part, kernel):
    run = run_smoke('-o', f'generation={generation}', '-k', name, '-p', part)
    parts = ktap.parse(run.stdout.splitlines())
    assert not parts.faults and run.returncode == 1, run.stderr
    rows = known(generation, (kernel(name) / 'release').read_text().strip())
    failed = [test.name for test in parts.failures()]
    assert [name for name in failed if not explain(name, rows)] == [], run.stdout
    said = [test.name for one in parts.children for test in one.children]
    # Those two are races.
    patches = {patch for name in said for patch in explain(name, rows)} - {'core/1', 'stable-6.1/1'}
    assert patches <= {patch for name in failed for patch in explain(name, rows)}
    if (generation, part) == ('1', ''):
        assert {*RESULTS.replace('\n', '/').split('/')} <= {
            name.removeprefix('intel_uncore ') for name in said}


@pytest.mark.parametrize('generation', generations())
def test_each_pmu_is_judged_by_its_fields_its_width_and_its_counters(generation):
    # uncore-verify looks at socket 0.
    first = {}
    for unit in machine.units(generation):
        if unit.socket != '1':
            first.setdefault(unit.kind(), unit.pmu)
    rows = {}
    for row in machine.rows(generation, lists.counters(generation)):
        rows.setdefault(row.split()[0], set()).add(row.split()[2])
    assert first and {name: {'field', 'width', 'counters'} - rows.get(name, set())
                      for name in first.values()} == {name: set() for name in first.values()}


def test_unit_that_is_mapped_into_memory_is_one():
    for name, *_, units in machine.table(machine.XEON / 'qemu/generations'):
        rows = [] if units == '-' else list(machine.table(machine.XEON / 'discovery' / units))
        mapped = {word.removeprefix('name=') for row in rows if row[0] == 'mmio'
                  for word in [*row[7:], f'type_{row[1]}']}
        found = smoke.MAPPED.get(name, '')
        assert found.rpartition('_')[0] in mapped | {''} and bool(found) == bool(mapped), name
        assert not found or found in {unit.pmu for unit in machine.units(name)}


def test_counters_are_the_same_by_the_file_that_make_dist_has(monkeypatch, tmp_path):
    made = tmp_path / 'counters'
    subprocess.run(['/usr/bin/python3', '-m', 'judge.lists', made], cwd=TOP / 'lab', check=True)
    found = {name: lists.counters(name) for name in lists.NAMES}
    monkeypatch.setattr(lists, 'MADE', made)
    assert {name: lists.counters(name) for name in lists.NAMES} == found
    assert set(generations()) - lists.NAMES.keys() == {'discovery', 'dmr'}
    for rows in found.values():
        for row, more in zip(rows, rows[1:]):
            assert len(row) == 3 + 16 or row[::2][:2] != more[::2][:2], 'events are left out'
    # From the guide: a ring's events on two counters, one of a CBox that only counter 0 has
    assert ['cbox', 'counters', '0', '0x11/0x4', '0x36/0x8'] in found['1']


def test_known_faults_have_their_patch():
    linux = TOP / 'lab/linux'
    for file in linux.glob('*/known'):
        for line in file.read_text(encoding='utf-8').splitlines():
            if not line.startswith('#'):
                assert len(list(file.parent.glob(line.split()[0] + '-*.patch'))) == 1, line


def in_guest(tmp_path, names, commands):
    """What commands print with functions of in-guest, whose /tmp and /sys are our directory"""
    text = (SMOKE / 'in-guest').read_text(encoding='utf-8')
    script = ''.join(text[text.index(f'\n{name}()'):].partition('\n}\n')[0] + '\n}\n'
                     for name in names) + commands
    (tmp_path / 'uncore-stim').write_text('#!/bin/sh\n[ ! "$said" ] || echo "$said" | tr / "\\n"\n')
    (tmp_path / 'uncore-stim').chmod(0o755)
    done = subprocess.run(
        ['sh', '-c', re.sub('/(tmp|sys)/', f'{tmp_path}/', script)], check=True,
        env={**os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}'}, stdout=subprocess.PIPE,
        text=True)
    return ktap.parse(done.stdout.splitlines()).children


def test_socket_without_its_count_fails_with_what_perf_said(tmp_path):
    """perf's message of a bad event has no newline."""
    cases = [('S0,1,7 S1,1,8', '7 8', True), ('S0,1,7', '7 8', False), ('S1,1,8', '7 8', False),
             ('S0,1,7', '7 -', True), ('S0,1,7 S1,1,8', '7 -', False),
             ('S0,1,7 S1,1,9 S1,1,8', '7 8', False)]
    *tests, last = in_guest(
        tmp_path, ('ok', 'count', 'counted', 'judge'),
        'perf() { echo "$rows" | tr " " "\\n" > /tmp/stat; printf end; }\n' + ''.join(
            f'rows="{rows}"; counted x {counts} event\n' for rows, counts, _ in cases)
        + 'ok 1 last')
    assert [test.good for test in tests] == [good for *_, good in cases]
    assert tests[1].diagnostics[1:] == ['S0,1,7', 'end'] and not last.diagnostics


def test_multiplexing_other_units_and_wrong_accesses_are_seen(tmp_path):
    devices = tmp_path / 'bus/event_source/devices'
    for name in 'uncore_imc_0', 'uncore_imc_1', 'uncore_imc_free_running_0', 'cpu', 'x_cbox':
        (devices / name).mkdir(parents=True)
    row, cases = '300,,e,99,{},,', []
    for rows, good in (([row.format(50)] * 6, 0), ([row.format(50)] * 5, 1),
                       ([row.format(50)] * 5 + [row.format('100.00')], 1),
                       ([row.format(50)] * 5 + ['0,,e,99,50,,'], 1),
                       ([row.format(50)] * 5 + [row.format('0.00')], 1),
                       ([row.format(50)] * 5 + ['<not counted>,,e,0,50,,'], 1)):
        cases.append((f'rows="{" ".join(rows)}"; ran x; ok $? ran', [good]))
    for units, more, left in ('imc_0 imc_1', 0, 1), ('imc_0', 1, 1), ('cbox ha', 0, 1), (
            'box_0 ha', 0, 0):
        lines = units.replace(' ', ' x - y\n') + ' x - y'
        cases += [(f"units='{lines}'; no_more", [more]), ('none; ok $? none', [left])]
    cases += [(f'export said="{said}"; generation={generation}; checker', good)
              for generation, said, good in (
                  ('spr', '', [0, 0]), ('spr', 'a box=none b/a box=imc', [1, 1]),
                  ('spr', 'a box=none b', [0, 1]), ('spr', 'a box=imc', [1, 0]),
                  ('1', 'a box=none b', []))]
    tests = in_guest(
        tmp_path, ('ok', 'pmu', 'none', 'no_more', 'checker', 'ran'),
        'perf() { echo "$rows" | tr " " "\\n" > /tmp/stat; }\n'
        + '\n'.join(command for command, _ in cases))
    assert [int(not test.good) for test in tests] == [bad for _, good in cases for bad in good]


def test_unit_of_each_kind_counts_while_a_socket_is_offline(tmp_path):
    tests = in_guest(
        tmp_path, ('ok', 'pmu', 'socket_offline'),
        'load() { :; }\nonlines() { :; }\nsleep() { :; }\ncounts() { ok 0 "$1"; }\n'
        'perf() { echo "S0,1,$count," > /tmp/stat; }\n'
        "units='box_0 box - a\nimc_0 imc - b\ncha_0 cha - c'; unit=box_0; mmio=imc_0\n"
        'for count in 5 7; do socket_offline; done')
    assert [(test.name.split(':')[0], test.good) for test in tests] == [
        (name, good) for first in (True, False) for name in ('imc_0', 'box_0')
        for good in (first, True)]


QUIET, BASIC = 'the kernel has no complaint', 'basic: counting, sysfs, groups, hotplug, unload'
NONE = "intel_uncore knows this processor's PMUs"


# Options of smoke, those of vm, the variables of the guest, and what it says
@pytest.mark.parametrize('options, words, names, said, results', [
    ('-o generation=3 -k newest -p basic -l DIR',
     '-c 2 -k newest -c 18 -o cores=18 -a maxcpus=2 -o generation=3 -l DIR/3-basic.log',
     'generation=3 driver=intel_uncore part=basic own= mmio= cores=18 place=14.0', 'ok - a',
     f'  ok 1 - a/  ok 2 - basic: {QUIET}/ok 1 - {BASIC}'),
    ('-p unbind -m mine -K mods -k k -b B -o generation=2',
     '-c 2 -k k -K mods -b B -a slab_debug=P&slub_debug=P -o generation=2',
     'generation=2 driver=mine part=unbind own= mmio= cores= place=10.4',
     'ok - a # SKIP why/not ok - b!', '  ok 1 - a # SKIP why/  not ok 2 - b/  # oops/  not ok 3 - '
     f"unbind: {QUIET}/not ok 1 - unbind: a box's function is unbound while it counts"),
    ('-p basic -o board=server-v4-ones',
     '-c 2 -c 24 -o cores=24 -a maxcpus=2 -o board=server-v4-ones',
     'generation=4 driver=intel_uncore part=basic own= mmio= cores=24 place=14.0', 'ok - a!',
     f'  ok 1 - a/  # oops/  not ok 2 - basic: {QUIET}/not ok 1 - {BASIC}'),
    ('-o generation=spr&hide=1', '-c 2 -o generation=spr&hide=1',
     'generation=spr driver=intel_uncore part=basic own= mmio=imc_0 cores= place=',
     f'not ok - {NONE}', f'  not ok 1 - {NONE}/  ok 2 - basic: {QUIET}/not ok 1 - {BASIC}'
     + ''.join(f"/ok {number} - {part}: {smoke.PARTS[part][0]} # SKIP this kernel's intel_uncore "
               'knows no PMU of generation spr' for number, part in enumerate(
                   [part for part in smoke.PARTS if part not in ('basic', 'rebind', 'unbind')],
                   2)))])
def test_part_runs_in_the_machine_with_its_options_and_says_its_results(
        monkeypatch, capsys, tmp_path, options, words, names, said, results):
    real, boots = smoke.command, []

    def boot(*given):
        if given[0] == 'make':
            return real(*given)
        boots.append([str(word) for word in given])
        root = pathlib.Path(boots[-1][boots[-1].index('-f') + 1])
        rows = (root / 'usr/share/uncore-verify').read_text('ascii').splitlines()
        assert rows == machine.rows(names[11:].split()[0], lists.counters(names[11:].split()[0]))
        assert os.access(root / 'usr/bin/uncore-verify', os.X_OK)
        bad = said[-1] == '!'
        return subprocess.CompletedProcess(given, bad, said.strip('!').replace('/', '\n'),
                                           'oops\n' * 50 * bad)
    monkeypatch.setattr(smoke, 'command', boot)
    split = lambda text: [word.replace('&', ' ').replace('DIR', str(tmp_path))
                          for word in text.split()]
    monkeypatch.setattr(sys, 'argv', ['smoke', *split(options)])
    assert smoke.main() == ('not ok' in results)
    (vm, *given, script), = boots
    assert given == ['-W', '-t', '300', '-o', 'spare=intel_uncore', '-f', given[6], *split(words),
                     '--'] and vm.endswith('machine/xeon/vm/vm')
    made, _, rest = script.partition('; # SPDX')
    assert rest.endswith((SMOKE / 'in-guest').read_text('utf-8')[6:])
    *given, units = shlex.split(made)
    assert given == names.split(' ')
    assert units == 'units=' + '\n'.join(
        ' '.join(unit.__dict__.values()) for unit in machine.units(names[11:].split()[0]))
    said = re.sub(r'(  # oops/){40}', '  # oops/', re.sub(
        r'^ *(KTAP|1\.\.).*\n', '', capsys.readouterr().out, flags=re.M).replace('\n', '/'))
    assert said == results + '/'


@pytest.mark.parametrize('options, code, text', [
    (['-x'], 2, 'usage: smoke '),
    (['-p', 'nothing'], 2, 'smoke: generation 1 has no part nothing: it has basic socket-offline '
     'rotate-offline rotate-unload unload-while-opening interval rebind unbind suspend-to-ram\n'),
    (['-p', 'rebind', '-o', 'generation=spr'], 2, 'smoke: generation spr has no part rebind: '),
    (['-p', '-', '-o', 'board=server-v4-ones'], 2, 'smoke: generation 4 has no part'),
    (['-p', '-', '-o', 'generation=2 board=server'], 2, 'smoke: generation 2 has no part'),
    (['-p', '-', '-o', 'board=server-v4-ones board=server'], 2, 'smoke: generation 1 has no part'),
    (['-o', 'generation=none'], 2, 'smoke: there is no generation none: the machine has 1 2 3'),
    (['-o', 'units=bad'], 2, 'smoke: bad:2: no row of units'),
    (['-o', 'units=many'], 2, 'smoke: many:1: no row of units'),
    (['-o', 'units=bad generation=spr'], 2, 'smoke: the names of units=FILE are those of')])
def test_mistake_is_refused_at_once(options, code, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'many').write_text('msr 1 0-4999999999 * 0x2000+1 4 48 0x2 0x8', encoding='ascii')
    (tmp_path / 'bad').write_text('msr 1 0 * 0x2000 4 48 0x2 0x8\nmsr 1 x\n', encoding='ascii')
    run = run_smoke(*options)
    assert run.returncode == code and run.stderr.startswith(text), run.stderr


def test_units_of_ones_own_are_judged_by_what_all_have(tmp_path):
    (tmp_path / 'my.units').write_text(
        '# access type ids dies address counters width control counter\n'
        'msr  7 0-1 0-1 0x2000+0x20 6 44 0x4 0xc clock=1000\nmsr 7 3 * 0x2060 6 44 0x4 0xc\n'
        'pci  10 1 1 12.1:0x438 2 40 0x30 0x8\nmsr 5 0 0 0x3400 2 40 0x2 0x8\n'
        'msr - 0 * 0x340e 1 48 - 0 name=x\n',
        encoding='ascii')
    judged = smoke.Smoke([f'units={tmp_path}/my.units'], [])
    assert [(unit.pmu, unit.stim, unit.socket) for unit in judged.units] == [
        ('type_7_0', 'type_7_0', '-'), ('type_7_1', 'type_7_1', '-'), ('type_7_3', 'type_7_3', '-'),
        ('type_10', 'type_10_1', '1'), ('type_5', 'type_5_0', '0')]
    assert 'type_7_0 type_7_0 counters 0,1,2,3,4,5 0x4/0x3' in judged.rows
    assert 'type_5 type_5_0 width 40 0x4 0x3' in judged.rows and len(judged.rows) == 12
    assert 'basic' in judged.parts() and 'rebind' not in judged.parts()


@pytest.mark.ci
@pytest.mark.seconds(60)
def test_units_of_ones_own_count_exactly(tmp_path):
    text = (TOP / 'machine/xeon/discovery/discovery.units').read_text(encoding='ascii')
    (tmp_path / 'own').write_text(text.replace('msr      0 ', 'msr      77 '), encoding='ascii')
    run = run_smoke('-k', 'newest', '-p', 'basic', '-o', f'units={tmp_path}/own')
    assert 'uncore_type_77_3 counts exactly' in run.stdout
    assert not re.search('not ok .*(counts exactly|is CTL|counter [0-9])', run.stdout), run.stdout


# The PMUs of the E5-2600 of eight cores, but the SBoxes
E5 = {'ubox', 'pcu', 'ha_0', 'irp', 'r2pcie', *(f'{box}_{n}' for box, number in (
    ('cbox', 8), ('imc', 4), ('qpi', 2), ('r3qpi', 2)) for n in range(number))}


@pytest.mark.ci
@pytest.mark.seconds(20)
@pytest.mark.parametrize('options, sboxes', [
    ('generation=2', 0), ('generation=3', 4), ('generation=3 sboxes=2', 2), ('generation=4', 4),
    ('generation=4 sboxes=2', 0)])
def test_linux_finds_all_pmus_of_an_e5(vm, options, sboxes):
    """SBoxes by CAPID4; the IRP on another bus than the rest, with a CPU of its socket"""
    done = vm('cd /sys/bus/event_source/devices && echo uncore_* && cat uncore_irp/cpumask && '
              'cd /sys/bus/pci/devices && cat 0000:00:05.6/class 0000:80:05.6/class',
              '-k', 'newest', '-m', 'intel_uncore', '-c', '8',
              *(word for option in options.split() for word in ('-o', option)))
    pmus, *rest = done.stdout.splitlines()
    assert {pmu.removeprefix('uncore_') for pmu in pmus.split()} == E5 | {
        f'sbox_{n}' for n in range(sboxes)}
    assert rest == ['0,8', '0x110100', '0x110100']
