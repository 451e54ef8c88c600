#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # variables of fake.sh
#
# prometheus.t: Debian's Prometheus scrapes two machines through node_exporter, all on loopback, and
# is asked each expression of grafana.json. The machines are fake PMUs, whose traffic in a second is
# known. promtool checks every metric's name.

. "$(dirname "$(readlink -f "$0")")/fake.sh"

root=$("$SCRIPTS/suite-root" "$(host_suite)" prometheus prometheus-node-exporter 2> "$tmp/log")
ok $? "Debian's Prometheus and node_exporter" "$tmp/log"
[ -x "$root/usr/bin/prometheus" ] || { tap_done; exit 1; }
pids=
trap 'kill $pids 2> /dev/null; wait; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP

# Every metric that uncorestat has
new_machine
printf '%s\n' 'rate -1 -1 -1 -1 1000' 'rate -1 -1 0x335 -1 500' > "$FAKE/rules"
"$stat" --list | sed -n 's/^\([a-z][a-z0-9_]*\)\( ([^)]*)\)\?$/\1/p' > "$tmp/metrics"
run -n 1 -m "$(paste -sd, "$tmp/metrics")" --prometheus "$tmp/all.prom"
[ "$(grep -c '^# TYPE' "$tmp/all.prom.last")" -gt "$(wc -l < "$tmp/metrics")" ]
ok $? "every metric is in the file" "$out"
for file in all.prom.last boxes.prom.last; do
	[ $file = all.prom.last ] || run -n 1 -g mem,qpi --per box --prometheus "$tmp/boxes.prom"
	"$root/usr/bin/promtool" check metrics < "$tmp/$file" > "$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
	ok $? "promtool has nothing against $file" "$tmp/log"
done

# fleet NAME FACTOR: a machine that runs, and its node_exporter
ports=$(python3 -IS -c 'import socket
s = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(i.getsockname()[1] for i in s))')
fleet()
{
	FAKE=$tmp/$1
	"$here/fake-root" "$FAKE" '0 3'
	for cpu in 0 10; do
		k=$(($2 * (cpu / 10 + 1)))
		rates imc_0@$cpu/0x304=${k}000000 imc_1@$cpu/0xc04=$((700000 * k)) ha@$cpu/0x410=${k}0000000 ha@$cpu/0x110=30000000 \
			"*@$cpu/0x334=${k}000000" "*@$cpu/0xa35=$((250000 * k))" "*@$cpu/0x135,0xcf000000=$((125000 * k))" \
			"*@$cpu/0x135,0xce000000=$((90000 * k))" qpi_0@$cpu/0x200=$((12500000 * k)) qpi_1@$cpu/0x201=$((25000000 * k)) \
			"*@$cpu/0x14=1000000000" pcu@$cpu/0x0=800000000 pcu@$cpu/0x4080=$((80000000 * k)) \
			pcu@$cpu/0xc080=$((40000000 * k)) pcu@$cpu/0xc=$((8000000 * k))
	done
	mkdir "$tmp/$1.text" "$tmp/$1.run"
	REAL=1 LD_PRELOAD=$fake "$stat" -i 1 -o /dev/null --prometheus "$tmp/$1.run/uncore.prom" &
	pids="$pids $!"
	# As the unit has it
	ln -s "../$1.run/uncore.prom" "$tmp/$1.text/uncore.prom"
	port=${ports%% *}
	ports=${ports#* }
	"$root/usr/bin/prometheus-node-exporter" --collector.disable-defaults --collector.textfile "--collector.textfile.directory=$tmp/$1.text" \
		"--web.listen-address=127.0.0.1:$port" > "$tmp/$1.log" 2>&1 &
	pids="$pids $!"
	targets="${targets:+$targets, }'127.0.0.1:$port'"
}
targets=
fleet a 1
first=${pids# }
first=${first% *}
fleet b 5
cat > "$tmp/prometheus.yml" << END
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
- job_name: node
  static_configs: [{targets: [$targets]}]
END
"$root/usr/bin/prometheus" "--config.file=$tmp/prometheus.yml" "--storage.tsdb.path=$tmp/tsdb" "--web.listen-address=127.0.0.1:$ports" \
	> "$tmp/prometheus.log" 2>&1 &
pids="$pids $!"

python3 -IS "$here/dashboard.py" "$TOP/tools/uncorestat/grafana.json" "$ports" "$targets" > "$out" 2>&1
ok $? "each expression of the dashboard gives the traffic of both sockets of both machines" "$out" "$tmp/prometheus.log" "$tmp/a.log"
kill "$first"
python3 -IS "$here/dashboard.py" "$TOP/tools/uncorestat/grafana.json" "$ports" "$targets" ended > "$out" 2>&1
ok $? "uncorestat ends on one machine: so do its series, and the other's go on" "$out"

tap_done
