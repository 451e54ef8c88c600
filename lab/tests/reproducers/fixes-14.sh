# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -o generation=snr
# modules: intel_uncore
#
# fixes 0014: nothing is written to the memory controller's first register, which is no control.

uncore-stim checker | tee /tmp/found
! grep -q 'reg=0x0 op=write' /tmp/found
