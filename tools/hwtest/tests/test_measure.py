# SPDX-License-Identifier: GPL-2.0-only
"""uncore-hwtest-measure over fake machines: packages, cores, nodes, clocks and idle traffic."""
import pathlib
import re

import pytest

from fake_xeon import PMC, FakeXeon, Measure

PLAIN = {
    'packages': (0, 2), 'cores': (0, 0, 1, 1), 'nodes': (1, 3), 'buses': ('7f', 'ff'),
    'qpi': ((2, 3), (4, 5)), 'pmcs': 4, 'ubox_bits': 48, 'uclk': 2000,
    'dclk': (800, 533.33), 'idle': 0.5}
MACHINES = [
    PLAIN,
    # Threads and buses in another order, an idle machine that is not quite idle
    {'packages': (0, 1), 'cores': (62, 63, 62, 63), 'nodes': (7, 1), 'buses': ('ff', '7f'),
     'qpi': ((6, 7), (2, 3)), 'pmcs': 8, 'ubox_bits': 44, 'uclk': 2999,
     'dclk': (933.33, 400), 'idle': 1.4}]
# Boxes that are asked whether they count after a reset
RESET = 'cbox_0', 'ha', 'imc_0', 'pcu', 'qpi_0', 'r2pcie', 'r3qpi_0'
SOCKETS = [0, 1]


def clock_of(box):
    return {'imc': 'DRAM', 'pcu': 'PCU', 'qpi': 'QPI'}.get(box.partition('_')[0], 'uncore')


@pytest.fixture(scope='session')
def measure(built):
    return Measure(built, pathlib.Path(__file__).parent)


@pytest.fixture(scope='module', params=[
    pytest.param(machine, marks=pytest.mark.xdist_group(f'hwtest-{i}'),
                 id='packages {}, {}'.format(*machine['packages']))
    for i, machine in enumerate(MACHINES)])
def machine(request, tmp_path_factory):
    """A machine that follows the guide"""
    return FakeXeon(tmp_path_factory.mktemp('machine'), **request.param)


@pytest.fixture(scope='module')
def report(measure, machine):
    """All questions to it, registers written"""
    return measure(machine, '-w', '-s', 'stimulus')


@pytest.fixture
def fake_xeon(tmp_path):
    """Makes a machine as PLAIN, or with other values."""
    return lambda **values: FakeXeon(tmp_path / 'machine', **PLAIN | values)


def test_machine_that_follows_the_guide_passes(report):
    assert report.failures() == []
    report.assert_has(r'^1\.\.[1-9]')


def test_clocks_are_measured(report, machine):
    rates = report.matches(r'^ok .* the uncore clock of 13 boxes .*: ([0-9.]+) to ')
    assert [float(rate) for rate in rates] == pytest.approx([machine.uclk] * 2, rel=0.01)


@pytest.mark.parametrize('nth', SOCKETS)
def test_facts_of_a_socket_are_looked_for_by_its_package(report, machine, nth):
    socket, node = machine.packages[nth], machine.nodes[nth]
    report.assert_has(
        rf'^# socket {socket}: 2 cores online',
        rf"bit {node} of filter_nid stands for node {node} of socket {socket}'s UBox")


def test_sockets_read_each_others_memory(report, machine):
    first, second = machine.packages
    report.assert_has(
        rf'ok .* socket {first} reading the memory of socket {second}: .* eight for a line: 8\.000',
        rf'ok .* socket {second} reading the memory of socket {first}: '
        r"reads from the other socket's memory: (0\.9|1\.0)")


def test_first_socket_answers_what_is_asked_once(report):
    report.assert_has(
        r"of the Home Agent's filter_opc let reads through \(0x1\): it counts what is equal")


def test_each_kind_of_counter_moves_and_has_the_width_of_the_tables(report):
    assert len(report.lines(r'^ok .* counter of \w+ has \d+ bits, as the guide says')) == 8


def test_fixed_counter_of_the_ubox_has_one_of_the_two_widths_in_the_guide(report, machine):
    place = {48: r'section 2\.2\.2', 44: 'the field in table 2-5'}[machine.ubox_bits]
    report.assert_has(
        rf'question: the fixed counter of ubox has {machine.ubox_bits} bits, as in {place}')


