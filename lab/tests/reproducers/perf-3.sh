# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2
# modules: intel_uncore
#
# perf 0003: the message for an event on a CPU that the cpumask lacks names the CPUs that count.

! perf stat -C 1 -e uncore_imc_0/event=4,umask=3/ -- true 2> /tmp/lacks || exit 1
cat /tmp/lacks
# Where one of the CPUs is in the cpumask there is nothing to say.
perf stat -C 0-1 -o /tmp/stat -e uncore_imc_0/event=4,umask=3/ -- true 2> /tmp/has || exit 1
cat /tmp/has
grep -q "requested CPU in '1' is not supported by PMU 'uncore_imc_0' (CPUs 0)" /tmp/lacks && [ ! -s /tmp/has ]
