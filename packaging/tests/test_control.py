# SPDX-License-Identifier: GPL-2.0-only
"""What debian/control, debian/copyright, the spec, the unit and the Containerfiles say"""
import fnmatch
import json
import re
import shutil
import subprocess

import pytest

SCRIPTLETS = {'post': '%systemd_post', 'preun': '%systemd_preun',
              'postun': '%systemd_postun_with_restart', 'prep': '%autosetup -n snbep-uncore-'
              '%{version}', 'build': '%make_build -C tools CFLAGS="%{build_cflags}" '
              'LDFLAGS="%{build_ldflags}"', 'install': '%make_install -C tools CFLAGS='
              '"%{build_cflags}" LDFLAGS="%{build_ldflags}" PREFIX=%{_prefix} SBINDIR=%{_sbindir}'}
# What systemd could deny the unit besides: it counts, and its file is read by others.
UNIT_MAY = {
    'AmbientCapabilities', 'CapabilityBoundingSet_CAP_SYS_ADMIN', 'DeviceAllow', 'IPAddressDeny',
    'PrivateMounts', 'PrivateUsers', 'ProcSubset', 'RootDirectoryOrRootImage',
    'SystemCallFilter_debug', 'SystemCallFilter_resources', 'UMask'}
FILE = '/var/lib/prometheus/node-exporter/uncore.prom'
UNIT = {
    'Description': "Uncore counters for Prometheus' node_exporter",
    'Documentation': 'man:uncorestat(8)',
    'AssertPathIsDirectory': '/var/lib/prometheus/node-exporter', 'RuntimeDirectory': 'uncorestat',
    'ExecStartPre': f'+/bin/ln -sfT %t/uncorestat/uncore.prom {FILE}',
    'ExecStart': '/usr/bin/uncorestat -i 15 -g default,total -o /dev/null --prometheus '
                 '%t/uncorestat/uncore.prom', 'ExecStopPost': f'+/bin/rm -f {FILE}',
    'Restart': 'on-failure', 'RestartSec': '60', 'RestartPreventExitStatus': '78',
    'AmbientCapabilities': 'CAP_PERFMON CAP_SYS_ADMIN', 'SystemCallErrorNumber': 'EPERM',
    'WantedBy': 'multi-user.target'}
CONTAINERFILES = {
    'tools/uncorestat/Containerfile': """\
FROM scratch
ARG PROGRAM
COPY $PROGRAM /uncorestat
ENTRYPOINT ["/uncorestat", "-i", "15", "-g", "default,total", "-o", "/dev/null", "--listen"]
CMD ["9180"]
""",
    'packaging/dist/Containerfile': """\
FROM debian:stable-slim
ADD uncore-machine.tar.gz /
ENTRYPOINT ["/uncore-machine/uncore-machine"]
"""}


def test_debian_package_is_built_with_what_make_deb_installs(top):
    control = (top / 'packaging/debian/control').read_text(encoding='ascii')
    needed = re.search('^Build-Depends: (.*)', control, re.M)[1]
    needed = re.sub(r'-compat \(= 13\)|-sequence|:any', '', needed).split(', ')
    installed = (top / 'packaging/packages').read_text(encoding='ascii') + (
        top / 'scripts/packages').read_text(encoding='ascii')
    assert len(needed) > 5 and {*needed} <= {*installed.splitlines()}


def test_spec_takes_the_packages_of_the_page_and_runs_its_commands(top):
    text = (top / 'packaging/snbep-uncore-tools.spec').read_text(encoding='ascii')
    fields = re.findall(r'^(\w+): +(.*)', text, re.M)
    page = (top / 'Documentation/install.rst').read_text(encoding='utf-8')
    installed = re.search(r'# dnf install (rpm-build (?:.*\\\n)*.*)', page)[1]
    assert sorted(['rpm-build', *(value for name, value in fields if name == 'BuildRequires')]) == \
        sorted(installed.replace('\\', '').split())
    for name, command in SCRIPTLETS.items():
        unit = ' uncorestat.service' if name.startswith(('post', 'pre')) and name != 'prep' else ''
        body = re.search(rf'^%{name}\n((?:.+\n)+)', text, re.M)[1].replace('\\\n', '')
        assert ' '.join(body.split()) == command + unit
    assert '\n%license LICENSES/GPL-2.0\n' in text and (top / 'LICENSES/GPL-2.0').exists()


def test_dkms_conf_builds_and_installs_two_modules(top):
    text = (top / 'packaging/dkms.conf').read_text(encoding='ascii')
    said = subprocess.run(
        ['bash', '-euc', f'{text}\nfor name in ${{!PACKAGE_*}} ${{!BU*}} AUTOINSTALL; do\n'
         'declare -n value=$name; echo "$name=${value[*]}"; done; echo "${MAKE[*]}|$CLEAN|'
         '${DEST_MODULE_LOCATION[*]}"'], check=True, encoding='ascii', stdout=subprocess.PIPE,
        env={'kernel_source_dir': '/k', 'dkms_tree': '/t', 'PATH': '/usr/bin:/bin'}).stdout
    make = 'make -C /k {}M=/t/snbep-uncore/#MODULE_VERSION#/build {}'
    assert [line for line in said.splitlines() if 'KERNEL=' not in line] == [
        'PACKAGE_NAME=snbep-uncore', 'PACKAGE_VERSION=#MODULE_VERSION#',
        'BUILD_EXCLUSIVE_ARCH=x86_64', 'BUILD_EXCLUSIVE_CONFIG=CONFIG_PERF_EVENTS CONFIG_PCI',
        'BUILD_EXCLUSIVE_KERNEL_MIN=5.10', 'BUILT_MODULE_NAME=snbep_uncore offcore_rsp',
        'AUTOINSTALL=yes', f'{make.format(" ", "modules")}|{make.format("", "clean")}|'
        '/updates/dkms /updates/dkms']


