# SPDX-License-Identifier: GPL-2.0-only
"""The corpus: what people type, and what each generation has to answer."""
import pathlib
import re

import pytest

from fake_pmus import Machine, linux_fields, numbered

MODELS = {'v1': (45, None, 0, 0), 'v2': (62, 'ivbep', 10, 0), 'v3': (63, 'hswep', 18, 4),
          'v4': (79, 'bdx', 22, 4)}


def cases():
    for block in re.split(r'\n(?=-)', pathlib.Path(__file__).with_name('corpus').read_text()):
        if block.startswith('#'):
            continue
        args, *answers = block.strip().split('\n')
        for generations, verdict, text in (
                re.fullmatch(r'  (.*?): (right|refused): (.*)', answer).groups()
                for answer in answers):
            for generation in generations.split():
                yield pytest.param(generation, args, verdict, text,
                                   id=f'{generation} {args[:60]}')


@pytest.fixture
def machine():
    """of() has those of the corpus"""


@pytest.fixture(scope='module')
def known():
    """The machine of a generation, which nobody changes"""
    return {}


@pytest.fixture
def of(uncorestat, tmp_path_factory, linux_source, known):
    def of(generation):
        model, driver, slices, sboxes = MODELS[generation]
        if generation not in known:
            boxes = {'boxes': [
                *numbered('cbox', slices), *numbered('ha', 2), *numbered('imc', 8), 'pcu', 'qpi_0',
                'qpi_1', 'r2pcie', 'r3qpi_0', 'r3qpi_1', 'ubox', 'irp', *numbered('sbox', sboxes)],
                'fields': linux_fields(linux_source('6.1'), driver)} if driver else {}
            known[generation] = Machine(tmp_path_factory.mktemp('machine') / generation,
                                        prefix='uncore_', model=model, **boxes)
            known[generation].rate('*', -1, 10 ** 9)
        uncorestat.machine = known[generation]
        return uncorestat

    return of


def test_corpus_has_an_answer_for_each_generation():
    found = {}
    for case in cases():
        found.setdefault(case.values[1], []).append(case.values[0])
    assert len(found) > 45
    assert all(sorted(generations) == sorted(MODELS) for generations in found.values())


@pytest.mark.parametrize('generation, args, verdict, text', cases())
def test_answer(of, generation, args, verdict, text):
    option, value = args.split(' ', 1)
    output = of(generation).run(*['-n', 1] if option == '-m' else [], option, value)
    assert (output.code, text in ' '.join(output.text.split())) == (
        int(verdict == 'refused'), True), output.text
    assert ('known fault' in output.text) == ('known fault' in text), output.text
