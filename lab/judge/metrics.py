# SPDX-License-Identifier: GPL-2.0-only
"""Compare the metrics of Intel's event lists, as perf computes them, with the truth."""
import argparse
import collections
import fnmatch
import json
import pathlib
import re
import sys
import tempfile

from . import formula, lists, machine
from .known import metric_faults
from .process import SCRIPTS, TOP, CouldNot, command, ktap, read, run

EPILOG = """\
Events are injected into both sockets of the emulated machine at a known rate, and perf stat -M has
to print the same value however it measures: for one and for four seconds, at intervals, with half
of the CPUs offline, and for each socket, with --per-socket and -A, its share of a rate, or the same
latency, frequency or ratio. The truth is the list's formula for one socket and one second. Prints
KTAP. Metrics of the cores, and of what the machine does not have, are skipped. Exit status: 0; 1 if
a metric is wrong that perfmon/known does not have; 125 if nothing could be tried."""

CORES = 2
SOCKETS = 2
# The clock of a unit of an E5 in MHz; its event is 0.
CLOCKS = {'cbox': 2000, 'ha': 2000, 'imc': 800, 'pcu': 800}
# Rates and amounts add up over sockets; all else is the same on each.
ADDS = re.compile(r'bandwidth|_bw|bw_|cstate|power|socket_clks|io_lost|io_msi')
TOKEN = re.compile(r'([A-Za-z_][\w.]*)@([^@]*)@|#(\w+)|([A-Za-z_][\w.]*)')
WORDS = {'if', 'else', 'min', 'max', 'd_ratio', 'source_count', 'aggr_nr', 'and', 'or'}
# Name: options of perf, seconds, and whether half of the CPUs are offline
MODES = {'-a': ('-a', 1), '-a, 4 s': ('-a', 4), '--per-socket': ('-a --per-socket', 1),
         '-A': ('-a -A', 1), '-I': ('-a -I 1000', 1), 'half of the CPUs': ('-a', 1)}


# What a list of a stranger has where it is malformed
MALFORMED = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


class Skip(formula.NoFormula):
    """Why a metric cannot be tried"""


