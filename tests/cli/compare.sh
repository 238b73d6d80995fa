#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# compare: its numbers are those of plain runs, ratios and means by awk; names, parallel runs, failures, other work, plots.
. "$(dirname "$0")/../lib.sh"

section() { awk -v title="$1" '$0 == title { on = 1; next } !NF { on = 0 } on' "$2"; }   # title, file

# ---- numbers: three kernels, the machine and the same with a small L1
small=baseline:l1.bytes=4096:l1.ways=4
"$regtwin" compare vecadd,CS sgemm --systems Baseline,$small --size small --json "$tmp/j" --all >"$tmp/t"
equal 'status' $? 0
has 'columns by name; the case is the file'"'"'s' '^ +baseline  baseline:l1.bytes=4096:l1.ways=4$' "$tmp/t"
section 'cycles' "$tmp/t" | tr -d , >"$tmp/cycles"
while read -r k alias a b; do
  [ -n "$b" ] || { b=$a; a=$alias; }   # only CS has a name of a paper
  for s in "$a:" "$b:--set l1.bytes=4096 --set l1.ways=4"; do
    # shellcheck disable=SC2086
    "$regtwin" run "$k" --size small ${s#*:} --json "$tmp/r" >/dev/null
    equal "cycles of $k, as run has them" "${s%%:*}" "$(get cycles "$tmp/r")"
  done
done < <(head -n 3 "$tmp/cycles")
awk '{ b = $NF; a = $(NF - 1); $NF = $(NF - 1) = ""; x = b / a; n++
       printf "%s %.3f\n", $1, x; s += x; l += log(x) }
     END { printf "arithmetic %.3f\ngeometric %.3f\n", s / n, exp(l / n) }' <(head -n 3 "$tmp/cycles") >"$tmp/want"
section 'cycles, relative to baseline' "$tmp/t" | awk '{ print $1, $NF }' >"$tmp/found"
same 'ratios and their means' "$tmp/want" "$tmp/found"
check 'and they are not all 1' grep -qv ' 1.000$' "$tmp/found"
awk '{ a += $(NF - 1); b += $NF; n++ } END { printf "%.0f %.0f\n", a / n, b / n }' <(head -n 3 "$tmp/cycles") >"$tmp/want"
awk '/^ *arithmetic mean/ { print $3, $4 }' "$tmp/cycles" >"$tmp/found"
same 'the arithmetic mean of cycles' "$tmp/want" "$tmp/found"
has 'what limits' '^  sgemm +registers 5 +registers 5$' "$tmp/t"
hasnt 'no measure that no run has a number for' '^(live-vector cache|quality)' "$tmp/t"
has 'in JSON it is there, without one' '"lrvc_hit"' "$tmp/j"
equal 'JSON has six runs' "$(grep -c '"stream_hash"' "$tmp/j")" 6
"$regtwin" compare vecadd --systems baseline --size small --json - >"$tmp/j"
equal 'JSON alone on standard output' "$(head -n 1 "$tmp/j") $(tail -n 1 "$tmp/j")" '{ }'
for n in 1 3; do
  "$regtwin" compare vecadd,CS bfs --systems baseline,null --size small --jobs $n --json - >"$tmp/json"
  statistics "$tmp/json" >"$tmp/jobs$n"
done
same 'as many at a time as one likes' "$tmp/jobs1" "$tmp/jobs3"


# ---- what is shown: by default IPC of each kernel, and a line for each of a few other measures
"$regtwin" compare finereg --systems FR-Base,VT,FineReg --size small >"$tmp/short"
check 'three systems on 18 kernels fit a screen' test "$(wc -l <"$tmp/short")" -le 45
"$regtwin" compare finereg --systems FR-Base,VT,FineReg --size small --all >"$tmp/t"
for f in t short; do section 'IPC, relative to FR-Base' "$tmp/$f" | tr -s ' ' >"$tmp/$f.ipc"; done
same 'IPC is that of --all' "$tmp/t.ipc" "$tmp/short.ipc"
for title in cycles 'resident CTAs, mean' 'off-chip traffic' 'L1 miss ratio'; do
  equal "the geometric means of $title are those of --all" \
    "$(section 'geometric means over the kernels, relative to FR-Base' "$tmp/short" | grep "^  $title " | awk '{ print $(NF - 2), $(NF - 1), $NF }')" \
    "$(section "$title, relative to FR-Base" "$tmp/t" | awk '/geometric mean/ { print $(NF - 2), $(NF - 1), $NF }')"
