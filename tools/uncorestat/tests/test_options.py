# SPDX-License-Identifier: GPL-2.0-only
"""Options, what uncorestat says of mistakes, and what is installed with it."""
import errno
import re
import shutil
import subprocess

import pytest

from fake_pmus import ALL_METRICS


# Bits 21 and 38 of CapEff are CAP_SYS_ADMIN and CAP_PERFMON.
ADMIN, PERFMON, ALL = 1 << 21, 1 << 38, (1 << 64) - 1
NOT_ALLOWED = 'not allowed to count: be root, have'
CONTAINER = 'the container denies perf events \\(seccomp filter'
NO_PERF = "this kernel has no perf events, or a container's seccomp filter hides them"


@pytest.mark.parametrize('error, capabilities, paranoid, text', [
    (errno.EACCES, 0, 4, f'{NOT_ALLOWED} CAP_SYS_ADMIN, or set .*, which is 4, to 0 \\(sysctl\\)'),
    (errno.EACCES, PERFMON, 3, f'{NOT_ALLOWED} CAP_SYS_ADMIN, or set .*, which is 3, to 0'),
    (errno.EACCES, ALL & ~ADMIN & ~PERFMON, 2,
     f'{NOT_ALLOWED} CAP_PERFMON, or set .*, which is 2, to 0'),
    (errno.EACCES, PERFMON, 2, CONTAINER),
    (errno.EPERM, ADMIN, 3, CONTAINER),
    (errno.EPERM, ADMIN, -1, CONTAINER),
    (errno.ENOSYS, ALL, 3, NO_PERF), (errno.EMFILE, ALL, 3, 'too many open files.*ulimit'),
    (errno.ENOENT, ALL, 3, 'snbep_uncore_cbox_0 is gone: was the driver unloaded just now\\?'),
])
def test_what_denies_counting(uncorestat, error, capabilities, paranoid, text):
    machine = uncorestat.machine
    machine.rule('refuse', '*', -1, error)
    (machine.root / 'proc/self/status').write_text(
        f'Name:\tx\nCapPrm:\t{ALL:016x}\nCapEff:\t{capabilities:016x}\nCapBnd:\t{ALL:016x}\n')
    (machine.root / 'proc/sys/kernel/perf_event_paranoid').write_text(f'{paranoid}\n')
    uncorestat.run('-n', 1).advises(f'{text}.*')


@pytest.mark.parametrize('model, flags, text', [
    (45, 'fpu lahf_lm', 'there is no uncore PMU: load a driver \\(modprobe snbep_uncore\\)'),
    (79, 'fpu lahf_lm', 'there is no uncore PMU: load a driver \\(modprobe intel_uncore\\)'),
    (79, 'fpu hypervisor lahf_lm', 'this virtual machine shows no uncore: run it on the host')])
def test_no_driver(uncorestat, machines, model, flags, text):
    uncorestat.machine = machines(model=model, boxes=[])
    with uncorestat.machine.cpuinfo.open('a') as cpuinfo:
        cpuinfo.write(f'flags\t\t: {flags}\n')
    uncorestat.run('-n', 1).advises(f'{text}.*')


@pytest.mark.parametrize('family, model', [(6, 85), (23, 63)])
def test_another_processor(uncorestat, machines, top, family, model):
    uncorestat.machine = machines(prefix='uncore_', model=model)
    cpuinfo = uncorestat.machine.cpuinfo
    cpuinfo.write_text(cpuinfo.read_text().replace('family\t: 6', f'family\t: {family}'))
    output = uncorestat.run('-n', 1)
    assert output.code == 78 and 'this processor is no Xeon E5-2600' in output.text
    # systemd starts it again, but for EX_CONFIG.
    unit = (top / 'tools/uncorestat/uncorestat.service').read_text()
    assert re.findall('^Restart.*=(.*)', unit, re.M) == ['on-failure', '60', str(output.code)]


