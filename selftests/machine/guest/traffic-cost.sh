# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Sourced by a shell in the machine: what traffic costs programs, in seconds without it and with it. The best of three.

# best ACCESS'S-ARGUMENTS
best()
{
	for _ in 1 2 3; do
		/selftests/machine/access -p 0 "$@"
	done | sort -n | sed -n '1s/ s .*//p'
}

printf '%-28s %8s %8s %8s\n' 'seconds' off on times
while read -r what; do
	uncore-stim traffic off
	# Words are arguments.
	# shellcheck disable=SC2086
	off=$(best $what)
	uncore-stim traffic on
	# shellcheck disable=SC2086
	on=$(best $what)
	printf '%-28s %8s %8s %8s\n' "$what" "$off" "$on" "$(echo "$on $off" | awk '{ printf "%.1f", $1 / $2 }')"
done << END
-r 4 copy 64M
-r 40 copy 4M
-r 2000 copy 16K
-r 4 read 64M
-r 4 stream 64M
-r 2 chase 32M
END
uncore-stim traffic off