done
mean=$(section 'IPC, relative to FR-Base' "$tmp/t" | awk '/arithmetic mean/ { print $NF }')
has 'ours and the paper'"'"'s, side by side' "^  FineReg +$mean  1\.328$" "$tmp/short"
has 'and where the reason stands' '^Why ours are not the paper.s: docs/results/finereg.md$' "$tmp/short"
check 'which is a page' test -s docs/results/finereg.md
"$regtwin" compare vecadd,CS --systems null,baseline --size small >"$tmp/t"
hasnt 'other systems have no figures of a paper' 'the paper' "$tmp/t"
"$regtwin" compare sgemm --systems FR-Base,FineReg --size small >"$tmp/t"
has 'one kernel: its values' '^  cycles +[0-9]{2},[0-9]{3} +[0-9]{3},[0-9]{3}$' "$tmp/t"
"$regtwin" compare sgemm,vecadd --systems FR-Base,FineReg --size small --measures l1_miss,ctas_active >"$tmp/t"
equal '--measures: these, in this order' "$(grep -E '^[^ ]' "$tmp/t" | grep -vE '^(regtwin|---)' | tr '\n' ';')" \
  'L1 miss ratio, misses per line read;L1 miss ratio, relative to FR-Base;CTAs that may issue, mean;CTAs that may issue, mean, relative to FR-Base;'
"$regtwin" list measures --names >"$tmp/l"
equal 'list measures has what JSON has' "$(cut -d' ' -f1 "$tmp/l" | tr '\n' ' ')" \
  "$("$regtwin" compare vecadd --systems baseline --size small --json - | sed -n '/"means": {/,/^      }/s/^        "\([a-z_0-9]*\)": {$/\1/p' | tr '\n' ' ')"

# ---- a line for each system
"$regtwin" compare sgemm --systems FR-Base,FineReg --size small --brief --json "$tmp/j" >"$tmp/t"
equal '--brief: status' $? 0
has '--brief: columns' '^ +relative IPC +ipc +ctas_resident +l1_miss +energy$' "$tmp/t"
has '--brief: their units' 'Units: .*; energy: uJ, the SM and its share of L2, interconnect and DRAM The columns' <(tr -s ' \n' ' ' <"$tmp/t")
has '--brief: what a range is' '^A range: the logic at the smaller and at the larger bound$' "$tmp/t"
has '--brief: what a mean of resident CTAs is of' 'Units: .*; ctas_resident: all launches, of which small ones may hold more;' <(tr -s ' \n' ' ' <"$tmp/t")
value() { jq -r --arg s "$1" ".systems[] | select(.system == \$s) | .$2" "$tmp/j"; }
for s in FR-Base FineReg; do
  equal "--brief: $s, the JSON's numbers" "$(awk -v s=$s '$1 == s { print $2, $3, $4, $5, $6 }' "$tmp/t")" \
    "$(printf '%.3f %.3f %.2f %.3f %.3f' "$(value $s kernels[0].measures.ipc.relative)" "$(value $s kernels[0].measures.ipc.value)" \
      "$(value $s kernels[0].measures.ctas_resident.value)" "$(value $s kernels[0].measures.l1_miss.value)" "$(value $s kernels[0].measures.energy.value)")"
done
equal '--brief: FineReg, both bounds of its energy' "$(awk '$1 == "FineReg" { print $6, $7, $8 }' "$tmp/t")" \
  "$(printf '%.3f to %.3f' "$(value FineReg kernels[0].measures.energy.value)" "$(value FineReg kernels[0].measures.energy_most.value)")"