@pytest.mark.parametrize('file, text, rest', [
    ('devices/system/cpu/online', '0-2147483647', '0-2147483647'),
    ('devices/system/cpu/online', '0-1,x', 'x'),
    ('bus/event_source/devices/snbep_uncore_imc_0/cpumask', '0-2147483647', '0-2147483647'),
    ('bus/event_source/devices/snbep_uncore_imc_0/cpumask', '0,4294967296', '4294967296'),
    ('bus/event_source/devices/snbep_uncore_imc_0/cpumask', '10-0', '10-0'),
    ('bus/event_source/devices/snbep_uncore_imc_0/format/event', 'config:4294967295',
     '4294967295'),
    ('bus/event_source/devices/snbep_uncore_imc_0/format/event', 'config:0-64', '0-64'),
], ids=lambda value: value.rpartition('/')[2])
def test_list_of_sysfs_that_cannot_be_is_an_error(uncorestat, file, text, rest):
    path = uncorestat.machine.root / 'sys' / file
    path.unlink()
    path.write_text(text + '\n')
    uncorestat.run('-n', 1).advises(f'/sys/{file}: no list of numbers up to [0-9]*: {rest}')


MISTAKES = {
    '-g me': 'no group me: see --list',
    '-m mem_reads': 'no metric mem_reads: see --list',
    '-m freq_2950': 'no metric freq_2950: see --list',
    '-m freq_0000': 'no metric freq_0000: see --list',
    '-m x=d_ratio([imc:cas_count_rd],[imc:cas_count_wr]': '-m x=d_ratio.*: wrong at its end$',
    '-m x=3+': '-m x=3[+]: wrong at its end$',
    '-m x=2;2': '-m x=2 2: wrong from here on: 2$',
    '-m x=d_ratio(1)': r'-m x=d_ratio\(1\): wrong from here on: \)$',
    '-m x=[imc:nonsense]': 'imc has no alias nonsense',
    '-m x=[nonsense:reads]': r'x: no box type, such as imc, in \[nonsense\]',
    '-m x=[imc:cas_count_rd':
     r'x: an event that has no end, or is too long: \[imc:cas_count_rd$',
    '-m x=[cbox:tor_inserts_opcode]':
     r'\[tor_inserts_opcode\] lacks a value: .*filter_opc=\?',
    '-m mem_read=3': 'mem_read: there is a metric of this name',
    '-m =3': ': not a name of lower case letters',
    '-m Bytes=3': 'Bytes: not a name of lower case letters',
    '-i nan': '-i nan: a number',
    '-i 0.009': '-i 0.009: a number from 0.01 on',
    '-n 5x': '-n 5x: a number from 1 on',
    '-n 1.7': '-n 1.7: a whole number',
    '0.001': 'interval 0.001: a number from 0.01 on',
    '-n 1e10': '-n 1e10: a number',
    '--per core': '--per core: system, socket, box or resctrl',
    '--csv --json': '--live, --csv, --json: one of them',
    '--live': '--live needs a terminal',
    '--live -- true': '--live has the terminal to itself',
    '--live --control fd:0': '--live has no use for --control',
    '--live -o /tmp/lines': '--live has no lines for --output',
    '--control pipe:3': '--control pipe:3: fd:FD',
    '--control fd:77': '--control: no open file descriptor: 77',
    '--control fifo:/no/fifo': '--control: cannot open /no/fifo: No such file',
    '--live --summary': '--summary follows lines',
    '--prometheus ' + 'x' * 4100: '.*File name too long',
    '--list mem read': '--list takes one word',
    '--list xyzzy': '--list: nothing has the word xyzzy$',
    '--listen 70000': '--listen 70000: .*, the port up to 65535',
    '--listen 127.0.0.1:0': '--listen 127.0.0.1:0: .*, the port up to 65535',
    '--listen +9180': r'--listen \+9180: .*, both as numbers',
    '--listen localhost:9180': r'--listen localhost:9180: \[ADDRESS:\]PORT, both as numbers',
    '--listen 192.0.2.1:9180': '--listen 192.0.2.1:9180: Cannot assign requested address',
}


# Characters that no expression has: {} are of placeholders, and a line of the output ends at some.
CHARACTERS = {
    '{5}': "'{'", '{99999999}': "'{'", '1}': "'}'", '[imc:event={0}]': "'{'",
    '1+\n2': 'character 0x0a', '1+\t2': 'character 0x09', '1\x1b[31m': 'character 0x1b',
    '[imc:event=4,\numask=3]': 'character 0x0a', '[imc:cas\\n]': "'\\\\'", '[imc:cas"]': "'\"'",
    '[imc:<b>]': "'<'", '2\u00d73': 'character 0xc3', '1%2': "'%'", '\x7f': 'character 0x7f'}
