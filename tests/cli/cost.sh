#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cost: figures against the committed tables by hand, sizes of a configuration, what is refused; energies against counters by hand;
# compare with two measures; storage of every block at every set against the .def.
. "$(dirname "$0")/../lib.sh"

cost() { "$regtwin" cost "$@"; }
recorded() { awk -F '\t' -v b="$1" -v k="$2" '$1 == b { print $k }' cosim/records/baseline.tsv; }
refused() {   # name, pattern, arguments...
  local name=$1 want=$2
  shift 2
  cost "$@" >"$tmp/out" 2>"$tmp/err"
  equal "$name: exit status" $? 2
  has "$name: message" "$want" "$tmp/err"
  check "$name: nothing printed" test ! -s "$tmp/out"
}

# ---- a system's blocks at the sizes of the configuration
cost FineReg --json "$tmp/j" >"$tmp/t"
equal 'status' $? 0
row=$(awk '$1 == "finereg/rmu" { gsub(/,/, ""); print $3, $4, $5; exit }' "$tmp/t")
equal 'the rmu is that of the table' "$row" "$(recorded finereg/rmu 3) 0 $(recorded finereg/rmu 5)"
area=$(recorded finereg/rmu 4)
equal 'its area: the published factor and ideal scaling' "$(awk '$1 == "finereg/rmu" { print $6, $8; exit }' "$tmp/t")" \
  "$(awk -v a="$area" 'BEGIN { printf "%.4f %.4f", a * 1e-6 * 0.053, a * 1e-6 * 0.0625 }')"
path=$(recorded finereg/rmu 7)
equal 'its path: the published factor and ideal scaling' "$(awk '$1 == "finereg/rmu" { print $(NF - 2), $NF; exit }' "$tmp/t")" \
  "$(awk -v p="$path" 'BEGIN { printf "%.2f %.2f", p * 0.1582, p * 0.25 }')"
equal 'a small memory: its SRAM cells of 146 F2, its flip-flops' "$(awk '/^ *32 x 64 bits, 1RW/ { print $(NF - 5), $(NF - 3) }' "$tmp/t")" \
  "$(awk -v a="$(recorded common/ram_1rw@32x64 4)" 'BEGIN { printf "%.4f %.4f", 2048 * 146 * 45e-6 * 45e-6, a * 1e-6 * 0.0625 }')"
# shellcheck disable=SC2016
check 'per cent of 22 mm2' awk '/^More than the same/ { d = $8 / 22 * 100 - $12; if ($10 / 22 * 100 - $14 > 0.006) exit 1; exit d * d > 0.00004 }' "$tmp/t"
has 'what is in no cost' '^Not in it: schedulers, scoreboards, warps. contexts, collector units, crossbar, tags of the L1\.$' "$tmp/t"
cost VT-RegMutex >"$tmp/mutex"
has 'what nobody has built is named' ' Nor: RegMutex.s map of sections' "$tmp/mutex"
has 'the PCRF is CACTI'"'"'s array of 128 KB' '^  +1024 x 1024 bits, 1R1W +1 +0 +1,048,576 +[0-9,]+ +1.11[0-9]+ +0.98$' "$tmp/t"
has 'the file is what the PCRF leaves: 16 banks of 64 rows' '^  65536 bits a bank, 1R1W +16 +0 +1,048,576 ' "$tmp/t"
has 'beside the machine without the system' '^More than the same machine without the system: \+[0-9.]+ to \+[0-9.]+ mm2, ' "$tmp/t"
equal 'JSON: the same flip-flops' "$(sed -n 's/.*"flip_flops": \([0-9]*\),*/\1/p' "$tmp/j" | grep -cx "$(recorded finereg/rmu 3)")" 1
clock=$(awk -F '\t' '$1 == "finereg/rmu" && $2 == "streams" { print $4 }' cosim/records/energy.tsv) move=$(awk -F '\t' '$1 == "finereg/rmu" && $2 == "streams" { print $7 }' cosim/records/energy.tsv)
equal 'energy of a cycle and of an event: the published factor and ideal scaling' "$(awk '$1 == "finereg/rmu" && ++n == 2 { print $2, $4, $5, $7, $8 }' "$tmp/t")" \
  "$(awk -v c="$clock" -v m="$move" 'BEGIN { printf "%.2f %.2f %.2f %.2f register", c * 0.0327, c * 0.0772, m * 0.0327, m * 0.0772 }')"
cost FineReg --set finereg.pcrf_bytes=65536 --set finereg.acrf_bytes=196608 >"$tmp/t"
has 'another size, another set' '^  finereg/rmu@kb64 ' "$tmp/t"
cost FineReg --set finereg.lrvc_entries=8 >"$tmp/t"
has 'entries of the cache' '^  finereg/rmu@lrvc8 ' "$tmp/t"
cost SL-Full-P --config gtx480 >"$tmp/t"
hasnt 'collector units are in no system' 'slice/scu' "$tmp/t"
cost SL-Int --config gtx480 >"$tmp/int"
hasnt 'integers need no converter' 'slice/vc' "$tmp/int"
has 'sixteen extractors' "^  slice/wve +16 +0 +0 +$(recorded slice/wve 5 | awk '{ n = $1 * 16; while (n >= 1000) { s = sprintf(",%03d%s", n % 1000, s); n = int(n / 1000) } print n s }') " "$tmp/t"
cost baseline --node 40 >"$tmp/t40"
cost baseline >"$tmp/t45"
check 'a smaller node is smaller' test "$(awk '/^  all/ { print $(NF - 1) * 1e4 }' "$tmp/t40")" -lt "$(awk '/^  all/ { print $(NF - 1) * 1e4 }' "$tmp/t45")"
cost --memories >"$tmp/t"
sed -n '/^<!-- sram deviations -->/,/^<!--.*end/{/^<!--/!p}' docs/use/cost.md >"$tmp/want"
same 'the table of deviations is docs/use/cost.md'"'"'s' "$tmp/want" "$tmp/t"

