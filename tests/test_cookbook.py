# SPDX-License-Identifier: GPL-2.0-only
"""Each command of Documentation/cookbook.rst in the machine, with an injected load, prints what the
page has, numbers excepted, and perf's first and last line, which the page leaves out.

WRITE=1 pytest-3 -k 'cookbook and [6.1]' writes the page with what they print: look at it before you
keep it.
"""
import os
import re

import pytest

PAGE = 'Documentation/cookbook.rst'
FRAME = re.compile(r"\n Performance counter stats for 'system wide':\n\n"
                   r'|\n *[0-9.]+ seconds time elapsed\n')
# Each kind of event that the page counts. Each CBo looks lines up, as uncorestat counts some of its
# columns in some of them.
LOAD = '''
imc_0 event=0x04,umask=0x01,count=160000
imc_1 event=0x04,umask=0x01,count=150000
imc_2 event=0x04,umask=0x01,count=170000
imc_3 event=0x04,umask=0x01,count=165000
imc_0 event=0x04,umask=0x04,count=40000
imc_2 event=0x04,umask=0x04,count=42000
cbox_0 event=0x35,umask=0x03,opc=0x182,nid=0,count=9000
cbox_3 event=0x35,umask=0x01,opc=0x182,nid=0,count=50000
cbox_0 event=0x36,umask=0x03,opc=0x182,nid=0,count=540000,inc=2
cbox_1 event=0x35,umask=0x01,opc=0x19c,count=30000
cbox_1 event=0x35,umask=0x03,opc=0x19c,count=3000
cbox_5 event=0x37,umask=0x01,count=7000
cbox_5 event=0x37,umask=0x02,count=2000
cbox_5 event=0x37,umask=0x04,count=4000
ha event=0x10,umask=0x01,count=60000
ha event=0x10,umask=0x04,count=20000
qpi_0 event=0x02,ext=1,umask=0x08,count=80000
qpi_0 event=0x01,umask=0x02,count=70000
qpi_1 event=0x00,umask=0x02,count=90000
pcu event=0x80,umask=0xc0,count=15000000,inc=6
pcu event=0x0b,freq=2700,count=15000000
pcu event=0x0c,freq=2700,count=14000000
''' + ''.join(f'''cbox_{n} event=0x34,umask=0x02,count=40000
cbox_{n} event=0x35,umask=0x03,opc=0x182,nid=0,count=2000
cbox_{n} event=0x35,umask=0x03,opc=0x182,nid=1,count=500
cbox_{n} event=0x36,umask=0x03,opc=0x182,nid=0,count=200000
''' for n in range(8))
# Often enough that perf schedules each multiplexed event while the load runs
GUEST = '''
while uncore-stim -f /extra/load > /dev/null &&
    uncore-stim -s 1 $(grep imc_1 /extra/load) > /dev/null; do
    usleep 20000
done &
load=$!
grep '^cbox_[05] ' /extra/load > /tmp/turns
while uncore-stim -f /tmp/turns > /dev/null; do usleep 5000; done &
load="$load $!"
n=0
while [ -e /extra/$n ]; do
    sh /extra/$n > /extra/$n.out 2>&1
    n=$((n + 1))
done
kill $load'''


def recipes(text):
    """[(command, its output on the page)]"""
    return re.findall(r'^  \$ (.*\n)((?:(?!  \$ )(?:  .*)?\n)*)', text, re.M)


def shape(text):
    """Its lines without blanks at the ends; N for each number. On a busy host an interval of
    uncorestat is late, and it says so."""
    text = re.sub(r'^ *! late: this interval has [0-9.]+ s$', '', text, flags=re.M)
    text = re.sub('--+', '-', re.sub('[0-9][0-9.,]*', 'N', text))
    return [' '.join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.mark.slow
@pytest.mark.seconds(20)
@pytest.mark.parametrize('name', ['6.1', 'newest', '5.10', '6.12'])
def test_commands_of_the_cookbook_print_what_the_page_has(bin_vm, kernel, top, tmp_path, name):
    kernel(name)
    page = (top / PAGE).read_text('utf-8')
    (tmp_path / 'load').write_text(LOAD.lstrip())
    for n, (command, _) in enumerate(recipes(page)):
        (tmp_path / str(n)).write_text(command)
    done = bin_vm(GUEST, '-k', name, '-W', '-e', tmp_path)
    assert done.returncode == 0, done.stderr
    printed = [FRAME.sub('', (tmp_path / f'{n}.out').read_text('utf-8'))
               for n in range(len(recipes(page)))]
    if os.environ.get('WRITE'):
        for (command, old), new in zip(recipes(page), printed):
            new = re.sub(' +$', '', re.sub('^', '  ', new, flags=re.M), flags=re.M).rstrip()
            page = page.replace(f'  $ {command}{old}', f'  $ {command}{new}\n\n', 1)
        page = re.sub('\n{3,}', '\n\n', page)
        (top / PAGE).write_text(page, 'utf-8')
    for (command, old), new in zip(recipes(page), printed):
        assert shape(new) == shape(old) != [], command
    # Counts are not zero, except socket 1's.
    assert [line for line in ''.join(printed).splitlines()
            if re.match(r' *0(\.0*)? ', line) and 'S1 ' not in line] == []
