# SPDX-License-Identifier: GPL-2.0-or-later
"""Drawing by seed is repeatable; args.sh and QEMU refuse wrong values. What each variant does,
reference/uncore-variant-test.c and test_model.py have."""
import re

import pytest

# The machine without a seed, as it describes itself
PERMISSIVE = '''
seed=0 generation=1 cores=8 cbos=8 core-ids=0 packages=0,1 nodes=0,1 buses=7f,ff hide= qpi-rate=5,5
uclk=2000 dclk=800 noise=off wo=back pcu-ext=stick pcu-filter=at-once ubox-fixed=48
missing-cbos=fault firmware=clean ctl-en=back sboxes=4
phantom-imc=hidden
'''
# What some seed draws: each value of each trait that can be drawn
DRAWN = '''
noise=on noise=off wo=back wo=zero pcu-ext=stick pcu-ext=drop pcu-ext=fault pcu-filter=at-once
pcu-filter=transition ubox-fixed=48 ubox-fixed=44
missing-cbos=fault missing-cbos=zero firmware=clean firmware=careless cores=6 cores=8
packages=0,1 packages=0,2 buses=7f,ff buses=ff,7f buses=3f,7f buses=7f,3f buses=1f,3f buses=3f,1f
hide=0e.0 hide=08.2,08.6,09.2,09.6 hide=08.6,09.6 hide=08.2,08.6,09.2,09.6,10.4
core-ids=0,1 core-ids=0,5 qpi-rate=3s,4 pmi=latched pmi=level
'''
BUSES = 'buses is a bus of its own, 1 to ff, for each of 2 sockets, not '


def test_machine_without_a_seed_is_the_permissive_one(stopped):
    assert stopped.rows('variant')[0] == PERMISSIVE.split()


# Seeds that between them draw each value of each trait, and each rate and mode of a QPI port
@pytest.fixture(scope='module', params=[1, 5, 9, 19, 21, 50, 4294967295])
def drawn(request, stopped):
    """The machine of a seed, as it describes itself, what args.sh says that it draws, the seed"""
    rows, said = stopped.rows('variant', f'seed={request.param}')
    return rows, re.search(rf'^args.sh: seed={request.param} draws (.*)', said, re.M)[1].split(), \
        request.param


def test_machine_of_a_seed_has_what_args_sh_draws(drawn):
    rows, draws, _ = drawn
    # pmi is not of the uncore, whose variant this is. One value holds for both sockets.
    missing = [draw for draw in draws if draw.partition('=')[0] != 'pmi' and not
               {draw, f'{draw},{draw.partition("=")[2]}'} & set(rows)]
    assert draws and missing == []


def test_seed_makes_the_same_machine_again(stopped, drawn):
    rows, _, seed = drawn
    assert stopped.rows('variant', f'seed={seed}')[0] == rows


def test_description_makes_the_same_machine_without_the_seed(stopped, drawn):
    rows = [row for row in drawn[0] if not row.startswith('seed=')]
    again = stopped.rows('variant', *rows)[0]
    assert [row for row in again if not row.startswith('seed=')] == rows


def test_description_has_all_cores_of_the_largest_die(stopped):
    rows, _ = stopped.rows('variant', 'generation=4', 'cores=24', shape='1 24')
    assert f'core-ids={",".join(map(str, range(24)))}' in rows


@pytest.fixture(scope='module')
def sixty(args_sh):
    """What args.sh draws for each of 60 seeds, each of which makes a machine"""
    runs = [args_sh(f'seed={seed}') for seed in range(1, 61)]
    assert [run.returncode for run in runs] == [0] * 60
    return {draw for run in runs for draw in run.stderr.split()}


def test_sixty_seeds_draw_every_trait_one_way_and_the_other(sixty):
    assert set(DRAWN.split()) - sixty == set()


def test_no_seed_draws_noise_that_a_driver_would_write_back(sixty):
    assert 'wo=noise' not in sixty


def test_given_value_is_not_drawn_and_changes_no_other(args_sh):
    draws = args_sh('seed=2', 'noise=off').stderr
    assert ' noise=' not in draws and ' pcu-filter=transition ' in draws