# -m, and the name that another column has; "prom" is below the test's directory.
COLUMNS = {
    **{f'{name}=1': name for name in (
        'time socket box notes interval_seconds total_seconds sampled multiplexed info '
        'mem_remote_denominator marked'.split())},
    'mem_read,mem_read_bytes_per_second=1': 'mem_read_bytes_per_second',
    'mem_read_bytes=1,mem_read': 'mem_read_bytes',
    'mem_remote,mem_remote_percent=1': 'mem_remote_percent',
    'mem_remote,mem_remote_numerator=1': 'mem_remote_numerator',
    'x_m_y=1,x_modified_y=2': 'x_modified_y'}
TOO_LONG = ','.join(['x0=1+1', *(f'x{i}=x{i - 1}+x{i - 1}+x{i - 1}' for i in range(1, 40))])
MISTAKES |= {
    **{f'-m x={text}': f'x: no {character} in an expression$'
       for text, character in CHARACTERS.items()},
    **{f'-m x=1*{number}': rf'-m x=.*: wrong from here on: {re.escape(number.replace(";", " "))}$'
       for number in ('inf', 'nan', 'infinity', 'nan(1)', '-1', '+1', '-;1', '.', 'a;number')},
    **{f'-m x=[{event}]': '' for event in ('', ':', 'imc:', ':event=1', 'imc:,', 'imc::event=1',
                                           'imc:=')},
    **{f'-m {name}=1': f'{name}: not a name of lower case letters, digits and _, a letter first, '
                       '32 at most$' for name in ('x' * 33, '2', '_', '1e5')},
    **{f'--json --prometheus prom -m {metrics}':
       f'-m {name}: the output has another column of this name$'
       for metrics, name in COLUMNS.items()},
    **{f'-m x{unit}=1': 'x: a unit in brackets' for unit in ('(', '()', '(a;b)', '(12345678901)')},
    f'-m {TOO_LONG}': 'x.*: too long',
    **{f'--per box -m x=[imc:cas_count_rd]+[pcu:clockticks]{more}':
       'none of these metrics is per box: leave out --per box$'
       for more in ('', '+[pcu:clockticks]', '+[imc:cas_count_rd]')},
    **{f'--control fd:{fd}': f'--control: no open file descriptor: {fd}$'
       for fd in ('4294967297', '-1', '18446744073709551617', '1x', '')},
    **{f'{option} /no/such': 'cannot write /no/such: No such file or directory$'
       for option in ('--prometheus', '--svg', '-o', '--record')},
    **{f'--prometheus {path}': f'{path} is not a regular file: name one, which is replaced$'
       for path in ('/dev/null', '/tmp')},
    '--replay /none': '.*No such file', '--replay /dev/null': '.*no recording: it is empty$',
    '--replay f -m mem_read': '.*its own lines and columns', '--replay f --per box': '.*its own',
    '--replay f --record g': '.*not counted', '--replay f -- true': '.*not counted',
    '--replay f --listen 9180': '.*not counted', '--replay f --diff f g': '.*(not counted|alone)',
    '--diff f': '.*takes two', '--diff f g h': '.*takes two', '--diff f g --summary': '.*alone'}


@pytest.mark.parametrize('args', MISTAKES, ids=lambda args: ascii(args)[1:41])
def test_mistake_in(uncorestat, tmp_path, args):
    # An option that --replay or --diff has not would come before their own.
    count = [] if args.startswith(('--replay', '--diff')) else ['-n', 1]
    words = [word.replace(';', ' ') for word in args.split(' ')]
    uncorestat.run(*count, *words, cwd=tmp_path).advises(f'{MISTAKES[args]}.*')


def test_unknown_option_has_a_hint(uncorestat):
    output = uncorestat.run('-n', 1, '-x')
    assert output.code == 1 and output.lines[-1] == 'Try uncorestat --help.'


def test_output_goes_to_the_file_and_10_ms_are_an_interval(uncorestat, tmp_path):
    lines = tmp_path / 'lines'
    output = uncorestat.run('-n', 1, '-i', 0.01, '-m', 'mem_read', '-o', lines)
    assert (output.code, output.text) == (0, '')
    assert len(re.findall('^[0-9:. ]* S[03] ', lines.read_text(), re.M)) == 2


def test_output_with_a_command_has_the_totals_and_not_the_commands_lines(uncorestat, tmp_path):
    lines = tmp_path / 'lines'
    output = uncorestat.run('-m', 'mem_read', '-o', lines, '--', 'sh', '-c', 'echo error >&2')
    assert output.text == 'error\n' and re.search('^ *total', lines.read_text(), re.M)


