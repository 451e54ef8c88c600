#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the tarballs of make dist and make dist-ia64 in bare installations of Debian 11 to 13,
# unprivileged and without network.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"
. "$TOP/scripts/tap.sh"

tmp=$(mktemp -d)
trap 'as_root rm -rf --one-file-system "$tmp"' EXIT
if [ "${SNBEP_FRESH:-}" ]; then
	ok 0 "the tarball of make dist # SKIP this is a bare Debian $SNBEP_FRESH"
	tap_done
	exit
elif ! as_root unshare --mount true 2> "$tmp/err"; then
	ok 0 "the tarball of make dist # SKIP this machine does not let root mount: $(cat "$tmp/err")"
	tap_done
	exit
fi
"$TOP/packaging/dist/build" xeon > "$tmp/built" 2> "$tmp/said" || { cat "$tmp/said" >&2; exit 1; }
# The Itanium's compiler, programs and kernel take half an hour.
set -- "$CACHE"/ia64/linux-*/smp-*/ready
[ ! -e "$1" ] || "$TOP/packaging/dist/build" itanium > "$tmp/built" 2> "$tmp/said" || { cat "$tmp/said" >&2; exit 1; }
tarball=$BUILD/dist/uncore-machine.tar.gz
ia64=$BUILD/dist/itanium-machine.tar.gz
[ -e "$1" ] || rm -f "$ia64"
# sources TARBALL PACKAGE...: it names these source packages, and has our sources and the licences
sources()
{
	packed=$1
	(cd "${1%/*}" && sha256sum -c "${1##*/}.sha256") > "$tmp/sum" 2>&1
	ok $? "${1##*/}: the checksum beside it is right" "$tmp/sum"
	name=${1##*/}
	name=${name%.tar.gz}
	tar -C "$tmp" -xzf "$1" "$name/SOURCES" "$name/source.tar.gz" "$name/licences"
	tar -tvzf "$tmp/$name/source.tar.gz" > "$tmp/list"
	tar -tzf "$tmp/$name/source.tar.gz" > "$tmp/names"
	shift
	r=0
	for package; do
		grep -q "^$package [0-9]" "$tmp/$name/SOURCES" || r=1
	done
	for licence in busybox-static common-licenses/GPL-2; do
		[ -s "$tmp/$name/licences/$licence" ] || r=1
	done
	grep -q 'packaging/dist/build$' "$tmp/list" && grep -q '^snbep-uncore-[^/]*/VERSION$' "$tmp/names" || r=1
	ok $r "$name: sources and licences" "$tmp/$name/SOURCES"
	! { tar -tvzf "$packed"; cat "$tmp/list"; } | grep -v '^[^ ]* 0/0 ' > "$tmp/owned"
	ok $? "$name: no file has the name of the user who packed it" "$tmp/owned"
	mkdir "$tmp/unpacked"
	tar -C "$tmp/unpacked" -xzf "$packed"
	! grep -r -l -a -F -e "$CACHE" -e "$TOP/" "$tmp/unpacked" > "$tmp/found"
	ok $? "$name: no file has a path of this machine" "$tmp/found"
	rm -r "$tmp/unpacked"
}
sources "$tarball" linux qemu busybox glibc
[ ! -e "$ia64" ] || sources "$ia64" linux gcc-12 busybox glibc

# in_root PROGRAM [ARGUMENT]...: run it in $root
in_root()
{
	# shellcheck disable=SC2016 # for the shell
	as_root unshare --mount --propagation private --net --pid --fork --kill-child sh -euc '
		root=$1
		shift
		mkdir -p "$root/proc" "$root/dev"
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		exec env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/ chroot --userspec=65534:65534 "$root" "$@"' sh "$root" "$@" < /dev/null
}

# machine NAME STATUS OUTPUT [ARGUMENT]...: a test of $program's output without blanks, and status
program=uncore-machine
machine()
{
	name=$1 status=$2 output=$3
	shift 3
	code=0
	in_root "/$program/$program" "$@" > "$tmp/out" 2> "$tmp/err" || code=$?
	echo "exit status $code" >> "$tmp/err"
	[ "$code" = "$status" ] && [ "$(tr -d ' ' < "$tmp/out")" = "$output" ] && r=0 || r=1
	ok "$r" "$where: $name" "$tmp/out" "$tmp/err"
}

# perf_stat EVENT: print a command that counts an event of the home agents
perf_stat()
{
	echo "perf stat -a --per-socket -x, -o /tmp/stat -e $1 uncore-stim ha event=1,umask=3,count=1234 -s 1 ha event=1,umask=3,count=77" \
		"&& grep ^S /tmp/stat | cut -d, -f1,3"
}
counts='S0,1234
S1,77'

# Run the example workflow for a public CI, with stubs for the programs that download and build.
workflow()
{
	work=$root/build/linux
	as_root sh -euc '
		mkdir -p "$1/kernel/configs"
		awk "/^ *run: [^|]/ { sub(/^ *run: /, \"\"); print } /^      - / { on = 0 } on; /^ *run: \\|/ { on = 1 }" "$2" > "$1/steps"
		for program in curl sudo make; do cp "$3" "$4/usr/bin/$program"; done
		chown -R 65534 "$1/.."' sh "$work" "$TOP/machine/xeon/smoke/workflow.yml" "$tmp/program" "$root"
	code=0
	in_root sh -euc 'cd /build/linux; UNCORE_MACHINE=url UNCORE_SHA256=$(sha256sum < /uncore-machine.tar.gz | cut -d" " -f1); . ./steps' > "$tmp/out" 2> "$tmp/err" || code=$?
	grep -q '^1\.\.[1-9]' "$tmp/out" || code=1
	ok $code "$where: the workflow for a public CI" "$tmp/out" "$tmp/err"
}
cat > "$tmp/program" << 'END'
#!/bin/sh
case $0\ $* in
*/curl\ -fsSL\ -o\ *\ url) cp /uncore-machine.tar.gz "$3" ;;
*/make*defconfig*) grep -q '^CONFIG_VIRTIO_CONSOLE=y' kernel/configs/uncore-machine.config ;;
*/make*bzImage)
	mkdir -p arch/x86/boot
	ln -s /uncore-machine/kernel/lib arch/x86/lib
	cp /uncore-machine/kernel/vmlinuz arch/x86/boot/bzImage
	;;