# ---- collector units: those of Malekeh's systems, each at its own size, against the same pipeline without what it keeps
cat >"$tmp/units" <<'END'
Malekeh 8*ccu 4*rarb 4*wfil 4*alloc 1*sthld
Malekeh_PR 32*ccu 4*rarb@c8 4*wfil@c8 4*alloc@pr
GTO+LRU 8*ccu@gtolru 4*rarb 4*wfil@all 4*alloc@r2
MK-Base 8*ccu@base 4*rarb 4*alloc@r2
MK-OCU2 8*ccu@base 4*rarb 4*alloc@r2
MK-OCU4 16*ccu@base 4*rarb@c4 4*alloc@r4
MK-OCU8 32*ccu@base 4*rarb@c8 4*alloc@r8
MK-RFC 8*ccu@base 4*rarb 4*alloc@r2
MK-SW-RFC 8*ccu@base 4*rarb 4*alloc@r2
MK-Mono 8*ccu@mono 1*rarb@mono 1*alloc@mono
MK-Mono-RFC 8*ccu@mono 1*rarb@mono 1*alloc@mono
MK-Mono-SW-RFC 8*ccu@mono 1*rarb@mono 1*alloc@mono
END
while read -r system sets; do
  cost "$system" --config rtx2060 >"$tmp/t"
  equal "$system: units, arbiters, write filters, allocation, controller" "$(awk '/^energy/ { exit } $1 ~ /^malekeh/ { printf "%s%s*%s", s, $2, substr($1, 9); s = " " }' "$tmp/t")" "$sets"
  hasnt "$system: its collector units are in it" '^Not in it: .*collector units, crossbar' "$tmp/t"
  without=MK-Base
  case $system in MK-Mono*) without=MK-Mono ;; esac
  has "$system: beside the same pipeline" "^More than the same machine without the system \\($without\\): [+-]" "$tmp/t"
done <"$tmp/units"
while read -r system sets; do
  cost "$system" --config rtx2060 --set sm.threads=2048 --set sm.warps=64 --set collector.units=16 --set rf.banks=16 >"$tmp/t"
  equal "$system: of sub-cores of 16 warps, 4 units and 4 banks" "$(awk '/^energy/ { exit } $1 ~ /^malekeh/ { printf "%s%s*%s", s, $2, substr($1, 9); s = " " }' "$tmp/t")" "$sets"
done <<'END'
Malekeh 16*ccu@near16 4*rarb@c4b4 4*wfil@c4w16 4*alloc@c4w16 1*sthld
GTO+LRU 16*ccu@gtolru16 4*rarb@c4b4 4*wfil@allw16 4*alloc@r4w16
MK-Base 16*ccu@base16 4*rarb@c4b4 4*alloc@r4w16
END
{ cut -d ' ' -f 1 "$tmp/units"; echo BOW; } | sort >"$tmp/found"
for f in cmodel/systems/malekeh/*.conf; do basename "$f" .conf; done | sort >"$tmp/want"
same 'every system of Malekeh, BOW below' "$tmp/want" "$tmp/found"
cost Malekeh --config rtx2060 >"$tmp/t"
cost MK-Base --config rtx2060 --json "$tmp/j" >"$tmp/base"
together() { awk '/^  together/ { gsub(/[,~]/, ""); print $3; exit }' "$1"; }
equal 'flip-flops that Malekeh adds' "$(($(together "$tmp/t") - $(together "$tmp/base")))" \
  "$((8 * ($(recorded malekeh/ccu 3) - $(recorded malekeh/ccu@base 3)) + 4 * ($(recorded malekeh/alloc 3) - $(recorded malekeh/alloc@r2 3)) + $(recorded malekeh/sthld 3)))"
has 'the baseline adds nothing to itself' '^More than the same machine without the system .MK-Base.: \+0\.0000 to \+0\.0000~? mm2' "$tmp/base"
clock=$(awk -F '\t' '$1 == "malekeh/ccu@base" && $2 == "streams" { print $4 }' cosim/records/energy.tsv)
equal 'energies are those of the set' "$(awk '$1 == "malekeh/ccu@base" && ++n == 2 { gsub(/~/, ""); print $2, $4 }' "$tmp/base")" "$(awk -v c="$clock" 'BEGIN { printf "%.2f %.2f", c * 0.0327, c * 0.0772 }')"
cost Malekeh --config rtx2060 --set malekeh.sthld=4 >"$tmp/t"
hasnt 'a fixed threshold needs no controller' 'malekeh/sthld' "$tmp/t"
cost Malekeh --config rtx2060 --set malekeh.pass=false --set malekeh.moved=false >"$tmp/t"
has 'other choices of Malekeh, other sets' '^  malekeh/alloc@strict .*' "$tmp/t"
has 'and its controller' '^  malekeh/sthld@plain ' "$tmp/t"
cost Malekeh_PR --config rtx2060 --set malekeh.private=true >"$tmp/t"
has 'keys of malekeh are not the baseline'"'"'s' '^More than the same machine without the system .MK-Base.: \+[0-9.]+ to' "$tmp/t"
cost BOW --config rtx2060 >"$tmp/t"
has 'BOW: what nobody has built is named' '^Not in it: .*collector units, .* Nor: BOW.s collector units ' "$tmp/t"
has 'BOW: its sum is a lower bound' '^  all, at least  ' "$tmp/t"
has 'and it is compared with nothing' '^No comparison with the same machine without the system: what it adds is not built$' "$tmp/t"

refused 'a size that nobody synthesized' 'found finereg/rmu at NumEntries=600 LrvcEntries=32 Engine=2, which nobody has synthesized, .*: make synth-record BLOCK=finereg/rmu SETS=name' \
  FineReg --set finereg.pcrf_bytes=76800
refused 'entries that nobody synthesized' 'found malekeh/ccu at NumEntries=7 NumWarps=8 NumResults=2 Cache=1 Near=1 Filter=1, which nobody has synthesized' Malekeh --config rtx2060 --set malekeh.entries=7
refused 'a node without factors' 'found a node of 7 nm, expected 45, 40, 32 or 28' FineReg --node 7
refused 'a machine that no run takes' 'slot.storage slices with sm.subcores false, collector.units 16 and collector.arrivals 2, expected collector.arrivals=1: ' SL-Full-P --config gtx480 --set collector.arrivals=2
refused 'a node without memories' 'found a node of 65 nm, expected 45, 40, 32 or 28' baseline --node 65
refused 'banks that are too small' 'a bank of the register file: found an SRAM of 16 rows of 1024 bits, expected at least 64' baseline --set rf.bytes=32768
refused 'a node between' 'found a node of 20 nm, expected 45, 40, 32 or 28' FineReg --node 20
refused 'options beside them' 'found an option beside --papers or --memories, expected none' --papers --json x
refused 'no system' 'expected one of SYSTEM' --node 45

# ---- several systems: a line for each, with what the table of one has
cost FineReg CERF Malekeh SL-Full-P --config rtx2060 >"$tmp/t" 2>"$tmp/err"
equal 'one that fits no such machine: status' $? 2
cost FineReg LB Malekeh SL-Full-P --config common --json "$tmp/j" >"$tmp/t" 2>"$tmp/err"
equal 'several, one without a cost: status' $? 2
equal 'several, one without a cost: the others' "$(awk '/^  (FineReg|LB|Malekeh|SL-Full-P) / { print $1 }' "$tmp/t" | xargs)" 'FineReg LB SL-Full-P'
has 'several, one without a cost: why' 'expected sm.subcores=true or sm.schedulers=1' "$tmp/err"
equal 'several, one without a cost: JSON' "$(jq -r '.[] | select(.error) | .system' "$tmp/j")" Malekeh
for b in finereg/rmu rmu; do refused "a block, $b" "found '$b', a block, expected a system .*make synth BLOCK=finereg/rmu" $b; done
cost FineReg LB CERF --config common --json "$tmp/j" >"$tmp/t"
equal 'several: status' $? 0
for s in FineReg LB; do
  equal "several: $s, as alone" "$(awk -v s=$s '$1 == s { print $3, $5, $6, $8 }' "$tmp/t")" \
    "$(cost $s --config common | sed -n 's/^More than .*: +\([0-9.]*\) to +\([0-9.]*\)~* mm2, +\([0-9.]*\) to +\([0-9.]*\)~* % .*/\1 \2 \3 \4/p')"
  equal "several: $s, its bits" "$(awk -v s=$s '$1 == s { gsub(/[,~]/, "", $2); print $2 }' "$tmp/t")" \
    "$(($(cost $s --config common | awk '/^  all / { gsub(/[,~]/, ""); print $3 "+" $4 }') - $(cost baseline --config common | awk '/^  all / { gsub(/,/, ""); print "(" $3 "+" $4 ")" }')))"
