# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages in a root file system of a suite, from installation to purge: each test finds
what the ones before it left. DKMS builds the modules for two kernels; in the emulated machine with
this root, udev loads them and perf counts."""
import datetime
import hashlib
import re
import subprocess

import pytest

from collector import cache

pytestmark = [pytest.mark.package, pytest.mark.slow, pytest.mark.seconds(25),
              pytest.mark.timeout(9000)]

CONF = '/etc/modprobe.d/snbep-uncore.conf'
# An older and a newer kernel of the suite, and where the newer one comes from
SUITES = {'bookworm': ('6.1', '6.12', 'bookworm'),
          'trixie': ('6.12-trixie', 'newest', 'trixie-backports')}

# No daemon is started here. Modules are built for all kernels, none of which is the running one.
INSTALL = r"""printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
get='apt-get -q -y --no-install-recommends'
apt-get -q update
$get install dkms initramfs-tools kmod udev linux-perf busybox systemd {older} \
    libncursesw6 libjansson4
apt-get clean
$get {prefer} --download-only install {newer}
mkdir -p /root/newer
mv /var/cache/apt/archives/*.deb /root/newer/
rm -rf /var/lib/apt/lists/*
echo autoinstall_all_kernels=yes >> /etc/dkms/framework.conf
"""
# Every file name, and the configuration of modprobe. Left out: records of dpkg, apt, DKMS and
# others, their backup copies, and the key that DKMS signs with.
NAMES = r"""find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /root -o -path /tmp \
    -o -path /run -o -path /var/log -o -path /var/cache -o -path /var/lib/apt \) -prune -o -print |
    grep -v -e '^/var/lib/dkms/mok\.' -e '-old$'
for file in /etc/modprobe.d/* /lib/modprobe.d/* /etc/modules; do
    [ ! -f "$file" ] || cat "$file"
done
"""
UDEV = r"""r=/extra
mount -t proc proc $r/proc
mount -t sysfs sysfs $r/sys
mount -t devtmpfs devtmpfs $r/dev
mount -t tmpfs tmpfs $r/run
mount -t tmpfs tmpfs $r/tmp
cp /usr/bin/uncore-stim $r/tmp/
chroot $r /usr/bin/env SYSTEMD_IGNORE_CHROOT=1 /bin/sh -eu << 'END'
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle --timeout=300
{}
perf stat -a --per-socket -x, -e snbep_uncore_ha/requests_reads/ -- \
    /tmp/uncore-stim -s 1 ha event=0x1,umask=0x3,count=4321 2>&1
uncorestat -n 1 > /tmp/stat && echo uncorestat: $(wc -l < /tmp/stat) lines
udevadm control --exit
END
"""
# The unit under this root's systemd, in namespaces, where perf events ask for CAP_SYS_ADMIN. tmpfs:
# links in /extra are refused.
SERVICE = r"""set -e
r=/extra
file=$r/run/uncorestat/uncore.prom link=/var/lib/prometheus/node-exporter/uncore.prom
echo 3 > /proc/sys/kernel/perf_event_paranoid
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount --rbind /sys $r/sys
mount --rbind /dev $r/dev
for dir in run tmp var/lib; do mount -t tmpfs tmpfs $r/$dir; done
mkdir -p $r${link%/*}
mount -t proc proc $r/proc
chroot $r modprobe snbep_uncore
echo version: $(cat /sys/module/snbep_uncore/version)
unshare -p -f -m -u -i sh -c "mount -t proc proc $r/proc; exec env -i container=vm \
    chroot $r /lib/systemd/systemd systemd.unit=basic.target" &
within()
{
    nsenter -t "$(pidof systemd | tr ' ' '\n' | sort -n | head -n 1)" -m -p -i chroot $r "$@"
}
until within systemctl list-jobs > /dev/null 2>&1; do sleep 1; done
within systemctl start uncorestat || within systemctl --no-pager status uncorestat
until [ -s $file ]; do sleep 1; done
uncore-stim -s 1 imc_0 event=0x04,umask=0x01,count=1000 > /dev/null
until grep '^uncorestat_mem_read_bytes_total{socket="1"} 64000$' $file; do sleep 1; done
within readlink $link
pid=$(within systemctl show -p MainPID --value uncorestat)
within grep -E '^(CapEff|CapBnd):' /proc/$pid/status
[ "$(within stat -c %u /proc/$pid)" != 0 ] && echo user: not root
within systemctl stop uncorestat
echo gone: $(within ls $file $link 2>&1 | grep -c 'No such file')
# Of systemd itself, which has booted this root
rm -f "$r/etc/.updated" "$r/var/.updated"
"""
# As packaging/tests/fresh makes its own
UNPACK = r"""dir=$1 base=$2 suite=$3 origin=$4 install=$5
lock "deb-$suite"
if is_ready "$base"; then
    zstd -q -d -c "$base" | as_root tar -C "$dir" --numeric-owner -xpf -
    exit
fi
"$SCRIPTS/suite-apt" -t "$origin" > /dev/null
sed 's/\[[^]]*\] //' "$CACHE/apt/$origin-deb/sources.list" > "$dir.list"
# How the mirrors are reached: names, proxies, whether an old list will do
apt-config dump Acquire | grep -E '^Acquire::(http|https|Retries|Force|Check-)' > "$dir.mirror" ||
    [ $? = 1 ]
mirror=$(awk -v suite="$suite" '$3 == suite { print $2; exit }' "$dir.list")
logged "$CACHE/log/deb-mmdebstrap-$suite" as_root mmdebstrap --variant=minbase \
    --include=ca-certificates "--aptopt=$dir.mirror" \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$dir" "$mirror"
as_root cp "$dir.list" "$dir/etc/apt/sources.list"
as_root cp "$dir.mirror" "$dir/etc/apt/apt.conf.d/99mirror"
as_root cp -L /etc/resolv.conf "$dir/etc/resolv.conf"
as_root mkdir -p "$dir/etc/dkms"
logged "$CACHE/log/deb-packages-$suite" as_root unshare --mount --propagation private --pid --fork \
    --kill-child sh "$TOP/packaging/tests/fresh" --inside "$dir" "$install"
mkdir -p "${base%/*}"
as_root tar -C "$dir" --numeric-owner -cf - . | zstd -q -1 -T2 > "${base%/*}/new-$suite"
rm -f "${base%-*}-"*
mv "${base%/*}/new-$suite" "$base"
"""


class Debian:
    """A root file system of a suite: kernels, DKMS, perf, udev"""

    def __init__(self, suite, top, directory, run_as_root, kernel, lib_sh):
        self.top, self.directory, self.as_root = top, directory, run_as_root
        *self.kernels, origin = SUITES[suite]
        self.releases = [(kernel(name) / 'release').read_text(encoding='ascii').strip()
                         for name in self.kernels]
        self.version = lib_sh('"$SCRIPTS/version"')
        self.next = re.sub(r'~.*', '', self.version) + '~99991231235959.g0000000'
        older, newer = (f'linux-image-{release} linux-headers-{release}'
                        for release in self.releases)
        install = INSTALL.format(older=older, newer=newer,
                                 prefer=f'-t {origin}' if origin != suite else '')
        month = datetime.date.today().strftime('%Y-%m')
        key = hashlib.sha256(f'{month} {install}'.encode()).hexdigest()[:16]
        lib_sh(UNPACK, directory, cache() / f'deb/base-{suite}-{key}.tar.zst', suite, origin,
               install)

    def inside(self, commands):
        """What a shell prints here; each of its commands succeeds."""
        done = self.as_root(
            'unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child',
            'sh', self.top / 'packaging/tests/fresh', '--inside', self.directory,
            f'export DEBIAN_FRONTEND=noninteractive\n{commands}', stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout

    def names(self):
        return set(self.inside(NAMES).splitlines())

    def boots(self, kernel, script):
        """What a script prints in the machine with this root"""
        log = self.directory.with_suffix('.log')
        done = subprocess.run(
            [self.top / 'machine/xeon/vm/vm', '-k', kernel, '-t', '5000', '-l', log, '-e',
             self.directory, '--', script], check=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')
        assert done.returncode == 0, done.stdout + log.read_text(errors='replace')[-4000:]
        return done.stdout

    def assert_dkms_has(self, release, version):
        """DKMS has built and installed two modules of a version for a kernel."""
        said = self.inside(f"""dkms status snbep-uncore/{version} -k {release}
            find /lib/modules/{release}/updates/dkms -name '*.ko*'
            for module in snbep_uncore offcore_rsp; do
                echo "$(modinfo -k {release} -F version $module)" \
                    "$(modinfo -k {release} -F vermagic $module)"
            done""")
        assert re.search(r': installed\b', said)
        assert sorted(re.findall(r'/(\w+)\.ko', said)) == ['offcore_rsp', 'snbep_uncore']
        assert said.count(f'\n{version} {release} ') == 2, said


@pytest.fixture(scope='module', params=[
    pytest.param(suite, marks=pytest.mark.xdist_group(f'deb-{suite}')) for suite in SUITES])
def debian(request, top, run_as_root, kernel, lib_sh, tmp_path_factory, fresh):
    """The root with the packages of this version and the next one, which are built, with lintian,
    where there is nothing but make"""
    directory, debs = tmp_path_factory.mktemp(request.param), tmp_path_factory.mktemp('debs')
    try:
        debian = Debian(request.param, top, directory, run_as_root, kernel, lib_sh)
        fresh('-o', debs, request.param, 'make -s deb; packaging/deb -o build/next ' + debian.next +
              '; cp build/deb/*.deb build/next/*.deb ../out')
        run_as_root('cp', *[path for path in debs.iterdir() if 'dbgsym' not in path.name],
                    directory / 'root')
        debian.before, debian.of_kernel = debian.names(), set()
        yield debian
    finally:
        run_as_root('rm', '-rf', '--one-file-system', directory)


def test_packages_install_and_dkms_builds_the_modules_and_the_service_is_disabled(debian):
    debian.inside(f'apt-get -q -y install /root/*_{debian.version}-1_*.deb')
    debian.assert_dkms_has(debian.releases[0], debian.version)
    debian.inside(f"""
        uncorestat --version | grep -F '{debian.version}'
        test "$(systemctl is-enabled uncorestat)" = disabled""")


def test_udev_loads_one_of_the_two_drivers_and_perf_counts(debian):
    said = debian.boots(debian.kernels[0], UDEV.format("""
        echo loaded: $(lsmod | grep -c -e '^snbep_uncore ' -e '^intel_uncore ')
        if lsmod | grep '^intel_uncore '; then
            modprobe -r intel_uncore
            modprobe snbep_uncore
        fi"""))
    assert 'loaded: 1' in said and 'S1,1,4321,' in said and 'uncorestat: ' in said, said


def test_dkms_builds_the_modules_for_a_kernel_that_is_installed_later(debian):
    names = debian.names()
    debian.inside('apt-get -q -y --no-install-recommends install /root/newer/*.deb')
    # A backport's kernel brings a perf with fewer files.
    debian.of_kernel = {name for name in debian.names() ^ names
                        if not re.search('snbep|offcore_rsp', name)}
    for release in debian.releases:
        debian.assert_dkms_has(release, debian.version)


def test_the_example_for_modprobe_blacklists_intel_uncore(debian):
    debian.inside(f"""cp /usr/share/doc/snbep-uncore-dkms/examples/snbep-uncore.conf {CONF}
        update-initramfs -u -k all
        unmkinitramfs /boot/initrd.img-{debian.releases[1]} /tmp/initrd
        find /tmp/initrd -path '*{CONF}' | xargs grep -x 'blacklist intel_uncore'
        rm -r /tmp/initrd""")
    said = debian.boots(debian.kernels[1], UDEV.format("""
        lsmod | grep '^intel_uncore ' || echo intel_uncore: absent
        lsmod | grep -q '^snbep_uncore ' && echo snbep_uncore: loaded by udev"""))
    assert 'intel_uncore: absent' in said and 'snbep_uncore: loaded by udev' in said, said
    assert 'S1,1,4321,' in said and 'uncorestat: ' in said, said


def test_packages_of_the_next_commit_upgrade_these(debian):
    said = debian.inside(f"""dpkg -i /root/*_{debian.next}-1_*.deb
        test ! -e /usr/src/snbep-uncore-{debian.version}
        test ! -e /var/lib/dkms/snbep-uncore/{debian.version}
        grep -x 'blacklist intel_uncore' {CONF}
        echo status; dkms status""").partition('\nstatus\n')[2]
    assert f'/{debian.version},' not in said
    for release in debian.releases:
        debian.assert_dkms_has(release, debian.next)


def test_the_service_runs_over_the_upgraded_module_and_without_root(debian):
    said = debian.boots(debian.kernels[1], SERVICE)
    for line in (f'version: {debian.next}', 'uncorestat_mem_read_bytes_total{socket="1"} 64000',
                 'user: not root', 'CapEff:\t0000004000200000', 'CapBnd:\t0000004000200000',
                 # Its file and its link, when it stops
                 'gone: 2'):
        assert line in said.splitlines(), said


def test_removal_leaves_no_module_and_no_source(debian):
    debian.inside("""apt-get -q -y remove snbep-uncore-dkms snbep-uncore-tools uncorestat
        left=$(find /lib/modules /usr/src /var/lib/dkms -name "*snbep*" -o -name "offcore_rsp*")
        echo "$left"
        test -z "$left" """)


def test_purging_leaves_the_files_that_were_there_before(debian):
    debian.inside(f"""dpkg --purge snbep-uncore-dkms snbep-uncore-tools uncorestat
        rm {CONF}
        update-initramfs -u -k all
        ! dpkg -l 'snbep*' uncorestat 2> /dev/null | grep -e '^.[^n]  *snbep' -e '^.[^n]  *uncore'
        for initrd in /boot/initrd.img-*; do ! lsinitramfs $initrd | grep snbep; done""")
    after = debian.names()
    assert debian.before - after - debian.of_kernel == set()
    assert after - debian.before - debian.of_kernel == set()
