#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make synth: what each block costs in the cells of a library: cells, flip-flops, area, transistors, longest path; memories are left out.
# usage: synth/synth.sh [--check | --record] [SYSTEM/BLOCK ...]     without a block: every twin
#   SETS=all or names of parameter sets (without: each block's first), LIBERTY=file.lib, DRIVER=cell that drives inputs, JOBS=n,
#   FROM=name TO=name: of the path between these ports or registers, HIERARCHY=1: modules are kept apart, RTL=directory, SYNTH_OUT=directory
#   MEMORIES=0: small memories are not synthesized into flip-flops
#   NODE=45: areas and paths at that node, too, by the factors of cmodel/cost/node.def; LIBRARY_NODE=nm of a library that is not OSU's
# --check: found costs against those of cosim/records/baseline.tsv, which --record writes; without a block, of those whose Verilog is no longer
# what was recorded for their first set (its hash is in the last column): the others cost what they did. Energies of other Verilog at the
# first set are reported, too. Mapping every other set takes hours: those of other Verilog are counted.
set -u -o pipefail
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 2
. synth/hash.sh
export RTL=${RTL:-rtl}
export LIBERTY=${LIBERTY:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}
def=${DEF:-cmodel/blocks} baseline=${BASELINE:-cosim/records/baseline.tsv} energies=${ENERGY_TSV:-cosim/records/energy.tsv} mode=table stale=0

fail() { printf 'synth: %s\n' "$1" >&2; exit 2; }
case ${1:-} in
  --check | --record) mode=${1#--}; shift ;;
  -*) fail "found $1, expected --check, --record or a block" ;;
esac
for port in "${FROM:-none}" "${TO:-none}"; do
  [[ $port =~ ^[a-z0-9_]+$ ]] || fail "found $(printf %q "$port"), expected a port such as ready_i"
done
[[ ${JOBS:=$(nproc)} =~ ^[1-9][0-9]*$ ]] || fail "found JOBS=$(printf %q "$JOBS"), expected a number from 1 on"
[[ $RTL =~ ^[A-Za-z0-9_./+@-]+$ && $LIBERTY =~ ^[A-Za-z0-9_./+@-]+$ ]] ||
  fail "found a name with other characters in RTL= or LIBERTY=, expected letters, digits and _./+@- (Yosys and OpenSTA read it)"