done
has 'several: the longest path' '^  LB .* 1\.42 to 2\.24$' "$tmp/t"
has 'several: what nobody has built' '^  CERF( +-)+$' "$tmp/t"
has 'and why' '^CERF: not known: what it adds is not built: CERF.s tags' "$tmp/t"
has 'several: what is not in it' '^LB: not in it: five bits for each line of the L1' "$tmp/t"
equal 'several: JSON has each' "$(grep -c '^    "system": ' "$tmp/j")" 3
cost LB --config common --brief >"$tmp/one"
equal '--brief: the line that it has beside others' "$(grep '^  LB ' "$tmp/one" | xargs)" "$(grep '^  LB ' "$tmp/t" | xargs)"
cost Malekeh FineReg >"$tmp/t"
has 'several: each on its machine' '^  Malekeh +rtx2060 ' "$tmp/t"
has 'and the other one' '^  FineReg +gtx980 ' "$tmp/t"
refused 'an unknown one' "NoSuch" NoSuch
# settings in a system's name, as compare has them
cost FineReg:finereg.pcrf_bytes=65536:finereg.acrf_bytes=196608 --json "$tmp/j" >"$tmp/t"
sed 1d "$tmp/t" >"$tmp/named"
cost FineReg --set finereg.pcrf_bytes=65536 --set finereg.acrf_bytes=196608 | sed 1d >"$tmp/set"
same 'a name with settings: what --set gives' "$tmp/set" "$tmp/named"
has 'a name with settings: in the title' ' FineReg:finereg.pcrf_bytes=65536:finereg.acrf_bytes=196608 on gtx980, one SM' "$tmp/t"
has 'a name with settings: in JSON' '"system": "FineReg:finereg.pcrf_bytes=65536:finereg.acrf_bytes=196608"' "$tmp/j"
cost FineReg:finereg.lrvc_entries=32 FineReg --set finereg.lrvc_entries=8 >"$tmp/t"
equal '--set counts more than the name' "$(awk '$1 == "FineReg:finereg.lrvc_entries=32" { print $2, $3 }' "$tmp/t")" "$(awk '$1 == "FineReg" { print $2, $3 }' "$tmp/t")"
refused 'a name with an unknown key' "argument 2: error: found unknown key 'bytes' in section 'finereg'" FineReg:finereg.bytes=1
refused 'a node that is no number' "'x', expected a whole number" FineReg --node x

