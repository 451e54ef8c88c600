# SPDX-License-Identifier: GPL-2.0-only
"""uncore-hwtest in the emulated machine, in traffic mode: it passes on one that follows the guide,
and fails on others in the right lines."""
import re
import shutil
import subprocess
import textwrap

import pytest

# One process has the machine's reports. In CI, as its flows take half a minute of a processor.
pytestmark = [pytest.mark.ci, pytest.mark.xdist_group('hwtest-machine'), pytest.mark.seconds(60)]

# Whoever owns the report's directory, or TMPDIR, puts links in place of what is there.
ATTACK = '''\
[ -d /tmp/theirs ] || exit
find /tmp/zelda /tmp/theirs -type f ! -path '*/bin/*' | while read -r file; do
    ln -sf /tmp/victim "$file"
done
'''
# A perf that does so, too
PERF = '''\
#!/bin/sh
[ $1 = --version ] || sh /extra/attack
[ $1 != --version ] || printf 'no perf for zelda\\nperf version 1.2.zelda\\n'
[ ! "$FAILS" ] || { echo "cannot open /home/zelda" >&2; exit 1; }
exec /usr/bin/perf "$@"
'''
# What intel_uncore counts is compared over a part of the LLC with four slices.
MIB = 12
# Once for each line, but for what an interrupt leaves in the LLC or takes from it
ONE = r'(?:0\.9[5-9]|1\.0[0-5])'


class Report:
    """What uncore-hwtest printed"""

    def __init__(self, text):
        self.text = text

    def lines(self, pattern):
        return [line for line in self.text.splitlines() if re.search(pattern, line)]

    def failures(self):
        return self.lines('^not ok')

    def assert_has(self, *patterns):
        """Each pattern matches a line."""
        missing = [pattern for pattern in patterns if not self.lines(pattern)]
        # What is printed of the report are its results, without the notes.
        assert not missing, '\n'.join(['no line has', *missing, *self.lines('^(?!# [a-z])')])


