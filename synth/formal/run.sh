#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make formal: the blocks' assertions (each file's FORMAL section, or B_fv.sv beside this script) by Yosys's
# SAT solver.
# usage: synth/formal/run.sh [SYSTEM/BLOCK ...]        the rows of proofs.tsv for these blocks, or all of them
#        synth/formal/run.sh --planted [SYSTEM/BLOCK]  the faults of planted.tsv: each must make a proof fail
# The block must prove what its parts assume; the covers of a part are checked in the part's own rows.
# Result: complete (no clock: one step covers all), induction (with its base case: unbounded), bound (only
# to that depth from reset), FAILED. A bound is good only where proofs.tsv says so. Every cover must be
# reached under the assumptions, or the row fails. FORMAL_SHORT=1 leaves out the rows and faults marked long.
# SMT=1: inductive proofs of Yosys's solver are repeated with yosys-smtbmc and z3; the note has the result.
# Table in build/formal/results.tsv; logs and traces (.vcd) beside it. Seconds are of the processor.
# Exit 1 on a failure, 2 on bad use.
cd "$(dirname "$0")/../.." || exit 2
. cosim/lib.sh
root=$PWD out=build/formal limit=${FORMAL_TIMEOUT:-900}
command -v yosys >/dev/null || { echo "formal: no yosys in PATH; make deps-cosim installs it" >&2; exit 2; }
planted=0
[ "${1:-}" = --planted ] && { planted=1; shift; }
rows=synth/formal/proofs.tsv faults=synth/formal/planted.tsv
for b in "$@"; do
  grep -q "^$b"$'\t' $rows ||
    { echo "formal: found block '$b', expected one of: $(grep -v '^#' $rows | cut -f1 | uniq | xargs)" >&2
      exit 2; }
done
mkdir -p $out

wanted() { [ $# -eq 1 ] || [[ " ${*:2} " == *" $1 "* ]]; }   # block, blocks that were asked for...
seconds() { awk '{ print ($16 + $17) / 100 }' /proc/$$/stat; }   # of the children so far
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$1" >&2; }
objects() { awk '/objects\.$/ { n = $1 } END { print n + 0 }' "$1"; }
ask() { timeout "$limit" yosys -q -p "$1" >>"$work.log" 2>&1; }   # Yosys commands

answers='proof finished - no model found|Induction step proven: SUCCESS|model found for base case: FAIL'
answers+='|model found: FAIL|Reached maximum number of time steps'
# solve FROM OPTIONS...: reads FROM.il
# verdict: proven, model (a counterexample), open (the induction does not close), none (no answer)
verdict=
solve() {
  local from=$1
  shift
  : >"$work.answer"
  timeout "$limit" yosys -p "read_ilang $from.il; chformal -cover -remove;
    sat -prove-asserts -set-assumes $*" >"$work.answer" 2>&1
  local status=$?
  cat "$work.answer" >>"$work.log"
  case $(grep -oE "$answers" "$work.answer" | tail -n 1) in
    *'no model'* | *SUCCESS*) verdict=proven ;;
    *FAIL) verdict=model ;;
    Reached*) verdict=open ;;
    *) verdict=none note="see $work.log"; [ $status -ne 124 ] || note="no answer in $limit s" ;;
  esac
}

