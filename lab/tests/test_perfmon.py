# SPDX-License-Identifier: GPL-2.0-only
"""The faults of perf's event lists in Debian's newest perf, on Linux's own driver. With
PERFMON=DIR, a clone of github.com/intel/perfmon, also that lab/perfmon mends them."""
import collections
import json
import re
import shutil
import subprocess

import pytest

from judge import formula
from judge.process import git

pytestmark = [pytest.mark.lab, pytest.mark.ci, pytest.mark.seconds(10)]
LISTS = 'tools/perf/pmu-events'
PROCESSORS = 'jaketown', 'ivytown', 'haswellx', 'broadwellx'
# Of Intel's lists, these and the later ones
LISTED = 'JKT|IVT|HSX|BDX|SKX|CLX|ICX|SPR|EMR|GNR|SRF|CWF'
VM = 'machine/xeon/vm/vm',
# A name that counts 0, the encoding that it should have, and what is injected
NAMES = [
    ('unc_q_rxl_flits_g1.drs_data', 'uncore_qpi_0/event=0x102,umask=0x8/',
     'qpi_0 event=0x02,ext=1,umask=0x08,count=1234', '1234'),
    ('unc_c_llc_lookup.data_read', 'uncore_cbox_0/event=0x34,umask=0x3,filter_state=0x1f/',
     'cbox_0 event=0x34,umask=0x3,count=1234', '1234'),
    ('unc_u_clockticks', 'uncore_ubox/event=0xff/', 'ha event=0x1,umask=0x3,count=1',
     '[1-9][0-9]*'),
]
# The thread id that intel_uncore writes to the filter for an event: PCIe's with tid_en alone
THREADS = {'llc_references.pcie_write': '0',
           'uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x1c8,tid_en=1,filter_tid=0x3e/': '3e'}
TRACE = '''tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs none $tracing
: > $tracing/trace
echo 1 > $tracing/events/msr/write_msr/enable
perf stat -C 0 -e {event} -- true
echo 0 > $tracing/events/msr/write_msr/enable
sed -n 's/.*write_msr: e05, value /thread /p' $tracing/trace | tail -n 1'''
# What is injected for metrics of JKT and IVT, and the values that they then have
MISS, PCIE = 'cbox_0 event=0x35,umask=0x3,opc', 'cbox_0 event=0x35,umask=0x1,opc'
READS = f'{MISS}=0x182,count=1000'
STIM = (f'{READS} {MISS}=0x192,count=500 {MISS}=0x181,count=300 '
        f'{MISS}=0x191,count=200 {PCIE}=0x19e,count=70 {PCIE}=0x194,count=30 '
        f'{PCIE}=0x19c,count=60 imc_0 event=0x4,umask=0x3,count=111 '
        'imc_1 event=0x4,umask=0xc,count=222 qpi_0 event=0x0,umask=0x2,count=900')
METRICS = {
    'llc_data_read_mpi_demand_plus_prefetch': 0.0015,
    'llc_code_read_mpi_demand_plus_prefetch': 0.0005, 'qpi_data_transmit_bw': 0.0072,
    'memory_bandwidth_read': 0.007104, 'memory_bandwidth_write': 0.014208,
    'memory_bandwidth_total': 0.021312, 'io_bandwidth_read': 0.00448,
    'io_bandwidth_write': 0.00576}
# The reads of IVT, by where the memory is
LOCAL = ('cbox_0 event=0x35,umask=0x23,opc=0x182,count=750 '
         'cbox_0 event=0x35,umask=0x83,opc=0x182,count=250')
LOCALITY = {'numa_reads_addressed_to_local_dram': 0.75,
            'numa_reads_addressed_to_remote_dram': 0.25}
EVENT = re.compile(r'(?:\w+@[^@]+@)|(?<![#\w])[A-Z]\w+\.?[\w.]*')
# What the formulas take besides: one package of eight cores
GIVEN = {'duration_time': '1', '#num_cores': '8', '#num_packages': '1'}


def events(directory):
    found = {event['EventName'].upper(): event for path in sorted(directory.glob('uncore-*.json'))
             for event in json.loads(path.read_text()) if 'EventName' in event}
    assert found, f'no events in {directory}'
    return found


def code(event):
    return (event['Unit'].removesuffix(' LL'), int(event.get('EventCode', '0'), 16),
            int(event.get('ExtSel') or 0), int(event.get('UMask', '0'), 16))


