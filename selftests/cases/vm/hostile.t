#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A guest leaves nothing harmful on the host: in /extra, on the disk, or as a process.
#

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

vm=$TOP/machine/xeon/vm/vm
umask 022
set +e

run()
{
	code=0
	"$@" > "$tmp/out" 2> "$tmp/err" < /dev/null || code=$?
}

extra=$tmp/extra
mkdir "$extra" "$extra/dir"
echo host > "$extra/host"
ln -s host "$extra/link"
echo program > "$extra/suid"
chmod 4755 "$extra/suid"
run "$vm" -e "$extra" -- 'cd /extra
umask 0
echo text > written; echo text > run; chmod 750 run; mkdir made; mkdir -m 7777 sticky; cp /bin/busybox busybox; cat link > read; ln written hard
mv run dir/moved; rm busybox; chown 0:0 nothing 2> /dev/null
for command in "chmod 4755 host" "chmod 2755 host" "chmod 1777 dir" "chmod 777 ." "chmod 777 /extra" "chown 12345 host" "chgrp 12345 host" \
	"chown -h 12345 link" "chown 12345 ." "ln -s /etc/passwd symlink" "mknod block b 8 0" "mknod char c 1 3" "mkfifo fifo" \
	"dd if=/dev/zero of=suid bs=8 count=1 conv=notrunc"; do
	$command 2> /dev/null && echo "$command"
done
exit 7'
check "the command's status arrives" test $code = 7
check 'no command of the guest makes a program setuid, a device, a link, or changes an owner or the directory' test ! -s "$tmp/out"
(cd "$extra" && find . -printf '%P %y %m\n' | sort) > "$tmp/found"
cat > "$tmp/expected" << 'END'
 d 755
dir d 755
dir/moved f 750
hard f 666
host f 644
link l 777
made d 777
read f 666
sticky d 777
suid f 4755
written f 666
END
check 'regular files and directories are as the guest made them' diff "$tmp/expected" "$tmp/found"
check '... and belong to the user who ran it' test -z "$(find "$extra" ! -uid "$(id -u)")"
check "the guest reads through the host's links" test "$(cat "$extra/read")" = host
check 'what is setuid is as it was' test "$(cat "$extra/suid")" = program

if unshare -rm true 2> "$tmp/err"; then
	mkdir "$tmp/small"
	# shellcheck disable=SC2016 # for that shell
	run unshare -rm sh -c 'mount -t tmpfs -o size=140m none "$1" && TMPDIR=$1 exec "$2" -t 60 -- "head -c 200000000 /dev/zero" > /dev/null' \
		sh "$tmp/small" "$vm"
	check 'a TMPDIR that is full is named' [ "$code $(tail -n 1 "$tmp/err")" = "125 vm: no space left in $tmp/small" ]
	run unshare -rm sh -c 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" -e "$1" -- "cat /extra/host; echo x > /extra/new"' \
		sh "$extra" "$vm"
	check 'a read-only directory is read' test "$code $(cat "$tmp/out")" = '1 host' -a ! -e "$extra/new"
else
	ok 0 "a TMPDIR that is full is named # SKIP unshare gives no mounts here"
	ok 0 "a read-only directory is read # SKIP unshare gives no mounts here"
fi

# The limit is the user's own; otherwise it is 1 GiB.
run sh -c 'ulimit -f 204800; exec "$@"' sh "$vm" -t 120 -- 'while :; do cat /bin/busybox; done'
check 'a guest that prints without end is stopped' test $code = 125
check '... with a reason' grep -qx 'vm: the guest wrote more than 100 MiB .*' "$tmp/err"
# shellcheck disable=SC2016 # for the guest
run "$vm" -- 'port=$(grep -lx status /sys/class/virtio-ports/*/name); port=${port%/name}; echo "9;8" > /dev/${port##*/}; reboot -f'
check 'an exit status that is no number is refused' test "$code $(cat "$tmp/err")" = '125 vm: the guest reports no exit status'

# Commands of a guest that the model has to refuse
for generation in 2 3; do
	run "$vm" -o generation=$generation -- 'uncore-stim traffic on; echo $?; uncore-stim raw montecito dear count=0xffffffffffffffff; echo $?
		uncore-stim raw montecito event event=8,count=0xffffffffffffffff; echo $?' 2>&1
	check "generation $generation: traffic mode, and captures without end, are refused" test "$code $(paste -sd ' ' "$tmp/out")" = '0 2 2 0'
	check '... with a reason' grep -q "traffic: no mode of generation $generation" "$tmp/err"
done

sleeps='echo before; echo 0 > /sys/class/rtc/rtc0/wakealarm; echo +2 > /sys/class/rtc/rtc0/wakealarm; echo mem > /sys/power/state'
run "$vm" -t 60 -- "$sleeps; echo after; exit 7"
check 'a command goes on after suspend to RAM, and its status arrives' test "$code $(paste -sd ' ' "$tmp/out")" = '7 before after'
run "$vm" -t 60 -e "$extra" -- "$sleeps; cat /extra/host"
check 'a command that waits for /extra after suspend to RAM is ended' test $code = 125
check '... with a reason' grep -qx 'vm: a program waits for /extra, which is gone since suspend to RAM' "$tmp/err"

# The runner, and make above it, are killed: QEMU, whose arguments have this path, ends.
mkdir "$tmp/killed"
mounted="date > /extra/up; sleep 1000"
for how in vm make; do
	rm -f "$tmp/killed/up"
	if [ $how = vm ]; then
		"$vm" -e "$tmp/killed" -- "$mounted" > "$tmp/out" 2>&1 &
	else
		make -s -C "$TOP" vm MODULES= "EXTRA=$tmp/killed" "CMD=$mounted" > "$tmp/out" 2>&1 &
	fi
	for _ in $(seq 600); do
		[ ! -e "$tmp/killed/up" ] || break
		sleep 0.1
	done
	check "$how: the guest has started" pgrep -f "path=$tmp/killed"
	kill -9 $!
	for _ in $(seq 150); do
		pgrep -f "path=$tmp/killed" > "$tmp/left" || break
		sleep 0.1
	done
	check "$how: QEMU ends when it is killed" test ! -s "$tmp/left"
	xargs -r kill -9 < "$tmp/left"
done
tap_done
