# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 1 -c 8 -o generation=3
# modules: intel_uncore
#
# fixes 0002: LLC_LOOKUP of one node, alone and after another event has used the filter for the
# other node.

wrong=0
lookups()
{
	stim=event=0x34,umask=$(($1 & 0x3f))
	perf stat -x, -C 0 -o /tmp/stat -e "uncore_cbox_0/event=0x34,umask=$1,filter_nid=0x2,filter_state=0x7f/" -- \
		uncore-stim cbox_0 "$stim,nid=1,count=1000" cbox_0 "$stim,nid=0,count=234"
	echo "umask $1: $(sed -n 's/,.*event=.*//p' /tmp/stat) of 1000 lookups of node 1"
	grep -q '^1000,' /tmp/stat || wrong=1
}
lookups 0x43
lookups 0x45
perf stat -x, -C 0 -e uncore_cbox_0/event=0x37,umask=0x4f,filter_nid=0x1/ -- true
lookups 0x43
[ $wrong = 0 ]