# finds the assertion that fails, and writes a trace of it alone
blame() {
  local name base=()
  [ "$step" = - ] || base=(-tempinduct-baseonly -maxsteps "${depth/-/8}")
  note="an assertion fails: $work.log"
  ask "read_ilang $work.il; tee -o $work.asserts select -list t:\$assert" || return
  while read -r name; do
    ask "read_ilang $work.il; chformal -cover -remove; select -set all t:\$assert; select -set one $name;
      delete @all @one %d; opt_clean; write_ilang $work.one.il" || return
    solve "$work.one" "${base[@]}" -dump_vcd "$work.vcd"
    [ $verdict = model ] || continue
    note=${name##*\$assert\$}
    note=${note%\$*}
    note="${note##*/} fails: $work.vcd"
    return
  done <"$work.asserts"
}

# each cover alone, negated to an assertion that must fail
covers() {
  local k name base=()
  [ "$step" = - ] || base=(-tempinduct-baseonly -maxsteps "$depth")
  for ((k = 0; k < ncover; k++)); do
    name=$(sed -n "$((k + 1))p" "$work.covers")
    ask "read_ilang $work.il; chformal -assert -remove; select -set all t:\$cover; select -set one $name;
      delete @all @one %d; techmap -map synth/formal/cover.v; opt_clean; write_ilang $work.cover.il" ||
      { result=FAILED note="see $work.log"; return; }
    solve "$work.cover" "${base[@]}"
    [ $verdict = model ] || { result=FAILED note="cover $name: $verdict"; return; }
  done
}

# prove RTLDIR BLOCK TOP PARAMS DEPTH STEP WORK: sets result, note, nassert, ncover
prove() {
  local rtl=$1 block=$2 top=$3 params=$4 sys=${2%/*} chparam="" p files clocked=""
  depth=$5 step=$6 work=$7 result=FAILED note="" nassert=0 ncover=0
  [ "$params" = - ] || for p in $params; do chparam+=" -set ${p%=*} ${p#*=}"; done
  [ -z "$chparam" ] || chparam="chparam$chparam \$abstract\\$top;"
  files=$(find "$rtl/common" "$rtl/$sys" "synth/formal/$sys" -name '*.sv' 2>/dev/null | sort -u | xargs)
  [ "$step" = - ] || clocked="async2sync; dffunmap; memory_map;"
  : >"$work.log"
  ask "read_verilog -sv -formal -DASSERT_ON -I$rtl/common -defer $files; $chparam hierarchy -check -top $top; proc;
    select -set parts * A:top %d; chformal -cover -remove @parts; chformal -assume -assume2assert @parts; flatten;
    prep -nordff; $clocked opt_clean; check -assert; tee -o $work.nassert select -count t:\$assert;
    tee -o $work.ncover select -count t:\$cover; tee -o $work.covers select -list t:\$cover;
    write_ilang $work.il" || { note="yosys: see $work.log"; return; }
  nassert=$(objects "$work.nassert") ncover=$(objects "$work.ncover")
  [ "$nassert" -gt 0 ] || { note="no assertion in it"; return; }
  if [ -n "$skip" ]; then
    solve "$work" -tempinduct-baseonly -tempinduct-skip "$skip" -maxsteps "$depth" -dump_vcd "$work.vcd"
  elif [ "$step" = - ]; then
    solve "$work"
    [ $verdict = proven ] && result=complete
  else
    solve "$work" -tempinduct -maxsteps "$step" -dump_vcd "$work.vcd"
    case $verdict in
      proven)
        result=induction
        note=$(grep -oE 'induction step [0-9]+' "$work.answer" | sed -n '$s/.* /k=/p') ;;
      open)
        if [ "$depth" = - ]; then note="the induction does not close"; return; fi
        solve "$work" -tempinduct-baseonly -maxsteps "$depth" -dump_vcd "$work.vcd"
        [ $verdict != open ] || { result=bound note="to depth $depth"; } ;;
    esac
  fi
  if [ $verdict = model ] && [ $planted = 0 ]; then blame; fi
  if [ "$depth" = - ]; then ncover=0; fi
  [ $planted = 1 ] || [ $result = FAILED ] || covers
  if [ -n "${SMT:-}" ] && [ $result = induction ]; then second; fi
}

# a second solver on the same netlist: from reset to the depth, then the induction; FAILED if it finds a counterexample
second() {
  local bmc=(timeout "$limit" yosys-smtbmc --noprogress --unroll -s z3) deep=${depth/-/8}
  ask "read_ilang $work.il; chformal -cover -remove; write_smt2 -wires $work.smt2" || { result=FAILED note="see $work.log"; return; }
  "${bmc[@]}" -t "$deep" "$work.smt2" >"$work.smt" 2>&1
  case $(tail -n 1 "$work.smt") in
    *PASSED) ;;
    *FAILED) result=FAILED note="smtbmc: see $work.smt"; return ;;
    *) note+=", smtbmc: no answer in $limit s"; return ;;
  esac
  if "${bmc[@]}" -i -t "${step/-/1}" "$work.smt2" >>"$work.smt" 2>&1; then note+=", smtbmc too"
  else note+=", smtbmc: to depth $deep"; fi
}

bad=0 done=0 skip=''
if [ $planted = 1 ]; then
  # block TAB file TAB sed expression TAB row of proofs.tsv (parameters) that must fail [TAB mark]; mark: long, or the number of cycles
  # from reset behind which the search begins (the assertions are assumed to hold until then), or both: "20 long"
  total=$(grep -vcE '^(#|$)' $faults)
  printf '%-14s %-10s %7s  %s\n' block result seconds fault
  while IFS=$'\t' read -r block file expr params mark; do
    case $block in '#'* | '') continue ;; esac
    if [ -n "${FORMAL_SHORT:-}" ] && [[ $mark = *long ]]; then continue; fi
    skip=''
    [[ $mark != [0-9]* ]] || skip=${mark% long}
    done=$((done + 1))
    wanted "$block" "$@" || continue
    line=$(awk -F'\t' -v b="$block" -v p="$params" '$1 == b && $3 == p' $rows)
    [ -n "$line" ] ||
      { echo "$faults: $block: found '$params', expected the parameters of a row of proofs.tsv" >&2; exit 2; }
    IFS=$'\t' read -r _ top _ cycles steps _ <<<"$line"
    progress "[$done/$total] $block: $expr"
    tree=$(mktemp -d)
    from=$(seconds)
    cp -r rtl "$tree/" && sed -i "$expr" "$tree/$file"
    if cmp -s "$file" "$tree/$file"; then said="NOT PLANTED (no such text)" bad=1
    else
      prove "$tree/rtl" "$block" "$top" "$params" "$cycles" "$steps" "$root/$out/planted"
      # required: a counterexample from reset; an induction that no longer closes is not enough
      if [ $verdict = model ]; then said=caught; else said="MISSED ($result $note)" bad=1; fi
    fi
    rm -rf "$tree"
    progress ''
    took=$(seconds | awk -v a="$from" '{ print $1 - a }')
    printf '%-14s %-10s %7.1f  %s\n' "$block" "$said" "$took" "${file##*/}: $expr"
  done <$faults
  if [ $bad = 0 ]; then echo "formal: every planted fault is caught"
  else echo "formal: a planted fault is not caught" >&2; fi
  exit $bad
fi

total=$(grep -vcE '^(#|$)' $rows)
[ $# -gt 0 ] || : >$out/results.tsv
touch $out/results.tsv
format='%-14s %-50s %7s %6s  %-10s %-24s %7s\n'
# shellcheck disable=SC2059
printf "$format" block params asserts covers result note seconds
while IFS=$'\t' read -r block top params cycles steps expect long; do
  case $block in '#'* | '') continue ;; esac
  done=$((done + 1))
  [ -z "${FORMAL_SHORT:-}" ] || [ -z "$long" ] || continue
  wanted "$block" "$@" || continue
  progress "[$done/$total] $block $params"
  from=$(seconds)
  name=$(echo "$block-$params" | tr '/ =' '___')
  prove "$root/rtl" "$block" "$top" "$params" "$cycles" "$steps" "$root/$out/$name"
  took=$(seconds | awk -v a="$from" '{ printf "%.1f", $1 - a }')
  [ "$result" = "$expect" ] || { [ "$result" = induction ] && [ "$expect" = bound ]; } || bad=1
  progress ''
  note=${note//$root\//}
  # shellcheck disable=SC2059
  printf "$format" "$block" "$params" "$nassert" "$ncover" "$result" "$note" "$took"
  awk -F'\t' -v b="$block" -v p="$params" '$1 != b || $2 != p' $out/results.tsv >$out/results.new
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$block" "$params" "$top.sv" "$nassert" "$result" "$note" "$took" "$(hash_of "$block" proofs)" \
    >>$out/results.new
  mv $out/results.new $out/results.tsv
done <$rows
if [ $bad = 0 ]; then echo "formal: all as stated in $rows, $(seconds | cut -d. -f1) s of one core"
else echo "formal: a proof FAILED or fell short of $rows" >&2; fi
exit $bad
