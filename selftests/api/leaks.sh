# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# leaks MODULE PMU: unload the module, unless it has to stay, let kmemleak look, and load it again.

# shellcheck disable=SC2154 # ksft.sh sets ksft_tmp
leaks()
{
	begin "$2"
	report=/sys/kernel/debug/kmemleak
	[ -w $report ] || skip_all 'this kernel has no kmemleak (CONFIG_DEBUG_KMEMLEAK)'
	plan 1
	rmmod "$1" 2> /dev/null
	# kmemleak reports an object that two scans missed and that is 5 s old.
	echo scan > $report
	sleep 6
	echo scan > $report
	cat $report > "$ksft_tmp/leaks" && [ ! -s "$ksft_tmp/leaks" ]
	ok $? "kmemleak finds nothing" "$ksft_tmp/leaks"
	modprobe "$1"
	finish
}