def test_interval_and_count_are_those_of_vmstat(busy, tmp_path):
    assert busy.run(*'-m mem_read 100 3 --json'.split()).text.count('interval_seconds') == 6
    # A command goes on after the third, and its end is that of a last interval.
    out = tmp_path / 'out'
    busy.run(*'100 3 -m mem_read --json -o'.split(), out, '--', 'sh', '-c',
             f'until [ "$(grep -c interval_ {out})" = 6 ] || ! kill -0 $PPID; do sleep 0.01; done')
    assert out.read_text().count('interval_seconds') == 8
    assert busy.run('100', '3').text.count(' S3 ') == 3
    assert busy.run('--', '7').code == 127


# --list

@pytest.fixture
def listed(uncorestat):
    return uncorestat.run('--list').text


def paragraph(text, name):
    """What --list prints of a metric"""
    return re.search(rf'^{name}(?: \(.*\))?\n(?:    .*\n)*', text, re.M)[0]


def test_list_has_the_processor_its_groups_and_what_is_not_available(listed):
    assert listed.splitlines()[:5] == [
        'Xeon E5-2600 (Sandy Bridge-EP). Highest rates of a memory channel and a QPI link: '
        '12.8 GB/s (DDR3-1600), 8 GT/s', '', 'Groups (-g):',
        '  default: What the socket is doing. A line for each socket.',
        '    mem_read mem_write mem_remote llc_lookup llc_miss qpi_out qpi_in qpi_link_util '
        'pcie_read pcie_write cores_c0 cores_c6 freq_2000']
    assert '\nIn the guide, but not available:\n  cbox CYC_INGRESS_STARVED: its event ' \
        'RxR_INT_STARVED is not in the guide\n' in listed


def test_list_has_unit_meaning_equation_section_and_note(listed):
    assert paragraph(listed, 'qpi_speed') == '''\
qpi_speed (GT/s)
    Speed of the links, on average over two ports in every socket
    High: the link is as fast as the processors allow
    [clockticks] * 8 / 1000000000 / duration_time / #num_packages / 2
    guide: QPI_SPEED of section 2.7.6, Table 2-95
    The printed equation uses QPI_VALUES, which is nowhere defined; qfclk runs
    at an eighth of the link's rate (section 2.7.7, CLOCKTICKS).
'''


@pytest.mark.parametrize('word, found', [
    ('Page_Miss', ['imc_pct_requests_page_empty (%)', 'imc_pct_requests_page_miss (%)',
                   '[imc:pre_count_page_miss]']),
    *((word, [metric]) for word, metric in (
        ('DDIO', 'pcie_write_alloc'), ('numa', 'mem_remote'), ('bandwidth', 'mem_read'),
        ('L3', 'llc_lookup'), ('UPI', 'qpi_out'), ('temperature', 'package_celsius'),
        ('utilization', 'qpi_link_util'), ('page hit', 'imc_pct_requests_page_hit'),
        ('write back', 'cbox_mem_wb_bytes'), ('PCIe devices', '  pcie: ')))])
def test_list_has_what_has_a_word_as_people_say_it(uncorestat, word, found):
    output = uncorestat.run('--list', word)
    assert output.code == 0 and uncorestat.run(f'--list={word}').text == output.text
    assert all(re.search(f'^{re.escape(name)}', output.text, re.M) for name in found)
    # It is in metrics, events and groups, and what has not the word is not there.
    if word == 'Page_Miss':
        assert found == re.findall(r'^(?:[a-z_]* \(%\)|\[.*)', output.text, re.M)
        assert '\n    Because of a page miss' in output.text
        assert '\n  mem:' not in output.text and 'not available' not in output.text


def test_list_says_of_every_column_what_a_high_value_means(listed):
    groups = listed.partition('\nMetrics')[0]
    columns = set(' '.join(re.findall('^    (.*)', groups, re.M)).split())
    assert len(columns) > 30
    assert all('\n    High: ' in paragraph(listed, name) or name.startswith('resctrl_')
               for name in columns)