def with_extended_select(old, new):
    """How many events that have it in old lists have it in new ones, and (processor, unit) of those
    that do not"""
    kept, lost = 0, collections.Counter()
    for processor in PROCESSORS:
        theirs = events(new / processor)
        for name, event in events(old / processor).items():
            if int(event.get('ExtSel') or 0):
                if name in theirs and code(theirs[name]) == code(event):
                    kept += 1
                else:
                    lost[processor, event['Unit']] += 1
    return kept, lost


@pytest.fixture(scope='module')
def old(linux_lists):
    return linux_lists('6.1', LISTS) / 'arch/x86'


def test_462_events_have_lost_their_extended_select_since_linux_6_1(old, linux_lists):
    kept, lost = with_extended_select(old, linux_lists('newest', LISTS) / 'arch/x86')
    assert (kept, lost.total()) == (0, 462)


@pytest.mark.xdist_group('perfmon')
def test_names_count_0_and_their_encodings_do_not(guest):
    commands = {event: f'perf stat -x, -C 0 -e {event} -- uncore-stim -s 0 {stim}'
                for name, encoding, stim, _ in NAMES for event in (name, encoding)}
    said = guest(commands, '-k', 'newest', '-s', '1', '-m', 'intel_uncore', '-o', 'cbos=1', vm=VM)
    for name, encoding, _, count in NAMES:
        assert re.match('0,', said[name].text), said[name].text
        assert re.match(f'{count},', said[encoding].text), said[encoding].text


def test_pcies_thread_is_selected_with_tid_en_alone(guest):
    # The machine claims to be a Haswell-EP, but has none of its registers: the trace shows writes.
    said = guest({event: TRACE.format(event=event) for event in THREADS}, '-k', 'newest', '-s', '1',
                 '-m', 'intel_uncore', '-o',
                 'cpu=SandyBridge,model=63,-hypervisor,-x2apic,-tsc-deadline', vm=VM)
    assert {event: re.findall('^thread (.*)', said[event].text, re.M) for event in THREADS} == {
        event: [thread] for event, thread in THREADS.items()}


def generate(clone, out):
    """Run Intel's script."""
    out.mkdir()
    full = (clone / 'mapfile.csv').read_text()
    (clone / 'mapfile.csv').write_text(''.join(
        re.findall(rf'^(?:Family|.*/(?:{LISTED})/).*\n', full, re.M)))
    subprocess.run([clone / 'scripts/create_perf_json.py', '--outdir', out], cwd=clone, check=True,
                   stdout=subprocess.DEVNULL)
    (clone / 'mapfile.csv').write_text(full)
    return out


Mended = collections.namedtuple('Mended', 'clone before after')


@pytest.fixture(scope='module')
def mended(perfmon, top, tmp_path_factory):
    """A clone with the patches, and what its script makes without and with them"""
    work = tmp_path_factory.mktemp('mended')
    clone = work / 'perfmon'
    shutil.copytree(perfmon, clone, symlinks=True)
    before = generate(clone, work / 'before')
    patches = sorted((top / 'lab/perfmon').glob('000[1-9]-*.patch'))
    git(clone, 'am', '-q', '--keep-cr', *patches)
    subprocess.run([top / 'lab/perfmon/per-socket', clone], check=True)
    return Mended(clone, before, generate(clone, work / 'after'))


def test_patches_restore_the_extended_select_of_qpis_424_and_tid_en_of_6(mended, old, run):
    assert with_extended_select(old, mended.before)[0] == 0
    kept, lost = with_extended_select(old, mended.after)
    assert (kept, {unit.upper() for _, unit in lost}) == (424, {'PCU', 'UBOX'})
    events_after = [event for path in mended.after.glob('*/uncore-*.json')
                    for event in json.loads(path.read_text())]
    # perf refuses a bit that the format of the PMU does not have.
    assert {event['Unit'] for event in events_after if 'ExtSel' in event} == {'QPI'}
    assert sum('filter_tid' in text and 'tid_en=1' in text for text in (
        event.get('Filter', '') for event in events_after)) == 6
    done = run(['python3', '-m', 'unittest', 'scripts/unittesting/test_create_perf_json.py'],
               cwd=mended.clone)
    assert done.returncode == 0, done.stdout


def perf_event(token):
    return token.replace('\\', '').replace('@', '/')


