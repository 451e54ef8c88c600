# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 2
#
# perf 0001: perf stat report reads what perf stat record has written.

perf stat record -o /tmp/data -e task-clock -- true || exit 1
perf stat report -i /tmp/data > /tmp/report 2>&1
status=$?
cat /tmp/report
[ $status = 0 ] && grep -q '[1-9].* task-clock' /tmp/report