equal '--brief: no range where there is no logic' "$(awk '$1 == "FR-Base" { print NF }' "$tmp/t")" 6
# by hand: the larger bound is 0.0772 / 0.0327 of the logic's energy at the smaller one
equal 'energy_most is that of the parts' "$(jq '.systems[1].kernels[0] | .measures.energy_most.value, .measures.file_energy_most.value - .measures.file_energy.value' "$tmp/j" | awk '{ printf "%.4f ", $1 }')" \
  "$(jq '.systems[1].kernels[0].result.energy_pj | (.total + (0.0772 / 0.0327 - 1) * .logic) / 1e6, (0.0772 / 0.0327 - 1) * .logic / 1e6' "$tmp/j" | awk '{ printf "%.4f ", $1 }')"
equal 'area_most is that of cost' "$(value FineReg kernels[0].measures.area_most.value | awk '{ printf "%.4f", $1 }')" \
  "$("$regtwin" cost FineReg | awk '/^  all / { print $(NF - 1) }')"
"$regtwin" compare sgemm --systems FR-Base,FineReg --size small --measures energy,area >"$tmp/t"
has 'tables of the smaller bound: where the larger one is' '^The larger bound of logic: --measures energy_most,area_most$' "$tmp/t"
"$regtwin" compare hotspot --systems FR-Base,FineReg --size small >"$tmp/t"
has 'occupancy above 1' '^  occupancy .* [2-9]\.[0-9]{3}$' "$tmp/t"
has 'occupancy above 1: what it counts' '^Occupancy counts suspended CTAs, too' "$tmp/t"
"$regtwin" compare hotspot --systems FR-Base --size small >"$tmp/t"
hasnt 'occupancy of running CTAs alone' '^Occupancy counts' "$tmp/t"
"$regtwin" compare hotspot --systems FR-Base,FineReg --size small --measures idle_registers >"$tmp/t"
has 'idle registers are not below 0' '^  hotspot +[0-9]+\.[0-9] +0\.0$' "$tmp/t"
"$regtwin" compare sgemm --systems MK-Base,BOW --config rtx2060 --size small --brief >"$tmp/t"
has '--brief: what is not known has no number' '^  BOW( +[0-9.]+){4} +-$' "$tmp/t"
"$regtwin" compare sgemm,vecadd --systems FR-Base,FineReg --size small --brief --measures ipc,cycles --json "$tmp/j" >"$tmp/t"
has '--brief of several kernels: means' '^geometric means over 2 kernels, relative to FR-Base$' "$tmp/t"
equal '--brief: those of the JSON' "$(awk '$1 == "FineReg" { print $2, $3 }' "$tmp/t")" \
  "$(printf '%.3f %.3f' "$(value FineReg means_relative.ipc.geometric)" "$(value FineReg means_relative.cycles.geometric)")"
"$regtwin" compare tpacf --systems baseline,baseline:shared.bytes=1024 --size small --brief >"$tmp/t" 2>/dev/null
equal '--brief: a system that fails: status' $? 2
has '--brief: its line says so' '^  baseline:shared.bytes=1024 +failed( +-)+$' "$tmp/t"
"$regtwin" compare sgemm --systems baseline --brief --all >"$tmp/t" 2>"$tmp/err"
equal '--brief with --all: status' $? 2
"$regtwin" compare sgemm --brief >"$tmp/t" 2>"$tmp/err"
has '--brief without --systems' 'found --brief without --systems, expected both, or --markdown=brief' "$tmp/err"

