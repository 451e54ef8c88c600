#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.t SUITE: install, upgrade, remove and purge the Debian packages in a new root file system of
# that suite with two of its kernels. DKMS builds the modules; in the emulated machine with this
# root, udev loads them and perf counts.
#
# Needs to mount, in a mount namespace that ends with the command.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

. "$TOP/scripts/test.sh"

suite=${1:-bookworm}
# An older and a newer kernel of the suite, where they come from, and apt's option for that
case $suite in
bookworm) kernels='6.1 6.12' from=bookworm prefer= ;;
trixie) kernels='6.12-trixie newest' from=trixie-backports prefer="-t trixie-backports " ;;
*) die "usage: deb.t bookworm|trixie" ;;
esac
conf=/etc/modprobe.d/snbep-uncore-dkms.conf

name="the packages install and purge on $suite"
if ! as_root unshare --mount true 2> "$tmp/err"; then
	ok 0 "$name # SKIP this machine does not let root mount: $(cat "$tmp/err")"
	tap_done
	exit
fi

root=$CACHE/deb/root-$suite
mkdir -p "$CACHE/deb"
lock "deb-$suite"
remove_root()
{
	as_root rm -rf --one-file-system "$root"
	rm -rf "$tmp"
}
trap remove_root EXIT
trap 'exit 1' INT TERM HUP
as_root rm -rf --one-file-system "$root"

inside()
{
	as_root unshare --mount --propagation private --pid --fork --kill-child \
		sh "$TOP/packaging/tests/fresh" --inside "$root" "export DEBIAN_FRONTEND=noninteractive; $1" 9>&-
}

# in_root NAME COMMAND: a test of a command in the root file system; its output is in $tmp/out
in_root()
{
	code=0
	inside "$2" > "$tmp/out" 2>&1 || code=$?
	tail -n 60 "$tmp/out" > "$tmp/end"
	ok $code "$suite: $1" "$tmp/end"
}

# said TEXT: a test that passes if the last output has the text
said()
{
	grep -qF -e "$1" "$tmp/out" && code=0 || code=1
	tail -n 40 "$tmp/out" > "$tmp/end"
	ok $code "$suite: $1" "$tmp/end"
}

releases=
for k in $kernels; do
	have_kernel "$k" || { tap_done; exit; }
	releases="$releases $(cat "$kernel/release")"