class List:
    """Events and metrics of a generation"""

    def __init__(self, generation, linux):
        self.generation = generation
        directory = linux / lists.LISTS / lists.NAMES[generation]
        self.events = {}
        for file in directory.glob('uncore-*.json'):
            for event in json.loads(read(file)):
                self.events[event['EventName'].lower()] = event
        self.metrics = {}
        for file in directory.glob('*-metrics.json'):
            for metric in json.loads(read(file)):
                self.metrics[metric['MetricName']] = metric
        self.boxes = {}
        for unit in machine.units(generation):
            found = self.boxes.setdefault(re.sub(r'_\d+$', '', unit.pmu), [])
            if unit.stim not in found:
                found.append(unit.stim)
        self.clocks = self.read_clocks()
        self.room = self.read_room()
        # Events of a metric that is parsed, which may differ in more than event() tells
        self.uses = set()
        if 'cbox' in self.boxes:
            # As many as cores
            self.boxes['cbox'] = self.boxes['cbox'][:CORES]

    def read_clocks(self):
        """{kind of unit: MHz and event of its clock}"""
        xeon = TOP / 'machine/xeon'
        for words in machine.table(xeon / 'qemu/generations'):
            if words[:1] == [self.generation] and words[-1] != '-':
                text = (xeon / 'discovery' / words[-1]).read_text(encoding='ascii')
                return {row[1]: (int(row[3]), 0 if row[2] else 1) for row in re.finditer(
                    r'^\w.* name=(\w+)( e5)?.* clock=(\d+)', text, re.M)}
        return {kind: (clock, 0) for kind, clock in CLOCKS.items()}

    def read_room(self):
        """{kind of unit and code: on how many counters the event counts}"""
        room = {}
        for kind, _, counters, *events in lists.counters(self.generation):
            room.update({(kind, int(event.split('/')[0], 0)): len(counters.split(','))
                         for event in events})
        return room

    def clock(self, kind):
        return self.clocks.get(kind, (0, None))

    def event(self, name, terms, pmu):
        """(unit, code, umask, opc, threshold, one, filter) of an event with perf's terms"""
        found = dict(term.partition('=')[::2] for term in terms if term)
        listed = self.events.get(name.lower(), {})
        kind = listed.get('Unit', '').split(' ')[0].lower() if listed else name
        kind = re.sub(r'^uncore_|_\d+$', '', kind)
        if kind not in self.boxes:
            raise Skip(f'the machine has no {kind} for {name}')
        number = lambda key, default: int(found.get(key, default), 0)
        code = number('event', listed.get('EventCode', '0x0'))
        filters = dict(re.findall(r'(filter_\w+)=(\w+)', listed.get('Filter', '')))
        others = (filters.keys() | found.keys()) - {'filter_opc', 'event', 'umask', 'thresh',
                                                    'filter_tid', 'filter_nc', 'config1'}
        if others:
            raise Skip(f'{name} has {", ".join(sorted(others))}')
        return (kind, code, number('umask', listed.get('UMask', '0x0')),
                number('filter_opc', filters.get('filter_opc', '0x0')), number('thresh', '0'),
                re.search(r'_\d+$', pmu or name) is not None, found.get('config1'))

    def parse(self, expression, events, depth=0):
        """The expression for formula; its events are put into a list."""
        if depth > 20 or len(expression) > formula.LONGEST:
            raise Skip('its formula is too long')

        def word(match):
            pmu, terms, number, name = match.groups()
            if number:
                if number not in ('num_packages', 'num_dies', 'num_cores'):
                    raise Skip(f'it depends on #{number}')
                return number
            if name in WORDS:
                return name
            if name == 'duration_time':
                return 'seconds'
            if re.fullmatch(r'[eE]\d+', name or ''):
                return name
            if name in self.metrics:
                return f'({self.parse(self.metrics[name]["MetricExpr"], events, depth + 1)})'
            terms = (terms or '').replace('\\', '').split(',')
            base = name or pmu
            if pmu and terms[0].lower() in self.events:
                base, terms = terms[0], terms[1:]
            if (base.lower() not in self.events
                    and re.sub(r'^uncore_|_\d+$', '', base) not in self.boxes):
                raise Skip(f'{base} is no event of the uncore')
            event = self.event(base, terms, pmu)
            self.uses.add((event[:2], base, *terms))
            if event not in events:
                events.append(event)
            return f'count({events.index(event)})'
        expression = re.sub(r'(?<=[\d.])e(?=\d)', 'E', expression)
        text = TOKEN.sub(lambda m: m[0] if m[0].startswith('E') and m[0][1:].isdigit()
                         else word(m), expression)
        # Metrics of metrics grow by powers.
        if len(text) > formula.LONGEST:
            raise Skip('its formula is too long')
        return text


def injections(events, listed):
    """What happens in a second on socket 0: (unit, terms, event, how often)"""
    happens = []
    for number, event in enumerate(events):
        kind, code, umask, opc, threshold, *_ = event
        if threshold or (kind == 'pcu' and listed.generation.isdigit()):
            continue
        if code == listed.clock(kind)[1]:
            continue
        # perf prints six digits behind the point.
        times = 1000000 * (2 * number + 3)
        terms = f'event={code:#x},umask={umask:#x}' if umask else f'event={code:#x}'
        if opc:
            terms += f',opc={opc:#x}'
        if code == 0x36 and (opc or not listed.generation.isdigit()):
            # Entries stay for a hundred cycles.
            terms += ',inc=4'
            times *= 25
        happens.append((listed.boxes[kind][0], terms, event, times))
    return happens


