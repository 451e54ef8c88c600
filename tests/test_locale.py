# SPDX-License-Identifier: GPL-2.0-only
"""Scripts work in the user's language: in Turkish, [a-z] has no i."""
import os
import re
import subprocess

import pytest


@pytest.fixture(scope='module')
def in_locale(top, tmp_path_factory):
    """What a command prints in a language: in_locale('de_DE', command...)"""
    locales = tmp_path_factory.mktemp('locales')
    made = subprocess.run(['localedef', '-i', 'tr_TR', '-f', 'UTF-8', locales / 'tr_TR.UTF-8'],
                          check=False, encoding='utf-8', stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if made.returncode:
        pytest.skip('localedef cannot make tr_TR here: the package locales has its source')

    def run(name, *command):
        environment = {**os.environ, 'LOCPATH': str(locales), 'LC_ALL': name, 'LANGUAGE': ''}
        return subprocess.run(command, check=True, encoding='utf-8', stdout=subprocess.PIPE,
                              env=environment).stdout
    return run


def test_event_lists_are_generated_in_turkish_as_in_english(top, in_locale, tmp_path, gen):
    lists = {}
    for name in 'C', 'tr_TR.UTF-8':
        in_locale(name, 'make', '-s', '-C', top / 'events', f'O={tmp_path}/{name}', 'all',
                  'reference')
        made = tmp_path / name
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
