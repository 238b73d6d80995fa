#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make formal: the blocks' assertions (each file's FORMAL section, or B_fv.sv beside this script) by Yosys's
# SAT solver.
# usage: synth/formal/run.sh [SYSTEM/BLOCK ...]        the rows of proofs.tsv for these blocks, or all of them
#        synth/formal/run.sh --planted [SYSTEM/BLOCK]  the faults of planted.tsv: each must make a proof fail
# The block must prove what its parts assume; the covers of a part are checked in the part's own rows.
# What Yosys refuses is shown with its first line.
# Result: complete (no clock: one step covers all), induction (with its base case: unbounded), bound (only
# to that depth from reset), FAILED. A bound is good only where proofs.tsv says so. Every cover must be
# reached under the assumptions, or the row fails. FORMAL_SHORT=1 leaves out the rows and faults marked long.
# OPEN=1 tries the rows marked open, too.
# KEPT=1: a row whose answer is kept for the same files (tests/kept.sh) is not proven again; its note says "kept".
# SMT=1: inductive proofs of Yosys's solver are repeated with yosys-smtbmc and z3; the note has the result. None is taken from what is kept.
# Table in build/formal/results.tsv; logs and traces (.vcd) beside it. Seconds are of the processor.
# Exit 1 on a failure, 2 on bad use.
cd "$(dirname "$0")/../.." || exit 2
. cosim/lib.sh
. tests/kept.sh
. synth/formal/prove.sh
. synth/formal/claims.sh
unset COSIM_C COSIM_RTL COSIM_TB   # rtl/ is what is proven, so its hash is meant
[ -z "${SMT:-}" ] || KEPT=
root=$PWD out=build/formal
command -v yosys >/dev/null || { echo "formal: no yosys in PATH; make deps-cosim installs it" >&2; exit 2; }
planted=0
[ "${1:-}" = --planted ] && { planted=1; shift; }
rows=synth/formal/proofs.tsv faults=synth/formal/planted.tsv
for b in "$@"; do
  grep -q "^$b"$'\t' $rows ||
    { mapfile -t there < <(grep -v '^#' $rows | cut -f1 | uniq)
      echo "formal: found block '$b', $(did_you_mean "$b" "${there[@]}")expected one of: ${there[*]}" >&2
      exit 2; }
done
mkdir -p $out
load_claims || exit 2

