#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# boot.t [KERNEL]: the test program that `make ia64` puts into an initramfs for Itaniums, built for the emulated machine and
# run there: what it tests and prints is proven where there is no Itanium. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/selftests/lib/tap.sh"

version=${1:-6.1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

have_kernel "$version" || { tap_done; exit; }
modules=$("$SCRIPTS/modules" "$version" "$TOP")
cp "$modules/itanium_pmu.ko" "$tmp/"
${CC:-cc} -static -O2 -Wall -Wextra -Werror -I"$TOP" -I"$TOP/selftests" "$TOP/selftests/itanium/host/boot.c" \
	"$TOP/itanium/ia64/boot/tests.c" "$TOP/selftests/lib/model.c" -o "$tmp/boot"
"$TOP/selftests/lib/guest-tap" -J -k "$version" -s 1 -c 1 -m '' -e "$tmp" -t 200 ../extra/boot
