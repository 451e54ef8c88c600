# SPDX-License-Identifier: GPL-2.0-only
"""The corpus: what people type, and what each generation has to answer."""
import re

import pytest

from fake_pmus import GENERATIONS, SNBEP_BOXES, numbered

# Slices of the LLC and sboxes of the largest processors
BOXES = {'v2': (10, 0), 'v3': (18, 4), 'v4': (22, 4)}


def answers(block, generation):
    """[(verdict, text)] of a block for a generation, of which there has to be one"""
    return [answer.groups()[1:] for answer in re.finditer(
        '^  ([v1-4 ]*): (right|refused): (.*)', block, re.M) if generation in answer[1].split()
            ] or [('right', 'nothing is wrong with it')]


@pytest.mark.parametrize('name', GENERATIONS)
def test_answers_to_what_people_type(uncorestat, generation, request, name):
    boxes = SNBEP_BOXES
    if name in BOXES:
        slices, sboxes = BOXES[name]
        boxes = [*numbered('cbox', slices), *numbered('ha', 2), *numbered('imc', 8), 'pcu',
                 *numbered('qpi', 2), 'r2pcie', *numbered('r3qpi', 2), 'ubox', 'irp',
                 *numbered('sbox', sboxes)]
    uncorestat.machine = generation(name, boxes=boxes)
    uncorestat.machine.rate('*', -1, 10 ** 9)
    blocks = re.findall(r'^-.*\n(?:  .*\n)+', (request.path.parent / 'corpus').read_text(), re.M)
    assert len(blocks) > 40
    for block in blocks:
        option, value = block.partition('\n')[0].split(' ', 1)
        output = uncorestat.run(*['-n', 1] * (option == '-m'), option, value)
        [(verdict, text)] = answers(block, name)
        assert (output.code, text in ' '.join(output.text.split())) == (
            int(verdict == 'refused'), True), (block, output.text)
        assert ('known fault' in output.text) == ('known fault' in text), (block, output.text)
