#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.t [KERNEL]...: add, build and install the drivers with DKMS for each kernel, in a temporary
# DKMS tree.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

. "$TOP/scripts/test.sh"

# DKMS makes a signing key if there is none: keep it out of /var/lib.
export mok_signing_key="$tmp/key" mok_certificate="$tmp/certificate"

do_dkms()
{
	command=$1
	shift
	dkms "$command" --dkmstree "$tmp/tree" --sourcetree "$tmp/src" \
		--installtree "$tmp/lib" "$@" < /dev/null
}

# for_kernel MODULE RELEASE: whether the module was installed for that kernel
for_kernel()
{
	file=$(find "$tmp/lib/$2" -name "$1.ko*")
	[ "$file" ] || { echo "$1.ko is not installed"; return 1; }
	magic=$(modinfo -F vermagic "$file")
	[ "${magic%% *}" = "$2" ] || { echo "it is for ${magic%% *}"; return 1; }
	[ "$(modinfo -F version "$file")" = "$release_version" ] || { echo "its version is $(modinfo -F version "$file")"; return 1; }
}

package=$(sed -n 's/^PACKAGE_NAME="\(.*\)"$/\1/p' "$TOP/packaging/dkms.conf")
version=$("$SCRIPTS/version")
release_version=$version
src=$tmp/src/$package-$version
package=$package/$version
mkdir -p "$tmp/tree" "$tmp/src"
"$TOP/packaging/source" "$src"
sed "s/#MODULE_VERSION#/$version/" "$TOP/packaging/dkms.conf" > "$src/dkms.conf"

check "dkms add" do_dkms add "$package"
[ $# -gt 0 ] || set -- 5.10 6.1 6.12 newest
for version; do
	have_kernel "$version" || continue
	release=$(cat "$kernel/release")
	mkdir -p "$tmp/lib/$release"
	check "$version: dkms build" do_dkms build "$package" -k "$release" --kernelsourcedir "$kernel/build"
	check "$version: dkms install" do_dkms install "$package" -k "$release" --no-depmod --no-initrd
	check "$version: snbep_uncore is installed" for_kernel snbep_uncore "$release"
	check "$version: offcore_rsp is installed" for_kernel offcore_rsp "$release"
	check "$version: itanium_pmu, which is for another architecture, is not installed" \
		[ -z "$(find "$tmp/lib" "$tmp/tree" -name 'itanium_pmu.ko*')" ]
	check "$version: dkms uninstall" do_dkms uninstall "$package" -k "$release" --no-depmod
	check "$version: no module is left" [ -z "$(find "$tmp/lib" -name '*.ko*')" ]
done

# Without DKMS
if have_kernel 6.1; then
	check "make modules_install" make -C "$src" "KDIR=$kernel/build" "INSTALL_MOD_PATH=$tmp/installed" modules_install
	find "$tmp/installed" -name '*.ko*' | sed 's/.*\///; s/\.ko.*//' | sort > "$tmp/modules"
	check "make modules_install installs snbep_uncore and offcore_rsp" [ "$(paste -s -d ' ' "$tmp/modules")" = "offcore_rsp snbep_uncore" ]
fi

# refused RELEASE: DKMS builds nothing for this kernel, and says why.
refused()
{
	mkdir -p "$tmp/lib/$1"
	! do_dkms build "$package" -k "$1" --kernelsourcedir "$kernel/build" > "$tmp/said" 2>&1 || { echo "it is built"; return 1; }
	cat "$tmp/said"
	tr -s '\n ' ' ' < "$tmp/said" | grep -q "BUILD_EXCLUSIVE directive,\? which does not match this kernel" &&
		[ -z "$(find "$tmp/lib/$1" -name '*.ko*')" ]
}
if have_kernel 6.1; then
	for release in 4.19.0-27-amd64 5.9.0-5-amd64; do
		check "$release is refused" refused "$release"
	done
	# No headers of these releases are available: match the names alone.
	expr=$(sed -n 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' "$TOP/packaging/dkms.conf")
	for release in 5.15.0-1-amd64 6.18.1+deb14-amd64 10.1.0-1-amd64; do
		check "$release is not refused" sh -c 'echo "$1" | grep -Eq "$2"' sh "$release" "$expr"
	done
fi
tap_done
