#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event tables are consistent and complete, and generated files match them.

. "$(dirname "$(readlink -f "$0")")/../../../scripts/lib.sh"
. "$TOP/scripts/test.sh"

gen=$TOP/build/events/gen
set +e

# by_box NAME WANT IS: a result for each box, whose lines begin with its name
by_box()
{
	for box in cbox ha imc pcu qpi r2pcie r3qpi ubox; do
		grep "^$box " "$2" > "$tmp/box"
		grep "^$box " "$3" | diff "$tmp/box" - > "$tmp/diff"
		ok $? "$box: $1" "$tmp/diff"
	done
}

make -s -C "$TOP/events" >&2
ok $? "the host programs build"

# Totals of the guide's summary tables: box, events, (event, umask) rows, rows with the extended
# select, derived events offered and left out; then events and rows that its text or other lists add
sort > "$tmp/guide" <<EOF
cbox 22 88 0 27 2 3 12
ha 23 60 0 5 0 15 49
imc 24 50 0 14 0 1 1
pcu 37 39 12 4 0 0 0
qpi 38 72 48 22 1 3 12
r2pcie 10 25 0 8 1 4 14
r3qpi 22 67 0 0 1 0 2
ubox 2 6 0 0 0 5 17
EOF
"$gen" totals > "$tmp/totals"
by_box "as many events, unit masks and metrics as the guide has" "$tmp/guide" "$tmp/totals"

