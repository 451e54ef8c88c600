# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by tests on the host, after lib.sh: tap.sh, the packages that tests need, and $tmp, a
# directory that goes with the test.

. "$TOP/scripts/tap.sh"
"$SCRIPTS/setup"
"$SCRIPTS/setup" "$SCRIPTS/check.packages"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