def test_what_breaks_intel_uncore_is_spared(args_sh):
    draws = ''.join(args_sh(f'seed={seed}', 'spare=intel_uncore').stderr
                    for seed in range(1, 21))
    assert not re.search('noise=|wo=|hide=', draws) and 'firmware=careless' in draws


def test_function_is_hidden_on_one_socket_alone(args_sh):
    done = args_sh('hide=1:8.2,9.2')
    places = re.findall(r'addr=(0[89]\.2),.*socket=(\d)', done.stdout)
    assert done.returncode == 0 and places == [('08.2', '0')], done.stderr


def test_random_seed_is_printed(args_sh):
    first, second = (args_sh('seed=random').stderr for _ in range(2))
    assert re.search('^args.sh: seed=[1-9][0-9]* draws ', first, re.M) and first != second


@pytest.mark.parametrize('options, reason', [
    ('frobnicate=1', "no option 'frobnicate=1'"),
    ('frobnicate=1', 'without arguments lists the options'),
    ('noise=loud', "noise is one of off, on, not 'loud'"),
    ('pcu-ext=x', "pcu-ext is one of stick, drop, fault, not 'x'"),
    ('nodes=1', 'nodes: one for each of 2 sockets'),
    ('nodes=1,8', "nodes: '8' is not a number of its own"),
    ('nodes=1,1', "nodes: '1' is not a number of its own"),
    ('nodes=-8,1', "nodes: '-8' is not a number of its own"),
    ('numa=on', 'numa=on wants memory='),
    ('packages=0,0', 'packages is 2 ascending numbers from 0 to 7'),
    ('packages=1,2', 'packages is 2 ascending numbers from 0 to 7, the first one 0, not'),
    ('packages=0,1,2', 'packages is 2 ascending numbers'),
    ('packages=0,x', 'packages is 2 ascending numbers'),
    ('packages=0,8', 'packages is 2 ascending numbers'),
    ('packages=0,02', 'packages is 2 ascending numbers'),
    ('core-ids=8', 'core-ids is 1 ascending numbers from 0 to 7'),
    *((f'buses={buses}', f"{BUSES}'{buses}'") for buses in (
        '3f,3f', '3f,100', '0,3f', '3f', '1f,3f,7f', '1f,3F', '3f,7f,', ',3f')),
    ('qpi-rate=8', 'qpi-rate is 2 (5.6 GT/s) to 7'),
    ('qpi-rate=5x', 'qpi-rate is 2 (5.6 GT/s) to 7'),
    ('qpi-rate=5,5,5', 'qpi-rate is 2 (5.6 GT/s) to 7'),
    ('generation=5', "discovery spr emr gnr dmr skx clx icx snr, not '5'"),
    ('generation=2 traffic', 'traffic is for the first'),
    ('traffic threads=2 memory=64', 'a core has one thread'),
    ('traffic=on', "no option 'traffic=on'"),
    ('memory=1', 'memory is 2 to 1048576, not 1'),
    ('traffic', '2 sockets has 2 memory nodes, not 0'),
    # Memory that is not written needs no host memory.
    ('traffic memory=34816', 'a socket has at most 16 GiB, not 17'),
    ('seed=x', "seed is a number, not 'x'"),
    ('memory=0768', "memory is a number, not '0768'"),
    ('cores=08', "cores is a number, not '08'"),
    ('seed=99999999999999999999', "seed is a number, not '99999999999999999999'"),
    ('hide=*', 'has no function *;'),
    ('hide=16.4', 'no function 16.4; it has, with hexadecimal device numbers as lspci writes them,'
                  ' 08.0'),
    ('sboxes=2 generation=2', 'sboxes=2 is for generations 3 and 4'),
    ('sboxes=3 generation=3', "sboxes is one of 4, 2, not '3'"),
    ('phantom-imc=ones', 'phantom-imc is for generations 3 and 4'),
    ('device=montecito-pmu,cpus=2,bus=pcie.0',
     "two devices of the machine have the command 'montecito'"),
    ('spare=foo', "nothing is known of foo's assumptions")])
def test_wrong_value_is_refused(stopped, options, reason):
    assert reason in stopped.refusal(*options.split())
