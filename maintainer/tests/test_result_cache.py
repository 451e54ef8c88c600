# SPDX-License-Identifier: GPL-2.0-only
"""result-cache.sh: a file is looked at again when what its result depends on has changed."""
import pytest

COMMANDS = '''. "$TOP/maintainer/result-cache.sh"
tmp=$1 remembered_for=$1/checker
clean "$1/a.c" $2 || { printf "$3" > "$1/found"; remember_clean; false; }'''


@pytest.mark.parametrize('found, changed, other, again', [
    ('', '', '', False), ('a.c:1: finding', '', '', True), ('', 'a.c', '', True),
    ('', 'checker', '', True), ('', '', '{}/checker', True)],
    ids=['clean', 'findings', 'file', 'script', 'other files'])
def test_file_is_looked_at_again(run, shell, tmp_path, monkeypatch, found, changed, other, again):
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    for name in 'a.c', 'checker':
        (tmp_path / name).write_text('today\n')
    assert run([*shell, COMMANDS, tmp_path, '', found]).returncode
    if changed:
        (tmp_path / changed).write_text('changed\n')
    done = run([*shell, COMMANDS, tmp_path, other.format(tmp_path), found])
    assert (done.returncode != 0) == again