nodes=cmodel/cost/node.def
case ${LIBERTY##*/} in osu018_stdcells.lib) : "${LIBRARY_NODE:=180}" ;; esac
if [ -n "${NODE-}" ]; then
  known_nodes=$(sed -n 's/^NODE(\([0-9]*\),.*/\1/p' $nodes | tr '\n' ' ')
  for nm in "$NODE" "${LIBRARY_NODE-}"; do
    [[ $nm =~ ^[0-9]+$ && " $known_nodes" == *" $nm "* ]] ||
      fail "found ${nm:+a node of }${nm:-no LIBRARY_NODE= for $(basename "$LIBERTY")}${nm:+ nm}, expected one of $known_nodes($nodes has no factors for others)"
  done
fi
if [ "$mode" != table ]; then
  [[ ${LIBERTY##*/} == osu018_stdcells.lib && ${FROM:-} == '' && ${TO:-} == '' && ${HIERARCHY:-0} == 0 && -z ${DRIVER-} ]] ||
    fail "found LIBERTY=, DRIVER=, FROM=, TO= or HIERARCHY= with --$mode, expected OSU's 0.18 um cells and none of the others: $baseline is of these"
fi
for tool in yosys sta; do
  command -v $tool >/dev/null || fail "$tool: expected in PATH (make synth installs it), found nothing"
done
{ [ -f "$LIBERTY" ] && [ -r "$LIBERTY" ]; } || fail "$LIBERTY: expected a Liberty file (make synth installs qflow-tech-osu018), found no file that can be read"
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
# Yosys ends with a message and a line for text that is no Liberty, and takes a file without cells.
yosys -q -p "read_liberty -lib -ignore_miss_func $LIBERTY" >"$tmp/said" 2>&1 ||
  fail "$LIBERTY: expected a Liberty file; Yosys: $(grep -m 1 ERROR "$tmp/said" | sed 's/^ERROR: //' | tr -cd '[:print:]')"
cells_in() { sed -n 's/^[ \t]*cell[ \t]*([ \t]*"\{0,1\}\([^") \t]*\).*/\1/p' "$LIBERTY"; }
cells_in >"$tmp/cells"
[ -s "$tmp/cells" ] || fail "$LIBERTY: found no cell, expected a library of cells"
grep -qE '(^|[^A-Za-z0-9_])ff[ 	]*\(' "$LIBERTY" || fail "$LIBERTY: found no cell with a flip-flop, expected one"
if [ -z "${DRIVER-}" ]; then DRIVER=$(grep -m 1 -x BUFX2 "$tmp/cells" || true)
else grep -qFx -- "$DRIVER" "$tmp/cells" || fail "$LIBERTY: found no cell $(printf %q "$DRIVER"), expected one of its buffers in DRIVER="; fi
export DRIVER

# ---- what to do: block, set, values
# a block at its first set is called SYSTEM/BLOCK, at another one SYSTEM/BLOCK@SET: name, block, set, Name=value...
awk -f cosim/sets.awk "$def"/*/*.def </dev/null >"$tmp/all" || exit 2
awk '{ print (seen[$1]++ ? $1 "@" $2 : $1), $0 }' "$tmp/all" >"$tmp/sets"
: >"$tmp/todo"
mapfile -t known < <(cut -d ' ' -f 2 "$tmp/sets" | uniq | while read -r b; do [ ! -f "$RTL/$b.sv" ] || echo "$b"; done)   # declared ones without Verilog: no
every=$#
[ $# -gt 0 ] || set -- "${known[@]}"
# A table of costs has 11 columns, one of energies 10, the ninth with the library: energies of another one than OSU's do not count.
# shellcheck disable=SC2016   # of awk
counts='NF != 10 || $9 == "osu018_stdcells"'
recorded_of() {   # table, block: its hash at the first set
  awk -F '\t' -v b="$2" '('"$counts"') && $1 == b { print $NF }' "$1" 2>/dev/null | sort -u
}
older_sets() {   # table: how many other sets have been recorded with other Verilog
  awk -F '\t' 'FNR == NR { now[$1] = $2; next } { s = $1 } ('"$counts"') && sub(/@.*/, "", s) && s in now && $NF != now[s] && !seen[$1]++ { n++ } END { print n + 0 }' \
    "$tmp/hashes" "$1"
}
declare -A hash=()
if [ "$mode" = check ]; then
  for block in "${known[@]}"; do hash[$block]=$(verilog_hash "$block"); done
  for block in "${known[@]}"; do printf '%s\t%s\n' "$block" "${hash[$block]}"; done >"$tmp/hashes"
  for block in "$@"; do
    [ -z "${hash[$block]-}" ] || [ "$(recorded_of "$energies" "$block")" = "${hash[$block]}" ] || echo "$block"
  done >"$tmp/stale"
  [ ! -s "$tmp/stale" ] || { echo "synth: $energies: found no energies of this Verilog of $(xargs <"$tmp/stale"), expected those of $RTL/ (make synth-energy-record BLOCK=...)" >&2; stale=1; }
fi
if [ "$mode$every" = check0 ]; then
  for block in "${known[@]}"; do
    [ "$(recorded_of "$baseline" "$block")" = "${hash[$block]}" ] || echo "$block"
  done >"$tmp/changed"
  mapfile -t changed <"$tmp/changed"
  echo "synth: ${#changed[@]} of ${#known[@]} blocks have other Verilog than when $baseline was recorded: ${changed[*]:-none}" >&2
  older=$(older_sets "$baseline") older_energies=$(older_sets "$energies")
  [ "$older$older_energies" = 00 ] ||
    echo "synth: $older other sets of $baseline and $older_energies of $energies are of earlier Verilog (make synth-record, synth-energy-record, SETS=all)" >&2
  [ ${#changed[@]} -gt 0 ] || exit $stale
  set -- "${changed[@]}"
fi
for block in "$@"; do
  [[ " ${known[*]} " == *" $block "* && $block != *' '* && -f $RTL/$block.sv ]] ||
    fail "found block $(printf %q "$block"), $(bash -c '. cosim/lib.sh; did_you_mean "$@"' - "$block" "${known[@]}")expected one of ${known[*]}"
  awk -v b="$block" -v want="${SETS:-}" 'BEGIN { n = split(want, w, " ") } $2 == b {
    take = (want == "all" && $3 !~ /^pair[0-9]+$/) || (want == "" && $1 == b); for (k = 1; k <= n; k++) take = take || w[k] == $3; if (take) print }' "$tmp/sets" >"$tmp/found"
  [ -s "$tmp/found" ] || fail "$block: found SETS=$(printf %q "${SETS:-}"), expected all or some of $(awk -v b="$block" '$2 == b { printf "%s%s", s, $3; s = " " }' "$tmp/sets")"
  cat "$tmp/found" >>"$tmp/todo"
done
out=${SYNTH_OUT:-build/synth}/$(basename "${LIBERTY%.lib}")
mkdir -p "$out" || exit 2
total=$(wc -l <"$tmp/todo")

# ---- each one, unless nothing that decides its result has changed
# shellcheck disable=SC2317
one() {   # number, block, set, values...
  local number=$1 name=$2 block=$3 dir key begun
  shift 4
  dir=$out/$name
  begun=$SECONDS
  key=$({ echo "$* $DRIVER ${FROM:-} ${TO:-} ${HIERARCHY:-0} ${PATHS:-5}"; yosys -V; verilog_hash "$block"; cat synth/block.sh "$LIBERTY"; } | sha256sum | cut -d ' ' -f 1)
  if [ "$(cat "$dir/key" 2>/dev/null)" = "$key" ]; then
    echo "[$number/$total] $name: kept from the last call" >&2
    return 0
  fi
  rm -rf "$dir"
  . cmodel/make/progress.sh
  [ -t 2 ] || echo "[$number/$total] $name: is mapped to cells ..." >&2
  doing "[$number/$total] $name: is mapped to cells"
  synth/block.sh "$block" "$name" "$dir" "$@" || { doing ''; return 2; }
  doing ''
  echo "$key" >"$dir/key"
  echo "[$number/$total] $name: $((SECONDS - begun)) s" >&2
}
export -f one
export out total
all() { nl -w 1 -s ' ' "$1" | xargs -P "$JOBS" -L 1 bash -c 'one "$@"' one || bad=2; }
bad=0
all "$tmp/todo"
# Memories too small for the model of cmodel/cost/sram.h (fewer than 64 words, or words of fewer than 512 bits), in flip-flops, up to
# 8,192 bits; those above, which nobody would build so, take minutes each, and regtwin cost takes the cost of a bit from these.
while read -r name _; do
  [ ! -f "$out/$name/row.tsv" ] || cut -f 9 "$out/$name/row.tsv"
done <"$tmp/todo" | tr ' ' '\n' | sed -n 's/^[0-9]*\*\(1r[1w]*\):\([0-9]*\)x\([0-9]*\)$/\1 \2 \3/p' | sort -u |
  awk '($2 < 64 || $3 < 512) && $2 * $3 <= 8192 { print "common/ram_" $1 "@" $2 "x" $3, "common/ram_" $1, $2 "x" $3, "Depth=" $2, "Width=" $3 }' >"$tmp/small"
if [ -s "$tmp/small" ] && [ "${MEMORIES:-1}" != 0 ]; then
  total=$(wc -l <"$tmp/small")
  all "$tmp/small"
  cat "$tmp/small" >>"$tmp/todo"
fi

# ---- the table, and the same for programs
rows=$out/synth.tsv
while read -r name _; do
  [ ! -f "$out/$name/row.tsv" ] || cat "$out/$name/row.tsv"
done <"$tmp/todo" >"$tmp/rows"
wide=$(awk -F '\t' 'BEGIN { w = 20 } length($1) > w { w = length($1) } END { print w }' "$tmp/rows")   # of the column of names
awk -F '\t' -v name="%-${wide}s" '{ if (NR == 1) printf name " %8s %7s %10s %12s %13s %8s %12s\n", "block", "cells", "FF", "area um2", "transistors", "generic gates", "ns", "memory bits"
  printf name " %8d %7d %10d %12s %13s %8.3f %12d\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$tmp/rows"
head='#block	cells	ff	area_um2	transistors	transistors_generic	ns	memory_bits	memories	parameters'
[ -z "${NODE-}" ] || awk -F '\t' -v name="%-${wide}s" -v from="$LIBRARY_NODE" -v to="$NODE" 'FNR == NR { if (/^NODE/) { gsub(/^NODE\(|\).*/, ""); split($0, f, /, */); for (k = 1; k <= 7; k++) v[f[1], k] = f[k] } next }
  function times(x, k,  a, b, t) { a = x * v[to, k] / v[from, k]; b = x * v[to, k + 3] / v[from, k + 3]; if (a > b) { t = a; a = b; b = t }; return sprintf(k == 2 ? "%.0f to %.0f" : "%.3f to %.3f", a, b) }
  { if (FNR == 1) printf "\nat %d nm (published factor to ideal scaling: %s)\n" name " %22s %18s\n", to, "cmodel/cost/node.def", "block", "area um2", "ns"
    printf name " %22s %18s\n", $1, times($4, 2), times($7, 3) }' $nodes "$tmp/rows"
# Beside what was recorded, where the cells and the way are those of the record.
if [ "$mode" = table ] && [ -f "$baseline" ] && [[ ${LIBERTY##*/} == osu018_stdcells.lib && $DRIVER == BUFX2 && -z ${FROM-}${TO-} && ${HIERARCHY:-0} == 0 ]]; then
  awk -F '\t' -v file="$baseline" -v name="%-${wide}s" 'FNR == NR { if (!/^#/) { area[$1] = $4; ns[$1] = $7 } next }
    function change(now, was) { return was > 0 ? sprintf("%+.1f %%", 100 * (now - was) / was) : "-" }
    !($1 in area) { next }
    { if (!n++) printf "\nbeside %s (less than a tenth is no difference: docs/use/cost.md)\n" name " %10s %10s %9s %8s %8s %9s\n", file, "block", "area um2", "was", "change", "ns", "was", "change"
      printf name " %10d %10d %9s %8.3f %8.3f %9s\n", $1, $4, area[$1], change($4, area[$1]), $7, ns[$1], change($7, ns[$1]) }' "$baseline" "$tmp/rows"
fi
# Files of all blocks or none: where one has no cost, those of the last call stay.
if [ "$bad" = 0 ]; then
  { printf '%s\n' "$head"; cat "$tmp/rows"; } >"$rows"
  sed 's/^#//; s/\t/,/g' "$rows" >"$out/synth.csv"
  awk -F '\t' -v lib="$(basename "$LIBERTY")" 'BEGIN { printf "{\n  \"library\": \"%s\",\n  \"blocks\": [", lib }
    { printf "%s\n    {\"block\": \"%s\", \"cells\": %d, \"flip_flops\": %d, \"area_um2\": %d, \"transistors\": %s, \"transistors_generic\": %d, \"ns\": %s, \"memory_bits\": %d, \"memories\": \"%s\", \"parameters\": \"%s\"}", (NR > 1 ? "," : ""), $1, $2, $3, $4, ($5 == "-" ? "null" : $5), $6, $7, $8, ($9 == "-" ? "" : $9), ($10 == "-" ? "" : $10) }
    END { print "\n  ]\n}" }' "$tmp/rows" >"$out/synth.json"
  [ "$mode" = check ] || synth/page.sh "$out" || bad=2
fi

case $mode in
  record)
    [ "$bad" = 0 ] || fail "$baseline is unchanged: some block has no cost"
    while IFS=$'\t' read -r name rest; do
      printf '%s\t%s\t%s\n' "$name" "$rest" "$(verilog_hash "${name%@*}")"
    done <"$tmp/rows" >"$tmp/recorded"
    { printf '%s\n' '# What each block cost when it was last recorded (make synth-record, OSU 0.18 um cells), at each parameter set' "$head	sources"
      { cat "$tmp/recorded"
        [ ! -f "$baseline" ] || awk -F '\t' 'FNR == NR { new[$1] = 1; next } !/^#/ && !($1 in new)' "$tmp/rows" "$baseline"; } | sort; } >"$tmp/baseline"
    mv "$tmp/baseline" "$baseline" ;;
  check)
    [ -f "$baseline" ] || fail "$baseline: expected the recorded costs, found no file"
    awk -F '\t' -v file="$baseline" 'FNR == NR { if (!/^#/) { area[$1] = $4; ns[$1] = $7 } next }
      !($1 in area) { printf "synth: %s: found no line in %s, expected one (make synth-record)\n", $1, file; bad = 1; next }
      $4 > area[$1] * 1.03 { printf "synth: %s: found an area of %d um2, expected at most 3 %% more than %d (%s)\n", $1, $4, area[$1], file; bad = 1 }
      $7 > ns[$1] * 1.03 { printf "synth: %s: found a path of %s ns, expected at most 3 %% more than %s (%s)\n", $1, $7, ns[$1], file; bad = 1 }
      END { exit bad }' "$baseline" "$tmp/rows" >&2 || [ "$bad" != 0 ] || bad=1
    [ "$bad" != 0 ] || bad=$stale ;;
esac
exit "$bad"
