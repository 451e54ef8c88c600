#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# damage.t [PATTERN]: each command makes anew what is damaged in the cache, or says which file is,
# and the next one works. PATTERN: only files whose path has it. The copy has small packages of
# its own in place of Debian's kernel.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

vm=$TOP/machine/xeon/vm/vm
export TMPDIR="$tmp"
set +e

# The originals, and the lists of packages
kernel=$("$SCRIPTS/kernel" 6.1)
qemu=$("$TOP/machine/xeon/qemu/build.sh")
release=$(cat "$kernel/release")
suite=bookworm
copy=$tmp/cache
mkdir -p "$copy/apt"
cp -a "$CACHE/apt/$suite-deb" "$copy/apt/"

# A package with the kernel and the guest's modules
package=$tmp/package
mkdir -p "$package/boot" "$package/DEBIAN" "$package/usr/src/linux-headers-$release"
cp "$kernel/boot/vmlinuz-$release" "$package/boot/"
"$TOP/machine/xeon/vm/guest-modules" "$kernel" "$package"
echo '# Headers of /usr/src/linux' > "$package/usr/src/linux-headers-$release/Makefile"
printf '%s\n' 'Package: linux-image' 'Version: 1' 'Architecture: amd64' 'Maintainer: a test' 'Description: a kernel' > "$package/DEBIAN/control"
dpkg-deb -Znone -b "$package" "$tmp/kernel.deb" > "$tmp/out" 2>&1
ok $? 'a small package of a kernel' "$tmp/out"

# Fakes: downloads are that package, and builds of QEMU are a copy.
mkdir "$tmp/bin"
cat > "$tmp/bin/apt-get" << END
#!/bin/sh
case " \$* " in
*' download '*) exec cp "$tmp/kernel.deb" . ;;
*' source '*) mkdir -p tree && : > x.dsc ;;
*) exec /usr/bin/apt-get "\$@" ;;
esac
END
cat > "$tmp/bin/dpkg-source" << 'END'
#!/bin/sh
for tree; do :; done
mkdir -p "$tree" && echo source > "$tree/source"
printf '#!/bin/sh\n: > build.ninja\n' > "$tree/configure" && chmod +x "$tree/configure"
END
printf '#!/bin/sh\nexit 0\n' > "$tmp/bin/patch"
cat > "$tmp/bin/ninja" << END
#!/bin/sh
exec cp "$qemu" "\$2/qemu-system-x86_64"
END
chmod +x "$tmp/bin"/*

# use COMMAND...: with the copy
use()
{
	PATH=$tmp/bin:$PATH SNBEP_CACHE=$copy "$@" < /dev/null > "$tmp/out" 2> "$tmp/err"
}

# All that a machine needs
all()
{
	use "$SCRIPTS/kernel" 6.1 && made=$(cat "$tmp/out") && use "$TOP/machine/xeon/vm/initramfs" $suite &&
		use "$TOP/machine/xeon/qemu/build.sh" && cmp "$qemu" "$(cat "$tmp/out")"
}

use "$vm" -- 'echo hello'
[ $? = 0 ] && [ "$(cat "$tmp/out")" = hello ]
ok $? 'a machine of the copy' "$tmp/err"
all
ok $? 'the copy' "$tmp/err"
image=$(echo "$copy"/initramfs/$suite-*[0-9a-f])
binary=$(echo "$copy"/qemu/bin/qemu-system-x86_64-*[0-9a-f])
tree=$(echo "$copy"/qemu/tree-*)

# contents: print the hash of all that has to be as it was, and no date of the future
contents()
{
	# An archive has the time at which it was made.
	cpio -t --quiet < "$image" | sort
	(cd "$copy" && find kernel/[0-9]* qemu/bin apt/$suite-deb/lists apt/$suite-deb/sources.list -type f ! -name ready ! -name '*.ready' \
		-exec sha256sum {} + | sort)
	find "$copy" -newermt '1 hour' ! -path '*/lock/*' ! -path '*/log/*'
}
contents > "$tmp/before"

# damage FILE HOW: the commands succeed, and all is as it was.
damage()
{
	case $2 in
	cut) truncate -s $(($(stat -c %s "$1") / 2)) "$1" ;;
	emptied) : > "$1" ;;
	gone) rm "$1" ;;
	'of games') as_root chown games "$1" ;;
	'of tomorrow') touch -d '1 day' "$1" ;;
	esac
	all && contents > "$tmp/after" && diff "$tmp/before" "$tmp/after" > "$tmp/diff" 2>&1
	code=$?
	[ -O "$1" ] || code=1
	[ $code = 0 ] || stat "$1" >> "$tmp/diff" 2>&1
	ok $code "$2: ${1#"$copy/"}" "$tmp/diff" "$tmp/err"
}

nr=0
only=${1:-}
for file in "$made/vmlinux" "$made/release" "$made/ready" "$image" "$image.ready" "$binary" "$binary.ready" "$tree/source" \
	"$tree/build/qemu-system-x86_64" "$copy/kernel/current-6.1" "$copy"/apt/$suite-deb/lists/*_Packages* \
	"$copy/apt/$suite-deb/stamp" "$copy/apt/$suite-deb/ready" "$made"/lib/modules/*/modules.order; do
	case $file in
	*$only*) ;;
	*) continue ;;
	esac
	case $file in
	*/lists/* | */stamp | */bookworm-deb/ready)
		# The lists are fetched again: once is enough.
		nr=$((nr + 1))
		set -- cut emptied 'of games' 'of tomorrow'
		shift $((nr % 4))
		kind=$1
		set -- "$kind"
		;;
	*) set -- cut emptied gone 'of games' 'of tomorrow' ;;
	esac
	for how; do
		# What is made at need is right when it is there again.
		case $file:$how in
		"$tree"/*) rm -f "$binary.ready" ;;
		esac
		damage "$file" "$how"
	done
done

# What has the right size and date is found when a machine does not get far.
for file in "$made/vmlinux" "$image" "$binary"; do
	case $file in
	*$only*) ;;
	*) continue ;;
	esac
	touch -r "$file" "$tmp/date"
	case $file in
	"$binary") seek=0 ;;
	*) seek=$(($(stat -c %s "$file") / 3)) ;;
	esac
	case $file in
	"$image") dd if=/dev/zero of="$file" bs=1 count=64 conv=notrunc status=none ;;
	*) dd if=/dev/zero of="$file" bs=1024 seek=$((seek / 1024)) count=2048 conv=notrunc status=none ;;
	esac
	touch -r "$tmp/date" "$file"
	use "$vm" -t 60 -- 'echo hello'
	[ $? = 125 ] && grep -qx "cache: $file is damaged: it has other contents" "$tmp/err" && grep -q 'vm: .*try again.*make clean-cache' "$tmp/err"
	ok $? "a machine that does not start names ${file#"$copy/"}" "$tmp/err"
	use "$vm" -- 'echo hello'
	[ "$(cat "$tmp/out")" = hello ]
	ok $? '... and the next one starts' "$tmp/err"
done
tap_done
