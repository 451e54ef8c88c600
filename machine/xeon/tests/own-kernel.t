#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel given by its path: missing options are named before the boot, wherever its configuration
# is; it boots with its modules, and a driver is built for it. The user's kernel is a copy of
# Debian's.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

debian=$("$SCRIPTS/kernel" 6.1)
release=$(cat "$debian/release")
set +e

# lacks NAME PATTERN COMMAND...: a test that own-kernel fails with one matching line
lacks()
{
	name=$1 pattern=$2
	shift 2
	rm -rf "$tmp/dir"
	"$TOP/machine/xeon/vm/own-kernel" "$@" > "$tmp/out" 2>&1
	[ $? = 1 ] && [ "$(wc -l < "$tmp/out")" = 1 ] && grep -qE -e "$pattern" "$tmp/out"
	ok $? "$name" "$tmp/out"
}

# fits NAME COMMAND...: a test that it succeeds silently
fits()
{
	name=$1
	shift
	rm -rf "$tmp/dir"
	"$TOP/machine/xeon/vm/own-kernel" "$@" > "$tmp/out" 2>&1 && [ "$(cat "$tmp/dir/release")" = "$release" ] && [ ! -s "$tmp/out" ]
	ok $? "$name" "$tmp/out"
}

cp "$debian/vmlinuz" "$tmp/vmlinuz"
cp "$debian/boot/config-$release" "$tmp/config-$release"
lacks 'a file that is not there' 'no such file' "$tmp/nothing" '' "$tmp/dir"
lacks 'a file that is no kernel' 'is no bzImage' "$0" '' "$tmp/dir"
for name in ../../up ../x / . .hidden 'a;b' '' 'x*'; do
	perl -e '($image, $name) = @ARGV; local $/; open $in, "<:raw", $image or die; $text = <$in>; $at = 0x200 + unpack "v", substr $text, 0x20e, 2;
		substr($text, $at, length($name) + 2) = "$name \0"; open $out, ">:raw", "$image.bad" or die; print $out $text' "$tmp/vmlinuz" "$name"
	lacks "a release '$name'" 'has no release of a kernel' "$tmp/vmlinuz.bad" '' "$tmp/dir"
done
lacks 'a kernel without its modules' 'lacks CONFIG_VIRTIO_PCI \(its module virtio_pci .*CONFIG_X86_MSR' "$tmp/vmlinuz" '' "$tmp/dir"
lacks 'modules of another kernel' "has no lib/modules/$release" "$tmp/vmlinuz" "$tmp" "$tmp/dir"
fits 'a kernel and a directory of modules' "$tmp/vmlinuz" "$debian" "$tmp/dir" 9p intel_uncore
fits 'a kernel and its own directory of modules' "$tmp/vmlinuz" "$debian/lib/modules/$release" "$tmp/dir"
fits 'a kernel in its place' "$debian/vmlinuz" '' "$tmp/dir" 9p
sed -i '/^CONFIG_SERIAL_8250_CONSOLE=/d' "$tmp/config-$release"
lacks 'an option that is off' 'lacks CONFIG_SERIAL_8250_CONSOLE:' "$tmp/vmlinuz" "$debian" "$tmp/dir"
rm "$tmp/config-$release"