def test_list_names_a_section_of_the_box_that_a_metric_counts(listed):
    # Chapter 2 has a section for each type of box.
    chapters = {box: f' section 2.{number}.' for number, box in enumerate(
        ('cbox', 'ha', 'imc', 'pcu', 'qpi', 'r2pcie', 'r3qpi'), 3)}
    found = 0
    for name in re.findall(ALL_METRICS, listed, re.M):
        text = paragraph(listed, name)
        guide = re.search('^    guide: (.*)', text, re.M)
        box = name.partition('_')[0]
        if box not in chapters:
            box = (re.findall(r'\[([a-z0-9]+):', text) or [None])[0]
        if guide:
            found += 1
            assert chapters[box] in ' ' + guide[1], text
    assert found > 100


# Manual page, completion

def test_manual_page_has_all_options(uncorestat, top):
    text = (top / 'Documentation/uncorestat.rst').read_text()
    page = re.sub('^    .*', '', text[text.index('\nOPTIONS'):text.index('\nMARKS')], flags=re.M)
    assert set(re.findall('--[a-z]+', page)) == set(
        re.findall('--[a-z]+', uncorestat.run('--help').text))


def test_manual_page_is_80_columns_wide_and_has_its_date(top, tmp_path):
    if not shutil.which('rst2man') or not shutil.which('man'):
        pytest.skip('there is no rst2man or no man here')
    page = tmp_path / 'page.8'
    subprocess.run(['rst2man', top / 'Documentation/uncorestat.rst', page], check=True)
    text = subprocess.run(['man', '-l', page], check=True, capture_output=True, text=True,
                          env={'MANWIDTH': '80', 'PATH': '/usr/bin:/bin',
                               'LC_ALL': 'C.UTF-8'}).stdout
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert re.search(r'\n *20\d\d-\d\d-\d\d ', text)


COMPLETE = '''
. "$1"
shift
COMP_WORDS=(uncorestat "$@") COMP_CWORD=$# COMP_LINE="uncorestat $*" COMP_POINT=${#COMP_LINE}
_uncorestat
printf '%s\\n' "${COMPREPLY[@]}"
'''


@pytest.mark.parametrize('words, completed', [
    ('--per so', ['socket']), ('-g mem,ll', ['mem,llc']), ('-m qpi_link_u', ['qpi_link_util']),
    ('-m cores_c0', ['cores_c0']), ('--prom', ['--prometheus']), ('--r', ['--record', '--replay']),
    ('-- whil', [])])
def test_completion_of(uncorestat, top, words, completed):
    done = subprocess.run(
        ['bash', '-c', COMPLETE, 'bash', top / 'tools/uncorestat/completion', *words.split()],
        check=True, encoding='utf-8', stdout=subprocess.PIPE,
        env={'PATH': f'{uncorestat.program.parent}:/usr/bin:/bin'})
    assert done.stdout.split() == completed


# Builds

@pytest.mark.parametrize('library, options, package', [
    ('curses', ['--live'], 'libncurses-dev'),
    ('json', ['--record file', '--replay file'], 'libjansson-dev')])
def test_build_without_a_library_says_so_and_has_all_but(
        uncorestat, built, top, tmp_path, library, options, package):
    shutil.copytree(built / 'objects', tmp_path / 'objects')
    made = subprocess.run(['make', '-s', '-C', top / 'tools', f'O={tmp_path}', f'{library}='],
                          check=True, stdout=subprocess.PIPE, encoding='utf-8')
    option = options[0].split()[0]
    assert made.stdout.startswith(f'uncorestat is built without {option}: {package}')
    for words in options:
        uncorestat.run(*words.split(), program=tmp_path / 'uncorestat').advises(
            f'{option}.* not in this build: .*{package}.*')


def test_build_without_any_output_links_and_says_so(top, tmp_path):
    names = 'table csv json live summary svg record prometheus listen'
    program = tmp_path / 'uncorestat'
    subprocess.run(['make', '-s', '-C', top / 'tools', f'O={tmp_path}', f'WITHOUT={names}',
                    program], check=True)
    said = subprocess.run([program, '--version'], check=True, stdout=subprocess.PIPE, text=True)
    assert re.findall('^Not in this build: --([a-z]*)', said.stdout, re.M) == names.split()


@pytest.mark.ci
@pytest.mark.parametrize('level', ['-O0', '-O3'])
@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_build_has_no_warning(top, tmp_path, compiler, level):
    if not shutil.which(compiler):
        pytest.skip(f'there is no {compiler} here')
    make = subprocess.run(['make', '-s', '-C', top / 'tools', f'O={tmp_path}', f'CC={compiler}',
                           f'CFLAGS={level}'], check=True, capture_output=True, text=True)
    assert make.stdout + make.stderr == ''