def test_watch_finds_the_tags_of_releases(top):
    text = (top / 'packaging/debian/watch').read_text(encoding='ascii').replace('\n', ' ')
    pattern = re.fullmatch('version=4 opts=mode=git,pgpmode=none @URL@.git (.*) debian ', text)[1]
    assert re.fullmatch(pattern, 'refs/tags/v1.1')[1] == '1.1'


def test_example_for_modprobe_has_a_parameter_of_the_module(top):
    text = (top / 'packaging/debian/snbep-uncore.conf').read_text(encoding='ascii')
    parameter = re.search('^#options snbep_uncore ([a-z_]+)=1$', text, re.M)[1]
    assert f'module_param_named({parameter},' in (top / 'snbep/pmus.c').read_text(encoding='ascii')
    assert re.findall('^[^#\n].*', text, re.M) == ['blacklist intel_uncore']


# Beside PERF_EVENTS
DEPENDS = {'SNBEP_UNCORE': 'CPU_SUP_INTEL && PCI && ACPI && SMP && X86_64',
           'OFFCORE_RSP': 'CPU_SUP_INTEL && X86_64', 'ITANIUM_PMU': 'IA64'}


def test_kernel_builds_each_source_with_each_macro_that_is_used(top):
    kconfig = (top / 'Kconfig').read_text(encoding='ascii')
    assert dict(re.findall(r'^config (\w+)\n\ttristate "[^"]+"\n\tdepends on PERF_EVENTS && (.*)\n'
                           r'\thelp$', kconfig, re.M)) == DEPENDS
    assert re.findall('called\n\t  (.*)[.]\n', kconfig) == [name.lower() for name in DEPENDS]
    kbuild = (top / 'Kbuild').read_text(encoding='ascii').replace('\\\n', '')
    for option, place in zip(DEPENDS, ('snbep', 'offcore', 'itanium')):
        name = option.lower()
        assert f'\nobj-$(CONFIG_{option}) += {name}.o\n' in kbuild
        assert f"\nCFLAGS_{name}_front.o += -DDRIVER_VERSION='\"$(version)\"'\n" in kbuild
        objects = ' '.join(re.findall(rf'^{name}-\S+ [:+]= (.*)', kbuild, re.M)).split()
        assert sorted(objects) == sorted([f'{name}_front.o', *(
            f'{place}/{path.stem}.o' for path in (top / place).glob('*.c'))])
    used = {name for place in ('.', *'common itanium offcore snbep'.split())
            for path in (top / place).glob('*.[ch]')
            for name in re.findall(r'\bKERNEL_HAS_(\w+)', path.read_text(encoding='utf-8'))}
    asked = re.findall(r'^ccflags-y .*?(?:-DKERNEL_HAS_|,)([A-Z_]+)\)+$', kbuild, re.M)
    assert sorted(asked) == sorted(used)


def test_unit_runs_uncorestat_with_no_right_that_it_does_not_need(top, tmp_path):
    text = (top / 'tools/uncorestat/uncorestat.service').read_text(encoding='ascii')
    lines = dict(re.findall('^([A-Z][A-Za-z]+)=(.*)', text, re.M))
    assert {name: lines.get(name) for name in UNIT} == UNIT
    if not shutil.which('systemd-analyze'):
        pytest.skip('there is no systemd-analyze here')
    unit = tmp_path / 'uncorestat.service'
    # systemd looks for the programs that a unit names.
    unit.write_text(text.replace('/usr/bin/uncorestat', '/bin/true'), encoding='ascii')
    said = subprocess.run(['systemd-analyze', 'verify', '--man=no', unit], check=True,
                          capture_output=True, text=True)
    assert said.stdout + said.stderr == ''
    done = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--json=short', unit],
                          check=True, stdout=subprocess.PIPE)
    assert {row['json_field'] for row in json.loads(done.stdout) if not row['set']} <= UNIT_MAY


@pytest.mark.parametrize('name', CONTAINERFILES)
def test_containerfile(top, name):
    text = (top / name).read_text(encoding='ascii')
    assert re.sub('^#.*\n', '', text, flags=re.M) == CONTAINERFILES[name]


def stanzas(text):
    """Patterns and licence of each stanza of files, in order"""
    for paragraph in text.split('\n\n'):
        files = re.search(r'^Files:((?:.*\n)(?: .*\n)*)', paragraph + '\n', flags=re.M)
        if files:
            licence = re.search(r'^License: (.*)', paragraph, flags=re.M).group(1)
            yield files.group(1).split(), licence


def test_each_file_has_the_licence_that_the_copyright_file_gives(top):
    rules = list(stanzas((top / 'packaging/debian/copyright').read_text(encoding='utf-8')))
    names = subprocess.run([top / 'scripts/files'], check=True, encoding='utf-8',
                           stdout=subprocess.PIPE).stdout.splitlines()
    wrong, seen = [], 0
    for name in names:
        if name.startswith(('ia64/', 'lab/', 'machine/')):
            continue
        head = (top / name).read_bytes()[:2000].decode('utf-8', 'replace')
        tag = re.search(r'SPDX-License-Identifier: ([\w.-]+)', head)
        if not tag or name.endswith('.patch'):
            continue
        seen += 1
        given = [licence for patterns, licence in rules
                 if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
        if given[-1] != tag.group(1):
            wrong.append(f'{name}: {tag.group(1)}, and {given[-1]} in debian/copyright')
    assert not wrong, "\n".join(wrong)
    for pattern in (pattern for patterns, _ in rules for pattern in patterns):
        assert fnmatch.filter(names, pattern), f'{pattern} is the name of no file'
    assert seen > 200
