# SPDX-License-Identifier: GPL-2.0-only
"""The smoke test of Linux's own driver on stock kernels: what fails is known, and fails."""
import pathlib
import re
import subprocess

import pytest

import ktap
import lists
from known import explain, known
from runs import generations

TOP = pathlib.Path(__file__).parent.parent.parent
SMOKE = TOP / 'lab/smoke'


def smoke(*options):
    return subprocess.run([SMOKE / 'smoke', *options], check=False, capture_output=True, text=True)


@pytest.mark.lab
@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize('name', ['newest', '6.1'])
@pytest.mark.parametrize('generation', generations())
def test_what_fails_on_a_stock_kernel_is_known(generation, name, kernel):
    run = smoke('-o', f'generation={generation}', '-k', name)
    parts = ktap.parse(run.stdout.splitlines())
    assert not parts.faults and run.returncode == 1, run.stderr
    rows = known(generation, (kernel(name) / 'release').read_text().strip())
    failed = [test.name for test in parts.failures()]
    assert [name for name in failed if not explain(name, rows)] == []


@pytest.mark.ci
def test_counters_are_those_of_intels_lists(output):
    linux = output('scripts/linux-source', 'newest', 'tools/perf/pmu-events')
    assert (SMOKE / 'counters').read_text(encoding='ascii') == lists.table(linux)


def types_of_pmus(text, generation):
    """{type of PMU: {what its rows are about}} of a file with rows "generations PMU ..."."""
    types = {}
    for line in text.splitlines():
        words = line.split()
        if words and words[0][0] != '#' and re.fullmatch(words[0], generation):
            for word in words[1].split(','):
                types.setdefault(word.partition('=')[0], set()).add(words[2])
    return types


@pytest.mark.parametrize('generation', generations())
def test_each_pmu_is_judged_by_its_fields_its_width_and_its_counters(generation):
    # uncore-verify looks at socket 0.
    types = set()
    for line in (SMOKE / 'units').read_text(encoding='ascii').splitlines():
        words = line.split()
        if words and words[0][0] != '#' and re.fullmatch(words[0], generation):
            types |= {re.sub(r'(?<!^type)_\d+$', '', re.sub('[=@].*', '', word))
                      for word in words[2:] if not word.endswith('@1')}
    rows = types_of_pmus(''.join((SMOKE / name).read_text(encoding='ascii')
                                 for name in ('sysfs', 'counters')), generation)
    assert types and {name: {'field', 'width', 'counters'} - rows.get(name, set())
                      for name in types} == {name: set() for name in types}


def test_generations_without_a_list_of_intels_are_no_processor_that_has_one():
    assert set(generations()) - lists.LISTS.keys() == {'discovery', 'dmr'}


def test_known_faults_have_their_patch():
    linux = TOP / 'lab/linux'
    for file in linux.glob('*/known'):
        for line in file.read_text(encoding='utf-8').splitlines():
            if not line.startswith('#'):
                assert len(list(file.parent.glob(line.split()[0] + '-*.patch'))) == 1, line


def test_diagnostics_precede_their_result_and_end_in_a_newline(tmp_path):
    """perf's message of a bad event has none."""
    text = (SMOKE / 'in-guest').read_text(encoding='utf-8')
    function = text[text.index('ok()'):].partition('\n}\n')[0] + '\n}\n'
    done = subprocess.run(
        ['sh', '-c', function.replace('/tmp/show', str(tmp_path / 'show'))
         + f'printf "a\\nb" > {tmp_path}/show; ok 1 first; ok 1 second; ok 0 third'],
        check=True, stdout=subprocess.PIPE, text=True)
    tests = ktap.parse(done.stdout.splitlines()).children
    assert [(test.good, test.name, test.diagnostics) for test in tests] == [
        (False, 'first', ['a', 'b']), (False, 'second', []), (True, 'third', [])]


@pytest.mark.lab
@pytest.mark.timeout(600)
def test_kernel_without_pmus_for_a_processor_says_so_at_once(kernel):
    kernel('6.1')
    run = smoke('-o', 'generation=gnr', '-k', '6.1')
    top = ktap.parse(run.stdout.splitlines())
    assert not top.faults and run.returncode == 1, run.stderr
    assert [test.name for test in top.failures()] == [
        "intel_uncore knows this processor's PMUs"]
    assert {test.reason for test in top.children[1:]} == {
        "this kernel's intel_uncore knows no PMU of generation gnr"}


def test_unknown_part_says_which_there_are():
    run = smoke('-p', 'nothing')
    assert run.returncode == 1
    assert run.stderr == (
        'smoke: generation 1 has no part nothing: it has basic socket-offline rotate-offline '
        'rotate-unload unload-while-opening interval rebind unbind suspend-to-ram\n')
    assert 'rebind' not in smoke('-p', 'rebind', '-o', 'generation=spr').stderr.split('it has')[1]


@pytest.mark.parametrize('options, generation', [
    ('board=server-v4-ones', '4'), ('generation=2 board=server', '2'),
    ('board=server-v4-ones board=server', '1')])
def test_generation_is_that_of_the_board(options, generation):
    stderr = smoke('-p', 'nothing', '-o', options).stderr
    assert stderr.startswith(f'smoke: generation {generation} has no part nothing: '), stderr


def test_help_and_mistakes_print_the_usage():
    assert smoke('-h').stdout.startswith('usage: smoke ')
    assert smoke('-h').stderr == ''
    wrong = smoke('-x')
    assert wrong.returncode == 2 and wrong.stderr.startswith('usage: smoke ')
