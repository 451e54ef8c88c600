# SPDX-License-Identifier: GPL-2.0-only
"""Which box counts which events: every box has a few counters, and all want to be used."""
import collections
import resource

import pytest

from fake_pmus import LOOKUPS, MISSES, PCIE, PCIE_READ, PCIE_WRITE, PCIE_WRITE_NOALLOC


def groups(opened):
    """The events of each group of the CPU's boxes: (box, group) -> [Opened]"""
    found = collections.defaultdict(list)
    for event in opened:
        found[event.box, event.group].append(event)
    return found


def slices(opened, cpu=0):
    """What each slice of a socket counts: (event, opcode) of its events"""
    found = collections.defaultdict(list)
    for event in opened:
        if event.cpu == cpu and event.box.startswith('cbox'):
            found[event.box].append((event.config, event.config1 if event.config == PCIE else 0))
    return found


def test_default_has_lookups_in_all_slices_misses_in_half_and_an_opcode_in_each_other(uncorestat):
    uncorestat.run('-n', 1)
    found = slices(uncorestat.machine.opened())
    assert all(events.count((LOOKUPS, 0)) == 1 for events in found.values())
    assert [[event for event in found[f'cbox_{i}'] if event[0] != LOOKUPS] for i in range(8)] == [
        [(MISSES, 0)], [(PCIE, PCIE_READ)], [(MISSES, 0)], [(PCIE, PCIE_WRITE)],
        [(MISSES, 0)], [(PCIE, PCIE_WRITE_NOALLOC)], [(MISSES, 0)], [(PCIE, PCIE_READ)]]


def test_group_llc_has_misses_in_all_slices(uncorestat):
    uncorestat.run('-n', 1, '-g', 'llc')
    found = slices(uncorestat.machine.opened(), cpu=10)
    assert len(found) == 8 and all((MISSES, 0) in events for events in found.values())


def test_no_group_has_two_values_of_a_filter(uncorestat):
    uncorestat.run('-n', 1, '-m', 'pcie_read,cbox_cyc_used_upeven,pcie_uc_read')
    opened = [event for event in uncorestat.machine.opened() if event.config == PCIE]
    assert len(opened) >= 8
    assert all(len({event.config1 for event in group}) == 1 for group in groups(opened).values())


def test_no_group_has_two_values_of_a_filter_of_which_one_begins_with_the_other(uncorestat):
    output = uncorestat.run('-n', 1, '-m', 'llc_lookup,cbox_llc_drd_miss_pct')
    assert '*' in output.text and '~' not in output.text


def test_two_names_of_the_fixed_counter_are_one_event(uncorestat):
    """Two would take turns, as the counter has no other place."""
    uncorestat.run('-n', 1, '-m', 'mem_util,imc_pct_cycles_ppd,x=[imc:clockticks]')
    assert [event.config for event in uncorestat.machine.opened()
            if event.box == 'imc_0' and event.cpu == 0].count(0xff) == 1


def test_event_moves_off_the_only_counter_of_another(uncorestat):
    output = uncorestat.run('-n', 1, '-m', 'llc_miss,cbox_avg_ingress_depth')
    assert output.code == 0 and '*' not in output.line('S0') and '~' not in output.line('S0')


def test_more_events_than_the_soft_limit_of_open_files(uncorestat):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    output = uncorestat.run('-n', 1, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, (40, hard)))
    assert output.code == 0, output.text


def test_six_slices_are_a_smaller_processor_half_of_which_count_misses(uncorestat):
    machine = uncorestat.machine
    machine.remove('cbox_[67]')
    machine.rate('*', MISSES, 1000000)
    output = uncorestat.run('-n', 1)
    assert output.line('S0').split()[4] == '6.00*' and 'of 8 cbox' not in output.text
    found = slices(machine.opened())
    assert sum((MISSES, 0) in events for events in found.values()) == 3


@pytest.mark.parametrize('slices, multiplexed', [(2, True), (4, False)])
def test_fewer_slices_than_sets_of_events_are_multiplexed(uncorestat, slices, multiplexed):
    uncorestat.machine.remove(f'cbox_[{slices}-7]')
    uncorestat.run('-n', 1)
    opened = [event for event in uncorestat.machine.opened()
              if event.cpu == 0 and event.box.startswith('cbox')]
    assert (len(groups(opened)) > slices) == multiplexed