# ---- figures of earlier Verilog: a program of tables in which two sets are older than the first sets of their blocks
mkdir "$tmp/g"
plant() {   # table, sets that become older: every other row gets its first set's hash
  awk -F '\t' -v OFS='\t' -v older=" ${*:2} " '/^#/ { print; next } $1 !~ /@/ { first[$1] = $NF } FNR == NR { next }
    { b = $1; sub(/@.*/, "", b); if (b in first) $NF = first[b]; if (index(older, " " $1 " ")) $NF = "ffff"; print }' "cosim/records/$1.tsv" "cosim/records/$1.tsv" |
    awk '!/^#/ || !seen[$0]++' >"$tmp/g/$1.tsv"
}
older_program() {
  local file objects=()
  make --no-print-directory -s "$tmp"/g/gen/cost/{blocks,energy}.def BUILD_DIR="$tmp/g" COST_TABLE="$tmp/g/baseline.tsv" ENERGY_TABLE="$tmp/g/energy.tsv" &&
    gcc -std=gnu11 -fPIC -Icmodel -I"$tmp/g" -c cmodel/cost/blocks.c -o "$tmp/g/blocks.o" || return
  for file in cmodel/cli/*.c; do objects+=("build/obj/cli/$(basename "$file" .c).o"); done
  # shellcheck disable=SC2046,SC2086   # libraries and options are words
  gcc ${CFLAGS-} -no-pie -Wl,--wrap=free "${objects[@]}" "$tmp/g/blocks.o" build/libregtwin.a $(sed -n 's/^LIBS := //p' Makefile) -o "$tmp/g/regtwin"
}
plant baseline finereg/rmu@lrvc8 malekeh/ccu@base
plant energy malekeh/ccu@base
check 'a program of other tables' older_program
older() { "$tmp/g/regtwin" "$@"; }
cost FineReg >"$tmp/t"
older cost FineReg >"$tmp/o"
same 'first sets are as in the program of the recorded tables' "$tmp/t" "$tmp/o"
hasnt 'and have no mark' '~' "$tmp/o"
older cost FineReg --set finereg.lrvc_entries=8 --json "$tmp/j" >"$tmp/o"
equal 'figures of an older set have one, those of the declarations none' "$(awk '$1 == "finereg/rmu@lrvc8" { gsub(/[^ ~]/, ""); print; exit }' "$tmp/o" | tr -s ' ')" ' ~ ~ ~ ~'
equal 'so have sums' "$(grep -cE '^  (together|all) .*[0-9]~ .*[0-9]~ .*[0-9]~' "$tmp/o") $(grep -cE '^More than .*~ mm2, .*~ % of ' "$tmp/o")" '2 1'
hasnt 'but no block beside it' '^  (finereg/cs|  ).*~' "$tmp/o"
equal 'a line says what it means' "$(grep '^~' "$tmp/o")" '~: recorded of earlier Verilog of the block. To renew it: make synth-record BLOCK=finereg/rmu SETS=lrvc8'
equal 'JSON: that block, the sums' "$(awk '/"name"/ { n = $2 } /"register_file": {|"blocks": {|"total": {/ { n = $1 } /"earlier_verilog": true/ { print n }' "$tmp/j" | tr -d '",:' | xargs)" 'finereg/rmu@lrvc8 blocks total'
older cost Malekeh --config rtx2060 >"$tmp/o"
hasnt 'a system of first sets has no mark' '^  .*~' "$tmp/o"
has 'what it is compared with has: their difference' '^More than .*~ mm2, ' "$tmp/o"
has 'with its command' '^~: .*: make synth-record BLOCK=malekeh/ccu SETS=base$' "$tmp/o"
older cost MK-Base --config rtx2060 --json "$tmp/j" >"$tmp/o"
equal 'energies of an older set' "$(awk '/^energy/ { on = 1 } on && /~/ { print $1 }' "$tmp/o" | xargs)" 'malekeh/ccu@base ~:'
has 'and their command' '^~: .*: make synth-energy-record BLOCK=malekeh/ccu SETS=base$' "$tmp/o"
equal 'JSON: its energies' "$(awk '/"name"/ { n = $2 } /"energy_earlier_verilog": true/ { print n }' "$tmp/j" | tr -d '",')" malekeh/ccu@base
older cost --papers >"$tmp/o"
equal 'items with them beside the papers' "$(awk -F '\t' '$8 == "yes" { printf "%s%s: %s", s, $1, $2; s = "; " }' "$tmp/o")" 'Malekeh: collector units, beyond plain ones; Malekeh: total'
older experiment E-MK10 --json "$tmp/j" >"$tmp/o"
has 'an item of an experiment' '^  collector units, beyond plain ones, bytes +[0-9]+~ ' "$tmp/o"
has 'one of other Verilog alone' '^  threshold controller, bytes +[0-9]+ ' "$tmp/o"
has 'and the line below' '^~: figures that were recorded of a block.s earlier Verilog are in it; ' "$tmp/o"
has 'JSON: that number' '"earlier_verilog": true' "$tmp/j"
older compare stencil --size small --config rtx2060 --systems Malekeh,MK-Base --measures energy,area,ipc --json "$tmp/j" >"$tmp/o"
equal 'compare: values of one system, ratios of it' "$(awk '/^  stencil/ { print gsub(/~/, "~"), $NF ~ /~/ }' "$tmp/o" | xargs)" '1 1 1 1 1 1 1 1 0 0 0 0'
has 'and what it means' '^~: figures that were recorded of a block.s earlier Verilog are in it; .regtwin cost SYSTEM. names the command that renews them$' "$tmp/o"
check 'JSON: energies and area of that system' test "$(grep -c '"earlier_verilog": true' "$tmp/j")" -ge 2
older compare stencil --size small --config rtx2060 --systems Malekeh,MK-Base --x area --y ipc >"$tmp/o"
has 'as points' '^  MK-Base +[0-9.]+~ +[0-9.]+ ' "$tmp/o"
# the same of the tables as they are
awk -F '\t' '/^#/ { next } $1 !~ /@/ { first[$1] = $NF } FNR == NR { next } { b = $1; sub(/@.*/, "", b); if (b in first && first[b] != $NF) print $1 }' cosim/records/baseline.tsv cosim/records/baseline.tsv >"$tmp/older"
for system in Malekeh GTO+LRU MK-OCU8 MK-Mono; do
  cost "$system" --config rtx2060 >"$tmp/t"
  equal "$system: marks are those of the table" "marks $(awk '/^energy/ { exit } $1 ~ /^malekeh/ && /~/ { print $1 }' "$tmp/t" | xargs)" \
    "marks $(awk '/^energy/ { exit } $1 ~ /^malekeh/ { print $1 }' "$tmp/t" | grep -xFf "$tmp/older" | xargs)"
done