# ---- comma-separated values
"$regtwin" compare vecadd,CS --systems baseline,$small --size small --measures cycles,ipc --csv "$tmp/c.csv" --json "$tmp/j" >"$tmp/t"
equal '--csv: its head' "$(head -n 1 "$tmp/c.csv")" "measure,description,kernel,alias,baseline,$small,note"
equal '--csv: a line for each measure and kernel' "$(cut -d, -f1,3,4 "$tmp/c.csv" | tail -n +2 | xargs)" 'cycles,vecadd, cycles,convolutionSeparable,CS ipc,vecadd, ipc,convolutionSeparable,CS'
equal "--csv: the JSON's numbers" "$(awk -F, 'NR > 1 { printf "%.6f %.6f\n", $5, $6 }' "$tmp/c.csv" | xargs)" \
  "$(for x in cycles ipc; do for k in 0 1; do for s in 0 1; do printf '%.6f ' "$(jq ".systems[$s].kernels[$k].measures.$x.value" "$tmp/j")"; done; done; done | xargs)"
check '--csv: the tables, too' test -s "$tmp/t"
"$regtwin" compare vecadd --systems baseline --size small --csv - --json "$tmp/j" >"$tmp/c.csv"
equal '--csv: every measure that the run has' "$(tail -n +2 "$tmp/c.csv" | cut -d, -f1 | xargs)" \
  "$(jq -r '.systems[0].kernels[0].measures | to_entries[] | select(.value.value != null) | .key' "$tmp/j" | xargs)"
check '--csv: not those of other systems' test "$(wc -l <"$tmp/c.csv")" -lt "$("$regtwin" list measures --names | wc -l)"
"$regtwin" compare vecadd --systems baseline --size small --csv "$tmp" >"$tmp/t" 2>"$tmp/err"
equal '--csv: a file that cannot be written: status' $? 2
"$regtwin" compare vecadd --size small --csv "$tmp/d.csv" >"$tmp/t" 2>"$tmp/err"
has '--csv: without --systems' 'found --csv without --systems, expected both' "$tmp/err"

# ---- collector units are in the areas and energies of some systems only: a note, also in JSON and in the picture
"$regtwin" compare sgemm --systems baseline,MK-Base,Malekeh --config rtx2060 --size small --measures ipc,area --json "$tmp/j" --x area --y ipc --plot "$tmp/units.svg" >"$tmp/t"
note='Area and energy: collector units are counted in MK-Base, Malekeh, but not in baseline. Only systems that count them compare fairly: see MK-Base (docs/use/cost.md)'
equal 'collector units in some: a note below each table' "$(tr '\n' ' ' <"$tmp/t" | grep -oF "$note" | wc -l)" 2
collectors_noted() { jq -r '.notes[] | select(contains("collector units are counted"))' "$tmp/j"; }
equal 'collector units in some: JSON' "$(collectors_noted)" "$note"
has 'collector units in some: the picture' 'collector units in the cost of some systems only' "$tmp/units.svg"
"$regtwin" compare sgemm --systems MK-Base,Malekeh --config rtx2060 --size small --measures area --json "$tmp/j" >"$tmp/t"
hasnt 'collector units in all: no note' 'collector units' "$tmp/t"
equal 'collector units in all: none in JSON' "=$(collectors_noted)" =
"$regtwin" compare sgemm --systems baseline,Malekeh --config rtx2060 --size small --measures ipc >"$tmp/t"
hasnt 'no area and no energy shown: no note' 'collector units' "$tmp/t"

# ---- what is not in a cost, and ratios that lie on the other side of 1 at the larger bound of logic
"$regtwin" compare sgemm --systems baseline,LB,FineReg --config common --size small --measures area --json "$tmp/j" >"$tmp/t"
missing=$(sed -n 's/^COST(c->slot_l1 == slot_l1_victim, missing, "\(.*\)")$/\1/p' cmodel/systems/linebacker/cost.def)
equal 'what is missing in a cost: a line' "$(grep -c 'not in area and energy' "$tmp/t")" 1
has 'what is missing in a cost: of which system' '^LB: not in area and energy: ' "$tmp/t"
has 'what is missing in a cost: as the COST line says' "LB: not in area and energy: ${missing:-none} " <(tr -s ' \n' ' ' <"$tmp/t")
equal 'what is missing in a cost: JSON' "$(jq -r '.notes[]' "$tmp/j")" "LB: not in area and energy: $missing"
"$regtwin" compare sgemm --systems baseline,LB --config common --size small --measures ipc >"$tmp/t"
hasnt 'no area and no energy shown: no line of what is missing' 'not in area' "$tmp/t"
"$regtwin" compare sgemm --systems MK-Base,BOW --config rtx2060 --size small --measures energy >"$tmp/t"
has 'what is missing in a cost that is not known' '^BOW: area and energy not known, not built: BOW' "$tmp/t"

