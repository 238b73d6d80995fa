#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What regtwin list blocks and list lockstep show, as lines that C includes: the twins of this tree, each with what was recorded of it (cosim/records/twins.tsv,
# cosim/records/lockstep.tsv, cosim/records/baseline.tsv). A ~ behind a result means that the files it was measured with were others than those of this tree. It needs no
# tool of the twins: what is counted and compared is text.
# usage: cosim/table.sh >build/gen/twins/blocks.def
cd "$(dirname "$0")/.." || exit 2
COSIM_C=cmodel COSIM_RTL=rtl COSIM_TB=tb
. cosim/lib.sh
. cosim/whole_sm/whole.sh
. synth/hash.sh
export RTL=rtl
tmp=$(mktemp) && trap 'rm -f "$tmp" "$tmp".*' EXIT
recorded_results >"$tmp"
blocks=()
for f in cmodel/blocks/*/*.def; do
  f=${f#cmodel/blocks/} b=${f%.def}
  [ ! -f "cmodel/blocks/$b.c" ] || [ ! -f "rtl/$b.sv" ] || [ ! -f "tb/${b}_tb.c" ] || blocks+=("$b")
done

# The block whose Verilog holds another one, "holder block".
for b in "${blocks[@]}"; do
  rtl_of "$b" >"$tmp.rtl.${b/\//-}"
  sed -n 's,^rtl/\([a-z]*/.*\)\.sv$,\1,p' "$tmp.rtl.${b/\//-}" | grep -v "^common/\|^$b\$" | sed "s,^,$b ,"
done >"$tmp.held"

# ---- runs on the whole SM, each entry as recorded or stale; then SM cycles of each block beside its C model, driven, kernels, stale
whole_current >"$tmp.runs"
awk -F '\t' '{ printf "LOCKSTEP(\"%s\", \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", %d, %.0f, %d, \"%s\", %d, \"%s\")\n", $1, $2, $3, $4, $5, $6, $7 == "rtl", $8, $9, $10, $11, $12 }' "$tmp.runs"
awk -F '\t' -v OFS='\t' '{ n = split($12, entry, " ")
  for (k = 1; k <= n; k++) {
    split(entry[k], part, "=")
    b = part[1]
    stale[b] += part[2] ~ /~$/
    if ($7 == "rtl") driven[b] += $8; else cycles[b] += $8
    bad[b] += $9 > 0 || $10 != "equal"
    if (!((b, $5) in seen)) { seen[b, $5] = 1; kernels[b]++ }
  } }
  END { for (b in kernels) print b, sprintf("%.0f", cycles[b]), sprintf("%.0f", driven[b]), kernels[b], (stale[b] > 0), bad[b] }' "$tmp.runs" >"$tmp.whole"

for s in $(printf "%s\n" "${blocks[@]%/*}" | sort -u); do
  mapfile -t rtl < <(find "rtl/$s" -name '*.sv' -o -name '*.svh')
  printf 'FOLDER("%s", %d, %d)\n' "$s" "$(code_lines "cmodel/blocks/$s"/*.c)" "$(code_lines "${rtl[@]}")"
done

cost() {   # block: area, path, and whether they are of other Verilog
  local area ns hash now
  now=$(verilog_hash "$1")
  read -r area ns hash < <(awk -F '\t' -v b="$1" '$1 == b { print $4, $7, $11 }' cosim/records/baseline.tsv)
  printf '"%s", "%s", ' "$(aged "${area:-}" "${hash:-}" "$now")" "$(aged "${ns:-}" "${hash:-}" "$now")"
}
for b in "${blocks[@]}"; do
  mapfile -t c < <(c_of "$b")
  mapfile -t rtl <"$tmp.rtl.${b/\//-}"
  printf 'TWINS("%s", "%s", %d, %d, %d, ' "$b" "$(awk -v b="$b" '$2 == b { print $1; exit }' "$tmp.held")" \
    "$(code_lines "${c[@]}")" "$(code_lines "${rtl[@]}")" "$(awk -f cosim/sets.awk "cmodel/blocks/$b.def" | wc -l)"
  for c in storage bins coverage mutants proofs; do printf '"%s", ' "$(column "$b" "$c")"; done
  cost "$b"
  read -r _ cycles driven kernels stale bad < <(grep -P "^$b\t" "$tmp.whole")
  printf '%s, %s, %d, %d, %d)\n' "${cycles:-0}" "${driven:-0}" "${kernels:-0}" "${stale:-0}" "${bad:-0}"
done