# ---- beside the papers
cost --papers >"$tmp/t"
equal 'the status monitor, by hand' "$(awk -F '\t' '$2 == "CTA status monitor" { print $4, $5, $6 }' "$tmp/t")" "64 64 $(awk -v b="$(recorded finereg/csm 3)" 'BEGIN { printf "%.0f", b / 8 }')"
equal 'the extractors, by hand' "$(awk -F '\t' '$2 == "value extractors" { print $5, $6 }' "$tmp/t")" "798720 $(($(recorded slice/wve 5) * 16))"
equal 'the slices'"'"' items sum to their total' "$(awk -F '\t' '$1 == "slices" && $2 !~ /alone|total/ { n += $6 } END { print n }' "$tmp/t")" \
  "$(awk -F '\t' '$1 == "slices" && $2 == "total" { print $6 }' "$tmp/t")"
equal 'Malekeh, by hand: eight units, four sub-cores, one controller' "$(awk -F '\t' '$1 == "Malekeh" && $2 == "total" { print $4, $5, $6 }' "$tmp/t")" \
  "2 KB 2052 $(awk -v u="$(recorded malekeh/ccu 3)" -v p="$(recorded malekeh/ccu@base 3)" -v a="$(recorded malekeh/alloc 3)" -v r="$(recorded malekeh/alloc@r2 3)" -v h="$(recorded malekeh/sthld 3)" \
  'BEGIN { printf "%.0f", (8 * (u - p) + 4 * (a - r) + h) / 8 }')"
# shellcheck disable=SC2016
check 'every item is built' awk -F '\t' 'NR > 1 && $6 == "-" { exit 1 } END { exit NR < 15 }' "$tmp/t"

# ---- storage: flip-flops and memory bits of the mapped RTL are those of the .def at every set that is recorded, and every block is; Yosys removes 48
# of scu's and one of each pipelined rmu's, which are equal to others or never read, and encodes three states of the serial one in three bits, not two.
# Nobody reads the PCs of lm and the older class of its loads, nor ctl's instructions of the window before the last: they are compared in lockstep only.
# The count of vtt's answers has seven bits at every set, of which those above the number of its places are zero. With 16 sets no victim line lies above
# register 1023: a bit in each answer is zero; with one partition of 32 ways eight of the nine answers' timers are. What aau has given out is
# compared in lockstep only, also in pfu's NumSlots + 1 of them; Yosys encodes the state of each slot of pfu in six bits, one a state, not three.
# What a set of Malekeh's does not use is removed: alloc's count of cycles spared, where only Malekeh waits, and its LFSR where each warp has a unit; whether sthld's
# threshold moved; ccu's LFSR where nothing is picked, without the cache the table but its tags, the LFSR, and index bits: 3, 2, 2, 2, 2, 2 of slots 0 to 5,
# which are constant or equal.
make --no-print-directory -s storage SETS=all 2>/dev/null | awk 'NR > 1 { print $1, $4, $5 }' | sort >"$tmp/def"
awk -F '\t' 'function parameter(name) { return match($10, name "=[0-9]+") ? substr($10, RSTART + length(name) + 1, RLENGTH - length(name) - 1) + 0 : 0 }
  function vtt(   places, bits) {
    places = int(parameter("NumPartitions") * parameter("SearchLatency") / parameter("SearchInterval")) + 1
    if (places < 9) places = 9
    for (bits = 0; 2 ^ bits < places + 1;) bits++
    return 7 - bits + (parameter("Sets") == 16 ? places : 0) + (parameter("NumPartitions") == 1 ? 8 : 0)
  }
  function malekeh() {
    if ($1 ~ /alloc/) return parameter("Policy") == 1 ? 0 : parameter("Policy") == 2 ? 22 : 6
    if ($1 ~ /sthld/) return !parameter("Moved")
    if ($1 !~ /ccu/ || (parameter("Cache") && parameter("Near"))) return 0
    return parameter("Cache") ? 16 : 3 * parameter("NumEntries") + parameter("NumEntries") * (parameter("NumEntries") - 1) / 2 + 16 + 13
  }
  !/^#/ && !/^common/ { print $1, $3 + ($1 ~ /^malekeh/ ? malekeh() : $1 == "slice/scu" ? 48 : $1 == "finereg/rmu@serial" ? -1 : $1 ~ /^finereg\/rmu/ ? 1 : $1 == "linebacker/lm" ? 33 * 32 : $1 ~ /^linebacker\/ctl/ ? 32 : $1 ~ /^linebacker\/vtt/ ? vtt() : $1 ~ /^ltrf\/aau/ ? parameter("Depth") : $1 ~ /^ltrf\/pfu/ ? (parameter("NumCacheBanks") - 2) * parameter("NumSlots") : 0), $8 }' cosim/records/baseline.tsv | sort >"$tmp/mapped"
join "$tmp/def" "$tmp/mapped" | cut -d ' ' -f 1-3 >"$tmp/want"
same 'storage of every block and set: bits by the .def, bits by cosim/records/baseline.tsv and what synthesis removes (awk above)' "$tmp/want" "$tmp/mapped"
# Sets of pfu that no preset has take from 12 minutes to an hour each and need not be recorded; regtwin cost names the command that records one.
sed -i -E '/^ltrf\/pfu@(n32|a16|a16plus|a16b128|a16b128plus|p1plus|p1|p1b128plus|p1b128) /d' "$tmp/def" "$tmp/mapped"
equal 'blocks that are recorded' "$(grep -vc @ "$tmp/mapped")" "$(grep -vc @ "$tmp/def")"
cut -d ' ' -f 1 "$tmp/def" >"$tmp/sets"
cut -d ' ' -f 1 "$tmp/mapped" >"$tmp/found"
same 'and all sets' "$tmp/sets" "$tmp/found"

# ---- energy: events of a run times the energies of energy.def
"$regtwin" run stencil --size small --json "$tmp/j" >/dev/null
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
count() { get "$1" "$tmp/j"; }
part() { get "$1" "$tmp/energy"; }
near() { awk -v a="$2" -v b="$3" -v name="$1" 'BEGIN { exit !(a > 0 && a / b < 1.00001 && a / b > 0.99999) }'; }
check 'DRAM: 14 pJ a bit' near dram "$(part dram)" "$(awk -v a="$(count read_bytes)" -v b="$(count write_bytes)" 'BEGIN { print (a + b) * 8 * 14 }')"
check 'idle: 1.59 W' near idle "$(part idle)" "$(awk -v c="$(count cycles)" 'BEGIN { print c * 1e6 / 1126 * 1.59 }')"
check 'the parts sum to the total' near total "$(part total)" \
  "$(sed -n '/"total"/q; s/.*: \([0-9.e+]*\),*$/\1/p' "$tmp/energy" | awk '{ n += $1 } END { print n }')"