# A build tree without modules, with .config or a configuration in the image
image=$tmp/tree/arch/x86/boot/bzImage
mkdir -p "${image%/*}"
"$TOP/machine/xeon/vm/own-kernel" -c > "$tmp/tree/.config"
cp "$debian/vmlinuz" "$image"
fits 'a build tree with all that is wanted built in' "$image" '' "$tmp/dir" 9p intel_uncore
sed -i '/^CONFIG_9P_FS=/d' "$tmp/tree/.config"
lacks 'a build tree without an option' 'lacks CONFIG_9P_FS:' "$image" '' "$tmp/dir" 9p
fits 'which is not needed without /extra' "$image" '' "$tmp/dir"
sed -i '/^CONFIG_NR_CPUS=/s/=.*/=2/' "$tmp/tree/.config"
lacks 'a kernel for two processors' 'lacks CONFIG_NR_CPUS=16 or more:' "$image" '' "$tmp/dir"
sed -i '/^CONFIG_NR_CPUS=/s/=.*/=64/' "$tmp/tree/.config"
for program in gzip xz zstd; do
	perl -e '
		use IO::Compress::Gzip qw(gzip);
		my ($image, $config, $program) = @ARGV;
		my $text = do { local (@ARGV, $/) = $config; <> };
		gzip(\$text, \my $gz);
		open my $to, "|-", "$program -c > $image.payload" or die;
		print $to "x" x 5000, "IKCFG_ST", $gz, "IKCFG_ED", "y" x 5000;
		close $to or die;
		my $payload = do { local (@ARGV, $/) = "$image.payload"; <> };
		my $head = do { local (@ARGV, $/) = $image; substr <>, 0, 0x10000 };
		my $offset = 0x10000 - (ord(substr $head, 0x1f1, 1) + 1) * 512;
		substr($head, 0x248, 8) = pack "VV", $offset, length($payload) + 4;
		open my $out, ">", "$image.new" or die;
		print $out $head, $payload, pack "V", 0;' "$image" "$tmp/tree/.config" "$program"
	mv "$image.new" "$image"
	"$SCRIPTS/bzimage" -c "$image" 2>&1 | diff "$tmp/tree/.config" - > "$tmp/out"
	ok $? "the configuration in an image, $program" "$tmp/out"
done
rm "$tmp/tree/.config"
lacks 'which is looked at' 'lacks CONFIG_9P_FS:' "$image" '' "$tmp/dir" 9p

# After 6.1, intel_uncore counts CPUs to know how many CBos there are.
# shellcheck disable=SC2154 # have_kernel sets it
if have_kernel newest; then
	cp -rs "$kernel/." "$tmp/builtin"
	list=$tmp/builtin/lib/modules/$(cat "$kernel/release")/modules.builtin
	sed -i '$a kernel/arch/x86/events/intel/intel-uncore.ko' "$list"
	rm "$tmp/builtin/ready"
	SNBEP_CACHE=$tmp "$SCRIPTS/cache" seal "$tmp/builtin/ready" builtin .
	"$TOP/machine/xeon/vm/vm" -k "$tmp/builtin" -- nproc > "$tmp/out" 2>&1
	check 'a kernel with intel_uncore built in has all processors' [ "$(cat "$tmp/out")" = 16 ]
fi

mkdir "$tmp/extra"
"$TOP/machine/xeon/vm/vm" -k "$tmp/vmlinuz" -K "$debian" -m intel_uncore -e "$tmp/extra" -- \
	'uname -r > /extra/release; perf stat -x, -a --per-socket -e uncore_ha/event=0x1,umask=0x3/ -o /extra/stat \
		uncore-stim ha event=1,umask=3,count=12' > "$tmp/out" 2>&1
[ $? = 0 ] && grep -qxF "$release" "$tmp/extra/release" && grep -q '^S0,1,12,' "$tmp/extra/stat"
ok $? 'it boots, with its own intel_uncore and /extra' "$tmp/out"
"$TOP/machine/xeon/vm/vm" -k "$debian/vmlinuz" -b "$TOP/machine/xeon/example" -m ha_example -- 'ls -d /sys/bus/event_source/devices/ha_example' > "$tmp/out" 2>&1
ok $? 'a driver is built for it' "$tmp/out"
"$TOP/machine/xeon/vm/vm" -k "$tmp/vmlinuz" -K "$debian" -b "$TOP/machine/xeon/example" -m ha_example -- true > "$tmp/out" 2>&1
[ $? = 125 ] && [ "$(wc -l < "$tmp/out")" = 1 ] && grep -q 'has no module ha_example, and is not in a build directory' "$tmp/out"
ok $? 'unless there is no build directory' "$tmp/out"
tap_done