# by hand from the parts of the energies: logic at the larger bound is 0.0772 / 0.0327 of it at the smaller one
"$regtwin" compare cfd,sgemm,hotspot --systems baseline,SL-Full-P --config gtx480 --size small --measures energy,ipc --json "$tmp/j" >"$tmp/t"
jq -r '[.systems[] | [.kernels[] | {kernel, e: .result.energy_pj} | {kernel, rest: (.e.total - .e.logic), logic: .e.logic}]]
  | range(.[0] | length) as $k | [.[1][$k], .[0][$k]] | "\(.[0].kernel) \(.[0].rest) \(.[0].logic) \(.[1].rest) \(.[1].logic)"' "$tmp/j" |
  awk '{ f = 0.0772 / 0.0327; a = ($2 + $3) / ($4 + $5); b = ($2 + f * $3) / ($4 + f * $5); la += log(a); lb += log(b); show($1, a, b) }
    function show(name, a, b) { if ((a < 0.9995 && b > 1.0005) || (a > 1.0005 && b < 0.9995)) printf "%s%s %.3f to %.3f", n++ ? ", " : "", name, a, b }
    END { show("geometric mean", exp(la / NR), exp(lb / NR)) }' >"$tmp/want"
tr -s ' \n' ' ' <"$tmp/t" | sed -n 's/.*energy, SL-Full-P relative to baseline, from the smaller to the larger bound of logic: \(.*\)\. Which system is better depends on the bound.*/\1/p' >"$tmp/found"
same 'ratios on the other side of 1 at the larger bound' "$tmp/want" "$tmp/found"
hasnt 'no such line of a measure without energy' '^ipc, SL-Full-P relative to baseline, from' "$tmp/t"

# ---- a block at a size that is not recorded: no area, an energy with another set's logic; and banks without figures. Said below each form
unrecorded=FineReg:finereg.pcrf_bytes=49920
"$regtwin" cost $unrecorded >"$tmp/t" 2>"$tmp/err"
why=$(sed -n 's/^regtwin: error: //p' "$tmp/err")
has 'a size that is not recorded: cost' '^found finereg/rmu at NumEntries=390 .*nobody has synthesized' <(echo "$why")
for form in --brief ''; do
  # shellcheck disable=SC2086
  "$regtwin" compare btree --systems FR-Base,$unrecorded --size small --measures ipc,area,energy $form --json "$tmp/j" --csv "$tmp/c.csv" >"$tmp/t"
  has "a size that is not recorded: below the table $form" "$unrecorded: no area; its energy takes the logic of a block's first set: found finereg/rmu at NumEntries=390 " <(tr -s ' \n' ' ' <"$tmp/t")
  equal "a size that is not recorded: JSON $form" "$(jq -r '.notes[]' "$tmp/j")" "$unrecorded: no area; its energy takes the logic of a block's first set: $why"
  has "a size that is not recorded: CSV $form" "^area,.*,\"$unrecorded: no area: found finereg/rmu at NumEntries=390 " "$tmp/c.csv"
  has "another set's logic: CSV $form" "^energy,.*,\"$unrecorded: its energy takes the logic of a block's first set: found finereg/rmu at NumEntries=390 " "$tmp/c.csv"