"$regtwin" compare stencil --size small --systems baseline --measures energy,rf_energy >"$tmp/t"
equal 'compare has it in uJ' "$(awk '/^energy, uJ/ { on = 1 } on && /^  stencil/ { print $NF; exit }' "$tmp/t")" "$(awk -v t="$(part total)" 'BEGIN { printf "%.3f", t / 1e6 }')"

# ---- energies of FineReg by hand: counters, the model's figures of its arrays, cosim/records/energy.tsv
"$regtwin" run stencil --size small --system FineReg --json "$tmp/j" >/dev/null
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
cost FineReg --json "$tmp/c" >/dev/null
figure() { awk -v kind="$1" -v key="\"$2\":" '/"kind"/ { on = index($0, "\"" kind "\"") } on && $1 == key { sub(/,/, "", $2); print $2; exit }' "$tmp/c"; }   # kind of part, key
event() { awk -F '\t' -v b="$1" -v k="$2" '$1 == b && (!n++ || $2 == "streams") { v = $k } END { print v }' cosim/records/energy.tsv; }   # block, column
read=$(figure 'register file' read_pj) write=$(figure 'register file' write_pj)
n() { count "$1"; }
check 'register file' near rf "$(part register_file)" "$(awk -v r="$read" -v w="$write" -v a="$(n rf_reads)" -v b="$(n rf_writes)" -v o="$(n regs_out)" -v i="$(n regs_in)" \
  'BEGIN { print (a + o) * r + (b + i) * w }')"
check 'PCRF and live vectors' near system "$(part system)" "$(awk -v r="$(figure sram read_pj)" -v w="$(figure sram write_pj)" \
  -v o="$(n regs_out)" -v i="$(n regs_in)" -v late="$(n late_regs)" -v l="$(n lrvc_lookups)" 'BEGIN { print (o + late) * w + i * r + l * 10 }')"
clocks=$(for b in csm csw rmu; do event finereg/$b 4; done | awk '{ t += $1 } END { print t }')
check 'logic: clocks and events by the published factor' near logic "$(part logic)" "$(awk -v c="$clocks" -v t="$(n cycles)" -v m="$(event finereg/rmu 7)" -v h="$(event finereg/csm 7)" -v g="$(n status_changes)" -v p="$(event finereg/csw 7)" \
  -v o="$(n regs_out)" -v i="$(n regs_in)" -v late="$(n late_regs)" -v x="$(n spills)" -v y="$(n restores)" -v z="$(n swaps)" -v q="$(n refused)" \
  'BEGIN { print 0.0327 * (c * t + m * (o + i + late) + h * g + p * (x + y + z + q)) }')"
check 'contexts' near switching "$(part switching)" "$(awk -v n="$(n context_cycles)" 'BEGIN { print n * 320 }')"
check 'L2: data of messages, fills, writebacks' near l2 "$(part l2)" "$(awk -v a="$(n request_bytes)" -v b="$(n reply_bytes)" -v q="$(n read_requests)" -v w="$(n write_requests)" \
  -v m="$(n atomic_requests)" -v r="$(n replies)" -v s="$(n read_bytes)" -v t="$(n write_bytes)" 'BEGIN { print ((a + b - 8 * (q + w + m + r)) / 8 + (s + t) / 8) * 100 }')"
check 'L1: lines read, written, filled, fetched, written back' near l1 "$(part l1)" "$(awk -v r="$(n l1_reads)" -v w="$(n l1_writes)" -v m="$(n l1_read_misses)" -v f="$(n l1_write_fetches)" \
  -v b="$(n l1_writebacks)" -v s="$(n shared_accesses)" -v c="$(n shared_conflicts)" 'BEGIN { print (r + w + m + f + b + s + c) * 320 }')"
check 'interconnect: 8 pJ a byte' near noc "$(part noc)" "$(awk -v a="$(n request_bytes)" -v b="$(n reply_bytes)" 'BEGIN { print (a + b) * 8 }')"
check 'fetch and lanes' near execution "$(part execution)" "$(awk -v f="$(n fetched)" -v w="$(n warp_insns)" -v t="$(n thread_insns)" -v i="$(n int_busy)" -v s="$(n sp_busy)" \
  -v d="$(n dp_busy)" -v u="$(n sfu_busy)" -v x="$(n tensor_insns)" 'BEGIN { print f * 20 + t / w * (i * 0.1 + s * 4.6 + d / 8 * 40 + u / 4 * 18.4) + x * 1536 }')"
"$regtwin" compare stencil --size small --systems FineReg --measures energy_delay,area >"$tmp/t"
equal 'energy times delay, uJ x us' "$(awk '/^energy-delay/ { on = 1 } on && /^  stencil/ { print $NF; exit }' "$tmp/t")" \
  "$(awk -v e="$(part total)" -v t="$(n cycles)" 'BEGIN { printf "%.3f", e / 1e6 * t / 1126 }')"
equal 'area, the smaller bound' "$(awk '/^area of registers, L1/ { on = 1 } on && /^  stencil/ { print $NF; exit }' "$tmp/t")" \
  "$(awk '/"total"/ { on = 1 } on && /"mm2"/ { getline; sub(/,/, ""); printf "%.3f", $1; exit }' "$tmp/c")"

# ---- and of the slices
"$regtwin" run SSAO --size small --config gtx480 --system SL-Full-P --json "$tmp/j" >/dev/null
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
clocks=$(for b in sit vc dit vt; do event slice/$b 4; done | awk '{ t += $1 } END { print t }')
check 'logic of the slices' near logic "$(part logic)" "$(awk -v c="$clocks" -v t="$(n cycles)" -v l="$(n slice_lookups)" -v sit="$(event slice/sit 7)" -v r="$(n rf_reads)" \
  -v wve="$(event slice/wve 7)" -v v="$(n slice_converter)" -v vc="$(event slice/vc 7)" -v w="$(n slice_results)" -v dit="$(event slice/dit 7)" -v vt="$(event slice/vt 7)" \
  'BEGIN { print 0.0327 * (c * t + sit * l + wve * r + vc * v + (dit + vt) * w) }')"

