#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # variables of fake.sh
#
# uncorestat's options: its answers without a count, and what it says of mistakes.

. "$(dirname "$(readlink -f "$0")")/fake.sh"

# --why: reasons of the driver, from the log, and of the guide
new_machine
echo '5,1,2,-;snbep_uncore: snbep_uncore_cbox_0: an old line' > "$FAKE/kmsg"
echo '5,7,9,-;snbep_uncore: snbep_uncore_cbox_0: the reason' > "$FAKE/reason"
echo 'refuse 100 0x34 22' > "$FAKE/rules"
runs << 'END'
--why: the driver's reason and the guide's, and 1; 1: --why snbep_uncore_cbox_0/event=0x34/; ^snbep_uncore_cbox_0/event=0x34/: Invalid argument$; ^driver: the reason$; 1=^driver; ^guide: llc_lookup counts nothing without a unit mask: 0x03 data_read, 0x05 write, 0x09 remote_snoop, 0x41 nid, 0x1f any$; 3=
END
rm "$FAKE/reason"
runs << 'END'
--why says if the driver logs nothing; 1: --why snbep_uncore_cbox_0/event=0x34/; ^driver: no reason in the kernel log. intel_uncore gives none$
END
rm "$FAKE/kmsg"
runs << 'END'
--why without access to the log: the guide's reason; 1: --why snbep_uncore_cbox_0/event=0x34/; ^driver: .*log, which you may not read; ^guide: llc_lookup counts nothing
END
: > "$FAKE/kmsg"
echo 'refuse -1 -1 13' > "$FAKE/rules"
runs << 'END'
--why without the right to count: the driver was not asked, the guide's reason; 1: --why snbep_uncore_cbox_0/event=0x34/; ^driver: not asked: not allowed to count: be root, have CAP_PERFMON; ^guide: llc_lookup counts nothing
END
new_machine 2 uncore_
mkdir "$devices/uncore_cbox_1/events"
echo 'event=0x34,umask=0x03' > "$devices/uncore_cbox_1/events/reads"
while read -r event want; do
	run --why "$event"
	[ "$code" = 0 ] && [ "$(sed -n 2p "$out")" = "guide: $want" ]
	ok $? "--why $event: $want" "$out"
done << END
uncore_cbox/event=0x99/ the cbox has no event 0x99
uncore_cbox_0/event=52,umask=2/ 0x02 is no unit mask of llc_lookup, or cannot be combined: 0x03 data_read, 0x05 write, 0x09 remote_snoop, 0x41 nid, 0x1f any
uncore_imc_0/event=0x01,umask=0x3/ act_count has no unit masks
uncore_cbox_1/reads/ llc_lookup counts nothing without filter_state
uncore_cbox_1/reads,filter_state=0x1f/ nothing is wrong with it
uncore_cbox_0/event=0x11,umask=0x03/ 0x03 is no unit mask of rxr_occupancy, or cannot be combined: 0x01 irq, 0x02 irq_rejected, 0x04 ipq, 0x10 vfifo
uncore_cbox_0/event=0x35,umask=0x0a,filter_opc=0x180/ filter_opc has no effect on tor_inserts
uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x180/ nothing is wrong with it
uncore_imc_0/event=0x04,umask=0x3,edge=1/ edge and inv need thresh=1 or more
uncore_qpi_0/config=0x200802/ nothing is wrong with it
uncore_imc_0/config=0x8000000000000004/ bits 0x8000000000000000 of config are not a field of the imc
uncore_imc_0/r304,name=reads,period=1000,percore/ nothing is wrong with it
uncore_cbox_1/READS,filter_state=0x1f/ nothing is wrong with it
cbox/event=0x99/ the cbox has no event 0x99
*imc*/event=0x01/ nothing is wrong with it
uncore_imc_?/event=0x01/ nothing is wrong with it
uncore_imc_0/config=0x304,config1=0x6/ bits 0x6 of config1 are not a field of the imc
uncore_imc_0/event=4,config=0x300,config2=1/ bits 0x1 of config2 are not a field of the imc
uncore_pcu/event=0x8b,occ_sel=1,filter_band0=12/ nothing is wrong with it
uncore_imc_0/event=0x01/p nothing is wrong with it
uncore_imc_0/event=0x01/GHDS nothing is wrong with it
END
for modifier in u k h uk G H I uH; do
	runs << END