done
releases=${releases# }
newer=${releases#* }

# A Debian before the packages are installed: kernels, their headers, DKMS, perf, udev
images=$(for r in $releases; do echo "linux-image-$r linux-headers-$r"; done)
packages="$prefer$(echo $images) dkms initramfs-tools kmod udev linux-perf libncursesw6 busybox systemd"
# Raise it when what is installed below changes.
recipe=1
base=$CACHE/deb/base-$suite-$( (date +%Y-%m; echo "$packages $recipe") | sha256sum | cut -c1-16).tar.zst
"$SCRIPTS/suite-apt" -t "$from" > /dev/null
sources=$(sed 's/\[[^]]*\] //' "$CACHE/apt/$from-deb/sources.list")

make_base()
{
	say "installing a Debian $suite with two kernels and DKMS"
	mirror=$(echo "$sources" | awk -v suite="$suite" '$3 == suite { print $2; exit }')
	echo "$sources" > "$tmp/sources.list"
	# How the mirrors are reached: names, proxies, whether an old list will do
	apt-config dump Acquire | grep -E '^Acquire::(http|https|Retries|Force|Check-)' > "$tmp/99mirror" || [ $? = 1 ]
	logged "$CACHE/log/deb-mmdebstrap-$suite" as_root mmdebstrap --variant=minbase --include=ca-certificates "--aptopt=$tmp/99mirror" \
		--keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$root" "$mirror"
	as_root cp "$tmp/sources.list" "$root/etc/apt/sources.list"
	as_root cp "$tmp/99mirror" "$root/etc/apt/apt.conf.d/99mirror"
	as_root cp -L /etc/resolv.conf "$root/etc/resolv.conf"
	# No daemon is started here, and modules are built for all kernels, none of which is the
	# running one.
	as_root mkdir -p "$root/etc/dkms"
	as_root sh -c 'printf "#!/bin/sh\nexit 101\n" > "$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' sh "$root"
	logged "$CACHE/log/deb-packages-$suite" inside "apt-get -q update
		apt-get -q -y --no-install-recommends install $packages
		apt-get clean
		rm -rf /var/lib/apt/lists/*
		echo autoinstall_all_kernels=yes >> /etc/dkms/framework.conf"
	as_root tar -C "$root" --numeric-owner -cf - . | zstd -q -1 -T2 > "$base.new"
	rm -f "$CACHE/deb/base-$suite-"*
	mv "$base.new" "$base"
	cache seal "$base.ready" "deb-$suite" "${base##*/}"
}
if is_ready "$base.ready"; then
	mkdir "$root"
	zstd -q -d -c "$base" | as_root tar -C "$root" --numeric-owner -xpf -
else
	make_base
fi

# Build the packages, and those of a later version, where there is nothing but make.
mkdir "$tmp/debs"
code=0
"$TOP/packaging/tests/fresh" -o "$tmp/debs" "$suite" 'make -s deb; packaging/deb -o build/later 1.1; cp build/deb/*.deb build/later/*.deb ../out' > "$tmp/out" 2>&1 ||
	code=$?
tail -n 60 "$tmp/out" > "$tmp/end"
ok $code "$suite: make deb in a bare Debian: lintian finds nothing" "$tmp/end"
[ $code = 0 ] || { tap_done; exit 1; }
rm -f "$tmp"/debs/*dbgsym*
as_root cp "$tmp"/debs/*.deb "$root/root/"
version=$("$SCRIPTS/version")

# Every file name, and the configuration of modprobe. Left out: records of dpkg, apt, DKMS and
# others, their backup copies, and the key that DKMS signs with.
names()
{
	inside "find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /root -o -path /var/log -o -path /var/cache -o -path /tmp \
		-o -path /run -o -path /var/lib/apt \) -prune -o -print | grep -v -e '^/var/lib/dkms/mok\.' -e '-old$' | LC_ALL=C sort
		for file in /etc/modprobe.d/* /lib/modprobe.d/* /etc/modules; do [ ! -f \"\$file\" ] || cat \"\$file\"; done"
}
names > "$tmp/before"

in_root 'the packages install' "apt-get -q -y install /root/snbep-uncore-*_${version}-1_amd64.deb"
for release in $releases; do
	in_root "$release: DKMS has built and installed two modules" "
		dkms status -k $release
		dkms status snbep-uncore/$version -k $release | grep -q installed
		find /lib/modules/$release/updates/dkms -name '*.ko*' | sed 's/.*\///; s/\.ko.*//' | sort | tr '\n' ' ' | grep -x 'offcore_rsp snbep_uncore '
		modinfo -k $release -F vermagic snbep_uncore | grep -F '$release '
		for module in snbep_uncore offcore_rsp; do modinfo -k $release -F version \$module | grep -xF '$version'; done"
done
in_root 'tools, manual pages, documents and event lists are installed' "
	uncorestat --version | grep -F '$version'
	test -s /usr/share/bash-completion/completions/uncorestat
	systemctl is-enabled uncorestat | grep -x disabled
	systemd-analyze verify --man=no uncorestat.service
	for page in man8/uncorestat.8 man8/uncore-hwtest.8; do zcat /usr/share/man/\$page.gz | grep -q '^.SH NAME'; done
	for doc in cookbook messages events/cbox; do ls /usr/share/doc/snbep-uncore-tools/\$doc.rst*; done
	grep -q '\"EventName\"' /usr/share/snbep-uncore/snbep-uncore.json
	grep -q '\"MetricName\"' /usr/share/snbep-uncore/snbep-uncore-metrics.json"

# machine KERNEL SCRIPT: run a script in the emulated machine, in this root, after udev has settled
machine()
{
	cat > "$tmp/script" << END
r=/extra
mount -t proc proc \$r/proc
mount -t sysfs sysfs \$r/sys
mount -t devtmpfs devtmpfs \$r/dev
mount -t tmpfs tmpfs \$r/run
mount -t tmpfs tmpfs \$r/tmp
cp /usr/bin/uncore-stim \$r/tmp/
chroot \$r /usr/bin/env SYSTEMD_IGNORE_CHROOT=1 /bin/sh -eu << 'EOF'
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle --timeout=300
$2
udevadm control --exit
EOF
END
	boot "$1" "the script succeeds in the machine"
}

# boot KERNEL NAME: run $tmp/script in the machine
boot()
{
	code=0
	"$TOP/machine/xeon/vm/vm" -k "$1" -t 500 -l "$tmp/log" -e "$root" -- "$(cat "$tmp/script")" > "$tmp/out" 2>&1 || code=$?
	tail -n 30 "$tmp/log" >> "$tmp/out"
	ok $code "$suite, $1: $2" "$tmp/out"
}
count='
perf stat -a --per-socket -x, -e snbep_uncore_ha/requests_reads/ -- /tmp/uncore-stim -s 1 ha event=0x1,umask=0x3,count=4321 2>&1
uncorestat -n 1 > /tmp/stat && echo uncorestat: $(wc -l < /tmp/stat) lines'

# By default udev loads both drivers, and the first one keeps the other out.
machine "${kernels% *}" "echo loaded: \$(lsmod | grep -c -e '^snbep_uncore ' -e '^intel_uncore ')
if lsmod | grep '^intel_uncore '; then
	modprobe -r intel_uncore
	modprobe snbep_uncore
fi
$count"
said 'loaded: 1'
said 'S1,1,4321,'
said 'uncorestat: '

# The file names the command.
command=$(inside "sed -n 's/^#\t\(sed .*\)/\1/p' $conf")
in_root 'the command that the file names blacklists intel_uncore' "$command
	grep -x 'blacklist intel_uncore' $conf
	unmkinitramfs /boot/initrd.img-$newer /tmp/initrd
	find /tmp/initrd -path '*$conf' | xargs grep -x 'blacklist intel_uncore'
	rm -r /tmp/initrd"
machine "${kernels#* }" "lsmod | grep '^intel_uncore ' || echo intel_uncore: absent
lsmod | grep -q '^snbep_uncore ' && echo snbep_uncore: loaded by udev
$count"
said 'intel_uncore: absent'
said 'snbep_uncore: loaded by udev'
said 'S1,1,4321,'
said 'uncorestat: '

# The unit under this root's systemd, in namespaces, where perf events ask for CAP_SYS_ADMIN. tmpfs:
# links in /extra are refused.
cat > "$tmp/script" << 'END'
set -e
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
unshare -p -f -m -u -i sh -c "mount -t proc proc $r/proc; exec env -i container=vm chroot $r /lib/systemd/systemd systemd.unit=basic.target" &
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
within ls $file $link 2>&1 | grep -c 'No such file'
# Of systemd itself, which has booted this root
rm -f "$r/etc/.updated" "$r/var/.updated"
END
boot "${kernels#* }" "uncorestat.service runs"
said 'uncorestat_mem_read_bytes_total{socket="1"} 64000'
said 'user: not root'
said 'CapEff:	0000004000200000'
said 'CapBnd:	0000004000200000'
check "$suite: its file and its link go when it stops" grep -qx 2 "$tmp/out"

in_root 'the packages upgrade' "apt-get -q -y install /root/snbep-uncore-*_1.1-1_amd64.deb
	dkms status
	! dkms status | grep -F '/$version,'
	test ! -e /usr/src/snbep-uncore-$version
	test ! -e /var/lib/dkms/snbep-uncore/$version
	grep -x 'blacklist intel_uncore' $conf"
for release in $releases; do
	in_root "$release: DKMS has installed the modules of the new version" "dkms status snbep-uncore/1.1 -k $release | grep installed
		modinfo -k $release -F version snbep_uncore | grep -x 1.1"
done

in_root 'after removal no module and no source is left' 'apt-get -q -y remove snbep-uncore-dkms snbep-uncore-tools
	left=$(find /lib/modules /usr/src /var/lib/dkms -name "*snbep*" -o -name "offcore_rsp*")
	echo "$left"
	test -z "$left"'
said "intel_uncore stays blacklisted by $conf until snbep-uncore-dkms is purged"
in_root 'after purging no configuration and no initramfs has the driver' "apt-get -q -y purge snbep-uncore-dkms snbep-uncore-tools
	test ! -e $conf
	! dpkg -l 'snbep*' 2> /dev/null | grep '^.[^n]  *snbep'
	for i in /boot/initrd.img-*; do ! lsinitramfs \$i | grep snbep; done"
names > "$tmp/after"
diff "$tmp/before" "$tmp/after" > "$tmp/left" && code=0 || code=1
ok $code "$suite: after purging the same files are there as before" "$tmp/left"
tap_done