esac
END
chmod 755 "$tmp/program"

root=$tmp/root
for where in bullseye bookworm trixie; do
	base=$("$TOP/packaging/tests/fresh" -b "$where")
	mkdir "$root"
	as_root tar -C "$root" --numeric-owner -xpzf "$base"
	as_root tar -C "$root" -xzf "$tarball"
	as_root mkdir -m 777 "$root/extra"
	echo hello | as_root tee "$root/extra/file" > /dev/null
	machine 'perf counts exactly; output, shared directory and exit status' 7 "$counts
hello" -e /extra -- "$(perf_stat snbep_uncore_ha/event=1,umask=3/) && cat /extra/file; exit 7"
	machine 'a kernel given by its path counts with its own driver' 0 "$counts" -k /uncore-machine/kernel/vmlinuz -K /uncore-machine/kernel \
		-m intel_uncore -- "$(perf_stat uncore_ha/event=1,umask=3/)"
	in_root "/$program/programs/usr/bin/uncorestat" --list bandwidth > "$tmp/out" 2> "$tmp/err" && grep -q '^mem_util' "$tmp/out"
	ok $? "$where: uncorestat itself, without the machine" "$tmp/out" "$tmp/err"
	if [ "$where" = trixie ]; then
		machine 'units of a discovery table' 0 "$counts" -o generation=discovery -m intel_uncore -- "perf stat -a --per-socket -x, -o /tmp/stat \
			-e uncore_type_2_0/event=2,umask=3/ uncore-stim type_2_0 event=2,umask=3,count=77 &&
			perf stat -a --per-socket -x, -o /tmp/stat -e uncore_type_0_0/event=2/ uncore-stim type_0_0 event=2,count=1234 \
				-s 1 type_0_0 event=2,count=77 && grep ^S /tmp/stat | cut -d, -f1,3"
		machine 'uncorestat' 0 1 -- 'uncorestat sleep 0.1 > /tmp/out 2>&1 && grep -q QPI.MB /tmp/out && echo 1; exit 0'
		as_root cp "$tarball" "$root/"
		workflow
	fi
	if [ -e "$ia64" ]; then
		as_root tar -C "$root" -xzf "$ia64"
		program=itanium-machine
		machine 'an Itanium: perf counts; shared directory and exit status' 7 'counted
hello' -e /extra -- 'perf stat -x, -o /tmp/stat -e itanium/ia64_inst_retired/u true && grep -q ^[1-9] /tmp/stat && echo counted;
			cat /extra/file; exit 7'
		program=uncore-machine
	else
		ok 0 "$where: an Itanium # SKIP make ia64 has not been run"
	fi
	as_root rm -rf --one-file-system "$root"
done
tap_done