--why with the modifier $modifier: refused, and why; 1: --why uncore_imc_0/event=0x01/$modifier; : Invalid argument; ^guide: a box counts for everybody: leave out the modifier $modifier\$
END
done
advice "--why: a modifier that perf does not have" '--why: no modifier of perf: uz' --why uncore_imc_0/event=0x01/uz
advice "--why: config3" '.*no field for config3=1' --why uncore_imc_0/event=0x01,config3=1/
new_machine
echo 0 > "$devices/snbep_uncore_imc_1/cpumask"
run --why snbep_uncore_imc_1/event=0x01/
[ "$code" = 0 ] && [ "$(cut -d ' ' -f 2 "$FAKE/opened")" = 0 ]
ok $? "--why asks a socket that has the box, which the first has not" "$out" "$FAKE/opened"
new_machine 2 uncore_
rm "$devices/uncore_cbox_0/format/filter_opc"
advice "--why: a field that the driver lacks" 'uncore_cbox_0 has no field for filter_opc=0x182' \
	--why uncore_cbox_0/event=0x35,umask=0x1,filter_opc=0x182/
advice "--why: a value that is not a number" '.*no field for event=zero, or its bits do not hold the value' --why uncore_cbox_0/event=zero/
advice "--why: a field without a value" '.*no field for event=, or its bits' --why uncore_cbox_0/event=,umask=0x3/
mkdir "$devices/uncore_cbox_0/events"
echo 'event=0x35,umask=0x01,filter_opc=?' > "$devices/uncore_cbox_0/events/opcode"
advice "--why: an alias without its value" 'uncore_cbox_0/event=0x35,umask=0x01,filter_opc=?/ needs a value for each ?' --why uncore_cbox_0/opcode/
for digits in 505 506; do
	run --why "uncore_cbox_0/event=$(printf "%0${digits}d" 1)/"
	tail -n 1 "$out"
done > "$tmp/long"
printf '%s\n' 'guide: the cbox has no event 0x1' 'uncorestat: --why: the event is too long' | diff - "$tmp/long" > "$tmp/diff"
ok $? "--why: events of 511 characters and no more" "$tmp/diff"
advice "--why: no such PMU" '.*no uncore PMU of this name' --why uncore_nothing_0/event=1/
advice "--why: the name that another driver gives" '--why: snbep_uncore_imc_0 is named uncore_imc_0 here' --why snbep_uncore_imc_0/event=4/
rm -r "$devices"/uncore_qpi_* "$devices/uncore_imc_2"
advice "--why: QPI that the board hides" '--why snbep_uncore_qpi_0: this machine has no qpi_0: absent or hidden by the BIOS, as on most boards' \
	--why snbep_uncore_qpi_0/event=1/
cp "$FAKE/proc/cpuinfo" "$tmp/cpuinfo"
for name in 'Intel(R) Xeon(R) CPU E5-1650 0 @ 3.20GHz' 'Intel(R) Core(TM) i7-3930K CPU @ 3.20GHz'; do
	sed -i "s/a fake/$name/" "$FAKE/proc/cpuinfo"
	advice "--why: QPI that $name has not" '.*no qpi_0: processors for one socket have no QPI port$' --why snbep_uncore_qpi_0/event=1/
	cp "$tmp/cpuinfo" "$FAKE/proc/cpuinfo"
done
advice "--why: a channel that is absent" '--why uncore_imc_2: this machine has no imc_2: absent or hidden by the BIOS$' --why uncore_imc_2/event=1/
advice "--why: a PMU without its box" '.*no uncore PMU of this name' --why uncore/event=1/

new_machine
# Bits 21 and 38 of CapEff are CAP_SYS_ADMIN and CAP_PERFMON.
while read -r error caps paranoid text; do
	echo "refuse -1 -1 $error" > "$FAKE/rules"
	printf 'Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t%s\nCapBnd:\tffffffffffffffff\n' "$caps" > "$FAKE/proc/self/status"
	echo "$paranoid" > "$FAKE/proc/sys/kernel/perf_event_paranoid"
	advice "error $error with capabilities $caps, paranoid $paranoid" "$text" -n 1