# Aliases with more than an event and a unit mask, as a second copy: box, alias, encoding.
# compare-libpfm4.t and compare-jaketown.t compare the others.
{
	# Table 2-13: opcodes of requests
	while read -r opcode request; do
		echo "cbox llc_refs_$request event=0x35,umask=0x01,filter_opc=0x$opcode"
		echo "cbox llc_misses_$request event=0x35,umask=0x03,filter_opc=0x$opcode"
	done <<EOF
180 rfo
181 code_read
182 data_read
187 partial_read
18c streaming_full
18d streaming_partial
190 pref_rfo
191 pref_code
192 pref_data
194 pcie_write_noalloc
195 pcie_uc_read
19c pcie_write
19e pcie_read
1c4 wb_mtoi
1c5 wb_mtoe
1c8 itom
1e4 pcie_ns_read
1e5 pcie_ns_write_partial
1e6 pcie_ns_write_full
EOF
	# Table 2-92: data responses of QPI with the state of the line
	while read -r opcode state response; do
		echo "qpi $response event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x$opcode,mask_opc=0xf,match_rds=0x$state,mask_rds=0xf"
	done <<EOF
0 8 drs_datac_m
0 4 drs_datac_e
0 1 drs_datac_f
2 4 drs_datac_e_cmp
2 1 drs_datac_f_cmp
1 4 drs_datac_e_frcackcnflt
1 1 drs_datac_f_frcackcnflt
EOF
	# Tables 2-14 and 2-80, and rows of Table 2-92 without a state
	cat <<EOF
cbox llc_lookup_nid event=0x34,umask=0x41,filter_nid=?
cbox llc_victims_nid event=0x37,umask=0x40,filter_nid=?
cbox llc_victims_any_nid event=0x37,umask=0x47,filter_nid=?
cbox tor_inserts_miss_opcode event=0x35,umask=0x03,filter_opc=?
cbox tor_inserts_nid_all event=0x35,umask=0x48,filter_nid=?
cbox tor_inserts_nid_eviction event=0x35,umask=0x44,filter_nid=?
cbox tor_inserts_nid_miss_all event=0x35,umask=0x4a,filter_nid=?
cbox tor_inserts_nid_miss_opcode event=0x35,umask=0x43,filter_nid=?,filter_opc=?
cbox tor_inserts_nid_opcode event=0x35,umask=0x41,filter_nid=?,filter_opc=?
cbox tor_inserts_nid_wb event=0x35,umask=0x50,filter_nid=?
cbox tor_inserts_opcode event=0x35,umask=0x01,filter_opc=?
cbox tor_occupancy_miss_opcode event=0x36,umask=0x03,filter_opc=?
cbox tor_occupancy_nid_all event=0x36,umask=0x48,filter_nid=?
cbox tor_occupancy_nid_eviction event=0x36,umask=0x44,filter_nid=?
cbox tor_occupancy_nid_miss_all event=0x36,umask=0x4a,filter_nid=?
cbox tor_occupancy_nid_miss_opcode event=0x36,umask=0x43,filter_nid=?,filter_opc=?
cbox tor_occupancy_nid_opcode event=0x36,umask=0x41,filter_nid=?,filter_opc=?
cbox tor_occupancy_opcode event=0x36,umask=0x01,filter_opc=?
ha addr_opc_match_filt event=0x20,umask=0x03,filter_addr=?,filter_opc=?
imc cas_count_read event=0x04,umask=0x03
imc cas_count_write event=0x04,umask=0x0c
imc clockticks event=0xff,umask=0x00
imc read_bytes event=0x04,umask=0x03
imc write_bytes event=0x04,umask=0x0c
pcu below_2ghz_cores_c0_under4_cycles event=0x8b,occ_sel=1,thresh=4,inv=1,occ_invert=1,filter_band0=0x14
pcu cores_c0_over4_cycles event=0x80,occ_sel=1,thresh=5
pcu cores_c0_over4_entries event=0x80,occ_sel=1,thresh=5,occ_edge=1
pcu freq_band0_cycles event=0x0b,filter_band0=?
pcu freq_band1_cycles event=0x0c,filter_band1=?
pcu freq_band2_cycles event=0x0d,filter_band2=?
pcu freq_band3_cycles event=0x0e,filter_band3=?
pcu power_state_occupancy_cores_c0 event=0x80,occ_sel=1
pcu power_state_occupancy_cores_c3 event=0x80,occ_sel=2
pcu power_state_occupancy_cores_c6 event=0x80,occ_sel=3
pcu volt_trans_cores_c0_over4_cycles event=0x83,occ_sel=1,thresh=5
qpi drs_anydatac event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x0,mask_opc=0xc
qpi drs_anyresp event=0x138,match_mc=0xe,mask_mc=0xf
qpi drs_anyresp11flits event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x8,mask_opc=0x8
qpi drs_anyresp9flits event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x0,mask_opc=0x8
qpi drs_data event=0x102,umask=0x08
qpi drs_wbedata event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x6,mask_opc=0xf
qpi drs_wbidata event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x4,mask_opc=0xf
qpi drs_wbsdata event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x5,mask_opc=0xf
qpi ncb_anyint event=0x138,match_mc=0xc,mask_mc=0xf,match_opc=0x8,mask_opc=0xc
qpi ncb_anymsg11flits event=0x138,match_mc=0xc,mask_mc=0xf,match_opc=0x8,mask_opc=0x8
qpi ncb_anymsg9flits event=0x138,match_mc=0xc,mask_mc=0xf,match_opc=0x0,mask_opc=0x8
qpi ncb_anyresp event=0x138,match_mc=0xc,mask_mc=0xf
qpi ncb_data event=0x103,umask=0x04
qpi txl_flits_active event=0x00,umask=0x06
ubox clockticks event=0xff
EOF
} | sort > "$tmp/want"
"$gen" rows > "$tmp/rows"
awk '{ print $1, $2, "event=" $3 ($4 == "0x00" ? "" : ",umask=" $4) }' "$tmp/rows" > "$tmp/plain"
"$gen" csv | sed -n 's/^\([a-z0-9]*\),\([a-z0-9_]*\),"\(.*\)",.*/\1 \2 \3/p' | grep -vxFf "$tmp/plain" | sort > "$tmp/is"
by_box "aliases with fields of their own have the encodings that are written down here" "$tmp/want" "$tmp/is"
# The driver's default for these: an alias has no text for it.
printf 'cbox llc_lookup_%s\n' data_read write remote_snoop nid any > "$tmp/want"
"$gen" csv | sed -n 's/^\([a-z0-9]*\),\([a-z0-9_]*\),.*[,+]state,,$/\1 \2/p' | diff "$tmp/want" - > "$tmp/diff"
ok $? "cbox: lookups need a state" "$tmp/diff"

