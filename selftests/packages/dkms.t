#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.sh: add, build and install the drivers with DKMS for both kernels, in trees of its own. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../machine/vm/lib.sh"

. "$TOP/selftests/lib/tap.sh"

"$VM_DIR/setup"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run NAME COMMAND...: a test that passes if the command does
run()
{
	name=$1
	shift
	"$@" > "$tmp/out" 2>&1 && code=0 || code=1
	ok $code "$name" "$tmp/out"
}

# DKMS makes a key to sign modules with if there is none: not in /var/lib.
export mok_signing_key="$tmp/key" mok_certificate="$tmp/certificate"

do_dkms()
{
	command=$1
	shift
	dkms "$command" --dkmstree "$tmp/tree" --sourcetree "$tmp/src" \
		--installtree "$tmp/lib" "$@" < /dev/null
}

# for_kernel MODULE RELEASE: the module was installed, and for that kernel
for_kernel()
{
	file=$(find "$tmp/lib/$2" -name "$1.ko*")
	[ "$file" ] || { echo "$1.ko is not installed"; return 1; }
	magic=$(modinfo -F vermagic "$file")
	[ "${magic%% *}" = "$2" ] || { echo "it is for ${magic%% *}"; return 1; }
}

package=$(sed -n 's/^PACKAGE_NAME="\(.*\)"$/\1/p' "$TOP/dkms.conf")
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$TOP/dkms.conf")
src=$tmp/src/$package-$version
package=$package/$version
mkdir -p "$tmp/tree" "$src"
(cd "$TOP" && selftests/lib/files | xargs cp -a --parents -t "$src")

run "dkms add" do_dkms add "$package"
for version in 6.1 6.12; do
	kernel=$("$VM_DIR/kernel" "$version")
	release=$(cat "$kernel/release")
	mkdir -p "$tmp/lib/$release"
	run "$version: dkms build" do_dkms build "$package" -k "$release" --kernelsourcedir "$kernel/build"
	run "$version: dkms install" do_dkms install "$package" -k "$release" --no-depmod --no-initrd
	run "$version: snbep_uncore is there" for_kernel snbep_uncore "$release"
	run "$version: offcore_rsp is there" for_kernel offcore_rsp "$release"
	run "$version: dkms uninstall" do_dkms uninstall "$package" -k "$release" --no-depmod
	run "$version: nothing is left" [ -z "$(find "$tmp/lib" -name '*.ko*')" ]
done
tap_done