done << END
13 0000000000000000 4 not allowed to count: be root, have CAP_SYS_ADMIN, or set .*, which is 4, to 0 (sysctl)
13 0000004000000000 3 not allowed to count: be root, have CAP_SYS_ADMIN, or set .*, which is 3, to 0 (sysctl)
13 ffffffbfffdfffff 2 not allowed to count: be root, have CAP_PERFMON, or set .*, which is 2, to 0 (sysctl)
13 0000004000000000 2 the container denies perf events (seccomp filter
1 0000000000200000 3 the container denies perf events (seccomp filter
1 0000000000200000 -1 the container denies perf events (seccomp filter
38 ffffffffffffffff 3 this kernel has no perf events, or a container's seccomp filter hides them
END
rm "$FAKE/proc/self/status" "$FAKE/proc/sys/kernel/perf_event_paranoid"
while read -r error text; do
	echo "refuse -1 -1 $error" > "$FAKE/rules"
	advice "error $error" "$text" -n 1
done << 'END'
13 not allowed.*CAP_PERFMON, or set kernel.perf_event_paranoid, which is 2, to 0
24 too many open files.*ulimit
38 this kernel has no perf events
2 snbep_uncore_cbox_0 is gone: was the driver unloaded just now?
END
new_machine
rm -r "${devices:?}"/*
advice "no driver" 'there is no uncore PMU: load a driver (modprobe snbep_uncore)' -n 1
new_machine '3 0' uncore_
sed -i 's/: 45/: 85/' "$FAKE/proc/cpuinfo"
advice "another processor" 'this processor is no Xeon E5-2600' -n 1
while read -r file text; do
	new_machine
	echo "$text" > "$FAKE/sys/$file"
	advice "impossible sysfs: $text in ${file##*/}" "/sys/.*/${file##*/}: no list of numbers up to [0-9]*: ${text##*[:,]}\$" -n 1
done << END
devices/system/cpu/online 0-2147483647
devices/system/cpu/online 0-1,x
bus/event_source/devices/snbep_uncore_imc_0/cpumask 0-2147483647
bus/event_source/devices/snbep_uncore_imc_0/cpumask 0,4294967296
bus/event_source/devices/snbep_uncore_imc_0/cpumask 10-0
bus/event_source/devices/snbep_uncore_imc_0/format/event config:4294967295
bus/event_source/devices/snbep_uncore_imc_0/format/event config:0-64
END
new_machine
echo config: > "$devices/snbep_uncore_imc_0/format/umask"
runs << 'END'
a field without bits: as if the driver lacked it; -n 1 -m mem_read; its driver cannot express umask=0x03
END
new_machine "$(seq -s ' ' 0 23)"
run -n 1 --csv -m mem_read
[ "$code" = 0 ] && [ "$(wc -c < "$FAKE/sys/devices/system/cpu/online")" -gt 128 ] &&
	[ "$(sed 1d "$out" | cut -d, -f3,5 | tr '\n' ' ')" = "$(seq -s ' ' -f '%g,0' 0 23) " ]
ok $? "lists of CPUs that are longer than 128 characters" "$out"
new_machine
while IFS='|' read -r args text; do
	eval "advice \"\$args\" \"\$text\" -n 1 $args"
done << 'END'
-g nothing|no group nothing: see --list
-m nothing|no metric nothing: see --list
-g me|no group me: see --list
-m mem_reads|no metric mem_reads: see --list
-m freq_2950|no metric freq_2950: see --list
-m freq_29|no metric freq_29: see --list
-m freq_|no metric freq_: see --list
-m freq_29000|no metric freq_29000: see --list
-m freq_0000|no metric freq_0000: see --list
-m 'q*z'|no metric q\*z: see --list
-m "x=d_ratio([imc:cas_count_rd], [imc:cas_count_wr]"|-m x=d_ratio.*: wrong at its end$
-m "x=3 +"|-m x=3 +: wrong at its end$
-m "x=2 2"|-m x=2 2: wrong from here on: 2$
-m "x=d_ratio(1)"|-m x=d_ratio(1): wrong from here on: )$
-m "x="|-m x=: wrong at its end$
-m "x=[imc:nonsense]"|imc has no alias nonsense
-m "x=[nonsense:reads]"|x: no box in \[nonsense\]
-m "x=[imc:cas_count_rd"|x: an event that has no end, or is too long: \[imc:cas_count_rd$
-m "x=[cbox:tor_inserts_opcode]"|\[tor_inserts_opcode\] lacks a value: .*filter_opc=?
-m "mem_read=3"|mem_read: there is a metric of this name
-m "=3"|: not a name of lower case letters
-m "Bytes=3"|Bytes: not a name of lower case letters
-i 0|-i 0: a number
-n x|-n x: a number
-i nan|-i nan: a number
--per core|--per core: system, socket or box
--csv --json|--live, --csv, --json: one of them
--live|--live needs a terminal
--live -- true|--live has the terminal to itself
--control pipe:3|--control pipe:3: fd:FD
--control fd:77|--control: no open file descriptor: 77
--control fifo:/no/fifo|--control: cannot open /no/fifo: No such file
--live --control fd:0|--live has no use for --control
--csv --summary|--summary is for the table
--live -o "$tmp/lines"|--live has no lines for --output
-i 0.009|-i 0.009: a number from 0.01 on
-n 5x|-n 5x: a number from 1 on
-n 0|-n 0: a number from 1 on
-n 1e10|-n 1e10: a number
-o "$tmp/no/such"|cannot write .*/no/such: No such file
--prometheus "$(seq -s x 1200)"|.*the name is too long
END
runs << 'END'
an unknown option: 1, and a hint; 1: -n 1 -x; ^Try uncorestat --help.$
a format twice; -n 1 --csv --csv; 3=
--help: the usage, and 0; --help; ^usage: uncorestat 
END
run -n 1 -i 0.01 -m mem_read -o "$tmp/lines"
[ "$code" = 0 ] && [ ! -s "$out" ] && [ "$(grep -c '^[0-9: ]* S[03] ' "$tmp/lines")" = 2 ]
ok $? "--output: all of it goes to the file; 10 ms are an interval" "$out" "$tmp/lines"
LD_PRELOAD=$fake "$stat" -m mem_read -o "$tmp/lines" -- sh -c 'echo to stderr >&2' > "$out" 2>&1
[ "$(cat "$out")" = "to stderr" ] && grep -q '^ *total' "$tmp/lines"
ok $? "--output with a command: the totals, and not the command's lines" "$out" "$tmp/lines"
mkdir "$tmp/nolive" && cp -a "$BUILD/tools/objects" "$tmp/nolive/" && make -s -C "$TOP/tools" "O=$tmp/nolive" curses= > "$tmp/build" 2>&1
ok $? "uncorestat builds without ncurses" "$tmp/build"
stat=$tmp/nolive/uncorestat advice "--live where ncurses was missing" '--live is not in this build' --live

for cc in gcc clang; do
	name="the tools build without a warning at -O0 and -O3: $cc"
	if ! command -v $cc > /dev/null; then
		ok 0 "$name # SKIP there is no $cc here"
		continue
	fi
	for level in -O0 -O3; do
		unlimited make -s -C "$TOP/tools" "O=$tmp/$cc$level" CC=$cc CFLAGS=$level 2>&1
		rm -r "${tmp:?}/$cc$level"
	done > "$tmp/build"
	empty "$name" "$tmp/build"
done

"$stat" --list > "$out"
sed -n '1,5p; /^mem_remote/,/^$/p; /^qpi_speed/,/^$/p; /^In the guide/,/STARVED/p' "$out" > "$tmp/text"
cat > "$tmp/want" << END
Xeon E5-2600 (Sandy Bridge-EP). Highest rates of a memory channel and a QPI link: 12.8 GB/s (DDR3-1600), 8 GT/s

Groups (-g):
  default: What the socket is doing. A line for each socket.
    mem_read mem_write mem_remote llc_lookup llc_miss qpi_out qpi_in qpi_link_util pcie_read pcie_write cores_c0 cores_c6 freq_2000
mem_remote (%)
    Lines that the home agent sends to other sockets
    High: other sockets use this socket's memory: bind programs and their
    memory to one node
    d_ratio([ha:txr_bl_drs_qpi], [ha:txr_bl_drs_qpi] + [ha:txr_bl_drs_cache] +
    [ha:txr_bl_drs_core])
    guide: section 2.4.7

qpi_speed (GT/s)
    Speed of the links, on average over two ports in every socket
    High: the link is as fast as the processors allow
    [clockticks] * 8 / 1000000000 / duration_time / #num_packages / 2
    guide: QPI_SPEED of section 2.7.6, Table 2-95
    The printed equation uses QPI_VALUES, which is nowhere defined; qfclk runs
    at an eighth of the link's rate (section 2.7.7, CLOCKTICKS).

In the guide, but not available:
  cbox CYC_INGRESS_STARVED: its event RxR_INT_STARVED is not in the guide
END
diff "$tmp/want" "$tmp/text" > "$tmp/diff"
ok $? "--list: groups, and of a metric its unit, meaning, equation, section and note, in lines of 78" "$tmp/diff"
"$stat" --list Page_Miss > "$tmp/word"
[ "$(grep -o '^[a-z_]* (%)\|^\[.*' "$tmp/word" | tr '\n' ' ')" = "imc_pct_requests_page_empty (%) imc_pct_requests_page_miss (%) [imc:pre_count_page_miss] " ] &&
	grep -q '^    Because of a page miss' "$tmp/word" && ! grep -q '^  mem:\|not available' "$tmp/word"
ok $? "--list WORD: the groups, metrics and events that have it" "$tmp/word"
"$stat" --list 'PCIe devices' | grep -q '^  pcie: '
ok $? "--list WORD: a group by its description"
sed -n '/^Groups/,/^Metrics/s/^    //p' "$out" | tr ' ' '\n' | sort -u | while read -r metric; do
	sed -n "/^$metric\( .*\)\?$/,/^\$/p" "$out" | grep -q '^    High: ' || echo "$metric"
done > "$tmp/bad"
[ "$(sed -n '/^Groups/,/^Metrics/s/^    //p' "$out" | wc -w)" -gt 30 ] && [ ! -s "$tmp/bad" ]
ok $? "--list says of every column what a high value means" "$tmp/bad"
# Chapter 2 has a section for each type of box.
awk 'BEGIN { split("cbox ha imc pcu qpi r2pcie r3qpi", boxes); for (i in boxes) chapter[boxes[i]] = "section 2." i + 2 "." }
	/^[a-z]/ { name = $1; box = $1; sub(/_.*/, "", box) }
	!(box in chapter) && match($0, /\[[a-z0-9]+:/) { box = substr($0, RSTART + 1, RLENGTH - 2) }
	/^    guide: / && ++n && !index($0, chapter[box]) { print name ": " $0 }
	END { if (n < 100) print n + 0 " metrics" }' "$out" > "$tmp/bad"
[ ! -s "$tmp/bad" ]
ok $? "--list names a section of the box that a metric counts" "$tmp/bad"

advice "--list with two words" '--list takes one word' --list mem read

# Options of the manual page and of the completion
"$stat" --help | grep -o -e '--[a-z]\+' | sort -u > "$tmp/help"
sed '/^OPTIONS/,/^MARKS/!d; /^    /d' "$TOP/Documentation/uncorestat.rst" | grep -o -e '--[a-z]\+' | sort -u > "$tmp/page"
diff "$tmp/help" "$tmp/page" > "$tmp/diff"
ok $? "uncorestat(8) has all options" "$tmp/diff"
grep -o -e '--[a-z]\+' "$TOP/tools/uncorestat/completion" | sort -u | diff "$tmp/help" - > "$tmp/diff"
ok $? "the completion has all options" "$tmp/diff"
mkdir "$tmp/bin"
ln -s "$stat" "$tmp/bin/uncorestat"
PATH=$tmp/bin:$PATH bash -c '
	. "$1"
	complete_words() { COMP_WORDS=(uncorestat "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
		COMPREPLY=(); _uncorestat; printf "%s\n" "${COMPREPLY[@]}"; }
	[ "$(complete_words --per so)" = socket ] &&
	[ "$(complete_words -g mem,ll)" = mem,llc ] &&
	[ "$(complete_words -m qpi_link_u)" = qpi_link_util ] &&
	[ "$(complete_words -- whil)" = "" ] && [ "$(complete_words -- tru)" != "" ] && complete_words -- tru | grep -qx true &&
	[ "$(complete_words --prom)" = --prometheus ]' bash "$TOP/tools/uncorestat/completion" > "$out" 2>&1
ok $? "the completion completes options, groups and metrics" "$out"

# systemd looks for the programs that a unit names.
unit=$TOP/tools/uncorestat/uncorestat.service
sed "s,/usr/bin/uncorestat,$stat," "$unit" > "$tmp/uncorestat.service"
if systemd-analyze --version > /dev/null 2>&1; then
	systemd-analyze verify --man=no "$tmp/uncorestat.service" > "$out" 2>&1 && [ ! -s "$out" ] &&
		systemd-analyze security --offline=true --threshold=20 "$tmp/uncorestat.service" > "$out" 2>&1
	ok $? "systemd-analyze takes the unit, and its exposure is 2.0 of 10 or less" "$out"
else
	ok 0 "systemd-analyze takes the unit # SKIP there is no systemd-analyze here"
fi
make -s -C "$TOP/tools" "O=$BUILD/tools" "DESTDIR=$tmp/root" install > "$out" 2>&1 &&
	"$tmp/root/usr/bin/uncorestat" --version >> "$out" 2>&1
ok $? "make -C tools install" "$out"
if command -v rst2man > /dev/null; then
	for page in uncorestat uncore-hwtest; do
		grep -q '^.SH NAME' "$tmp/root/usr/share/man/man8/$page.8"
		ok $? "$page.rst makes a manual page" "$out"
	done
else
	ok 0 "uncorestat.rst and uncore-hwtest.rst make manual pages # SKIP rst2man is not here (python3-docutils)"
fi

tap_done