done
banks=FineReg:finereg.acrf_bytes=65536:finereg.pcrf_bytes=196608
"$regtwin" compare btree --systems FR-Base,$banks --size small --measures area,energy >"$tmp/t"
has 'banks without figures: no area, no energy' "$banks: no area, no energy: a bank of the register file: found an SRAM of 32 rows " <(tr -s ' \n' ' ' <"$tmp/t")
hasnt 'no ~ in the table: no line of it' '^~: ' "$tmp/t"
"$regtwin" compare btree --systems FR-Base,$unrecorded --size small --measures ipc >"$tmp/t"
hasnt 'no area and no energy shown: nothing of sizes' 'no area' "$tmp/t"

# ---- every system on machine common, with the settings that docs/use/commands.md names
# rows of "names" TAB "setting:...", then of each other system TAB nothing
# shellcheck disable=SC2016
sed -n 's/^| \(`.*`\) | `[A-Za-z_+-]*:\(.*\)` |$/\1\t\2/p' docs/use/commands.md | tr -d '`,' >"$tmp/rows"
"$regtwin" list systems --names | cut -d' ' -f1 | grep -vxFf <(cut -f1 "$tmp/rows" | tr ' ' '\n') >"$tmp/systems"
check 'the page has rows, and most systems need none' test "$(wc -l <"$tmp/rows") $(($(wc -l <"$tmp/systems") > 30))" = '4 1'
{ cat "$tmp/rows"; sed 's/$/\t/' "$tmp/systems"; } | while IFS=$'\t' read -r names settings; do
  for s in $names; do
    "$regtwin" compare vecadd --config common --size small --systems "$s${settings:+:$settings}" --brief >"$tmp/t" 2>"$tmp/err" </dev/null || echo "$s"
  done
done >"$tmp/failed"
equal 'every system runs on common, as the page says' "fail: $(xargs <"$tmp/failed")" 'fail: '
"$regtwin" compare vecadd --config common --size small --systems Malekeh --brief >"$tmp/t" 2>"$tmp/err"
equal 'not without' $? 2

# ---- names
"$regtwin" compare finereg --systems baseline --size small --all >"$tmp/t"
section 'cycles' "$tmp/t" | awk '/arithmetic/ { exit } { printf "%s ", $2 }' >"$tmp/found"
equal 'all kernels of a paper, as it calls them' "$(cat "$tmp/found")" \
  'BF BI CS FD KM MC NW ST SY2 AT CF HS LI LB SG SR2 TA TR '
"$regtwin" compare bfs BF traces/kernels/bfs/bfs.launch --systems baseline --size small --all >"$tmp/t"
equal 'a kernel is there once, a launch file is what it is' "$(section cycles "$tmp/t" | grep -cv mean)" 2

# ---- failures: the others go on
"$regtwin" compare tpacf,vecadd --systems baseline,baseline:shared.bytes=1024 --size small --all >"$tmp/t" 2>"$tmp/err"
equal 'a system that fails: status 2' $? 2
has 'which kernel, which system, why' \
  'tpacf on baseline:shared.bytes=1024 failed: .*one CTA needs 13312 shared memory \(bytes\), the SM of' "$tmp/err"
has 'the cell says so' '^  tpacf +TA +[0-9.]+ +failed$|^  tpacf +[0-9.]+ +failed$' "$tmp/t"
has 'the other kernel is there' '^  vecadd +1.000 +1.000$' "$tmp/t"
has 'means are of what all systems ran' '^  kernels in the means +1 +1$' "$tmp/t"

"$regtwin" compare hotspot,mvt --systems baseline,FineReg,Malekeh --config common --size small --measures ipc >"$tmp/t" 2>"$tmp/err"
equal 'a system that fails on all: status' $? 2
has 'a system that fails on all takes no means' '^  geometric mean +1\.000 +[0-9.]+ +-$' "$tmp/t"
"$regtwin" compare none.launch --systems baseline,null --size small >"$tmp/t" 2>"$tmp/err"
equal 'a file that is not there: status' $? 2
equal 'a file that is not there: one line' "$(grep -c . "$tmp/err")" 1
has 'a file that is not there: which' 'none failed: .*none\.launch' "$tmp/err"
"$regtwin" compare tpacf --systems baseline:shared.bytes=1024 --size small --all >"$tmp/t" 2>/dev/null
has 'all fail: the table is there, and says so' '^IPC,' "$tmp/t"
# A hit ratio where there is a cache; a ratio to one that has none is no number.
"$regtwin" compare hotspot --systems FR-Base,FineReg --size small --all >"$tmp/t"
has 'a measure that one system has a number for' '^  hotspot +- +[01]\.[0-9]{3}$' <(section 'live-vector cache, hit ratio' "$tmp/t")
hasnt 'a ratio that no system has' '^live-vector cache, hit ratio, relative' "$tmp/t"

