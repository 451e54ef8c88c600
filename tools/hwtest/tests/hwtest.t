#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# uncore-hwtest in the machine, with injected events for traffic: it passes on one that follows the
# guide, and fails on others in the right lines. fake.t draws what this machine cannot vary.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
set +e
. "$TOP/tools/hwtest/tests/has.sh"

mkdir "$tmp/extra"
built=$BUILD/hwtest-static
make -s -C "$TOP/tools" STATIC=1 CFLAGS=-O2 "O=$built" hwtest > "$tmp/build" 2>&1 &&
	install -D -t "$tmp/root/usr/sbin" "$built/uncore-hwtest" &&
	install -D -t "$tmp/root/usr/libexec/snbep-uncore" "$built/uncore-hwtest-measure"
ok $? "uncore-hwtest builds" "$tmp/build"

# vm SCRIPT OPTION...: run a script in the machine; output in $tmp/out
vm()
{
	script=$1
	shift
	"$TOP/machine/xeon/vm/vm" -b "$TOP" -m snbep_uncore -t 200 -f "$tmp/root" -e "$tmp/extra" "$@" -- "$script" > "$tmp/out" 2> "$tmp/err"
}

# Whoever owns the report's directory, or TMPDIR, puts links in place of what is there.
cat > "$tmp/extra/attack" << 'END'
[ -d /tmp/theirs ] || exit
find /tmp/zelda /tmp/theirs -type f ! -path '*/bin/*' | while read -r file; do
	ln -sf /tmp/victim "$file"
done
END

# With two CPUs per socket, intel_uncore loads on 6.1. Whatever may have a name of the owner has
# "zelda".
echo "an older report" > "$tmp/extra/report"
vm 'hostname zelda
echo "zelda: snbep_uncore: loaded" > /dev/kmsg
mkdir -p /tmp/zelda/bin && printf "#!/bin/sh\n[ \$1 = --version ] || sh /extra/attack\n[ \$1 != --version ] || printf \"no perf for zelda\\nperf version 1.2.zelda\\n\"\nexec /usr/bin/perf \"\$@\"\n" > /tmp/zelda/bin/perf
chmod +x /tmp/zelda/bin/perf
TMPDIR=/tmp/zelda PATH=/tmp/zelda/bin:$PATH uncore-hwtest -y -s stimulus -o /extra/report; echo "exit $?"; ls /extra/report*
mkdir /tmp/theirs
echo root > /tmp/victim
TMPDIR=/tmp/zelda PATH=/tmp/zelda/bin:$PATH uncore-hwtest -n -b 1 -s stimulus -o /tmp/theirs/report > /dev/null
echo "victim: $(cat /tmp/victim), $(ls /tmp/theirs), $(grep -c "^ok 1 -" /tmp/theirs/report)"
rmmod snbep_uncore; modprobe intel_uncore
echo "with intel_uncore"; /usr/libexec/snbep-uncore/uncore-hwtest-measure -o -s stimulus' -o packages=0,2 \
	-a 'quiet isolcpus=zelda@1 BOOT_IMAGE=/boot/zelda root=/dev/mapper/zelda--vg-root netconsole=@10.1.2.3/,@zelda/ snbep_uncore.log_burst=50' \
	-q -smbios -q type=1,manufacturer=Maker,serial=zelda1,sku=zelda2,family=zelda3 -q -smbios -q type=2,product=Board,serial=zelda4,asset=zelda5 \
	-q -smbios -q type=3,serial=zelda6,asset=zelda7
