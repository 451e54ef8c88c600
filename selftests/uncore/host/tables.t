#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The event tables: are they consistent and whole, and is what is made from them
# current?

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
gen=$top/build/events/gen
. "$top/selftests/lib/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$top/events" >&2
ok $? "the host programs build"

"$gen" check 2> "$tmp/check"
ok $? "names and codes are unique, fields exist, metrics have their events" "$tmp/check"

# The guide's summary tables: box, events, (event, umask) rows, of these with the
# extended select, derived events offered and left out. Then what the guide lacks
# and other lists have: events, rows.
sort > "$tmp/guide" <<EOF
cbox 22 88 0 27 2 3 10
ha 23 60 0 5 0 15 49
imc 24 50 0 14 0 1 1
pcu 37 39 12 4 0 0 0
qpi 38 72 48 22 1 3 12
r2pcie 10 25 0 8 1 4 12
r3qpi 22 67 0 0 1 0 0
ubox 2 6 0 0 0 5 17
EOF
"$gen" totals | sort > "$tmp/totals"
diff "$tmp/guide" "$tmp/totals" > "$tmp/diff"
ok $? "every box has the guide's number of events, unit masks and metrics" "$tmp/diff"

awk '{ e += $2; r += $3; m += $5 + $6; l += $8 } END { exit !(e == 178 && r == 407 && m == 85 && l == 101) }' "$tmp/totals"
ok $? "178 events, 407 event and unit mask pairs, 85 metrics in all, and 101 pairs of other lists"

# The opcodes of requests (Table 2-13), and of QPI's data responses the state of the line (Table 2-92), written down once more
while read -r opcode request; do
	for what in misses refs; do
		grep -q "^ALIAS(llc_${what}_$request, \"event=0x35,umask=0x0[13],filter_opc=0x$opcode\"" "$top/events/snbep_cbox.def" ||
			echo "llc_${what}_$request"
	done
done > "$tmp/opcodes" <<EOF
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
while read -r opcode state response; do
	grep -A 1 "^ALIAS($response,$" "$top/events/snbep_qpi.def" | grep -q "match_opc=0x$opcode,mask_opc=0xf,match_rds=0x$state,mask_rds=0xf" ||
		echo "$response"
done >> "$tmp/opcodes" <<EOF
0 8 drs_datac_m
0 4 drs_datac_e
0 1 drs_datac_f
2 4 drs_datac_e_cmp
2 1 drs_datac_f_cmp
1 4 drs_datac_e_frcackcnflt
1 1 drs_datac_f_frcackcnflt
EOF
[ ! -s "$tmp/opcodes" ]
ok $? "names of requests and of data responses have their opcodes" "$tmp/opcodes"

# Table 2-80, and of Table 2-92 what has no state, once more: box, alias, encoding
"$gen" csv | sed -n 's/^\([a-z]*\),\([a-z0-9_]*\),"\(.*\)",.*/\1 \2 \3/p' > "$tmp/encodings"
grep -vxFf "$tmp/encodings" > "$tmp/aliases" <<EOF
pcu cores_c0_over4_cycles event=0x80,occ_sel=1,thresh=5
pcu cores_c0_over4_entries event=0x80,occ_sel=1,thresh=5,occ_edge=1
pcu volt_trans_cores_c0_over4_cycles event=0x83,occ_sel=1,thresh=5
pcu below_2ghz_cores_c0_under4_cycles event=0x8b,occ_sel=1,thresh=4,inv=1,occ_invert=1,filter_band0=0x14
qpi drs_anydatac event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x0,mask_opc=0xc
qpi drs_wbidata event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x4,mask_opc=0xf
qpi drs_wbsdata event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x5,mask_opc=0xf
qpi drs_wbedata event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x6,mask_opc=0xf
qpi drs_anyresp event=0x138,match_mc=0xe,mask_mc=0xf
qpi drs_anyresp9flits event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x0,mask_opc=0x8
qpi drs_anyresp11flits event=0x138,match_mc=0xe,mask_mc=0xf,match_opc=0x8,mask_opc=0x8
qpi ncb_anyresp event=0x138,match_mc=0xc,mask_mc=0xf
qpi ncb_anymsg9flits event=0x138,match_mc=0xc,mask_mc=0xf,match_opc=0x0,mask_opc=0x8
qpi ncb_anymsg11flits event=0x138,match_mc=0xc,mask_mc=0xf,match_opc=0x8,mask_opc=0x8
qpi ncb_anyint event=0x138,match_mc=0xc,mask_mc=0xf,match_opc=0x8,mask_opc=0xc
EOF
[ ! -s "$tmp/aliases" ]
ok $? "occupancies of the PCU and packets of QPI have the encodings that are written down here" "$tmp/aliases"