def counted(event, happens):
    """How much of what is injected an event counts in a second, on socket 0"""
    kind, code, umask, opc, threshold, *_ = event
    total = 0
    for _, terms, other, times in happens:
        same = other[:2] == (kind, code) and other[3] == opc
        # An event with an opcode describes an entry, others are sets of what happened.
        if same and (opc and umask & other[2] == umask or not opc and
                     (not other[2] or umask & other[2])):
            increment = 4 if 'inc=4' in terms else 1
            total += times * (1 if threshold else increment)
    return total


class Metric:
    """A metric, what is injected for it and its true value"""

    def __init__(self, listed, name):
        self.name = name
        if not re.fullmatch(r'\w[\w.-]{0,200}', name, re.ASCII):
            raise Skip('it has a name that no metric has')
        self.listed = listed
        self.events = []
        listed.uses.clear()
        self.expression = listed.parse(listed.metrics[name]['MetricExpr'], self.events)
        if not self.events:
            raise Skip('it has no event of the uncore')
        self.formula = formula.parse(self.expression)
        if any(event[4] for event in self.events):
            raise Skip('its events take turns on one counter, and injections do not wait for them')
        same = collections.Counter(event for event, *_ in listed.uses)
        if any(number > listed.room.get(event, number) for event, number in same.items()):
            raise Skip('its events take turns on the counters that can count them, and injections '
                       'do not wait for them')
        # The filter of a CHA, which the machine has and does not apply
        if len({event[6] for event in self.events if event[6]}) > 1:
            raise Skip('its events take turns on one filter, and injections do not wait for them')
        self.units = {event[0] for event in self.events}
        self.happens = injections(self.events, listed)
        self.adds = bool(ADDS.search(name))
        clocks = any(event[1] == listed.clock(event[0])[1] for event in self.events)
        # What happens, by the time or by a clock, and no frequency or latency
        self.rate = clocks != ('seconds' in self.expression) and 'latency' not in name
        # Of counts alone, which a busy host does not change
        self.exact = not clocks and 'seconds' not in self.expression
        scale = re.match(r'[\d.e+-]+', listed.metrics[name].get('ScaleUnit', ''))
        self.scale = float(scale[0]) if scale else 1
        self.value(0)

    def factor(self, socket):
        """How often what happens on socket 0 happens on another"""
        return 3 if socket and self.adds else 1

    def value(self, socket):
        """The true value on a socket"""
        def count(number):
            kind, code, _, _, _, one, _ = event = self.events[number]
            clock, clock_code = self.listed.clock(kind)
            if code == clock_code:
                return clock * 1e6 * (1 if one else len(self.listed.boxes[kind]))
            return counted(event, self.happens) * self.factor(socket)

        def boxes(_):
            return len(self.listed.boxes[self.events[0][0]])

        def ratio(a, b):
            return a / b if b else 0
        names = {'count': lambda number: count(int(number)), 'seconds': 1, 'source_count': boxes,
                 'aggr_nr': boxes, 'min': min, 'max': max, 'd_ratio': ratio, 'num_packages': 1,
                 'num_dies': 1,
                 # A metric that takes the number of cores means that of CBoxes or CHAs.
                 'num_cores': len(self.listed.boxes.get('cha', self.listed.boxes.get('cbox', ())))}
        return self.scale * formula.value(self.formula, names)

    def truth(self, mode):
        """{who: value} for a way to measure"""
        values = [self.value(socket) for socket in range(SOCKETS)]
        if mode == '--per-socket':
            return {f'S{socket}': value for socket, value in enumerate(values)}
        if mode == '-A':
            return {f'CPU{socket * CORES}': value for socket, value in enumerate(values)}
        return {'': sum(values) if self.adds else values[0]}

    def script(self, mode):
        """Measure in the guest"""
        options, seconds = MODES[mode]
        stim = f'/tmp/stim.{seconds}'
        steps = f'uncore-stim -f {stim}; sleep {seconds}'
        if mode == '-I':
            steps = f'sleep 0.5; uncore-stim -f {stim}; sleep 1; uncore-stim -f {stim}; sleep 0.8'
        lines = ''.join(
            f'-s {socket} {unit} {terms},count={times * seconds * self.factor(socket)}\n'
            for unit, terms, _, times in self.happens for socket in range(SOCKETS))
        out = f'/extra/{self.name}.{list(MODES).index(mode)}'
        return (f"cat > {stim} << 'END'\n{lines}END\n"
                f"perf stat {options} -j -o {out} -e duration_time -M {self.name} -- "
                f"sh -c '{steps}' "
                f'> {out}.err 2>&1 || echo failed >> {out}.err\n')