# ---- other work: warps that spin for a lock do so more or less often
"$regtwin" compare tests/data/order/lock_warps.launch vecadd --systems baseline,baseline:l2.latency=900 --size small \
  --all >"$tmp/t" 2>"$tmp/err"
equal 'other work: a warning, no failure' $? 0
equal 'other work: whose' "$(cat "$tmp/err")" \
  'regtwin: warning: lock_warps did other work on baseline:l2.latency=900 than on baseline: their stream hashes differ'

# ---- pictures
check 'a PNG' "$regtwin" compare vecadd,CS --systems baseline,$small --size small --plot "$tmp/p.png"
check 'it is one' test "$(head -c 4 "$tmp/p.png" | tail -c 3)" = PNG
"$regtwin" compare vecadd --systems baseline,$small --size small --measures cycles,ipc --plot "$tmp/p.png" >"$tmp/t"
has 'what is drawn of several measures' '^Drawn: ipc alone; ' "$tmp/t"
check 'an SVG' "$regtwin" compare vecadd,CS --systems baseline,$small --size small --plot "$tmp/p.svg"
has 'with the system in it' "$small" "$tmp/p.svg"
equal 'and nothing beside them' "$(find "$tmp" -name 'p.*' | wc -l)" 2
mkdir "$tmp/bin"
PATH=$tmp/bin "$regtwin" compare vecadd --systems baseline --size small --plot "$tmp/q.png" >"$tmp/out" 2>"$tmp/err"
equal 'without gnuplot: status 2' $? 2
has 'without gnuplot: what is missing' 'found no gnuplot, expected it for --plot ' "$tmp/err"

# ---- systems that scale a machine's numbers
dumped() { "$regtwin" config --dump --config "$1" --system "$2" | awk '/^[a-z]/ { s = $1 } /^  (warps|threads|ctas|bytes):/ { if (s ~ /^(sm|rf|shared):/) printf "%s ", $2 }'; }
equal 'Sched-1.5 of gtx980' "$(dumped gtx980 Sched-1.5)" '96 3072 48 262144 98304 '
equal 'Sched-2 of gtx480' "$(dumped gtx480 sched-2)" '96 3072 16 131072 49152 '
equal 'Mem-1.5 of gtx980' "$(dumped gtx980 Mem-1.5)" '64 2048 32 393216 147456 '
equal 'Both-2 of gtx980' "$(dumped gtx980 both-2)" '128 4096 64 524288 196608 '
equal '--set multiplies what the system says' \
  "$("$regtwin" config --dump --system Sched-2 --set sm.ctas=x0.25 | sed -n '/^sm:/,/^[a-r]/s/^  ctas: \([0-9]*\).*/\1/p')" 16
# FR-Ideal: whatever the limits of the machine, only the grid of 24 blocks limits it
"$regtwin" compare montecarlo --systems FR-Base,FR-Ideal --size small --all >"$tmp/t"
has 'FR-Ideal: the grid' '^  montecarlo +warps 8 +grid 24$' "$tmp/t"

