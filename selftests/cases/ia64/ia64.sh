# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Prologue of the tests on the emulated Itanium: packages, and a build directory of each test's own,
# as others may be writing theirs. Skips a test where no compiler can be built.

"$SCRIPTS/setup"
if ! candidate binutils-ia64-linux-gnu > /dev/null; then
	echo "1..0 # SKIP this Debian has no binutils for ia64, as Debian 12 has"
	exit
fi
SNBEP_BUILD=$BUILD/ia64-$(basename "$0" .t)
export SNBEP_BUILD
# shellcheck disable=SC2154 # test.sh sets tmp
extra=$tmp/extra
mkdir "$extra"
