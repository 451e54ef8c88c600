# SPDX-License-Identifier: GPL-2.0-only
"""Each goal of the makefile at the top, with all its variables: what it runs, and make help."""
import os
import re
import shlex

import pytest

VM = 'exec setpriv --pdeathsig TERM bin/vm -k {} -K {} -s {} -m {} \\\n\t-e {} -o {} {}'
IA64_VM = 'exec setpriv --pdeathsig TERM ia64/linux/vm -k {} -n {} -e {} {}'
MODULES = 'scripts/kbuild . {0} build/modules\nls build/modules/*.ko'
GOALS = {
    'KDIR={0}': MODULES,
    'modules KDIR={0}': MODULES,
    'modules_install KDIR={0}': MODULES + '\n: -C {0} M={1}/build/modules modules_install',
    'install': ': -C tools install', 'install-tools': ': -C tools install',
    'uninstall-tools': ': -C tools uninstall',
    'hwtest': ': -s -C tools hwtest\nexec build/tools/uncore-hwtest ',
    'hwtest HWTEST="-a \'b c\'"':
        ": -s -C tools hwtest\nexec build/tools/uncore-hwtest -a 'b c'",
    'demo': 'exec bin/demo', 'check': 'exec scripts/check -m quick',
    'check-all': 'exec scripts/check ', 'check-all TAG="a b"': "exec scripts/check -m 'a b'",
    'docs': 'scripts/setup Documentation/packages\n: -s -C Documentation O={1}/build/docs',
    'deb': 'exec packaging/deb', 'rpm': 'exec packaging/rpm',
    'dist': 'exec packaging/dist/build xeon', 'dist-ia64': 'exec packaging/dist/build itanium',
    'fresh': "exec packaging/tests/fresh 'bookworm' ",
    'fresh SUITE=trixie LIST=deb':
        "exec packaging/tests/fresh 'trixie' 'make -s check-all TAG='\\''deb'\\'''",
    'fresh LIST="a $(id) don\'t"': "exec packaging/tests/fresh 'bookworm' 'make -s check-all "
                                  "TAG='\\''a $(id) don'\\''\\'\\'''\\''t'\\'''",
    'vm': VM.format("'6.1'", "''", "''", "'snbep_uncore'", "''", "''", '-i'),
    'vm KERNEL=a KMODULES=b SOCKETS=c MODULES=d EXTRA=e MODEL=f CMD=g':
        VM.format(*(f"'{word}'" for word in 'abcdef'), '-- "$VM_CMD"'),
    'vm CMD=': VM.format("'6.1'", "''", "''", "'snbep_uncore'", "''", "''", '-- "$VM_CMD"'),
    'bench': 'exec maintainer/bench', 'debug-check': 'exec scripts/check -m debug',
    'ia64': 'exec scripts/guard build/ia64/.lock ia64/linux/build',
    'ia64-vm': IA64_VM.format("'smp'", "'1'", "''", '-i'),
    'ia64-vm IA64=a CORES=b EXTRA=c CMD=d': IA64_VM.format("'a'", "'b'", "'c'", '-- "$VM_CMD"'),
    'style': 'exec maintainer/style', 'coverage': 'exec maintainer/coverage',
    'fuzz': 'exec tests/fuzzing/fuzz ',
    'fuzz FUZZ="-t 9 \'a b\'"': "exec tests/fuzzing/fuzz -t 9 'a b'",
    'fuzz GUEST=9': "exec tests/fuzzing/fuzz -g '9' -k '6.1'",
    'fuzz GUEST=9 KERNEL=a': "exec tests/fuzzing/fuzz -g '9' -k 'a'",
    'clean': 'rm -f -r build', 'clean-cache': 'exec scripts/clean-cache'}


@pytest.mark.parametrize('words', GOALS)
def test_goal_runs(run, top, tmp_path, words):
    if words.startswith('ia64') and not (top / 'ia64').exists():
        pytest.skip('there is no ia64/')
    (tmp_path / 'Makefile').touch()
    want = GOALS[words].format(tmp_path, top)
    # A make in place of make, where the goal starts one
    more = ['MAKE=:'] if re.search('^: ', want, re.M) else []
    done = run(['make', '-n', '-s', *shlex.split(words.format(tmp_path)), *more], cwd=top)
    assert (done.returncode, done.stdout.rstrip('\n')) == (0, want)


def test_modules_without_headers_say_what_to_install(run, top, tmp_path):
    done = run(['make', '-s', f'KDIR={tmp_path}'], cwd=top)
    assert done.returncode == 2 and done.stdout.count('\n') == 3 and done.stdout.startswith(
        f'make: there are no kernel headers at {tmp_path}.\nmake: install those of the running '
        'kernel (on Debian: linux-headers-$(uname -r)), or give KDIR=.\n'.replace(
            '$(uname -r)', os.uname().release))


def test_help_lists_each_goal_with_its_variables(run, top):
    text = run(['make', 'help'], cwd=top).stdout
    listed = {goal or 'modules': {*re.findall(r'\b([A-Z0-9]+)(?==)', more)} for goal, more in
              re.findall(r'^make (?:\[|([a-z0-9_-]+))(.*\n(?: .*\n)*)', text, re.M)}
    assert listed.pop('install-tools') == {'DESTDIR', 'PREFIX'}
    # Not variables of the goal
    listed['fresh'].remove('TAG')
    listed['style'].remove('W')
    makefile = (top / 'Makefile').read_text(encoding='ascii').replace('\\\n', '')
    phony = re.search(r'^\.PHONY: (.*)', makefile, re.M)[1].split()
    assert {*phony} == {'help', 'install-tools', *listed}
    assert re.fullmatch('(make .*\n( .*\n)*)+', text)
    for goal, variables in listed.items():
        assert variables - {'KDIR'} == {
            word for words in GOALS for word in re.findall('[A-Z0-9]+(?==)', words)
            if words.split()[0] == goal} - {'KDIR'}, goal