# Metrics with the codes of their events
formulas=$top/selftests/uncore/host/metrics.formulas
"$gen" metrics | perl -MJSON::PP -e '
	local $/;
	for (@{decode_json(<STDIN>)}) {
		my $e = $_->{MetricExpr} =~ s/\\//gr;

		$e =~ s{snbep_uncore_\w+\@event=0x(\w+)(?:,umask=0x(\w+))?([^\@]*)\@}{$1 . (defined $2 ? ".$2" : "") . $3}ge;
		print "$_->{MetricName} $e\n";
	}' > "$tmp/formulas"
grep -v '^#' "$formulas" | grep -vxFf "$tmp/formulas" > "$tmp/wrong"
[ ! -s "$tmp/wrong" ] && [ -s "$tmp/formulas" ]
ok $? "$(grep -vc '^#' "$formulas") metrics are what metrics.formulas has" "$tmp/wrong"

# A line has 64 bytes, a flit of QPI 8; perf multiplies.
awk -F '[(,) "]+' '
/^(OWN_)?SCALE\(/ {
	size = FILENAME ~ /imc/ ? 64 : 8
	want = $4 == "MiB" ? size / 1048576 : size
	if ($3 != want || ($4 != "MiB" && $4 != "Bytes"))
		print FILENAME ": " $0
	n[FILENAME ~ /imc/ ? "imc" : "qpi"]++
}
END { if (n["imc"] != 11 || n["qpi"] != 8) print "of iMC " n["imc"] ", of QPI " n["qpi"] }' "$top"/events/*.def > "$tmp/scales"
[ ! -s "$tmp/scales" ]
ok $? "11 scales of the iMC are of lines, 8 of QPI of flits" "$tmp/scales"

"$gen" rst | diff - "$top/Documentation/snbep-events.rst" > "$tmp/diff"
ok $? "Documentation/snbep-events.rst is current (make -C events reference)" "$tmp/diff"

for what in json metrics; do
	"$gen" $what | perl -MJSON::PP -e '
		local $/; my $d = decode_json(<STDIN>); exit !(ref($d) eq "ARRAY" && @$d > 50)'
	ok $? "gen $what prints JSON"
done

# perf takes an event by its unit, and adds up what is of a package.
"$gen" json | perl -MJSON::PP -e '
	local $/;
	for my $e (@{decode_json(<STDIN>)}) {
		print "$e->{EventName}\n" unless ($e->{PerPkg} // "") eq "1" && $e->{Unit} =~ /^snbep_uncore_[a-z0-9]+$/ &&
			$e->{EventCode} && $e->{BriefDescription} && length $e->{Counter};
	}' > "$tmp/json" 2>&1
[ ! -s "$tmp/json" ]
ok $? "every event of the JSON has a code, counters, a unit and a description, and is of a package" "$tmp/json"

# The CSV has as many aliases as the JSON, each line five columns.
"$gen" csv > "$tmp/csv"
awk 'NR > 1 { q = $0; if (!sub(/,"[^"]*",/, ",x,", q) || split(q, f, ",") != 5) bad++ }
	END { exit !!bad }' "$tmp/csv"
ok $? "every line of the CSV has five columns"
[ $(($(wc -l < "$tmp/csv") - 1)) = "$("$gen" json | grep -c '"EventName"')" ]
ok $? "the CSV and the JSON have the same number of aliases"

tap_done
