# SPDX-License-Identifier: GPL-2.0-only
"""Which box counts which events: every box has a few counters, and all want to be used."""
import resource

import pytest

from fake_pmus import LOOKUPS, MISSES, PCIE, PCIE_READ, PCIE_WRITE, PCIE_WRITE_NOALLOC


# What each slice of a socket counts besides lookups: a miss, or a PCIe request of an opcode
MISS, READ, WRITE, NOALLOC = (MISSES, 0), (PCIE, PCIE_READ), (PCIE, PCIE_WRITE), (
    PCIE, PCIE_WRITE_NOALLOC)


@pytest.mark.parametrize('args, count, events', [
    ('-g default', 8, [MISS, READ, MISS, WRITE, MISS, NOALLOC, MISS, READ]),
    ('-g default', 6, [MISS, READ, MISS, WRITE, MISS, NOALLOC]), ('-g llc', 8, [MISS] * 8)])
def test_slices_count_lookups_and_share_what_is_sampled(uncorestat, args, count, events):
    """Fewer slices are a smaller processor."""
    machine = uncorestat.machine
    machine.remove(f'cbox_[{count}-7]')
    machine.rate('*', MISSES, 1000000)
    output = uncorestat.run('-n', 1, *args.split())
    # A number for all slices of those that count it
    assert f'{count}.00{"*" * (events.count(MISS) < count)}' in output.line('S0').split()
    assert 'of 8 cbox' not in output.text
    opened = machine.opened()
    for cpu in 0, 10:
        found = [[(event.config, event.config1 if event.config == PCIE else 0) for event in opened
                  if event.cpu == cpu and event.box == f'cbox_{n}'] for n in range(count)]
        assert [sorted(one) for one in found] == [sorted([(LOOKUPS, 0), one]) for one in events]


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


@pytest.mark.parametrize('slices, multiplexed', [(2, True), (4, False)])
def test_fewer_slices_than_sets_of_events_are_multiplexed(uncorestat, slices, multiplexed):
    uncorestat.machine.remove(f'cbox_[{slices}-7]')
    uncorestat.run('-n', 1)
    opened = {(event.box, event.group) for event in uncorestat.machine.opened()
              if event.cpu == 0 and event.box.startswith('cbox')}
    assert (len(opened) > slices) == multiplexed