def test_core_of_eight_counters_shows_which_count_offcore_events(report, machine):
    report.assert_has('question: .*PMC4 to 7: they count on PMC0 to 3 alone' if machine.pmcs == 8
                      else 'offcore response events on PMC4 to 7 # SKIP could not be told: '
                           'the core has four counters')


def test_nothing_that_a_readable_register_answers_is_skipped(report, machine):
    assert len(report.lines('SKIP')) == (machine.pmcs == 4), report.lines('SKIP')


@pytest.mark.parametrize('stopped, nth, slow', [
    (('cbox_0', 'imc_0'), 0, ('cbox_7', 'imc_0')), (('ha', 'pcu'), 1, ('r3qpi_1', 'pcu')),
    (('r2pcie', 'qpi_0'), 0, ('ubox', 'qpi_1')), (('r3qpi_0', 'imc_3'), 1, ('ha', 'imc_2'))])
def test_clocks_that_stopped_or_are_too_slow_fail_and_no_others(
        fake_xeon, measure, stopped, nth, slow):
    machine = fake_xeon()
    for boxes, socket, factor in (stopped, nth, 0), (slow, 1 - nth, 0.97):
        for box in boxes:
            machine.slow(box, socket, factor)
    expected = [f'socket {machine.packages[socket]}: the {clock_of(box)} clock'
                for boxes, socket in ((stopped, nth), (slow, 1 - nth)) for box in boxes]
    expected += [f'socket {machine.packages[nth]}: {box} counts'
                 for box in stopped if box in RESET]
    # Traffic is compared with these clocks.
    failures = [line for line in measure(machine, '-s', 'stimulus').failures()
                if ' the memory of ' not in line]
    assert sorted(re.match(r'not ok \d+ - (socket \d: .*? (?:clock|counts))\b', line)[1]
                  for line in failures) == sorted(expected)


def test_node_filter_that_lets_reads_of_all_nodes_through_fails(fake_xeon, measure):
    machine = fake_xeon()
    (machine.root / 'any-node').touch()
    first, second = measure(machine, '-s', 'stimulus').failures()
    assert 'question: bit 1 of filter_nid stands for node 1 of socket 0' in first
    assert 'question: bit 3 of filter_nid stands for node 3 of socket 2' in second


def test_offcore_events_on_a_counter_above_pmc3_fail(fake_xeon, measure):
    machine = fake_xeon(pmcs=8)
    machine.fixed.remove(('dev/cpu/0/msr', PMC + 4, 0x800000000000))
    machine.moving.append(('dev/cpu/0/msr', PMC + 4, 48))
    machine.write()
    failure, = measure(machine, '-s', 'stimulus').failures()
    assert 'question: offcore response events on PMC4 to 7: they count there, too' in failure


@pytest.mark.parametrize('near, far', [(2, 1), (61, 60)])
def test_each_sockets_first_cpu_reads_memory_of_each_sockets_node(fake_xeon, measure, near, far):
    machine = fake_xeon()
    machine.node_of_cpu(near, 0)
    machine.node_of_cpu(far, 10)
    measure(machine, '-s', 'program', '-b', 1)
    log = (machine.root / 'log').read_text().splitlines()
    assert log[0] == f'CPU 0, nodes {1 << near:#x}'
    assert set(log) == {f'CPU {cpu}, nodes {1 << node:#x}'
                        for cpu in (0, 10) for node in (near, far)}


def test_node_that_sockets_share_is_named(fake_xeon, measure):
    machine = fake_xeon()
    machine.node_of_cpu(2, 0, 10)
    measure(machine, '-s', 'program', '-b', 1).assert_has(
        'SKIP could not be told: socket 0 has no NUMA node of its own',
        'SKIP could not be told: socket 2 has no NUMA node')


def test_box_without_a_pmu_fails_if_its_registers_are_there(fake_xeon, measure):
    machine = fake_xeon()
    machine.remove('qpi_1')
    machine.remove('r3qpi_?')
    machine.remove_function('09.6')
    measure(machine, '-s', 'program', '-b', 1).assert_has(
        r'^not ok .* socket 0: a PMU for each box whose registers are there, '
        r'but not for qpi_1 r3qpi_0$',
        r'^ok .* socket 0: boxes r3qpi_1 # SKIP could not be told: hidden by the BIOS',
        r'^ok .* socket 0: function 6 of the QPI ports has the packet filters: ids 3c86 and 0$')