has "on a machine that follows the guide, it passes" '^exit 0$' '^1\.\.[0-9]' '^# traffic by stimulus'
! grep '^not ok' "$tmp/out" > "$tmp/bad"
ok $? "no line is not ok" "$tmp/bad"
has "the new report replaces the older one" '^/extra/report$'
has "root writes through no name that another user can change" '^victim: root, report, 1$'
! grep -i -e zelda -e '10\.1\.2\.3' "$tmp/extra/report" > "$tmp/bad"
ok $? "the report has no name and no address" "$tmp/bad"
sed '/^exit /,$d; /^# The report is in /d' "$tmp/out" > "$tmp/said"
grep -v '^# log: ' "$tmp/extra/report" | diff - "$tmp/said" > "$tmp/diff"
ok $? "the report has the whole output" "$tmp/diff"
has "the report describes the machine" '^# CPU: .*stepping' '^# bios_version: ' '^# sys_vendor: Maker' '^# kernel: Linux 6\.1[0-9.-]* PREEMPT' \
	'^# command line: .*mitigations=off .*quiet .*and [0-9]* others$' '^# perf: 1\.2' \
	'^# node0: CPUs' '^# pci bus 0000:ff: with an ACPI root, NUMA node -1' '^# pci bus 0000:7f: not there: none' \
	'^# pci 0000:7f:0e.1: 3c46 class 1101 revision 07 subsystem 1af4:1100, 256 bytes'
grep -q '^# log: snbep_uncore: [0-9]* PMUs' "$tmp/extra/report"
ok $? "the report has the driver's lines of the log" "$tmp/extra/report"
has "rates of clocks" 'ok .* the uncore clock of 13 boxes is one clock .*: [12][0-9]*\.[0-9] to' 'ok .* the DRAM clock .*: 79[89]\|80[01]' \
	'ok .* the PCU clock of 1 boxes is 800 MHz' 'ok .* the QPI clock of 2 boxes is an eighth'
has "counts of traffic" 'ok .* socket 0 reading the memory of socket 0: lookups .*: 1\.000 for each' \
	'ok .* socket 2 writing the memory of socket 2: writes to memory: 1\.000' \
	'ok .* socket 2 reading the memory of socket 0: data flits that QPI receives, eight for a line: 8\.000'
has "widths of counters" 'ok .* the counter of cbox_0 has 44 bits' 'ok .* the fixed counter of imc_0 has 48 bits' \
	'ok .* the counter of imc_0 has 48 bits' 'ok .* the fixed counter of ubox has 48 bits, as in section 2.2.2'
has "answers to open questions" 'question: .*bit 21 of PCU_MSR_PMON_CTL.* the event list is right' \
	'question: .*0x3fc and 0x3fd are others on each core' 'question: .*filter_opc.*: it counts what is equal' \
	'question: socket 0 reads socket 2: CTO_COUNT .*: it sees packets that are received' \
	'question: socket 2 reads socket 0: CTO_COUNT .*: it sees packets that are received' 'question: .*filter_nid stands for node 2 of socket 2' \
	'question: .*box control of ha.*frz_en reads back' 'question: .*filter is in effect at once' 'question: .*EVENT_MSG' \
	'SKIP could not be told: it counts nothing.*'
[ "$(sed -n '/^with intel_uncore/,$p' "$tmp/out" | grep -c '^ok .* reads from memory: 1\.000')" = 4 ]
ok $? "intel_uncore has the same counts" "$tmp/lines"

# Another hardware variant, on which a memory channel counts ten times the traffic
cat > "$tmp/extra/more" << 'END'
sed 's/imc_0 event=0x04,umask=0x1,count=/&1/' | /usr/bin/uncore-stim "$@"
END
chmod +x "$tmp/extra/more"
vm 'mkdir /tmp/bin && cp /extra/more /tmp/bin/uncore-stim
echo older > /tmp/report
uncore-hwtest -n -s stimulus -o /tmp/report > /tmp/ended & sleep 3; kill $!; wait $!; echo "ended: exit $?, $(cd /tmp && echo report*) $(cat /tmp/report)"
PATH=/tmp/bin:$PATH uncore-hwtest -n -s stimulus -o /tmp/report; echo "exit $?"; grep -c "^1\.\." /tmp/report
uncore-hwtest -n -o /none/report; echo "no place: exit $?"
ln -s /etc/passwd /tmp/link; uncore-hwtest -n -o /tmp/link; echo "link: exit $?, $(head -n 1 /etc/passwd)"
echo "nobody:x:65534:65534::/:/bin/sh" >> /etc/passwd
su nobody -c "uncore-hwtest -n"; echo "no right: exit $?"
echo | uncore-hwtest -o /tmp/report; echo "no terminal: exit $?"
rmmod snbep_uncore
uncore-hwtest -n; echo "no driver: exit $?"' \
	-o "no-qpi pcu-ext=drop residency=socket wo=zero dclk=750 uclk=5000 nodes=3,5 pcu-filter=transition noise=on"
