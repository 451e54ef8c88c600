# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154 # who sources it sets them
#
# Sourced by a shell in the machine, with $runs, and $on if traffic shall be on: programs, and the seconds that each takes, the least
# of so many runs. A tab is between the two.

[ -z "$on" ] || uncore-stim traffic on
while read -r what; do
	i=0
	while [ $i -lt "$runs" ]; do
		# Words are arguments.
		# shellcheck disable=SC2086
		/selftests/machine/access -p 0 $what
		i=$((i + 1))
	done | sort -n | sed -n "1s/\([^ ]*\) s .*/$what	\1/p"
done << END
-r 4 copy 64M
-r 40 copy 4M
-r 2000 copy 16K
-r 4 read 64M
-r 4 stream 64M
-r 2 chase 32M
END
[ -z "$on" ] || uncore-stim traffic off
