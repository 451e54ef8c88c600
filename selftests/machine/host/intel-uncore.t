#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# intel-uncore.t: Linux's own driver counts on the model, on both kernels, with 1 to 8 sockets; TAP.

. "$(dirname "$(readlink -f "$0")")/../../../machine/vm/lib.sh"

tests=0
status=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# run NAME COMMAND [OPTION...]: a script in the machine, its tests renumbered.
run()
{
	name=$1
	command=$2
	shift 2
	ret=0
	"$TOP/selftests/vm" -m intel_uncore -W -t 300 "$@" -- "$command" > "$tmp/tap" || ret=$?
	while read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			tests=$((tests + 1))
			echo "${line%%ok *}ok $tests - $name: ${line#* - }"
			case $line in not*) status=1 ;; esac
			;;
		'#'*) echo "$line" ;;
		esac
	done < "$tmp/tap"
	tests=$((tests + 1))
	if [ "$ret" = 0 ] && grep -q '^1\.\.' "$tmp/tap"; then
		echo "ok $tests - $name: ran to its end without a warning"
	else
		echo "not ok $tests - $name: ran to its end without a warning (status $ret)"
		status=1
	fi
}

echo 'TAP version 13'
# 6.1 goes by the cores of the part, 6.12 by the CPUs that are there: only the latter needs all eight.
run 6.1 '. /selftests/machine/intel_uncore.sh' -k 6.1 -c 2
run 6.12 '. /selftests/machine/intel_uncore.sh' -k 6.12
for sockets in 1 4 8; do
	run 6.1 "sockets=$sockets; . /selftests/machine/sockets.sh" -k 6.1 -s "$sockets" -c 1
done
echo "1..$tests"
exit "$status"