@pytest.fixture(scope='module')
def vm(top, tmp_path_factory):
    """Runs a script in the machine with uncore-hwtest: vm(script, option...), its Report"""
    tmp = tmp_path_factory.mktemp('hwtest')
    out, extra = top / 'build/hwtest-static', tmp / 'extra'
    subprocess.run(['make', '-s', '-C', top / 'tools', 'STATIC=1', 'CFLAGS=-O2', f'O={out}',
                    'hwtest'], check=True)
    for name, place in ('uncore-hwtest', 'usr/sbin'), (
            'uncore-hwtest-measure', 'usr/libexec/snbep-uncore'):
        (tmp / 'root' / place).mkdir(parents=True)
        shutil.copy(out / name, tmp / 'root' / place)
    extra.mkdir()
    for name, text in ('attack', ATTACK), ('perf', PERF), ('report', 'older\n'):
        (extra / name).write_text(text)
        (extra / name).chmod(0o755)

    def run(script, *options):
        done = subprocess.run(
            [top / 'machine/xeon/vm/vm', '-b', top, '-m', 'snbep_uncore', '-t', '2000',
             '-f', tmp / 'root', '-e', extra, '-o', 'traffic memory=512', *options, '--',
             'uncore-stim traffic on\n' + textwrap.dedent(script)],
            check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')
        return Report(done.stdout)

    run.extra = extra
    return run


# A machine that follows the guide. With two CPUs per socket, intel_uncore loads on 6.1. Whatever
# may have a name of the owner has "zelda".

@pytest.fixture(scope='module')
def good(vm):
    return vm(f'''
        hostname zelda
        echo "zelda: snbep_uncore: loaded" > /dev/kmsg
        mkdir -p /tmp/zelda/bin && cp /extra/perf /tmp/zelda/bin
        export TMPDIR=/tmp/zelda PATH=/tmp/zelda/bin:$PATH
        uncore-hwtest -y -b {MIB} -o /extra/report; echo "exit $?"; ls /extra/report*
        FAILS=yes uncore-hwtest -n -b /zelda -o /extra/failed > /dev/null
        mkdir /tmp/theirs
        echo root > /tmp/victim
        # These are no accesses: traffic mode has no offcore responses.
        for _ in $(seq 200); do
            echo offcore cpu=0,request=dmnd_data_rd,supplier=local,snoop=snp_none,count=999
            echo -s 1 poke imc_0 box_ctl=0x10100
        done > /tmp/stim
        touch /tmp/going
        while [ -e /tmp/going ]; do uncore-stim -f /tmp/stim; done &
        uncore-hwtest -n -b 1 -o /tmp/theirs/report > /dev/null
        rm /tmp/going
        grep PMC4 /tmp/theirs/report
        sed -n '/the DRAM clock/s/^/frozen: /p' /tmp/theirs/report
        ok=$(grep -c "^ok 1 -" /tmp/theirs/report)
        echo "victim: $(cat /tmp/victim), $(ls /tmp/theirs), $ok"
        rmmod snbep_uncore; modprobe intel_uncore
        echo "with intel_uncore"
        /usr/libexec/snbep-uncore/uncore-hwtest-measure -o -b {MIB}''',
              '-o', 'packages=0,2 nodes=1,3 buses=ff,7f qpi-rate=2,3s core-pmu=8 cores=4 dclk=933',
              '-a', 'quiet isolcpus=zelda@1 BOOT_IMAGE=/boot/zelda '
              'root=/dev/mapper/zelda--vg-root netconsole=@10.1.2.3/,@zelda/ '
              'snbep_uncore.log_burst=50',
              '-q', '-smbios', '-q', 'type=1,manufacturer=Maker,serial=zelda1,sku=zelda2,'
              'family=zelda3', '-q', '-smbios', '-q', 'type=2,product=Board,serial=zelda4,'
              'asset=zelda5', '-q', '-smbios', '-q', 'type=3,serial=zelda6,asset=zelda7')


@pytest.fixture(scope='module')
def report_file(vm, good):
    assert good.text
    return (vm.extra / 'report').read_text()


def test_machine_that_follows_the_guide_passes(good):
    good.assert_has('^exit 0$', r'^1\.\.[0-9]')
    assert good.failures() == []


def test_new_report_replaces_the_older_one_and_leaves_no_other_file(good):
    assert good.lines('^/extra/report') == ['/extra/report']


def test_root_writes_through_no_name_that_another_user_can_change(good):
    good.assert_has('^victim: root, report, 1$')


def test_report_has_no_name_and_no_address_of_the_owner(vm, report_file):
    failed = (vm.extra / 'failed').read_text()
    # Of perf and of uncore-hwtest-measure
    assert len(re.findall(r'^not ok .*: .* \.\.\.$', failed, re.M)) == 2, failed
    assert 'zelda' not in (report_file + failed).lower() and '10.1.2.3' not in report_file


def test_report_has_the_whole_output_and_the_drivers_log(good, report_file):
    # QEMU's build may say something before.
    text = good.text[good.text.index('TAP version 13'):].partition('\nexit ')[0]
    printed = [line for line in text.splitlines()
               if not line.startswith('# The report is in ')]
    lines = report_file.splitlines()
    assert [line for line in lines if not line.startswith('# log: ')] == printed
    assert any(line.startswith('# log: snbep_uncore: ') and ' PMUs' in line for line in lines)


def test_report_describes_the_machine(good):
    good.assert_has(
        '^# CPU: .*stepping', '^# bios_version: ', '^# sys_vendor: Maker',
        r'^# kernel: Linux 6\.1[0-9.-]* PREEMPT',
        '^# command line: .*mitigations=off .*quiet .*and [0-9]* others$', r'^# perf: 1\.2',
        '^# node0: CPUs', '^# pci bus 0000:ff: with an ACPI root, NUMA node -1',
        '^# pci bus 0000:7f: not there: none',
        '^# pci 0000:7f:0e.1: 3c46 class 1101 revision 07 subsystem 1af4:1100, 256 bytes')


def test_traffic_counts_as_often_as_lines_move(good):
    for here, there in (0, 2), (2, 0):
        own = f'ok .* socket {here} reading the memory of socket {here}'
        other = f'ok .* socket {here} reading the memory of socket {there}'
        good.assert_has(
            rf'{own}: misses .*: {ONE}\d* for each of {MIB << 14} lines',
            rf'ok .* socket {here} writing the memory of .*: writes to memory: {ONE}',
            rf'{other}: data flits that QPI receives, eight for a line: (7\.[6-9]|8\.[0-4])',
            rf"{other}: reads from the other socket's memory: {ONE}",
            rf'{other}: reads from its own memory: 0\.0')


def test_each_kind_of_counter_has_the_width_of_the_tables(good):
    assert len(good.lines(r'^ok .* counter of \w+ has \d+ bits, as the guide says')) == 8


def test_open_questions_have_answers(good):
    good.assert_has(
        'question: .*bit 21 of PCU_MSR_PMON_CTL.* the event list is right',
        'question: .*LLC_VICTIMS.NID .*: the bit counts alone',
        "question: bit 1 of filter_nid stands for node 1 of socket 0's UBox",
        "question: bit 3 of filter_nid stands for node 3 of socket 2's UBox",
        r'question: the fixed counter of ubox has 48 bits, as in section 2\.2\.2',
        'question: .*PMC4 to 7: they count on PMC0 to 3 alone')


def test_intel_uncore_has_the_same_counts(good):
    linux = Report(good.text.partition('\nwith intel_uncore\n')[2])
    # Not those of streams
    assert len(linux.lines(r'^ok .* reads from memory: (?:0\.9|1\.)')) == 4, linux.text


# Another hardware variant, with a box that somebody freezes, and flows that the LLC holds; runs
# that fail

@pytest.fixture(scope='module')
def variant(vm):
    return vm('''
        echo older > /tmp/report
        uncore-hwtest -n -b 1 -o /tmp/report > /tmp/ended & sleep 3; kill $!; wait $!
        echo "ended: exit $?, $(cd /tmp && echo report*) $(cat /tmp/report)"
        touch /tmp/going
        while [ -e /tmp/going ]; do uncore-stim -s 1 poke pcu box_ctl=0x10100; done &
        uncore-hwtest -y -b 1 -o /tmp/report; echo "exit $?"
        rm /tmp/going
        uncore-hwtest -n -b 1 -o /tmp/report | grep 'widths of the'
        uncore-hwtest -n -o /none/report; echo "no place: exit $?"
        ln -s /etc/passwd /tmp/link
        uncore-hwtest -n -o /tmp/link; echo "link: exit $?, $(head -n 1 /etc/passwd)"
        echo "nobody:x:65534:65534::/:/bin/sh" >> /etc/passwd
        su nobody -c "uncore-hwtest -n"; echo "no right: exit $?"
        echo | uncore-hwtest -o /tmp/report; echo "no terminal: exit $?"
        rmmod snbep_uncore
        uncore-hwtest -n; echo "no driver: exit $?"''',
              '-o', 'no-qpi pcu-ext=drop wo=zero hide=1:10.4 dclk=750 uclk=5000 nodes=3,5 noise=on '
              'ubox-fixed=44')


def test_clock_of_one_of_four_boxes_that_is_frozen_fails(good):
    good.assert_has('^frozen: ok .* socket 0: the DRAM clock',
                    '^frozen: not ok .* socket 2: the DRAM clock')


def test_other_variant_fails(variant):
    variant.assert_has('^exit 1$')


def test_run_that_ends_early_keeps_the_older_report(variant):
    variant.assert_has('^ended: exit 130, report older$')


def test_link_is_no_report(variant):
    variant.assert_has('^link: exit 1, root:')


def test_functions_that_are_not_there_are_listed(variant):
    variant.assert_has('^# pci bus 0000:7f: not there: 08[.]2 3c41, 08[.]6 3c86, '
                       '09[.]2 3c42, 09[.]6 3c96')


def test_hidden_boxes_are_named_and_no_failure(variant):
    variant.assert_has(
        '^ok .* socket 1: a PMU for each box whose registers are there$',
        '^ok .* socket 0: boxes qpi_0 qpi_1 # SKIP .* hidden by the BIOS, '
        "as QPI's counters are on most boards$",
        '^ok .* socket 0 reading the memory of socket 1: reads from the other .* # SKIP .*hidden',
        '^(not )?ok .* socket 1 reading the memory of socket 0: reads from the other [^#]*$',
        '^ok .* packet filters of the QPI ports # SKIP .*hidden')


def test_wrong_rates_of_clocks_and_a_box_that_is_frozen_fail(variant):
    variant.assert_has('^not ok .* the uncore clock .*: (4[89]|50)[0-9.]* to ',
                       '^not ok .* the DRAM clock .*: 7[45]',
                       '^ok .* socket 0: the PCU clock of 1 boxes is 800',
                       '^not ok .* socket 1: the PCU clock')


def test_wrong_counts_of_traffic_fail_alone(variant):
    where = 'socket 0 reading the memory of socket 0'
    variant.assert_has(rf'^not ok .* {where}: reads from memory: 0\.0',
                       '^ok .* socket 0 streaming .*: streaming stores with opcode WCiLF: [01]',
                       '^not ok .* question: bit 3 of filter_nid')


def test_other_readings_of_the_guide_are_supported(variant):
    variant.assert_has('question: .*bit 21 of PCU_MSR_PMON_CTLn does not hold a 1',
                       'question: the fixed counter of ubox has 44 bits, as in the field in table')


def test_counters_are_not_written_without_permission(variant):
    variant.assert_has('widths of the counters # SKIP .*may not be written')


@pytest.mark.parametrize('missing, reason', [
    ('no place', '.*another file with -o'), ('no right', 'run it as root'),
    ('no terminal', 'questions need a terminal'), ('no driver', 'the driver is not loaded')])
def test_missing_requirement_exits_with_one_line(variant, missing, reason):
    variant.assert_has(f'^{missing}: exit 1', f'^uncore-hwtest: {reason}')
