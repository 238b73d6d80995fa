#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Proofs of the blocks' assertions (each file's FORMAL section, or B_fv.sv beside this script) by yosys: sat where
# the block is combinational, yosys-smtbmc with z3 where it has a clock.
# usage: synth/formal/run.sh [SYSTEM/BLOCK ...]        the rows of proofs.tsv for these blocks, or all of them
#        synth/formal/run.sh --planted [SYSTEM/BLOCK]  the faults of planted.tsv: each must make a proof fail
# Result: proven (combinational: one step is everything), proven by induction, bounded (holds to that depth), FAILED.
# A bound is good only where proofs.tsv says so. Covers must be reached and assumptions satisfiable, or the row fails.
# Exit 1 on a failure, 2 on bad use. Table in build/formal/results.tsv; logs and traces (.vcd) beside it.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD out=build/formal timeout=${FORMAL_TIMEOUT:-900}
for tool in yosys yosys-smtbmc z3; do
  command -v $tool >/dev/null || { echo "formal: $tool: expected in PATH (make deps-build), found nothing" >&2; exit 2; }
done
planted=0
[ "${1:-}" = --planted ] && { planted=1; shift; }
rows=synth/formal/proofs.tsv
for b in "$@"; do
  grep -q "^$b"$'\t' $rows ||
    { echo "formal: found block '$b', expected one of: $(grep -v '^#' $rows | cut -f1 | uniq | tr '\n' ' ')" >&2; exit 2; }
done
mkdir -p $out

bmc=(timeout "$timeout" yosys-smtbmc --noprogress --unroll -s z3)

# cover_of WORK: all covers of the proof are reached, so that it is not about nothing
cover_of() {
  [ $planted = 1 ] && return
  if grep -q 'yosys-smt2-cover' "$1.smt2" && ! "${bmc[@]}" -c -t "$depth" "$1.smt2" >>"$1.log" 2>&1; then
    result=FAILED note="a cover is not reached, see $1.log"
  fi
}

# prove RTLDIR BLOCK TOP PARAMS DEPTH STEP WORK: sets result, note
prove() {
  local rtl=$1 block=$2 top=$3 params=$4 depth=$5 step=$6 work=$7 sys=${2%/*} chparam="" p files
  [ "$params" = - ] || for p in $params; do chparam+=" -set ${p%=*} ${p#*=}"; done
  [ -z "$chparam" ] || chparam="chparam$chparam \$abstract\\$top;"
  files=$(ls "$rtl"/common/*.sv "$rtl/$sys"/*.sv synth/formal/"$sys"/*.sv 2>/dev/null | sort -u | tr '\n' ' ')
  result=FAILED note=""
  if ! yosys -qq -l "$work.yosys" -p "read_verilog -sv -formal -defer $files; $chparam hierarchy -check -top $top; \
      proc; flatten; prep -nordff; async2sync; dffunmap; memory_map; opt_clean; check -assert; write_smt2 -wires $work.smt2; \
      chformal -cover -remove; techmap; opt -full; write_ilang $work.il" >"$work.log" 2>&1; then note="yosys: see $work.log"; return; fi
  grep -q 'yosys-smt2-assert' "$work.smt2" || { note="no assertion in it"; return; }
  if [ "$step" = - ]; then
    timeout "$timeout" yosys -qq -p "read_ilang $work.il; sat -verify -prove-asserts -set-assumes -show-public" \
      >>"$work.log" 2>&1
    case $? in 0) result=complete ;; 124) note="no answer in $timeout s"; return ;; *) note="see $work.log"; return ;; esac
    cover_of "$work"
    return
  fi
  "${bmc[@]}" --presat -t "$depth" --dump-vcd "$work.vcd" "$work.smt2" >>"$work.log" 2>&1
  case $? in 0) ;; 124) note="no answer in $timeout s"; return ;; *) note="see $work.log, $work.vcd"; return ;; esac
  if "${bmc[@]}" -i -t "$step" --dump-vcd "$work-ind.vcd" "$work.smt2" >>"$work.log" 2>&1; then
    result=induction note="k=$step"
  else result=bound note="to depth $depth"; fi
  cover_of "$work"
}

bad=0
if [ $planted = 1 ]; then
  # block TAB file TAB sed expression TAB row of proofs.tsv (parameters) that must fail
  printf '%-15s %-24s %s\n' block result fault
  while IFS=$'\t' read -r block file expr params; do
    case $block in '#'*|'') continue ;; esac
    [ $# -gt 0 ] && [[ " $* " != *" $block "* ]] && continue
    line=$(awk -F'\t' -v b="$block" -v p="$params" '$1 == b && $3 == p' $rows)
    [ -n "$line" ] || { echo "planted.tsv: $block: found '$params', expected the parameters of a row of proofs.tsv" >&2; exit 2; }
    IFS=$'\t' read -r _ top _ depth step expect <<<"$line"
    tree=$(mktemp -d)
    cp -r rtl "$tree/" && sed -i "$expr" "$tree/$file"
    if cmp -s "$file" "$tree/$file"; then result="NOT PLANTED (no such text)" bad=1
    else
      prove "$tree/rtl" "$block" "$top" "$params" "$depth" "$step" "$root/$out/planted"
      if [ "$result" = FAILED ] && [[ $note == see* ]]; then result="caught"
      elif [ "$result" = bound ] && [ "$expect" = induction ]; then result="caught by the induction"
      else result="MISSED ($result $note)" bad=1; fi
    fi
    rm -rf "$tree"
    printf '%-15s %-24s %s\n' "$block" "$result" "${file##*/}: $expr"
  done <synth/formal/planted.tsv
  exit $bad
fi

[ $# -eq 0 ] && : >$out/results.tsv
touch $out/results.tsv
format='%-14s %-46s %-12s %5s  %-10s %-30s %7s\n'
printf "$format" block params properties depth result note seconds
while IFS=$'\t' read -r block top params depth step expect; do
  case $block in '#'*|'') continue ;; esac
  [ $# -gt 0 ] && [[ " $* " != *" $block "* ]] && continue
  work=$root/$out/$(echo "$block-$params" | tr '/ =' '___')
  from=$(date +%s.%N)
  prove "$root/rtl" "$block" "$top" "$params" "$depth" "$step" "$work"
  seconds=$(awk -v a="$from" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
  [ "$result" = "$expect" ] || { [ "$result" = induction ] && [ "$expect" = bound ]; } || bad=1
  printf "$format" "$block" "$params" "$top.sv" "$depth" "$result" "${note//$root\//}" "$seconds"
  grep -v "^$block"$'\t'"$params"$'\t' $out/results.tsv >$out/results.new
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$block" "$params" "$top.sv" "$depth" "$result" "$note" "$seconds" >>$out/results.new
  mv $out/results.new $out/results.tsv
done <$rows
[ $bad = 0 ] && echo "formal: all proofs as stated in $rows" || echo "formal: a proof FAILED or fell short of $rows" >&2
exit $bad
