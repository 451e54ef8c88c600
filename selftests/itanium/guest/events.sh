#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The model's table of events and the driver's, which were written apart, agree. The driver's is in /extra/driver, as
# machine.t has made it. TAP.

. /selftests/lib/tap.sh

uncore-stim raw montecito events | awk '{
		split($0, f, /[ =]+/)
		set = f[6] == "quals" ? "-" : f[6]
		quals = f[6] == "quals" ? f[7] : f[8]
		sub(/^d/, "l1d", set)
		sub(/^2/, "l2d", set)
		# i 1, o 2, d 4, m 16; p is the choice of the range
		sum = (quals ~ /i/) + 2 * (quals ~ /o/) + 4 * (quals ~ /d/) + 16 * (quals ~ /m/)
		# EAR events have no plain alias to be listed by.
		if (f[2] != "0xc8" && f[2] != "0x43")
			printf "%s %s %s %s\n", f[2], f[4], set, sum ? sprintf("0x%x", sum) : "0"
	}' | sed 's/^0x0 /0 /' | sort -u > /tmp/model
diff /extra/driver /tmp/model > /tmp/diff && [ -s /tmp/model ]
ok $? "model (>) and driver (<) agree on $(wc -l < /tmp/model) event codes" /tmp/diff
tap_done
