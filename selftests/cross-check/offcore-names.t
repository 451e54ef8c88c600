#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The names of offcore_rsp against Intel's (perf's lists in Debian's linux-source-6.1) and
# libpfm4's, by the tables of Documentation/offcore_rsp.rst.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

dir=$TOP/selftests/cross-check
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The kernel's u64 is an unsigned long long everywhere, the C library's is not: its formats differ.
${CC:-cc} -O2 -Wall -Wextra ${WERROR--Werror} -Wno-format -I"$dir/shim" -I"$TOP/selftests/mock-kernel/shim" -I"$TOP" \
	"$dir/offcore-names.c" "$TOP/offcore/tables.c" "$TOP/offcore/encode.c" -o "$tmp/names"
linux=$("$SCRIPTS/linux-source" 6.1 tools)
libpfm4=$("$TOP/scripts/libpfm4")
perl "$dir/offcore-names.pl" "$tmp/names" "$TOP/Documentation/offcore_rsp.rst" "$linux/tools/perf/pmu-events/arch/x86" "$libpfm4"
