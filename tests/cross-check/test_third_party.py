# SPDX-License-Identifier: GPL-2.0-only
"""LIKWID and PCM, which write the uncore's registers without perf, before, beside and after our
events: they run, nothing hangs, and the next events count exactly."""
import re
import shutil
import subprocess

import pytest

pytestmark = [pytest.mark.ci, pytest.mark.seconds(70), pytest.mark.xdist_group('third-party')]
# A round of injections: 100 of each event that we count, and other numbers of LIKWID's and PCM's
ROUND = '''\
cbox_0 event=0x35,umask=0x03,opc=0x182,count=100
cbox_0 event=0x34,umask=0x03,count=300
ha event=0x01,umask=0x03,count=100
imc_0 event=0x04,umask=0x0c,count=100
imc_0 event=0x04,umask=0x03,count=700
pcu event=0x0a,count=100
qpi_0 event=0x02,ext=1,umask=0x08,count=100
qpi_0 event=0x13,umask=0x01,count=500
r2pcie event=0x09,umask=0x04,count=100
r3qpi_0 event=0x36,umask=0x08,count=100
ubox event=0x42,umask=0x08,count=100
'''
EVENTS = ['cbox_0/event=0x35,umask=0x03,filter_opc=0x182/', 'ha/event=0x01,umask=0x03/',
          'imc_0/event=0x04,umask=0x0c/', 'pcu/event=0x0a/', 'qpi_0/event=0x102,umask=0x08/',
          'r2pcie/event=0x09,umask=0x04/', 'r3qpi_0/event=0x36,umask=0x08/',
          'ubox/event=0x42,umask=0x08/']
# LIKWID's events on its counters, with their number in a round
LIKWID = {
    'UNCORE_CLOCK:UBOXFIX': 1, 'EVENT_MSG_DOORBELL_RCVD:UBOX0': 100,
    'LLC_LOOKUP_DATA_READ:CBOX0C0:STATE=0x1F': 300, 'REQUESTS_READS:BBOX0': 100,
    'CAS_COUNT_RD:MBOX0C0': 700, 'CAS_COUNT_WR:MBOX0C1': 100, 'PROCHOT_EXTERNAL_CYCLES:WBOX0': 100,
    'DIRECT2CORE_SUCCESS:SBOX0C0': 500, 'RING_BL_USED_CCW_EVEN:PBOX0': 100,
    'VN0_CREDITS_USED_DRS:RBOX0C0': 100}
SETUP = f'''
modprobe msr
for dir in proc sys dev tmp; do
    mount -o bind "/$dir" "/third-party/$dir"
done
events={','.join(f'snbep_uncore_{event}' for event in EVENTS)}
cat > /tmp/two-more << 'END'
end=$(($(wc -l < /tmp/total) + 2))
until [ "$(wc -l < /tmp/total)" -ge $end ]; do sleep 0.1; done
END
# With a limit of time that ends what hangs
tool() {{ HOME=/root timeout -s KILL 400 chroot /third-party "$@"; }}
# Direct accesses (-M 0) to all types of boxes, while a round begins and ends
likwid() {{ tool likwid-perfctr -M 0 -O -C 0 -g {','.join(LIKWID)} sh /tmp/two-more; }}
pcm()
{{
    tool pcm-raw 1 -i=2 -e imc/config=0x304 -e cbo/config=0x334,config1=0x7c0000 \\
        -e qpi/config=0x113 -e pcu/config=0
}}
# Inject rounds until stop.
start()
{{
    : > /tmp/total; : > /tmp/going
    while [ -e /tmp/going ]; do
        uncore-stim -f round; echo >> /tmp/total; usleep 20000
    done &
    loop=$!
}}
stop() {{ rm /tmp/going; wait $loop; }}
alone() {{ start; likwid; code=$?; stop; return $code; }}
ten='for n in $(seq 10); do uncore-stim -f round; done'
exact() {{ perf stat -C 0 -x, -e $events sh -c "$ten"; }}
'''
COMMANDS = {
    'setup': SETUP,
    'LIKWID before': 'alone',
    'after LIKWID': 'exact',
    'open': '''perf stat -C 0 -x, -I 1000 -o /tmp/beside -e $events sleep 900 & perf=$!
        while [ ! -s /tmp/beside ]; do usleep 100000; done
        start; sleep 1''',
    'LIKWID beside': 'likwid',
    'PCM beside': 'pcm',
    'close': 'stop; kill -INT $(pidof perf); wait $perf',
    'after both': 'exact',
    'LIKWID after': 'alone',
    'after LIKWID again': 'exact',
}


@pytest.fixture(scope='module')
def said(guest, copy_programs, output, tmp_path_factory):
    """What all of them print in one boot"""
    # A root of the tools' own. Not shared: PCM tries 131,072 file names, which takes minutes over a
    # shared directory.
    base = tmp_path_factory.mktemp('root')
    root = base / 'third-party'
    for name in 'proc', 'sys', 'dev', 'tmp', 'root', 'bin':
        (root / name).mkdir(parents=True)
    copy_programs(root, 'likwid pcm', 'usr/lib/x86_64-linux-gnu/liblikwid.so', 'usr/bin/lua5.3',
                  'usr/sbin/likwid-accessD', 'usr/sbin/pcm-raw')
    debian = output('scripts/suite-root', 'trixie', 'likwid', 'pcm')
    subprocess.run(['cp', '-r', '--parents', 'usr/bin/likwid-perfctr', 'usr/share/lua',
                    'usr/share/likwid/perfgroups/sandybridgeEP', root], cwd=debian, check=True)
    shutil.copy(shutil.which('busybox'), root / 'bin/sh')
    (root / 'bin/sleep').symlink_to('sh')
    directory = tmp_path_factory.mktemp('extra')
    (directory / 'round').write_text(ROUND)
    return guest(COMMANDS, '-k', 'newest', '-f', base, '-o', 'numa=on', directory=directory)


@pytest.mark.parametrize('run', ['LIKWID before', 'LIKWID beside', 'PCM beside', 'LIKWID after'])
def test_tool_runs(said, run):
    assert said[run].status == 0, said[run].text


@pytest.mark.parametrize('event', LIKWID)
@pytest.mark.parametrize('run', ['LIKWID before', 'LIKWID after'])
def test_likwid_counts_whole_rounds(said, run, event):
    name, counter = event.split(':')[:2]
    count = re.search(rf'^{name},{counter}[^,]*,(\d+)', said[run].text, re.M)
    assert count, said[run].text
    assert int(count[1]) > 0 and int(count[1]) % LIKWID[event] == 0


def test_pcm_has_found_the_boxes_and_read_them(said):
    text = said['PCM beside'].text
    assert 'IMCEvent0' in text and re.search(r'^20[0-9-]*,', text, re.M), text


@pytest.mark.parametrize('when', ['after LIKWID', 'after both', 'after LIKWID again'])
def test_every_box_counts_exactly(said, when):
    counts = [line.partition(',')[0] for line in said[when].text.splitlines()]
    assert counts == ['1000'] * len(EVENTS), said[when].text