# Pairs of the guide that differ in both lists: box, name, code, unit mask, counters
grep -vxFf "$tmp/rows" > "$tmp/missing" <<EOF
ha addr_opc_match_filt 0x20 0x03 0-3
imc dclk 0xff 0x00 fixed
imc dclockticks 0x00 0x00 0-3
r3qpi txr_cycles_ne 0x23 0x00 0-1
ubox msg_chnl_size_count_4b 0x47 0x01 0-1
ubox msg_chnl_size_count_8b 0x47 0x02 0-1
ubox phold_cycles_ack_to_deassert 0x45 0x02 0-1
ubox phold_cycles_assert_to_ack 0x45 0x01 0-1
ubox racu_requests_count 0x46 0x01 0-1
ubox uclk 0xff 0x00 fixed
EOF
empty "pairs that no other list has are those of the guide" "$tmp/missing"

# Metrics with their events' codes, in perf's list and in uncorestat
grep -v '^#' "$TOP/selftests/cross-check/metrics.formulas" | sort > "$tmp/want"
"$gen" metrics | perl -MJSON::PP -e '
	local $/;
	for (@{decode_json(<STDIN>)}) {
		my $e = $_->{MetricExpr} =~ s/\\//gr;
		my $unit = ($_->{ScaleUnit} // "") =~ s/^1(?:00(?=%))?//r;

		$e =~ s{snbep_uncore_\w+\@event=0x(\w+)(?:,umask=0x(\w+))?([^\@]*)\@}{$1 . (defined $2 ? ".$2" : "") . $3}ge;
		print "$_->{MetricName} $e = $unit" =~ s/ $//r, "\n";
		print "$_->{MetricName}: another group, or no description\n" unless $_->{MetricGroup} eq "snbep_" . $_->{MetricName} =~ s/_.*//r && $_->{BriefDescription};
	}' | sed 's/= Bytes$/= bytes/' | sort > "$tmp/formulas"
grep -vE '^(mem|llc|qpi_(out|in)|pcie|cores|freq|lat|package|dram|busy)(_|\b)' "$tmp/want" | diff - "$tmp/formulas" > "$tmp/wrong"
ok $? "metrics.formulas has every metric of perf, with its unit" "$tmp/wrong"
"$gen" stat 45 | perl -ne '
	push @events, $1 =~ s/event=0x(\w+)(?:,umask=0x(\w+))?/$1 . (defined $2 ? ".$2" : "")/er if /^event \S+ \S+ (\S+)/;
	print s/\{(\d+)\}/$events[$1]/gr =~ s/ $//r if s/^metric //' | sed 's/= Bytes$/= bytes/' | sort | diff "$tmp/want" - > "$tmp/wrong"
ok $? "metrics.formulas has every metric of uncorestat, with its unit" "$tmp/wrong"

# A line has 64 bytes, a flit of QPI 8; perf applies the scale.
awk -F '[(,) "]+' '
/^(OWN_)?SCALE\(/ {
	size = FILENAME ~ /imc/ ? 64 : 8
	want = $4 == "MiB" ? size / 1048576 : size
	if ($3 != want || ($4 != "MiB" && $4 != "Bytes"))
		print FILENAME ": " $0
	n[FILENAME ~ /imc/ ? "imc" : "qpi"]++
}
END { if (n["imc"] != 11 || n["qpi"] != 8) print "of iMC " n["imc"] ", of QPI " n["qpi"] }' "$TOP"/events/*.def > "$tmp/scales"
empty "11 scales of the iMC are of lines, 8 of QPI of flits" "$tmp/scales"

# Box and alias in the event reference and in the CSV
for box in $(cut -d ' ' -f 1 "$tmp/guide"); do
	"$gen" rst "$box" | sed -n "s/^   \* - \`\`\(.*\)\`\`$/$box,\1/p"
done | sort > "$tmp/reference"
"$gen" csv | sed 1d | cut -d , -f 1,2 | sort | diff - "$tmp/reference" > "$tmp/diff"
ok $? "the event reference has every alias on the page of its box" "$tmp/diff"
"$gen" rst metrics | sed -n 's/^   \* - ``\(.*\)``$/\1/p' | sort > "$tmp/reference"
"$gen" metrics | sed -n 's/.*"MetricName": "\(.*\)",/\1/p' | sort | diff - "$tmp/reference" > "$tmp/diff"
ok $? "the event reference has every metric on its page" "$tmp/diff"

# A line of each form, on its page
cat > "$tmp/want" <<'EOF'
cbox CBo (LLC coherence engine)
cbox PMU ``snbep_uncore_cbox_N``, 4 counters of 44 bits, guide section 2.3.
ha PMU ``snbep_uncore_ha``, 4 counters of 48 bits, guide section 2.4.
imc PMU ``snbep_uncore_imc_N``, 4 counters of 48 bits, guide section 2.5.
pcu PMU ``snbep_uncore_pcu``, 4 counters of 48 bits, guide section 2.6.
qpi PMU ``snbep_uncore_qpi_N``, 4 counters of 48 bits, guide section 2.7.
r2pcie PMU ``snbep_uncore_r2pcie``, 4 counters of 44 bits, guide section 2.8.
r3qpi PMU ``snbep_uncore_r3qpi_N``, 3 counters of 44 bits, guide section 2.9.
ubox PMU ``snbep_uncore_ubox``, 2 counters of 44 bits, guide section 2.2.
cbox **llc_lookup**: LLC lookups that find the line in one of filter_state's states (FMESI, I = miss). Event 0x34, counters 0-1, at most 1 a cycle; may be filtered by tid, state.
imc **power_cke_cycles**: Cycles in which a rank has its clock enabled (CKE on). Event 0x83, counters 0-3, at most 16 a cycle; takes edge or inv, but not both.
pcu **freq_trans_cycles**: Cycles in which the frequency changes. Event 0x00 with the extended select, counters 0-3, at most 1 a cycle.
ubox **racu_requests**: Requests to the RACU. Event 0x46, counters 0-1, increment not given. Not in the guide, but in Intel's list.
cbox      - ``event=0x35,umask=0x03,filter_opc=0x19c``
r2pcie      - Even polarity (not in the guide's table)
imc Fixed counters and ready-made aliases:
imc      - fixed
imc      - DRAM clock cycles (fixed counter)
imc      - All reads, underfills included [MiB]
metrics      - ``[read_bytes] * 64``
metrics      - Memory read [Bytes]
metrics      - Requests that found another page open [%]
metrics Metrics
metrics Where they differ from the guide
metrics Left out
index Xeon E5-2600 uncore event reference
metrics - qpi QPI_LINK_UTIL: RxL_FLITS_GO_DATA is RxL_FLITS_G0.DATA.
metrics - cbox CYC_INGRESS_STARVED: its event RxR_INT_STARVED is not in the guide.
index    metrics
index    ubox
EOF
for page in index metrics $(cut -d ' ' -f 1 "$tmp/guide"); do
	"$gen" rst "$page" | sed "s/^/$page /"
done > "$tmp/reference"
grep -vxFf "$tmp/reference" "$tmp/want" > "$tmp/missing"
[ ! -s "$tmp/missing" ] && ! "$gen" rst nothing > /dev/null
ok $? "pages of the event reference say what the tables say" "$tmp/missing"
cat > "$tmp/want" <<'EOF'
Fixed counters and ready-made aliases:

.. list-table::
   :header-rows: 1
   :widths: 25 35 8 32

   * - Alias
     - Encoding
     - Counters
     - Counts
   * - ``uclk``
     - ``event=0xff``
     - fixed
     - Uncore clock cycles (fixed counter)
   * - ``clockticks``
     - ``event=0xff``
     - fixed
     - Uncore clock cycles (fixed counter)
EOF
"$gen" rst ubox > "$tmp/page"
sed -n '/^Fixed/,$p' "$tmp/page" | diff "$tmp/want" - > "$tmp/diff" &&
	[ "$(grep -c '^   :header-rows: 1' "$tmp/page")" = $(($(grep -c '^\*\*' "$tmp/page") + 1)) ]
ok $? "the ubox's page has a table of each event, and one of its aliases" "$tmp/diff" "$tmp/page"
for page in index metrics $(cut -d ' ' -f 1 "$tmp/guide"); do
	"$gen" rst "$page" > "$tmp/page"
	[ "$(sed -n '5{/^===*$/p}' "$tmp/page" | wc -l)" = 1 ] && [ "$(grep -c SPDX "$tmp/page")" = 1 ] || echo "$page"
done > "$tmp/bad"
empty "each page of the event reference has a title and a licence" "$tmp/bad"
! "$gen" stat 85 > /dev/null
ok $? "gen stat: no such processor"
"$gen" > "$tmp/usage" 2>&1
[ $? = 2 ] && grep -q '^usage: ' "$tmp/usage"
ok $? "gen alone: its usage" "$tmp/usage"

! "$gen" rst imc | grep 'filtered by \.' > "$tmp/bad"
ok $? "no event is filtered by an empty list" "$tmp/bad"

for what in json metrics; do
	"$gen" $what | perl -MJSON::PP -e '
		local $/; my $d = decode_json(<STDIN>); exit !(ref($d) eq "ARRAY" && @$d > 50)'
	ok $? "gen $what prints JSON"
done

# perf selects PMUs by an event's unit, and adds up PerPkg events.
"$gen" json | perl -MJSON::PP -e '
	local $/;
	for my $e (@{decode_json(<STDIN>)}) {
		print "$e->{EventName}\n" unless ($e->{PerPkg} // "") eq "1" && $e->{Unit} =~ /^snbep_uncore_[a-z0-9]+$/ &&
			$e->{EventCode} =~ /^0x..$/ && $e->{BriefDescription} =~ /[^: ]$/ && length $e->{Counter};
	}' > "$tmp/json" 2>&1
empty "every event of the JSON has a code, counters, a unit and a description, and is of a package" "$tmp/json"
[ "$("$gen" json | grep -cxF -e '        "BriefDescription": "Uncore clock cycles",' \
	-e '        "BriefDescription": "Flits transmitted: SNP, HOM and DRS: Snoop requests",')" = 5 ]
ok $? "the description of a unit mask begins with that of its event"

# The CSV has the aliases of the JSON, and seven columns.
"$gen" csv > "$tmp/csv"
awk 'NR > 1 { q = $0; if (!sub(/,"[^"]*",/, ",x,", q) || split(q, f, ",") != 7) bad++ }
	END { exit !!bad }' "$tmp/csv"
ok $? "every line of the CSV has seven columns"
"$gen" json | perl -MJSON::PP -e '
	my %range = map { join(",", eval s/-/../r) => $_ } qw(0-1 0-2 0-3 1-3 2-3);
	local $/;
	for my $e (@{decode_json(<STDIN>)}) {
		my $enc = join ",", sprintf("event=0x%02x", hex($e->{EventCode}) + 256 * ($e->{ExtSel} // 0)),
			$e->{UMask} ? "umask=$e->{UMask}" : (), $e->{Filter} // ();
		printf "%s,%s,\"%s\",%s,%s\n", $e->{Unit} =~ s/.*_//r, $e->{EventName}, $enc, $range{$e->{Counter}} // $e->{Counter},
			$e->{ScaleUnit} // "";
	}' > "$tmp/json"
sed '1d; s/\(",[^,]*\),[^,]*,\([^,]*\),/\1,\2/' "$tmp/csv" | diff - "$tmp/json" > "$tmp/diff"
ok $? "the CSV and the JSON have the same aliases" "$tmp/diff"

# Stock perf's jevents takes the lists for uncore_names=1, and knows their PMUs.
source=$("$TOP/scripts/linux-source" newest tools/perf/pmu-events 2> "$tmp/log")/tools/perf/pmu-events
mkdir -p "$tmp/arch/x86/jaketown"
cp -r "$source/arch/test" "$tmp/arch/"
"$gen" json | sed 's/"Unit": "snbep_uncore_/"Unit": "/' | cmp -s - "${gen%/*}/uncore-names.json" &&
	cp "${gen%/*}/uncore-names.json" "${gen%/*}/uncore-names-metrics.json" "$tmp/arch/x86/jaketown/"
printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-2D,v1,jaketown,core > "$tmp/arch/x86/mapfile.csv"
PYTHONDONTWRITEBYTECODE=1 python3 "$source/jevents.py" x86 all "$tmp/arch" "$tmp/list.c" > "$tmp/log" 2>&1
for pmu in cbox ha imc pcu qpi r2pcie r3qpi ubox; do
	grep -q "uncore_$pmu" "$tmp/list.c" || echo "no uncore_$pmu"
done >> "$tmp/log"
grep -q snbep_uncore "$tmp/list.c" && echo 'snbep_uncore' >> "$tmp/log"
empty "the jevents of stock perf takes the lists for uncore_names=1" "$tmp/log"

tap_done
