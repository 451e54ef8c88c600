# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# vm: -s 2 -c 2 -a slab_debug=P
# modules: intel_uncore
#
# box 0004: a function is unbound and bound while an event is open on it, which then stands still
# and counts on, and while another CPU reads its events in a loop.

function=0000:7f:0e.1
driver=/sys/bus/pci/drivers/snbep_uncore
cat > /tmp/work << END
happen()
{
	uncore-stim ha event=0x1,umask=0x3,count=\$1
}
happen 1000
echo $function > $driver/unbind
happen 234
echo $function > $driver/bind
happen 5
END
perf stat -x, -C 0 -o /tmp/stat -e uncore_ha/event=0x1,umask=0x3/ -- sh /tmp/work
cat /tmp/stat
/extra/race 20 &
sleep 2
rounds=0
while kill -0 $! 2> /dev/null; do
	echo $function > $driver/unbind
	echo $function > $driver/bind
	rounds=$((rounds + 1))
done
wait $! || exit 1
echo "$rounds rounds"
grep -q '^1005,' /tmp/stat && [ $rounds -gt 10 ]
