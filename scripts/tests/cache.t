#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# scripts/cache: damage to any file of an entry is noticed and named, and what is no longer used
# goes, unless another run uses the cache.

. "$(dirname "$(readlink -f "$0")")/../lib.sh"
. "$TOP/scripts/test.sh"

CACHE=$tmp/cache
mkdir "$CACHE"
set +e

# entry PATH FAMILY DAYS: a directory that is complete, last used so many days ago
entry()
{
	mkdir -p "$CACHE/$1/lib/empty"
	echo program > "$CACHE/$1/program"
	chmod 755 "$CACHE/$1/program"
	echo "a file of $1" > "$CACHE/$1/lib/file with a blank"
	printf '' > "$CACHE/$1/lib/nothing"
	ln -sf program "$CACHE/$1/link"
	cache seal "$CACHE/$1/ready" "$2" .
	touch -d "$3 days ago" "$CACHE/$1/ready"
}

# as_good NAME: what is there is complete
as_good()
{
	cache check "$ready" > "$tmp/out" 2> "$tmp/err"
	ok $? "$1" "$tmp/err"
}

# noticed NAME FILE PATTERN: check fails with a line about that file, and the entry is made again.
noticed()
{
	cache check "$ready" > "$tmp/out" 2> "$tmp/err" && code=1 || code=0
	grep -q -e "^cache: $dir/$2 .*$3" "$tmp/err" || code=1
	ok $code "$1" "$tmp/err"
	as_root rm -rf "$dir"
	entry kernel/a-1 a 0
}

dir=$CACHE/kernel/a-1
ready=$dir/ready
entry kernel/a-1 a 3
as_good 'what is complete is'
[ -n "$(find "$ready" -mmin -1)" ]
ok $? '... and its date is that of the last use'
for file in program 'lib/file with a blank'; do
	truncate -s 3 "$dir/$file"
	noticed "a file that is cut: $file" "$file" 'has 3 bytes in place of'
	: > "$dir/$file"
	noticed "a file that is empty: $file" "$file" 'has 0 bytes in place of'
	rm "$dir/$file"
	noticed "a file that is gone: $file" "$file" 'is gone'
	chmod o+w "$dir/$file"
	noticed "a file to which others can write: $file" "$file" 'can be written by others'
	printf X | dd of="$dir/$file" bs=1 conv=notrunc status=none
	touch -d '1 hour' "$dir/$file"
	noticed "a file with other contents: $file" "$file" 'has other contents'
	rm "$dir/$file"
	ln -s /etc/passwd "$dir/$file"
	noticed "a link in place of a file: $file" "$file" 'is of another type'
	touch -d '1 day' "$dir/$file"
	as_good "a date in the future: $file"
	[ -z "$(find "$dir" -newermt '1 hour')" ]
	ok $? '... is set right'
	if as_root chown games "$dir/$file"; then
		noticed "another user's file: $file" "$file" 'belongs to games'
	fi
done
chmod -x "$dir/program"
noticed 'a program that is none any more' program 'is no program'
ln -sfn /etc/passwd "$dir/link"
noticed 'another link' link 'has 11 bytes'
rmdir "$dir/lib/empty"
noticed 'a directory that is gone' lib/empty 'is gone'
chmod 777 "$dir/lib"
noticed 'a directory to which others can write' lib 'can be written by others'
for size in 0 1 100 -2; do
	truncate -s "$size" "$ready"
	cache check "$ready" 2> "$tmp/err"
	[ $? = 1 ]
	ok $? "a list that is cut: $size" "$tmp/err"
	entry kernel/a-1 a 0
done
touch -d '1 year' "$ready"
as_good 'a list from the future'
[ -z "$(find "$ready" -newermt '1 hour')" ]
ok $? '... is of now'

# The same size and date: by verify alone, which lets the next run make it anew
printf X | dd of="$dir/program" bs=1 conv=notrunc status=none
touch -r "$dir/lib/nothing" "$dir/program"
sed -i "s/^\(100755 [0-9]*\) [0-9]*/\1 $(stat -c %Y "$dir/program")/" "$ready"
cache verify "$ready" 2> "$tmp/err"
[ $? = 1 ] && [ ! -e "$ready" ]
ok $? 'verify finds what has the right size and date' "$tmp/err"
entry kernel/a-1 a 0

# What an entry needs
entry root/r-1 r 40
cache seal -n "$CACHE/root/r-1/ready" "$ready" a .
as_good 'an entry that needs another'
[ -n "$(find "$CACHE/root/r-1/ready" -mmin -1)" ]
ok $? '... which is used, too'
truncate -s 1 "$CACHE/root/r-1/program"
cache check "$ready" 2> "$tmp/err"
[ $? = 1 ] && grep -q 'root/r-1/program .*1 bytes' "$tmp/err"
ok $? '... and is damaged if the other is' "$tmp/err"
rm -r "$CACHE/kernel" "$CACHE/root"