def measured(name, text):
    """{who: [(value, seconds of the interval)]} of perf's JSON"""
    values, begins = {}, {}
    for line in text.splitlines():
        if not line.startswith('{'):
            continue
        try:
            row = json.loads(line)
            if row.get('metric-unit', '').split(' ')[-1] != name:
                continue
            who = f'CPU{row["cpu"]}' if 'cpu' in row else str(row.get('socket', ''))
            end = float(row.get('interval', 0))
            value = float(row.get('metric-value', 'nan'))
        except MALFORMED:
            # "nan" and counts in a locale
            continue
        values.setdefault(who, []).append((value, end - begins.get(who, 0)))
        begins[who] = end
    return values


def duration(text):
    """What duration_time says, in seconds, or None"""
    found = re.search(r'"counter-value" : "([\d.]+)"[^{]*"event" : "duration_time"', text)
    return float(found[1]) / 1e9 if found else None


def compare(metric, mode, text):
    """None, or what is wrong"""
    if 'failed' in text.get('err', ''):
        return text['err'].strip().splitlines()[0]
    values = measured(metric.name, text['out'])
    wrong = []
    # A rate is what was injected by the time that perf has measured: a busy host takes longer.
    took = duration(text['out']) if mode != '-I' else None
    seconds = MODES[mode][1]
    for who, truth in metric.truth(mode).items():
        got = [value for value, _ in values.get(who, [])]
        if mode == '-A':
            # A line for each box, "nan" where nothing happened
            got = [value for value in got if value == value]
            # What happens is injected into one box of several.
            if metric.adds or metric.happens and got:
                got = [sum(got) / (1 if metric.adds else len(got))]
        elif mode == '-I' and metric.adds and 'seconds' in metric.expression:
            # A rate by the length of its interval is an amount, and what was injected twice.
            got = [sum(value * length for value, length in values.get(who, [])) / 2]
        elif mode == '-I' and metric.name.endswith('socket_clks'):
            got = [value / length for value, length in values.get(who, []) if length]
        elif mode == '-I':
            got = [value for value in got if value == value and value]
        if not got:
            wrong.append(f'{who or "no"} value: {truth:.4g} is true')
            continue
        if metric.name.endswith('socket_clks'):
            # An amount by its name
            truth *= took or 1
        elif took and metric.rate:
            truth *= seconds / took
        for value in got:
            # perf prints six digits behind the point.
            tolerance = 1e-5 if metric.exact else 0.05 if took else 0.25
            if not abs(value - truth) <= tolerance * abs(truth) + 1e-6:
                wrong.append(f'{who + ": " if who else ""}{value:.4g}, and {truth:.4g} is true')
    return '; '.join(wrong) or None


def is_measured(metric, mode):
    """-A prints a metric beside each box of one unit, which for several units is no share of it."""
    return mode != '-A' or len(metric.units) == 1


def sweep(generation: str, options: argparse.Namespace, linux: pathlib.Path) -> ktap.Test:
    """The metrics of a generation, each measured in all ways. A list that has no such metric tries
    none."""
    with tempfile.TemporaryDirectory(prefix='metrics.') as work:
        return _sweep(generation, options, linux, pathlib.Path(work))


