#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the Itanium boots is built again when a source of it is newer, and only then: in a copy of
# the tree whose build is a stub.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
. "$TOP/scripts/test.sh"
tree=$tmp/tree
mkdir -p "$tree/machine/itanium" "$tree/Documentation" "$tree/build/ia64/smp" "$tmp/cache/log"
cp -r "$TOP/scripts" "$TOP/itanium" "$TOP/itanium_pmu.c" "$TOP/common" "$TOP/events" "$TOP/Kbuild" "$tree/"
cp -r "$TOP/machine/itanium/linux" "$tree/machine/itanium/"
printf '#!/bin/sh\n' > "$tree/scripts/setup"
printf '#!/bin/sh\necho built >&2\nexit 1\n' > "$tree/machine/itanium/linux/build"
echo all: > "$tree/machine/itanium/Makefile"

# builds FILE: whether a run builds after FILE has changed
builds()
{
	touch -d '1 minute ago' "$tree/build/ia64/smp/root.cpio"
	find "$tree" -path "$tree/build" -prune -o -type f -exec touch -d '2 minutes ago' {} +
	[ ! "$1" ] || touch "$tree/$1"
	SNBEP_CACHE=$tmp/cache SNBEP_BUILD=$tree/build "$tree/machine/itanium/linux/vm" -- true > "$tmp/out" 2>&1
	grep -q '^built$' "$tmp/out"
}

# The machine is not there: without a build, the run ends later.
! builds '' && grep -q ia64-machine "$tmp/out"
ok $? "without a change, nothing is built" "$tmp/out"
for file in events/montecito.def common/group.h itanium/sched.c machine/itanium/linux/guest/init itanium_pmu.c Kbuild; do
	builds "$file"
	ok $? "a change of $file builds again" "$tmp/out"
done
! builds Documentation/index.rst
ok $? "a change of a page does not" "$tmp/out"
tap_done