@pytest.mark.parametrize('lists, generation, stim, expected', [
    ('JKT/metrics/perf/jaketown', '1', STIM, METRICS),
    ('IVT/metrics/perf/ivytown', '2', STIM.replace(READS, LOCAL),
     {**METRICS, **LOCALITY})], ids=['JKT', 'IVT'])
def test_metrics_have_the_value_of_the_injected_events(
        mended, guest, lists, generation, stim, expected):
    metrics = json.loads((mended.clone / f'{lists}_metrics_perf.json').read_text('ascii'))
    names = sorted({perf_event(token) for metric in metrics
                    for token in EVENT.findall(metric['MetricExpr']) if 'UNC_' in token})
    said = guest({name: f"perf stat -x, -a -e '{name}' -- uncore-stim {stim}" for name in names},
                 '-k', 'newest', '-s', '1', '-m', 'intel_uncore', '-o',
                 f'generation={generation}', vm=VM)
    counts = {name: str(sum(map(int, re.findall(r'^(\d+),', done.text, re.M))))
              for name, done in said.items()}
    values = {}
    for metric in metrics:
        text = EVENT.sub(lambda token: counts.get(perf_event(token[0]), '1e6'),
                         metric['MetricExpr'])
        for name, value in GIVEN.items():
            text = text.replace(name, value)
        values[metric['MetricName']] = round(formula.value(formula.parse(text), {}), 9)
    assert values == expected


def measured(text, sockets, seconds):
    """What a formula computes from sockets of 8 CBoxes, CHAs and cores at 2 GHz, when a request
    takes 100 cycles and three cores of each socket are in a C-state"""
    clock = 2e9 * seconds * sockets
    values = {
        r'duration_time|tma_info_system_time': seconds, '#num_packages': 2, '#num_cores': 16,
        '#has_pmem': 1, r'(source_count)\([^()]+\)': 8,
        r'aggr_nr\(\S*UNC_P_CLOCKTICKS@?\)': sockets, r'aggr_nr\([^()]+\)': 8 * sockets,
        r'(\w+@)?UNC_(CHA|C|M|M_PMM)_(TOR|RPQ)_OCCUPANCY[.\w]*(\\,[^@]*)?@?': 1e6 * sockets,
        r'(\w+@)?UNC_(CHA|C|M|M_PMM)_(TOR|RPQ)_INSERTS[.\w]*(\\,[^@]*)?@?': 1e4 * sockets,
        r'UNC_C(HA)?_CLOCKTICKS': 8 * clock, r'(\w+@)?UNC_P_CLOCKTICKS@?': clock,
        r'(\w+_0)@event\\=0x[01]@': clock, r'UNC_P_POWER_STATE\w+': 3 * clock}
    for pattern, value in values.items():
        text = re.sub(rf'(?<![\w#.])(?:{pattern})(?![\w@])', repr(float(value)), text)
    return round(formula.value(formula.parse(text), {}), 6)


def formulas(lists, name):
    """Metrics of a name, by processor but the first two, which have them from the patches alone"""
    return {path.parent.name: metric['MetricExpr'] for path in lists.glob('*/*-metrics.json')
            if path.parent.name not in PROCESSORS[:2]
            for metric in json.loads(path.read_text('utf-8'))
            if re.fullmatch(name, metric['MetricName'])}


# For one socket of two, or a run of another length: (sockets, seconds), what is wrong without the
# patches and right with them
@pytest.mark.parametrize('name, least, wrong, right', [
    ('tma_info_system_mem_dram_read_latency', 3, {(1, 4): 12.5},
     {(1, 0.25): 50, (1, 1): 50, (1, 4): 50}),
    ('tma_info_system_mem_pmm_read_latency', 3, {(1, 4): 12.5},
     {(1, 0.25): 50, (1, 1): 50, (1, 4): 50}),
    ('uncore_frequency', 10, {(1, 4): 1}, {(1, 4): 2, (2, 4): 2}),
    ('llc.*_miss_latency', 10, {(1, 4): 100}, {(1, 4): 50, (2, 4): 50}),
    ('cpu_cstate_c[06]', 5, {(1, 4): 6}, {(1, 4): 3, (2, 4): 6})])
def test_patches_correct_a_metric(mended, name, least, wrong, right):
    before, after = (formulas(lists, name) for lists in mended[1:])
    assert len(after) >= least and set(after) == set(before)
    for lists, values in (before, wrong), (after, right):
        assert {(processor, *where): measured(text, *where) for processor, text in lists.items()
                for where in values} == {(processor, *where): value for processor in lists
                                         for where, value in values.items()}
