# SPDX-License-Identifier: GPL-2.0-only
"""e5_generations.def against perf's lists (e5_lists.def) and the rates of memory and QPI"""
import re
import subprocess

import pytest

MODELS = {'V1': 45, 'V2': 62, 'V3': 63, 'V4': 79}


@pytest.fixture(scope='module')
def stat(top, tmp_path_factory):
    """{metric: expression, '' without events} of a generation, and {event: encoding}: stat('V3')"""
    out = tmp_path_factory.mktemp('events')
    subprocess.run(['make', '-s', '-C', top / 'events', f'O={out}', out / 'gen'], check=True)

    def call(generation):
        text = subprocess.run([out / 'gen', 'stat', str(MODELS[generation])], check=True,
                              stdout=subprocess.PIPE, encoding='utf-8').stdout
        return (dict(re.findall(r'^metric (\w+) (.*?) ?= ', text, re.M)),
                re.findall(r'^event \w+ \S+ (\S+)', text, re.M))

    return call


def test_limits_are_the_rates_of_the_generations_memory_and_links(top):
    text = (top / 'events/e5_generations.def').read_text()
    rates = {generation: (round(int(memory) * 8 / 100) * 1e8, float(link))
             for generation, memory, link in re.findall(
                 r'^GENERATION\((V.),[^;]*?DDR.-(\d+)\), ([\d.]+) GT/s"\)', text, re.M)}
    rows = re.findall(r'^LIMIT\(([^,]*), (\w+), (\S+)\)', text, re.M)
    wrong, limited = [], {}
    for generations, metric, most in rows:
        for generation in re.findall('V.', generations.replace('ALL', 'V1 V2 V3 V4')):
            memory, link = rates[generation]
            want = (memory if re.match('mem_(read|write|total)', metric) else
                    link if metric == 'qpi_speed' else
                    link * 2e9 if re.match('qpi_(in|out)', metric) else 1)
            limited.setdefault(metric, []).append(generation)
            if float(most) != want:
                wrong.append(f'{generations} {metric}: {most}, not {want:g}')
    wrong += [f'{generations} {metric}: {metric} has a limit in {limited[metric]}'
              for generations, metric, _ in rows if sorted(limited[metric]) != list(MODELS)]
    assert len(rows) > 20 and len(rates) == 4 and not wrong, '\n'.join(wrong)


@pytest.mark.parametrize('generation', MODELS)
def test_each_column_is_there_or_lacks_with_a_reason(top, stat, generation):
    metrics, _ = stat(generation)
    text = ''.join((top / f'events/{name}.def').read_text()
                   for name in ('snbep_metrics', 'e5_generations'))
    columns = re.findall(r'^(?:COLUMN(?:_OF)?\((?:[V1-4 |]+, )?\w+|HIGH\(|(?:LIMIT|LACKS|EQUATION)'
                         r'\([V1-4AL |]+)(?:, )?(\w+)', text, re.M)
    assert len(columns) > 50 and {*columns} - {*metrics} == set()
    lacking = [name for name, expression in metrics.items() if not expression]
    others = 'resctrl_', 'numa_', 'llc_miss_'
    assert generation != 'V1' or all(name.startswith(others) for name in lacking), lacking


@pytest.mark.parametrize('generation', ['V3', 'V4'])
def test_opcodes_are_those_that_perfs_lists_have_filters_for(top, stat, generation):
    listed = set(re.findall(r'filter_opc=(0x\w+)', (top / 'events/e5_lists.def').read_text()))
    used = {opcode for encoding in stat(generation)[1]
            for opcode in re.findall(r'filter_opc=(0x\w+)', encoding)}
    assert len(used) > 5 and not used - listed, used - listed