check 'look-ups' near system "$(part system)" "$(awk -v l="$(n slice_lookups)" -v r="$(n slice_results)" 'BEGIN { print (l + r) * 10 }')"
check 'more go through the converter than it widens' test "$(n slice_converter)" -gt "$(n slice_conversions)"
check 'it has something to widen' test "$(n slice_conversions)" -gt 0
"$regtwin" run SSAO --size small --config gtx480 --system SL-Int --json "$tmp/j" >/dev/null
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
clocks=$(for b in sit dit vt; do event slice/$b 4; done | awk '{ t += $1 } END { print t }')
check 'no converter for integers, not its clock either' near logic "$(part logic)" "$(awk -v c="$clocks" -v t="$(n cycles)" -v l="$(n slice_lookups)" -v sit="$(event slice/sit 7)" -v r="$(n rf_reads)" \
  -v wve="$(event slice/wve 7)" -v w="$(n slice_results)" -v dit="$(event slice/dit 7)" -v vt="$(event slice/vt 7)" 'BEGIN { print 0.0327 * (c * t + sit * l + wve * r + (dit + vt) * w) }')"
check 'each result is looked up once, a split one written twice' test "$(n rf_writes)" -ge "$(n slice_results)"

# ---- and of Malekeh: clocks of all units, arbiters, allocation, controller; events at the set that runs
at() { event "malekeh/$1" "$2"; }   # block[@set], column
"$regtwin" run hotspot --size small --config rtx2060 --system Malekeh --json "$tmp/j" >/dev/null
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
check 'logic of Malekeh' near logic "$(part logic)" "$(awk -v t="$(n cycles)" -v c="$(at ccu 4)" -v a="$(at rarb 4)" -v l="$(at alloc 4)" -v h="$(at sthld 4)" \
  -v i="$(n ccu_insns)" -v w="$(n warp_insns)" -v r="$(n rf_reads)" -v s="$(n rf_writes)" -v k="$(n sthld_intervals)" \
  -v ei="$(at ccu 7)" -v ea="$(at rarb 7)" -v el="$(at alloc 7)" -v ef="$(at wfil 7)" -v eh="$(at sthld 7)" \
  'BEGIN { print 0.0327 * (t * (8 * c + 4 * a + 4 * l + h) + i * ei + (r + s) * ea + w * el + s * ef + k * eh) }')"
check 'control instructions need no unit' test "$(n ccu_insns)" -lt "$(n warp_insns)"
taken=$(n ccu_insns)
"$regtwin" run hotspot --size small --config rtx2060 --system MK-OCU8 --json "$tmp/j" >/dev/null
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
check 'logic of plain units, eight in each sub-core' near logic "$(part logic)" "$(awk -v t="$(n cycles)" -v c="$(at ccu@base 4)" -v a="$(at rarb@c8 4)" -v l="$(at alloc@r8 4)" \
  -v i="$(n ccu_insns)" -v r="$(n rf_reads)" -v s="$(n rf_writes)" -v ei="$(at ccu@base 7)" -v ea="$(at rarb@c8 7)" -v el="$(at alloc@r8 7)" \
  'BEGIN { print 0.0327 * (t * (32 * c + 4 * a + 4 * l) + i * (ei + el) + (r + s) * ea) }')"
equal 'the same instructions go through its units' "$(n ccu_insns)" "$taken"
"$regtwin" run hotspot --size small --config rtx2060 --system BOW --json "$tmp/j" >/dev/null
has 'BOW has no energy: its units are not built' '"energy_pj": null' "$tmp/j"

# ---- and of LTRF: the cache's banks, the main file's, vectors, the block; each operand is read in the cache or in the file, each result written in one, too
"$regtwin" run hotspot --size small --config maxwell --system BL --json "$tmp/j" >/dev/null
reads=$(n rf_reads) writes=$(n rf_writes)
"$regtwin" run hotspot --size small --config maxwell --system RFC --json "$tmp/j" >/dev/null
equal 'operands of RFC' "$(($(n rf_reads) + $(n main_reads)))" "$reads"
equal 'results of RFC' "$(($(n rf_writes) + $(n main_writes) - $(n cache_spills)))" "$writes"
"$regtwin" run hotspot --size small --config maxwell --system LTRF+ --json "$tmp/j" >/dev/null
equal 'operands of LTRF+' "$(n rf_reads)" "$reads"
equal 'results of LTRF+' "$(($(n rf_writes) + $(n main_writes) - $(n cache_spills)))" "$writes"
sed -n '/"energy_pj": {/,/}/p' "$tmp/j" >"$tmp/energy"
cost LTRF+ --config maxwell --json "$tmp/c" >"$tmp/t"
accesses() { sed -n "s/^ *$1 .* \([0-9.]*\), \([0-9.]*\)  *read, write .*/\1 \2/p" "$tmp/t"; }   # as the table has them: with one decimal
read -r cr cw < <(accesses 'cache, 8 x 1024 bits')
read -r mr mw < <(accesses '131072 bits a bank, 1R1W')
check 'cache and main file of LTRF+' awk -v p="$(part register_file)" -v cr="$cr" -v cw="$cw" -v mr="$mr" -v mw="$mw" -v r="$(n rf_reads)" -v w="$(n rf_writes)" -v f="$(n cache_fills)" -v s="$(n cache_spills)" \
  -v a="$(n main_reads)" -v b="$(n main_writes)" 'BEGIN { q = p / ((r + s) * cr + (w + f) * cw + a * mr + b * mw); exit !(cr > 0 && mr > cr && q > 0.999 && q < 1.001) }'