# ---- UM: sgemm has 8 warps x 44 registers and 2048 bytes; 8 CTAs by warps; 128 KB of registers lie outside the pool of
# 272 KB. Shared memory 8 x 2048; registers 8 x 45056 - 131072; 32768 are left.
"$regtwin" compare sgemm --systems UM --size small --json "$tmp/j" >/dev/null
bytes() { sed -n "/^ *\"configuration\"/,\$p" "$tmp/j" | sed -n "/^ *\"$1\": {/,/}/s/^ *\"bytes\": \([0-9]*\),*\$/\1/p"; }
equal 'UM: shared memory, registers, L1' "$(bytes shared) $(bytes rf) $(bytes l1)" '16384 360448 32768'
# bicg has 8 x 8 registers and no shared memory: 8 CTAs need half of the 128 KB, the whole pool is L1.
"$regtwin" compare bicg --systems UM --size small --json "$tmp/j" >/dev/null
equal 'UM: all of it L1' "$(bytes shared) $(bytes rf) $(bytes l1)" '0 131072 278528'
"$regtwin" compare sgemm,vecadd --systems FR-Base:rf.bytes=4096,UM:rf.bytes=4096:shared.bytes=1024:l1.bytes=1024 \
  --size small --all >"$tmp/t" 2>"$tmp/err"
equal 'UM: too little of it: status 2' $? 2
has 'UM: too little of it' "sgemm on UM:.* failed: .*one CTA needs more memory than the 6144 bytes of UM" "$tmp/err"

# ---- systems of several runs: the best point, as plain runs have it
"$regtwin" compare sgemm --systems VT,Reg+DRAM --size small --all >"$tmp/t"
for k in 0 1 2 3 4 5 6 7 8; do
  "$regtwin" run sgemm --size small --system RegDRAM --set finereg.dram_ctas=$k --json "$tmp/r" >/dev/null
  echo "$(get cycles "$tmp/r") $k"
done | sort -n >"$tmp/points"
best=$(head -n 1 "$tmp/points" | cut -d' ' -f1)
least=$(awk -v best="$best" '$1 == best { print $2 }' "$tmp/points" | sort -n | head -n 1)
equal 'Reg+DRAM: the best of nine' "$(section cycles "$tmp/t" | tr -d , | awk '{ print $NF; exit }')" "$best"
has 'Reg+DRAM: which, of how many' "^  sgemm +finereg.dram_ctas=$least, the best of 9 runs$" "$tmp/t"

# ---- Baseline+Resource: as many CTAs as FineReg had on the mean, rounded up; 8 warps, 44 registers, 2048 bytes each
"$regtwin" compare sgemm --systems FineReg,Baseline+Resource --size small --json "$tmp/j" --all >"$tmp/t"
n=$(section 'resident CTAs, mean, all launches, of which small ones may hold more' "$tmp/t" | awk '{ n = $(NF - 1); print n == int(n) ? n : int(n) + 1; exit }')
more=$((n * 8 * 44 * 128 - 262144))
[ $more -gt 0 ] || more=0
has 'Baseline+Resource: what it takes' "^  sgemm +$n CTAs, $((((more + 2047) / 2048 * 2048) / 1024)) KB more$" "$tmp/t"
equal 'Baseline+Resource: so many fit' "$(sed -n '/"Baseline+Resource"/,$p' "$tmp/j" | sed -n 's/^ *"ctas_fit": \([0-9]*\),*$/\1/p' | head -n 1)" "$n"

# ---- unified memory of the others. VT+UM: 32 CTAs of sgemm by warps; of the pool of 272 KB 8 are paid for (as above).
"$regtwin" compare sgemm --systems VT+UM --size small --json "$tmp/j" >/dev/null
equal 'VT+UM: shared memory, registers, L1' "$(bytes shared) $(bytes rf) $(bytes l1)" '16384 360448 32768'
# FineReg+UM: all that is taken is all that is there, but for less than a way of the L1
"$regtwin" compare sgemm --systems FineReg+UM --size small --json "$tmp/j" >/dev/null
sum=$(($(bytes shared) + $(bytes rf) + $(bytes l1)))
check 'FineReg+UM: nothing is lost, nothing is added' test $sum -le $((262144 + 98304 + 49152)) -a $sum -gt $((262144 + 98304 + 49152 - 1024))
check 'FineReg+UM: the PCRF grew' test "$(bytes rf)" -gt 262144