def _sweep(generation, options, linux, extra):
    try:
        listed = List(generation, linux)
    except MALFORMED as error:
        raise CouldNot(f'the lists of {generation} are malformed: {error}') from error
    metrics, top = [], ktap.Test(f'the metrics of {lists.NAMES[generation]}')
    for name, metric in sorted(listed.metrics.items()):
        if options.metrics and not re.search(options.metrics, name):
            continue
        try:
            metrics.append(Metric(listed, name))
        except (formula.NoFormula, *MALFORMED) as skip:
            if re.search(r'UNC_|uncore', str(metric.get('MetricExpr'))):
                test = ktap.Test(f'{generation}: {name}')
                test.directive, test.reason = 'SKIP', str(skip)
                top.children.append(test)
    script = ''
    for mode in MODES:
        if mode == 'half of the CPUs':
            # The second core of each socket
            script += ''.join(f'echo 0 > /sys/devices/system/cpu/cpu{cpu}/online\n'
                              for cpu in range(1, SOCKETS * CORES, CORES))
        script += ''.join(metric.script(mode) for metric in metrics if is_measured(metric, mode))
    (extra / 'script').write_text(script, encoding='ascii')
    done = command(
        TOP / 'machine/xeon/vm/vm', '-s', SOCKETS, '-c', CORES, '-k', options.kernel,
        '-o', f'generation={generation}',
        *(['-o', f'cbos={CORES}'] if generation.isdigit() else []),
        '-m', 'intel_uncore', *(['-f', options.perf] if options.perf else []), '-t', '3600',
        '-e', extra, '--', '. /extra/script')
    if done.returncode:
        raise CouldNot(f'the machine: {done.stdout}{done.stderr}')
    faults = metric_faults(generation)
    for metric in metrics:
        for mode in MODES:
            test = ktap.Test(f'{generation}: {metric.name}, {mode}')
            top.children.append(test)
            if not is_measured(metric, mode):
                test.directive = 'SKIP'
                test.reason = 'it has several units, and perf prints it beside each box of one'
                continue
            name = f'{metric.name}.{list(MODES).index(mode)}'
            wrong = compare(metric, mode, {'out': read(extra / name),
                                           'err': read(extra / f'{name}.err')})
            why = next((issue for issue, pattern, where in faults
                        if fnmatch.fnmatchcase(metric.name, pattern) and mode in where), None)
            if wrong:
                test.good, test.diagnostics = False, [wrong]
                test.directive, test.reason = ('XFAIL', why) if why else ('', '')
    return top


def arguments(*words: str) -> argparse.Namespace:
    """The command line, or one of words"""
    parser = argparse.ArgumentParser(prog='metrics', description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-g', '--generations', default=' '.join(lists.NAMES),
                        help='of the machine (%(default)s)')
    parser.add_argument('-k', '--kernel', default='newest', help='and its perf (newest)')
    parser.add_argument('-f', '--perf', metavar='DIR', help='a root with another usr/bin/perf')
    parser.add_argument('-l', '--linux', help='a tree whose lists are used (that of Debian)')
    parser.add_argument('-M', '--metrics', metavar='PATTERN', help='which (all)')
    return parser.parse_args(words or None)


def main() -> int:
    """The exit status"""
    options, failed = arguments(), False
    try:
        linux = options.linux or run(SCRIPTS / 'linux-source', options.kernel,
                                     'tools/perf/pmu-events')
        generations = options.generations.split()
        print(f'KTAP version 1\n1..{len(generations)}', flush=True)
        for number, generation in enumerate(generations, 1):
            test = sweep(generation, options, pathlib.Path(linux))
            print('\n'.join(ktap.result_lines(test, number)), flush=True)
            failed |= bool(test.failures())
    except (CouldNot, OSError) as error:
        print(f'metrics: {error}', file=sys.stderr)
        return 125
    return int(failed)
