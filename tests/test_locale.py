# SPDX-License-Identifier: GPL-2.0-only
"""Scripts work in the user's language: in Turkish, [a-z] has no i."""
import os
import re
import subprocess

import pytest


def test_event_lists_are_generated_in_turkish_as_in_english(top, tmp_path, gen):
    if subprocess.run(['localedef', '-i', 'tr_TR', '-f', 'UTF-8', tmp_path / 'tr_TR.UTF-8'],
                      check=False).returncode:
        pytest.skip('localedef cannot make tr_TR here: the package locales has its source')
    lists = {}
    for name in 'C', 'tr_TR.UTF-8':
        made = tmp_path / f'made-{name}'
        subprocess.run(
            ['make', '-s', '-C', top / 'events', f'O={made}', 'all', 'reference'], check=True,
            env={**os.environ, 'LOCPATH': str(tmp_path), 'LC_ALL': name, 'LANGUAGE': ''})
        lists[name] = {str(path.relative_to(made)): path.read_text() for path in made.rglob('*')
                       if path.suffix in ('.json', '.csv', '.rst')}

    def uncore_names(text):
        return re.sub('snbep_uncore_([a-z0-9]*@)', r'uncore_\1',
                      text.replace('"Unit": "snbep_uncore_', '"Unit": "'))

    pages = 'index', 'metrics', *(path.stem[6:] for path in (top / 'events').glob('snbep_*.def'))
    assert lists['C'] == lists['tr_TR.UTF-8'] == {
        'snbep-uncore.json': gen.text('json'), 'snbep-uncore-metrics.json': gen.text('metrics'),
        'snbep-events.csv': gen.text('csv'), 'uncore-names.json': uncore_names(gen.text('json')),
        'uncore-names-metrics.json': uncore_names(gen.text('metrics')),
        **{f'reference/{page}.rst': gen.text('rst', page) for page in pages}}
    assert {path.name for path in made.iterdir()
            if path.suffix not in ('.o', '.d', '.json', '.csv')} == {'gen', '.lock', 'reference'}