# The first error in Yosys's log that a note names, on a line of its own.
show_error() {   # note
  local log=${1##*see }
  [[ $1 != 'yosys: see '* ]] || grep -m 1 'ERROR' "$log" | sed "s,$root/,,g; s/^/  /"
}
wanted() { [ $# -eq 1 ] || [[ " ${*:2} " == *" $1 "* ]]; }   # block, blocks that were asked for...
seconds() { awk '{ print ($16 + $17) / 100 }' /proc/$$/stat; }   # of the children so far
# What a row depends on: the block's files (cosim/lib.sh), the row itself, and how it is proven.
declare -A files_hash=()
row_hash() {   # block, row, further file
  [ -n "${files_hash[$1]-}" ] || files_hash[$1]=$(sources "$1" proofs | xargs cat | sha256sum)
  kept_hash synth/formal/prove.sh synth/formal/cover.v cosim/yosys.sh ${3:+"$3"} -- "${files_hash[$1]}" "$2" ${only:+"$only"}
}
bad=0 done=0 skip=''
if [ $planted = 1 ]; then
  # block TAB file TAB sed expression TAB row of proofs.tsv (parameters) that must fail [TAB mark [TAB claim]]; mark: long, or the number of
  # cycles from reset after which the search begins (the assertions are assumed to hold until then), or both: "20 long"; - for none.
  # With a claim of claims.tsv an assertion of that claim must fail.
  total=$(grep -vcE '^(#|$)' $faults)
  printf '%-14s %-10s %7s  %s\n' block result seconds fault
  while IFS=$'\t' read -r block file expr params mark claim; do
    case $block in '#'* | '') continue ;; esac
    if [ -n "${FORMAL_SHORT:-}" ] && [[ $mark = *long ]]; then continue; fi
    skip=''
    [[ $mark != [0-9]* ]] || skip=${mark% long}
    done=$((done + 1))
    wanted "$block" "$@" || continue
    line=$(awk -F'\t' -v b="$block" -v p="$params" '$1 == b && $3 == p' $rows)
    [ -n "$line" ] ||
      { echo "$faults: $block: found '$params', expected the parameters of a row of proofs.tsv" >&2; exit 2; }
    only=
    [ -z "$claim" ] || only_of "$block" "$claim" || exit 2
    what="planted fault $block ${file##*/} $params $expr" hash=$(row_hash "$block" "$line"$'\n'"$file"$'\t'"$expr"$'\t'"$skip" "$file")
    if [ -n "${KEPT:-}" ] && kept "$what" "$hash"; then
      printf '%-14s %-10s %7s  %s\n' "$block" "$result" kept "${file##*/}: $expr"
      continue
    fi
    IFS=$'\t' read -r _ top _ cycles steps _ _ some <<<"$line"
    if [ -z "$only" ] && [ -n "$some" ]; then only_of "$block" "$some" || exit 2; fi
    doing "formal: [$done/$total] $block: $expr"
    tree=$(mktemp -d)
    from=$(seconds)
    cp -r rtl "$tree/" && sed -i "$expr" "$tree/$file"
    if cmp -s "$file" "$tree/$file"; then said="NOT PLANTED (no such text)" bad=1
    else
      verdict=none   # of the fault before
      prove "$tree/rtl" "$block" "$top" "$params" "$cycles" "$steps" "$root/$out/planted-${block//\//-}"
      # required: a counterexample from reset; an induction that no longer closes is not enough
      if [ $verdict = model ]; then said=caught && keep "$what" "$hash" caught; else said="MISSED ($result $note)" bad=1; fi
    fi
    rm -rf "$tree"
    doing ''
    took=$(seconds | awk -v a="$from" '{ print $1 - a }')
    printf '%-14s %-10s %7.1f  %s\n' "$block" "$said" "$took" "${file##*/}: $expr"
    [ "$said" = caught ] || show_error "$note"
  done <$faults
  if [ $bad = 0 ]; then echo "formal: every planted fault is caught"
  else echo "formal: a planted fault is not caught" >&2; fi
  exit $bad
fi

row() {   # note, seconds: the row's line in the table of results, in place of an older one
  { awk -F'\t' -v b="$block" -v p="$params" '$1 != b || $2 != p' $out/results.tsv
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$block" "$params" "$top.sv" "$nassert" "$result" "$1" "$2" "$(hash_of "$block" proofs)"
  } >$out/results.new
  mv $out/results.new $out/results.tsv
}
total=$(grep -vcE '^(#|$)' $rows)
[ $# -gt 0 ] || : >$out/results.tsv
touch $out/results.tsv
format='%-14s %-50s %7s %6s  %-10s %-24s %7s\n'
# shellcheck disable=SC2059
printf "$format" block params asserts covers result note seconds
while IFS=$'\t' read -r block top params cycles steps expect long some; do
  case $block in '#'* | '') continue ;; esac
  done=$((done + 1))
  [ -z "${FORMAL_SHORT:-}" ] || [ "$long" != long ] || continue
  wanted "$block" "$@" || continue
  [ "$expect" != open ] || [ -n "${OPEN:-}" ] || continue
  only=
  [ -z "$some" ] || only_of "$block" "$some" || exit 2
  what="proof $block $params" hash=$(row_hash "$block" "$block"$'\t'"$top"$'\t'"$params"$'\t'"$cycles"$'\t'"$steps"$'\t'"$expect")
  if [ -n "${KEPT:-}" ] && kept "$what" "$hash"; then
    read -r result nassert ncover <<<"$result"
    # shellcheck disable=SC2059
    printf "$format" "$block" "$params" "$nassert" "$ncover" "$result" kept -
    row kept 0
    continue
  fi
  doing "formal: [$done/$total] $block $params"
  from=$(seconds)
  name=$(echo "$block-$params" | tr '/ =' '___')
  prove "$root/rtl" "$block" "$top" "$params" "$cycles" "$steps" "$root/$out/$name"
  took=$(seconds | awk -v a="$from" '{ printf "%.1f", $1 - a }')
  if [ "$result" = "$expect" ] || { [ "$result" = induction ] && [ "$expect" = bound ]; } || [ "$expect$result" = openinduction ]; then keep "$what" "$hash" "$result $nassert $ncover"; else bad=1; fi
  doing ''
  note=${note//$root\//}
  # shellcheck disable=SC2059
  printf "$format" "$block" "$params" "$nassert" "$ncover" "$result" "$note" "$took"
  show_error "$note"
  row "$note" "$took"
done <$rows
if [ $bad = 0 ]; then echo "formal: all as stated in $rows, $(seconds | cut -d. -f1) s of one core"
else echo "formal: a proof FAILED or fell short of $rows" >&2; fi
exit $bad
