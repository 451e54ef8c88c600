# SPDX-License-Identifier: GPL-2.0-only
"""What debian/control, debian/copyright, debian/watch, the spec, Kconfig and the unit say"""
import fnmatch
import json
import re
import shutil
import subprocess

import pytest

# What systemd could deny the unit besides: it counts, and its file is read by others.
UNIT_MAY = {
    'AmbientCapabilities', 'CapabilityBoundingSet_CAP_SYS_ADMIN', 'DeviceAllow', 'IPAddressDeny',
    'PrivateMounts', 'PrivateUsers', 'ProcSubset', 'RootDirectoryOrRootImage',
    'SystemCallFilter_debug', 'SystemCallFilter_resources', 'UMask'}


def test_debian_package_is_built_with_what_make_deb_installs(top):
    control = (top / 'packaging/debian/control').read_text(encoding='ascii')
    needed = re.search('^Build-Depends: (.*)', control, re.M)[1]
    needed = re.sub(r'-compat \(= 13\)|-sequence|:any', '', needed).split(', ')
    installed = (top / 'packaging/packages').read_text(encoding='ascii') + (
        top / 'scripts/packages').read_text(encoding='ascii')
    assert len(needed) > 5 and {*needed} <= {*installed.splitlines()}


def test_spec_takes_the_packages_of_the_page(top):
    text = (top / 'packaging/snbep-uncore-tools.spec').read_text(encoding='ascii')
    page = (top / 'Documentation/install.rst').read_text(encoding='utf-8')
    installed = re.search(r'# dnf install (rpm-build (?:.*\\\n)*.*)', page)[1]
    assert sorted(['rpm-build', *re.findall('^BuildRequires: +(.*)', text, re.M)]) == \
        sorted(installed.replace('\\', '').split())
    # The service is known, ended with its package, and started again by an update.
    assert re.findall(r'^%(systemd_\w+) uncorestat.service$', text, re.M) == [
        'systemd_post', 'systemd_preun', 'systemd_postun_with_restart']


@pytest.mark.parametrize('release, built', [
    ('4.19.0-27-amd64', 0), ('5.4.0-1', 0), ('5.9.16', 0), ('5.10.0-35-amd64', 1), ('6.1.0', 1),
    ('6.18.1+deb14-amd64', 1), ('7.3-rc1', 1), ('10.0.1', 1)])
def test_dkms_builds_for_the_kernels_that_the_drivers_are_for(run, top, release, built):
    done = run(['bash', '-c', '. "$1"; [[ $2 =~ $BUILD_EXCLUSIVE_KERNEL ]]', 'bash',
                top / 'packaging/dkms.conf', release])
    assert (done.returncode, done.stdout) == (1 - built, '')


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


def test_kernel_has_the_options_and_the_macros_that_sources_use(top):
    kconfig = (top / 'Kconfig').read_text(encoding='ascii')
    assert dict(re.findall(r'^config (\w+)\n\ttristate "[^"]+"\n\tdepends on PERF_EVENTS && (.*)\n'
                           r'\thelp$', kconfig, re.M)) == DEPENDS
    kbuild = (top / 'Kbuild').read_text(encoding='ascii').replace('\\\n', '')
    used = {name for place in ('.', *'common itanium offcore snbep'.split())
            for path in (top / place).glob('*.[ch]')
            for name in re.findall(r'\bKERNEL_HAS_(\w+)', path.read_text(encoding='utf-8'))}
    asked = re.findall(r'^ccflags-y .*?(?:-DKERNEL_HAS_|,)([A-Z_]+)\)+$', kbuild, re.M)
    assert sorted(asked) == sorted(used)


def test_unit_has_no_right_that_it_does_not_need(top, tmp_path):
    if not shutil.which('systemd-analyze'):
        pytest.skip('there is no systemd-analyze here')
    unit = tmp_path / 'uncorestat.service'
    # systemd looks for the programs that a unit names.
    text = (top / 'tools/uncorestat/uncorestat.service').read_text(encoding='ascii')
    unit.write_text(text.replace('/usr/bin/uncorestat', '/bin/true'), encoding='ascii')
    said = subprocess.run(['systemd-analyze', 'verify', '--man=no', unit], check=True,
                          capture_output=True, text=True)
    assert said.stdout + said.stderr == ''
    done = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--json=short', unit],
                          check=True, stdout=subprocess.PIPE)
    assert {row['json_field'] for row in json.loads(done.stdout) if not row['set']} <= UNIT_MAY


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
