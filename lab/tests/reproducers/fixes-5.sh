# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -o generation=icx
# modules: intel_uncore
#
# fixes 0005: the driver resets UPI and M3UPI, and writes nowhere else.

uncore-stim checker | tee /tmp/found
[ ! -s /tmp/found ]
