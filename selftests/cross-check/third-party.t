#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# LIKWID and PCM, which write the uncore's registers without perf, before, during and after our
# events: they run, nothing hangs, the log names modified counts, and the next events count exactly.

. "$(dirname "$(readlink -f "$0")")/../../scripts/lib.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$SCRIPTS/setup"

# A root of their own in the guest. Not shared: PCM tries 131,072 file names, which takes minutes
# over a shared directory.
debian=$("$SCRIPTS/suite-root" trixie likwid pcm)
root=$tmp/root/third-party
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/root"
copy_programs "$debian" "$root" usr/lib/x86_64-linux-gnu/liblikwid.so usr/bin/lua5.3 usr/sbin/likwid-accessD usr/sbin/pcm-raw
(cd "$debian" && cp -r --parents usr/bin/likwid-perfctr usr/share/lua usr/share/likwid/perfgroups/sandybridgeEP "$root")
install -D "$(command -v busybox)" "$root/bin/sh"
ln -s sh "$root/bin/sleep"

# A round of injections: 100 of each event that we count, and other numbers of LIKWID's and PCM's
cat > "$tmp/round" << 'EOF'
cbox_0 event=0x35,umask=0x03,opc=0x182,count=100
cbox_0 event=0x34,umask=0x03,count=300
ha event=0x01,umask=0x03,count=100
imc_0 event=0x04,umask=0x0c,count=100
imc_0 event=0x04,umask=0x03,count=700
pcu event=0x0a,count=100
qpi_0 event=0x02,ext=1,umask=0x08,count=100
qpi_0 event=0x13,umask=0x01,count=500
r2pcie event=0x09,umask=0x04,count=100
r3qpi_0 event=0x36,umask=0x08,count=100
ubox event=0x42,umask=0x08,count=100
EOF
cat > "$tmp/events" << 'EOF'
cbox_0/event=0x35,umask=0x03,filter_opc=0x182/
ha/event=0x01,umask=0x03/
imc_0/event=0x04,umask=0x0c/
pcu/event=0x0a/
qpi_0/event=0x102,umask=0x08/
r2pcie/event=0x09,umask=0x04/
r3qpi_0/event=0x36,umask=0x08/
ubox/event=0x42,umask=0x08/
EOF

# LIKWID's events and counters, with their number in a round
cat > "$tmp/likwid" << 'EOF'
UNCORE_CLOCK:UBOXFIX 1
EVENT_MSG_DOORBELL_RCVD:UBOX0 100
LLC_LOOKUP_DATA_READ:CBOX0C0:STATE=0x1F 300
REQUESTS_READS:BBOX0 100
CAS_COUNT_RD:MBOX0C0 700
CAS_COUNT_WR:MBOX0C1 100
PROCHOT_EXTERNAL_CYCLES:WBOX0 100
DIRECT2CORE_SUCCESS:SBOX0C0 500
RING_BL_USED_CCW_EVEN:PBOX0 100
VN0_CREDITS_USED_DRS:RBOX0C0 100
EOF

cat > "$tmp/guest" << 'EOF'
. /extra/tap.sh
events=$(sed 's/^/snbep_uncore_/' /extra/events | paste -sd, -)
modprobe msr
for dir in proc sys dev tmp; do
	mount -o bind "/$dir" "/third-party/$dir"
done
cd /tmp
cat > rounds << 'END'
rounds()
{
	n=0
	while [ $n -lt "$1" ]; do
		uncore-stim -f /extra/round
		n=$((n + 1))
	done
}
END
. ./rounds
cat > two-more << 'END'
end=$(($(wc -l < /tmp/total) + 2))
until [ "$(wc -l < /tmp/total)" -ge $end ]; do
	sleep 0.1
done
END

# tool COMMAND...: run it in the tools' root, with a limit of time that ends what hangs
tool()
{
	HOME=/root timeout -s KILL 400 chroot /third-party "$@"
}

# Direct accesses (-M 0) to all types of boxes, while a round begins and ends
likwid()
{
	tool likwid-perfctr -M 0 -O -C 0 -g "$(sed 's/ .*//' /extra/likwid | paste -sd, -)" sh /tmp/two-more
}

pcm()
{
	tool pcm-raw 1 -i=2 -e imc/config=0x304 -e cbo/config=0x334,config1=0x7c0000 -e qpi/config=0x113 \
		-e pcu/config=0
}

# Inject rounds until stop.
go()
{
	: > total
	: > going
	while [ -e going ]; do
		uncore-stim -f /extra/round
		echo >> total
		usleep 20000
	done &
	loop=$!
}

stop()
{
	rm going
	wait $loop
}

# likwid_alone FILE WHEN: LIKWID runs, and counts the injected events of each round
likwid_alone()
{
	go
	likwid > "$1" 2>&1
	code=$?
	stop
	ok $code "LIKWID $2: runs" "$1"
	while read -r event each; do
		name=${event%%:*}
		counter=${event#*:}
		n=$(sed -n "s/^$name,${counter%%:*}[^,]*,\([0-9]*\).*/\1/p" "$1")
		[ "${n:-0}" -gt 0 ] && [ $((n % each)) = 0 ]
		ok $? "LIKWID $2: $name on ${counter%%:*}: ${n:-none}, in steps of $each" "$1"
	done < /extra/likwid
}

# exact WHEN: all boxes count exactly
exact()
{
	perf stat -C 0 -x, -e "$events" sh -c '. ./rounds; rounds 10' > exact 2>&1
	[ "$(grep -c '^1000,' exact)" = 8 ] && [ "$(wc -l < exact)" = 8 ]
	ok $? "$1: every box counts what happens" exact
}

likwid_alone likwid1 'before'
exact 'after LIKWID'

perf stat -C 0 -x, -I 1000 -o beside -e "$events" sleep 900 &
perf=$!
while [ ! -s beside ]; do
	usleep 100000
done
go
sleep 1
likwid > likwid2 2>&1
ok $? 'LIKWID beside: runs' likwid2
pcm > pcm 2>&1
ok $? 'PCM beside: runs' pcm
grep -q 'IMCEvent0' pcm && grep -q '^20[0-9-]*,' pcm
ok $? 'PCM beside: has found the boxes, and read them' pcm
stop
kill -INT "$(pidof perf)"
wait $perf
exact 'after both'
likwid_alone likwid3 'after our events'
exact 'after LIKWID again'
tap_done
EOF
cp "$TOP/scripts/tap.sh" "$tmp/"
"$TOP/bin/vm" -k newest -t 900 -W -f "$tmp/root" -e "$tmp" -o numa=on -- \
	'sh /extra/guest'