# What is no longer used. DAYS are those since the last use.
cat > "$tmp/entries" << 'END'
kernel/a-1	a	3	gone	replaced by one that was used since
kernel/a-2	a	1	there	replaced, but used yesterday
kernel/a-3	a	0	there	current
kernel/b-1	b	20	there	current, and not used for some time
kernel/c-1	c	40	gone	not used for a month
root/a-1	a	3	there	of another kind
ia64/linux-1	x	40	gone	of ia64
linux-source-1/1	s	3	gone	a source that another replaced
linux-source-1/2	s	0	there	current source
END
while read -r path family days _; do
	entry "$path" "$family" "$days"
done < "$tmp/entries"
mkdir -p "$CACHE/initramfs" "$CACHE/kernel/killed" "$CACHE/fuzz/corpus"
touch -d '3 years ago' "$CACHE/fuzz/corpus" "$CACHE/kernel/killed"
echo x > "$CACHE/initramfs/x"
cache seal "$CACHE/initramfs/x.ready" initramfs x
touch -d '40 days ago' "$CACHE/initramfs/x.ready"
echo y > "$CACHE/initramfs/y"

# remaining: compare what is there with the list
remaining()
{
	while read -r path _ _ state why; do
		[ -e "$CACHE/$path" ] && is=there || is=gone
		[ $is = "$state" ] || echo "$path ($why) is $is"
	done < "$tmp/entries"
}

hold_cache
flock -s "$CACHE/lock/use" sh -c "touch '$tmp/held'; exec sleep 1000" 5>&- &
other=$!
until [ -e "$tmp/held" ]; do sleep 0.1; done
cache prune > "$tmp/out" 2>&1
code=$?
[ $code = 0 ] && [ ! -s "$tmp/out" ] && [ "$(cd "$CACHE" && ls -d kernel/* | wc -l)" = 6 ]
ok $? 'nothing goes while another run uses the cache' "$tmp/out"
(timeout 2 flock -x -n "$CACHE/lock/use" true) && code=1 || code=0
ok $code '... and this run has its lock still'
SNBEP_CACHE=$CACHE timeout 3 "$SCRIPTS/clean-cache" > "$tmp/out" 2>&1
[ $? = 124 ] && grep -q 'waiting for other runs that use' "$tmp/out"
ok $? 'clean-cache waits for it' "$tmp/out"
pkill -P "$other"
wait "$other"
cache prune > "$tmp/out" 2>&1
remaining > "$tmp/wrong"
empty 'replaced versions go after two days, others after a month' "$tmp/wrong" "$tmp/out"
[ ! -e "$CACHE/initramfs/x" ] && [ ! -e "$CACHE/initramfs/x.ready" ] && [ -e "$CACHE/initramfs/y" ] &&
	[ -e "$CACHE/kernel/killed" ] && [ -e "$CACHE/fuzz/corpus" ]
ok $? 'a single file goes with its list; what may be in the making, or is no entry, stays' "$tmp/out"
truncate -s 2 "$CACHE/kernel/a-3/program"
cache clean > "$tmp/out" 2>&1
[ ! -e "$CACHE/kernel/a-3" ] && [ ! -e "$CACHE/kernel/killed" ] && [ ! -e "$CACHE/initramfs/y" ] && [ -e "$CACHE/root/a-1" ] &&
	grep -q 'kernel/a-3/program is damaged: it has 2 bytes' "$tmp/out"
ok $? 'clean removes what is damaged or incomplete as well' "$tmp/out"

# A maker that is killed, at any step, leaves nothing that is taken for complete.
cat > "$tmp/maker" << 'END'
. "$1"
dir=$CACHE/kernel/k
if must_make "$dir/ready" kernel-k 2> /dev/null; then
	rm -rf "$dir"
	mkdir -p "$dir"
	for i in $(seq 200); do
		echo "$i" > "$dir/$i"
	done
	cache seal "$dir/ready" kernel-k .
	unlock
fi
[ "$(cat "$dir"/[1-9]* | awk '{ n += $1 } END { print n }')" = 20100 ]
END
make_k()
{
	SNBEP_CACHE=$CACHE exec setsid sh -c "$(cat "$tmp/maker")" "$SCRIPTS/try" "$SCRIPTS/lib.sh"
}
bad=0
for tenth in 1 2 3 4 5 6 7 8 9; do
	rm -f "$CACHE/kernel/k/ready"
	make_k > "$tmp/out" 2>&1 &
	sleep "0.$tenth"
	kill -9 -- -$! 2> /dev/null
	wait
	[ ! -e "$CACHE/kernel/k/ready" ] || cache verify "$CACHE/kernel/k/ready" || bad=$((bad + 1))
done > "$tmp/killed" 2>&1
(make_k > "$tmp/out" 2>&1) || bad=$((bad + 1))
[ $bad = 0 ]
ok $? 'a maker that is killed leaves nothing that is taken for complete' "$tmp/killed" "$tmp/out"
rm -r "$CACHE/kernel/k"
makers=
for _ in 1 2 3 4; do
	make_k > "$tmp/out" 2>&1 &
	makers="$makers $!"
done
code=0
for maker in $makers; do
	wait "$maker" || code=1
done
ok $code 'of several that want the same, one makes it' "$tmp/out"
tap_done