check 'logic of LTRF+' near logic "$(part logic)" "$(awk -v t="$(n cycles)" -v w="$(n warp_insns)" -v c="$(event ltrf/pfu 4)" -v e="$(event ltrf/pfu 7)" 'BEGIN { print 0.0327 * (c * t + e * w) }')"
"$regtwin" run hotspot --size small --config maxwell --system LTRF --set rf.technology=7 --json "$tmp/j" >/dev/null
has 'nobody knows the energy of an access to domain walls' '"energy_pj": null' "$tmp/j"

"$regtwin" compare hotspot --size small --config rtx2060 --systems MK-Base,Malekeh,BOW --x area --y ipc >"$tmp/t" 2>"$tmp/err"
has 'nor an area to compare with units that are' '^BOW: no figure: area of some kernel is zero or not known$' "$tmp/t"

# ---- laws of the counters: results of loads that come late to a suspended CTA go to the PCRF and not to the file
"$regtwin" run stencil --size small --system FineReg --json "$tmp/j" >/dev/null
there=$(($(n rf_writes) + $(n late_regs) + $(n late_dropped)))
"$regtwin" run stencil --size small --set rf.bytes=131072 --json "$tmp/j" >/dev/null
equal 'writes of the file and late results are the baseline'"'"'s writes' "$there" "$(n rf_writes)"

# ---- leakage is of all instances, energies of one
cost baseline --json "$tmp/c" >"$tmp/t"
banks=$(awk '/"instances"/ { sub(/,/, "", $2); print $2; exit }' "$tmp/c")
one=$(awk '/^energy of one/ { on = 1 } on && /bits a bank/ { print $NF; exit }' "$tmp/t")
check 'leakage of a bank times the banks' awk -v a="$(figure 'register file' leakage_mw)" -v n="$banks" -v one="$one" 'BEGIN { d = a / n - one; exit !(n == 16 && d * d < 0.0001) }'

# ---- the same machine without the system
cost FineReg >"$tmp/t"
cost baseline --set slot.residency=finereg --set finereg.acrf_bytes=131072 --set finereg.pcrf_bytes=131072 >"$tmp/set" 2>"$tmp/err"
equal 'slots by --set are not the baseline'"'"'s' "$(grep '^More than' "$tmp/set")" "$(grep '^More than' "$tmp/t")"

# ---- the page's table is the recorded one
awk -F '\t' '!/^#/ && $1 !~ /@/ { print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " | " $7 " | " $8 " |" }' cosim/records/baseline.tsv | sort >"$tmp/want"
grep -E '^\| [a-z]+/[a-z]+ \| [0-9]' docs/use/cost.md | sort >"$tmp/found"
same 'the table of docs/use/cost.md is cosim/records/baseline.tsv' "$tmp/want" "$tmp/found"

# ---- two measures against each other
"$regtwin" compare sgemm vecadd --size small --systems baseline,VT,FineReg --x area --y ipc --plot "$tmp/p.png" >"$tmp/t" 2>"$tmp/err"
equal 'status' $? 0
has 'which way is better' 'area: less is better, ipc: more is better$' "$tmp/t"
has 'the first system' '^  baseline +1.000 +1.000 +(yes|no)$' "$tmp/t"
check 'the front has a point' grep -qE '^  (baseline|VT|FineReg) .* yes$' "$tmp/t"
# shellcheck disable=SC2016
check 'no point of the front is beaten' awk '/ front$/ { on = 1 } on && ($NF == "yes" || $NF == "no") { x[++n] = $2; y[n] = $3; f[n] = $4 }
  END { for (i = 1; i <= n; i++) { b = 0; for (j = 1; j <= n; j++) b += x[j] <= x[i] && y[j] >= y[i] && (x[j] < x[i] || y[j] > y[i]); if ((b > 0) == (f[i] == "yes")) exit 1 } exit n != 3 }' "$tmp/t"
"$regtwin" compare sgemm vecadd --size small --systems baseline,VT,FineReg --x area --y ipc --json - >"$tmp/j" 2>"$tmp/err"
equal 'the points are in the JSON' "$(sed -n '/"pareto"/,$p' "$tmp/j" | awk '/"front"/ { f = $2 ~ /true/ ? "yes" : "no" } /"system"/ { gsub(/[",]/, ""); s = $2 } /"[xy]": [0-9]/ { v[$1] = sprintf("%.3f", $2) } /}/ && s != "" { print s, v["\"x\":"], v["\"y\":"], f; s = "" }' | sort)" \
  "$(awk '/ front$/ { on = 1 } on && ($NF == "yes" || $NF == "no") { print $1, $2, $3, $4 }' "$tmp/t" | sort)"
check 'the picture' test "$(head -c 4 "$tmp/p.png" | tail -c 3)" = PNG
"$regtwin" compare sgemm --size small --systems baseline --x area >"$tmp/t" 2>"$tmp/err"
equal 'one measure: exit status' $? 2
has 'its message' 'found --x alone, expected both --x and --y' "$tmp/err"
"$regtwin" compare sgemm --size small --systems baseline --x area --y nonsense >"$tmp/t" 2>"$tmp/err"
has 'an unknown measure' "\-\-y: found 'nonsense', expected one of" "$tmp/err"
"$regtwin" compare stencil --size small --systems baseline --x quality --y ipc >"$tmp/t" 2>"$tmp/err"
equal 'a measure that is better both ways: exit status' $? 2
has 'its message' 'found quality, of which more is better for some kernels and less for others' "$tmp/err"
"$regtwin" compare stencil --size small --systems baseline,VT --x energy_delay --y energy >"$tmp/t"
has 'less energy is better' 'energy_delay: less is better, energy: less is better$' "$tmp/t"
"$regtwin" compare stencil --size small --systems FR-Ideal,FineReg --x area --y ipc >"$tmp/t"
has 'the first system has no area' '^FineReg: no figure: the first system, FR-Ideal, has none of area' "$tmp/t"
"$regtwin" compare stencil --size small --systems FR-Ideal --x area --y ipc --json "$tmp/none.json" --plot "$tmp/none.png" >"$tmp/t" 2>"$tmp/err"
equal 'a picture without a point: exit status' $? 2
check 'nothing half-written' test ! -e "$tmp/none.json"
