# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables that are refused; the newest Linux counts on a table of one's own."""
import pytest

# Gaps in types and ids, units of one die, PCI units at different offsets, three dies
ODD = '''
msr   17   0    *    0x2100         2  44  0x4   0x10
msr   17   3-4  *    0x2200+0x40    2  44  0x4   0x10
mmio  300  1-2  *    0x3000+0x9000  3  36  0x20  0x80  step=8
pci   5    0    *    12.0:0x438     2  40  0x30  0x8
pci   5    6    *    14.3:0x600     2  40  0x30  0x8
mmio  40   0    2    0x40000        2  32  0x40  0x8
msr   41   2    1    0x2f00         1  48  0x2   0x8
'''
# PMU, unit, width, and the counts of its dies
ODD_COUNTS = '''\
type_17_0 type_17_0 44 S0,1000 S1,1001 S2,1002
type_17_3 type_17_3 44 S0,1000 S1,1001 S2,1002
type_17_4 type_17_4 44 S0,1000 S1,1001 S2,1002
type_300_1 type_300_1 36 S0,1000 S1,1001 S2,1002
type_300_2 type_300_2 36 S0,1000 S1,1001 S2,1002
type_5_0 type_5_0 40 S0,1000 S1,1001 S2,1002
type_5_6 type_5_6 40 S0,1000 S1,1001 S2,1002
type_40 type_40_0 32 S2,1002
type_41 type_41_2 48 S1,1001
'''


@pytest.fixture
def units(tmp_path):
    """A file of units: its option"""
    def option(text):
        (tmp_path / 'row').write_bytes(text.encode('latin-1'))
        return f'units={tmp_path}/row'

    return option


def test_row_is_refused_with_its_number_and_a_reason(stopped, units):
    """reference/discovery-test.c has all rows that are refused."""
    assert "row:2: access is msr, mmio or pci, not 'io'" in stopped.refusal(
        units('\nio 1 0 * 0x2000 4 48 2 8\n'))


@pytest.mark.parametrize('text, reason', [
    ('pci 1 0 * 30.0:0x400 4 48 0x30 8\n', "function 30.0 is another device's"),
    ('msr 1 0 * 0x2000 4 48 2 8\n\0pci\n', 'row is no text'),
    ('', 'has no unit of the first die')], ids=['taken function', 'no text', 'empty'])
def test_table_is_refused_with_a_reason(stopped, units, text, reason):
    assert reason in stopped.refusal(units(text))


@pytest.mark.parametrize('options, reason', [
    ('units=/no/units', 'no file /no/units'),
    ('generation=discovery noise=on', 'noise=on is for the E5-2600'),
    ('generation=discovery seed=3', 'seed draws nothing')])
def test_option_is_refused_with_a_reason(stopped, options, reason):
    assert reason in stopped.refusal(*options.split())


def test_newest_linux_counts_exactly_on_units_with_gaps_and_on_three_dies(vm, units, tmp_path):
    (tmp_path / 'guest').mkdir()
    (tmp_path / 'guest/expected').write_text(ODD_COUNTS)
    # From counters that are about to wrap at their width
    done = vm('''
        while read -r pmu unit width dies; do
            for die in $dies; do
                die=${die#S} && die=${die%,*}
                for ctr in 0 1 2; do
                    uncore-stim -s $die set $unit ctr=$ctr,value=$(((1 << width) - 500)) \\
                        2> /tmp/none
                done
                echo "-s $die $unit event=0x35,umask=0x4,count=$((1000 + die))"
            done > /tmp/events
            perf stat -a --per-socket -x, -o /tmp/stat -e uncore_$pmu/event=0x35,umask=0x4/ -- \\
                uncore-stim -f /tmp/events
            echo $pmu $unit $width $(grep ^S /tmp/stat | cut -d, -f1,3)
        done < /expected
        uncore-stim checker''', '-W', '-k', 'newest', '-s', '3', '-m', 'intel_uncore',
              '-o', units(ODD), '-f', tmp_path / 'guest')
    assert (done.returncode, done.stdout) == (0, ODD_COUNTS)