cat "$tmp/err" >> "$tmp/out"
has "on another machine it fails" '^exit 1$'
has "a run that ends early keeps the older report" '^ended: exit 130, report older$'
has "a link is no report" '^link: exit 1, root:'
has "functions that are not there are listed" '^# pci bus 0000:7f: not there: 08\.2 3c41, 08\.6 3c86, 09\.2 3c42, 09\.6 3c96'
has "hidden boxes are named, and are not a failure" '^ok .* socket 1: a PMU for each box whose registers are there$' \
	'^ok .* socket 1: boxes qpi_0 qpi_1 # SKIP .* hidden by the BIOS, as QPI.s counters are on most boards$' \
	'^ok .* packet filters of the QPI ports # SKIP .*hidden'
has "wrong rates of clocks fail" '^not ok .* the uncore clock .*: \(4[89]\|50\)[0-9.]* to ' '^not ok .* the DRAM clock .*: 7[45]' '^ok .* PCU clock of 1 boxes is 800'
has "wrong counts of traffic fail" '^not ok .* socket 0 reading the memory of socket 0: reads from memory: 2\.5' \
	'^ok .* socket 0 reading the memory of socket 0: lookups'
has "other readings of the guide are supported" 'question: .*bit 21 of PCU_MSR_PMON_CTLn does not hold a 1' \
	'question: .*0x3fc and 0x3fd are the same on two cores' 'question: .*waits for a change of frequency' \
	'question: .*box control of cbox_0.*write-only' 'question: .*bit 5 of filter_nid stands for node 5 of socket 1'
has "counters are not written without permission" 'widths of the counters # SKIP .*may not be written'
has "a missing requirement exits with one line" '^no place: exit 1' '^uncore-hwtest: .*another file with -o' '^no right: exit 1' \
	'^uncore-hwtest: run it as root' '^no terminal: exit 1' '^uncore-hwtest: questions need a terminal' '^no driver: exit 1' \
	'^uncore-hwtest: the driver is not loaded'

# The UBox's fixed counter, a hidden function, and real programs, which this machine does not count
vm 'cd /usr/libexec/snbep-uncore; ./uncore-hwtest-measure -w -s stimulus; ./uncore-hwtest-measure -s program -b 8 | sed "s/^/program: /"' -s 1 -o "ubox-fixed=44 hide=10.5 qpi-rate=7,3 wo=noise"
has "a clock for each port" '^ok .* the QPI clock of 2 boxes is an eighth of QPI_RATE_STATUS: \(79\|80\)[0-9.]* to 1\(19\|20\)'
grep 'the box control of' "$tmp/out" | grep -v '^program' > "$tmp/controls"
[ "$(grep -c 'it is write-only, and reads otherwise each time' "$tmp/controls")" = 7 ]
ok $? "controls that read as noise are told from others" "$tmp/controls"
has "a counter of another width" 'ok .* the fixed counter of ubox has 44 bits, as in the field in table 2-5' '^ok .* boxes imc_3 # SKIP .* hidden' \
	'reads from memory # SKIP could not be told: some of the boxes are hidden'
has "traffic that moves no counter fails" '^program: # traffic by program' \
	'^program: not ok .* socket 0 reading .*: lookups .*: 0\.000 for each of 131072' \
	'^program: not ok .* reads at the Home Agent: 0\.000' '^program: .*filter_opc .* the event needs something else'
tap_done
