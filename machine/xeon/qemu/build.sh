#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh [VARIANT]: make QEMU with the hardware model; print the path of its qemu-system-x86_64,
# and nothing else. VARIANT: network, for syzkaller: one with user networking, which takes
# libslirp-dev.
#
# Debian's QEMU source package, of the version in the file version, patched with patches/series, is
# configured and built once per version and patch set. Every *.c and *.h of the directories in
# model_files() becomes hw/i386/model/ of that tree, so that a new file needs no edit here. The
# result is cached by a hash of its inputs.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"

HERE=$TOP/machine/xeon/qemu
STATE=$CACHE/qemu

CONFIGURE="--target-list=x86_64-softmmu --without-default-features --enable-tcg --enable-virtfs --enable-attr
	--enable-cap-ng --enable-fdt --enable-trace-backends=nop"
unset CFLAGS
variant=${1:-}
case $variant in
'') ;;
network) CONFIGURE="$CONFIGURE --enable-slirp" ;;
*) die "usage: build.sh [network]" ;;
esac

model_files()
{
	for d in qemu console uncore discovery core-pmu power traffic montecito ../montecito; do
		printf '%s\n' "$TOP/machine/xeon/$d"/*.[ch]
	done
	printf '%s\n' "$TOP"/machine/xeon/uncore/*.def
}

# Copy changed files and remove deleted ones: unchanged files keep their time, so that ninja does
# not rebuild them.
sync_model()
{
	dir=$1/hw/i386/model
	mkdir -p "$dir"
	{
		echo "i386_ss.add(when: 'CONFIG_Q35', if_true: files("
		model_files | sed -n "s|.*/\(.*\.c\)\$|  '\1',|p"
		echo '))'
	} > "$dir/meson.build.new"
	for f in $(model_files); do
		cmp -s "$f" "$dir/${f##*/}" || cp "$f" "$dir/"
	done
	for f in "$dir"/*.c "$dir"/*.h "$dir"/*.def; do
		model_files | grep -q "/${f##*/}\$" || rm "$f"
	done
	cmp -s "$dir/meson.build.new" "$dir/meson.build" || cp "$dir/meson.build.new" "$dir/meson.build"
	rm "$dir/meson.build.new"
}

make_tree()
{
	rm -rf "$tree.new"
	say "unpacking QEMU's source"
	# Mirrors keep only the version of a point release, and a later one.
	"$SCRIPTS/apt-source" "qemu=$version" "$tree.new" >&2 || {
		say "QEMU is the newest of Debian's, and not that of $HERE/version"
		"$SCRIPTS/apt-source" qemu "$tree.new" >&2
	}
	while read -r patch; do
		patch -s -p1 -d "$tree.new" < "$HERE/patches/$patch" >&2 || die "$patch does not apply"
	done < "$HERE/patches/series"
	mkdir "$tree.new/build"
	mv -T "$tree.new" "$tree"
}

configure_tree()
{
	say "configuring QEMU"
	# Words of CONFIGURE are split on purpose. No path of this machine is to be in make dist's
	# tarball.
	logged "$CACHE/log/qemu-configure" sh -c 'cd "$1" && shift && ../configure "$@"' sh "$tree/build" $CONFIGURE \
		"--extra-cflags=-ffile-prefix-map=$tree=qemu"
	touch "$tree/build/configured"
}

build_tree()
{
	logged "$CACHE/log/qemu-build" ninja -C "$tree/build" -j "$(nproc)" qemu-system-x86_64
	cp "$tree/build/qemu-system-x86_64" "$NEW"
	logged "$CACHE/log/qemu-version" "$NEW" --version
}

patches=$(sed "s,^,$HERE/patches/," "$HERE/patches/series")
# File names without spaces: splitting is meant.
version=$(cat "$HERE/version")
base=$({ cat "$HERE/patches/series" $patches; echo "$version $CONFIGURE -ffile-prefix-map"; } | sha256sum | cut -c1-12)
# shellcheck disable=SC2046 # names without a space
model=$({ model_files | sed 's,.*/,,'; cat $(model_files); } | sha256sum | cut -c1-12)
out=$STATE/bin/qemu-system-x86_64-$base-$model

if must_make "$out" qemu "$0" "$@"; then
	tree=$STATE/tree-$base
	[ -e "$tree" ] || make_tree
	# ninja takes an object for a good one that a crash of the host has cut.
	if [ -e "$tree/unfinished" ] && ! cmp -s /proc/sys/kernel/random/boot_id "$tree/unfinished"; then
		rm -rf "$tree/build"
		mkdir "$tree/build"
	fi
	sync_model "$tree"
	# If ninja was interrupted while it reconfigured, there is no build.ninja.
	{ [ -e "$tree/build/configured" ] && [ -e "$tree/build/build.ninja" ]; } || configure_tree
	say "building QEMU (minutes the first time, seconds after a change of the model)"
	cp /proc/sys/kernel/random/boot_id "$tree/unfinished"
	build_tree
	rm "$tree/unfinished"
	# A variant is seldom built twice.
	if [ "$variant" ]; then rm -rf "$tree"; else touch "$tree"; fi
	# Keep the results that were used last; running programs keep their file open.
	ls -dt "$STATE"/bin/* | tail -n +13 | xargs -r -d '\n' rm -f --
	ls -dt "$STATE"/tree-* | tail -n +3 | xargs -r -d '\n' rm -rf --
	made
fi
echo "$out"
