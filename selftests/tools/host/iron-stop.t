#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uncore-iron that is stopped at some point leaves the driver and its parameters as they were. The script is as it is, but
# for the paths of /sys and /proc/cpuinfo; commands that load and unload modules, and what measures, are made up. Prints TAP.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
. "$TOP/selftests/lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

FAKE=$tmp/fake
export FAKE
bin=$tmp/bin
mkdir "$bin"
sed "s:/sys/module:$FAKE/module:g; s:/sys/bus/event_source:$FAKE/bus/event_source:g; s:/proc/cpuinfo:$FAKE/cpuinfo:g" "$TOP/tools/iron/uncore-iron" > "$bin/uncore-iron"

# stub NAME: a command of the machine, from standard input
stub()
{
	{
		echo '#!/bin/sh'
		cat
	} > "$bin/$1"
	chmod +x "$bin/$1"
}

chmod +x "$bin/uncore-iron"
stub id << 'END'
echo 0
END
stub dmesg < /dev/null
# The place at which the test stops the script, until it has "go"
stub reach << 'END'
[ "$1" = "$(cat "$FAKE/stop")" ] || exit 0
: > "$FAKE/reached"
until [ -e "$FAKE/go" ]; do
	sleep 0.05
done
END
stub perf << 'END'
reach perf
exit 1
END
# load FILE NAME=VALUE...: the module has these parameters, and the others as they are by default
stub load << 'END'
name=${1##*/}
shift
mkdir -p "$FAKE/module/$name/parameters"
[ "$name" = snbep_uncore ] || exit 0
echo "load $name $*" >> "$FAKE/loads"
cd "$FAKE/module/$name/parameters" || exit 1
echo 50 > log_burst
echo N > uncore_names
echo N > unlisted
for word; do
	[ -e "${word%%=*}" ] || exit 1
	echo "${word#*=}" > "${word%%=*}"
done
END
stub modprobe << 'END'
[ "$1" != -D ] || exit 0
reach "before-$1"
load "$@"
reach "after-$1"
END
stub insmod << 'END'
echo "$1" > "$FAKE/inserted"
file=${1##*/}
shift
load "${file%.ko}" "$@"
END
stub rmmod << 'END'
reach "before-rmmod-$1"
rm -r "$FAKE/module/$1"
reach "after-rmmod-$1"
END
stub uncore-iron-measure << 'END'
echo 'ok 1 - this was measured'
case $* in
*' -o')
	reach intel
	;;
*' -w')
	reach widths
	;;
esac
echo '1..1'
END

# machine STOP: one whose driver was told this and that; the script will be stopped at STOP
machine()
{
	rm -rf "$FAKE" "$tmp"/tmp.*
	mkdir -p "$FAKE/bus/event_source/devices/snbep_uncore_imc_0"
	printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nmodel name\t: a fake\n' > "$FAKE/cpuinfo"
	echo "$1" > "$FAKE/stop"
	PATH=$bin:$PATH load snbep_uncore unlisted=Y log_burst=7
	rm "$FAKE/loads"
	rm -rf "$tmp/before"
	cp -r "$FAKE/module" "$tmp/before"
}

# iron ARGUMENT...: run it in a process group of its own, in which an interrupt is not ignored
iron()
{
	PATH=$bin:$PATH TMPDIR=$tmp perl -e 'setpgrp; $SIG{INT} = "DEFAULT"; exec @ARGV' "$bin/uncore-iron" -o "$tmp/report" "$@" > "$tmp/out" 2>&1 &
	pid=$!
}

# await: until it is where it is to be stopped, or has ended without coming there
await()
{
	until [ -e "$FAKE/reached" ] || ! kill -0 $pid 2> /dev/null; do
		sleep 0.05
	done
}

# as_before NAME: is the machine as it was?
as_before()
{
	diff -r "$tmp/before" "$FAKE/module" > "$tmp/diff" && [ -z "$(find "$tmp" -mindepth 1 -maxdepth 1 -name 'tmp.*')" ]
	ok $? "$1" "$tmp/diff" "$tmp/out"
}

machine nowhere
iron -y
wait $pid
grep -q '^ok .* snbep_uncore is loaded again$' "$tmp/out"
ok $? "it comes to its end" "$tmp/out"
as_before "the driver has its parameters again at its end"

machine nowhere
iron -y -m /some/where/snbep_uncore.ko
wait $pid
as_before "the driver has its parameters again when loaded from a file"
[ "$(cat "$FAKE/inserted")" = /some/where/snbep_uncore.ko ]
ok $? "the driver is loaded from the file of -m again" "$tmp/out"

for stop in perf widths before-rmmod-snbep_uncore after-rmmod-snbep_uncore before-intel_uncore after-intel_uncore intel \
	before-rmmod-intel_uncore after-rmmod-intel_uncore before-snbep_uncore after-snbep_uncore; do
	for signal in INT TERM HUP; do
		machine $stop
		iron -y
		await
		# The next time it goes on.
		echo nowhere > "$FAKE/stop"
		kill -s $signal -- "-$pid"
		wait $pid 2> /dev/null
		code=$?
		[ -e "$FAKE/reached" ] && [ $code -gt 128 ]
		ok $? "$signal at $stop ends it" "$tmp/out"
		as_before "$signal at $stop leaves the machine as it was"
	done
done

# A second signal comes while the first one's clean-up loads the driver.
machine intel
iron -y
await
rm "$FAKE/reached"
echo before-snbep_uncore > "$FAKE/stop"
kill -s TERM -- "-$pid"
await
kill -s TERM -- "-$pid"
: > "$FAKE/go"
wait $pid 2> /dev/null
as_before "a second signal leaves the machine as it was"

tap_done
