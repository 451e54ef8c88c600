# SPDX-License-Identifier: GPL-2.0-only
"""result-cache.sh: a file is looked at again when what its result depends on has changed."""
import pytest

COMMANDS = '''
. "$TOP/scripts/lib.sh"
tmp=$1 remembered_for=$1/checker remembered_with=$2 commands=$3
shift 3
. "$TOP/maintainer/result-cache.sh"
eval "$commands"
'''


class Memory:
    """The memory of a checker of sources, and two files that it looks at"""

    def __init__(self, path, top, run):
        self.path, self.run = path, run
        self.command = ['sh', '-ec', f'TOP={top}; {COMMANDS}', top / 'scripts/a-test', path]
        self.files = [path / name for name in ('a.c', 'b.c')]
        for file in *self.files, path / 'checker':
            file.write_text(f'{file.name} of today\n')

    def ask(self, otherwise='false', tools='of today', files=None):
        """Whether it remembers that the files are clean; what to do otherwise"""
        commands = f'clean "$@" || {{ {otherwise}; false; }}'
        return not self.run([*self.command, tools, commands, *(files or self.files)]).returncode


@pytest.fixture
def memory(tmp_path, top, run, monkeypatch):
    """One to which the two files are clean"""
    monkeypatch.setenv('SNBEP_CACHE', str(tmp_path / 'cache'))
    memory = Memory(tmp_path, top, run)
    assert not memory.ask('remember_clean') and memory.ask()
    return memory


def test_findings_are_not_remembered(memory):
    for _ in range(2):
        assert not memory.ask('echo "a.c:1: finding" > "$tmp/found"; remember_clean', tools='other')


@pytest.mark.parametrize('name', ['a.c', 'b.c', 'checker'])
def test_changed_file_or_script_is_looked_at_again(memory, name):
    (memory.path / name).write_text('changed\n')
    assert not memory.ask()


def test_other_tools_look_again(memory):
    assert not memory.ask(tools='of tomorrow')


def test_files_are_remembered_together(memory):
    assert not memory.ask(files=memory.files[:1])
