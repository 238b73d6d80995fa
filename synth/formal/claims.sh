#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# usage: synth/formal/claims.sh [--page]
# Checks claims.tsv: each invariant of a block's page is a claim; the assertions are there; a row of proofs.tsv has the parameters that the
# claim needs; a fault of planted.tsv breaks it at such a row, or the claim says why none is planted. --page prints the table of
# docs/develop/proofs.md (make proofs-page writes it there). Exit status: 0, 1 if the check fails, 2 wrong call.
# run.sh sources this file for the functions.
claims=synth/formal/claims.tsv
proof_rows=synth/formal/proofs.tsv planted_rows=synth/formal/planted.tsv

# Sets claim_at[BLOCK CLAIM]: where the claim's assertions end, FILE:LINE each, which is what Yosys knows of them. A part of a line that stands nowhere is reported.
declare -A claim_at=() claim_needs=()
load_claims() {
  local block claim needs at lost=0
  while IFS=$'\t' read -r block claim needs at; do
    if [ "$block" = lost ]; then
      echo "$claims: $claim: found no assertion with '$needs' in $at" >&2
      lost=1
      continue
    fi
    if [[ ! $needs =~ ^[A-Za-z0-9_\ \(\)\<\>=!\&|+*/%-]+$ || $needs =~ [A-Za-z0-9_]\ +[A-Za-z0-9_] ]]; then
      echo "$claims: $block $claim: found '$needs', expected an expression of bash: names of parameters, numbers, && and ||" >&2
      lost=1 needs=0
    fi
    claim_at[$block $claim]=$at
    claim_needs[$block $claim]=$needs
  done < <(awk -F'\t' '
    function files(block,   cmd, f, n) {
      if (block in known) return known[block]
      cmd = "ls rtl/" block ".sv rtl/" block "_*.svh synth/formal/" block "_fv.sv 2>/dev/null"
      while ((cmd | getline f) > 0) { known[block] = known[block] f " "; load(f) }
      close(cmd)
      return known[block]
    }
    function load(f,   s, n) {
      if (f in lines) return
      while ((getline s < f) > 0) text[f, ++n] = s
      lines[f] = n + 0
    }
    /^(#|$)/ { next }
    {
      at = ""
      if ($4 ~ /^= /) { split($4, to, " "); print $1 "\t" $2 "\t" $3 "\t= " to[2] " " to[3]; next }
      parts = split($4, part, " ;; ")
      for (p = 1; p <= parts; p++) {
        n = split(files($1), file, " ")
        found = 0
        for (k = 1; k <= n; k++)
          for (l = 1; l <= lines[file[k]]; l++)
            if (index(text[file[k], l], "assert (") && index(text[file[k], l], part[p])) {
              found = 1
              for (last = l; last < lines[file[k]] && !index(text[file[k], last], ";"); ) last++
              at = at " " file[k] ":" last
            }
        if (!found) print "lost\t" $1 " " $2 "\t" part[p] "\t" files($1)
      }
      print $1 "\t" $2 "\t" $3 "\t" substr(at, 2)
    }' $claims)
  return $lost
}

# Sets `only` to the selection of a claim's assertions (prove.sh), or of several.
only_of() {   # block, claims, apart by commas
  local c at first=1
  only=
  for c in ${2//,/ }; do
    [ -n "${claim_at[$1 $c]-}" ] || { echo "$claims: found no claim '$c' of $1" >&2; return 1; }
    for at in ${claim_at[$1 $c]}; do
      at=${at##*/}
      only+=" a:src=*/${at%:*}:*-${at#*:}.*"
      [ $first = 1 ] || only+=' %u'
      first=0
    done
  done
}

# True if an expression holds for these parameters (NAME=NUMBER...), of which a later one counts.
holds() {
  local -
  set +u
  [ "$#" -eq 1 ] || local "${@:2}"
  (($1))
}
declare -A defaults=()
params_of() {   # block, top: sets `given` to the defaults of its parameters
  if [ -z "${defaults[$1 $2]-}" ]; then
    local f=rtl/${1%/*}/$2.sv
    [ -f "$f" ] || f=synth/formal/${1%/*}/$2.sv
    defaults[$1 $2]=$(sed -nE 's/^ *parameter int ([A-Za-z0-9]+) = ([0-9]+),?( *\/\/.*)?$/\1=\2/p' "$f" | awk -F= '!seen[$1]++' | xargs) || return
    [ -n "${defaults[$1 $2]}" ] || defaults[$1 $2]=none=0
  fi
  given=${defaults[$1 $2]}
}

# Sets fitting to the rows of proofs.tsv in which a claim can fail, their parameters one a line; those of FORMAL_SHORT=1 first. Sets
# open if none of them is proven so far.
declare -A rows_of=()
load_rows() {
  local block top params rest
  while IFS=$'\t' read -r block top params rest; do
    case $block in '#'* | '') continue ;; esac
    rows_of[$block]+="$top"$'\t'"$params"$'\t'"$rest"$'\n'
  done <$proof_rows
}
rows_with() {   # block, claim
  local top params some long=() short=() own=0 fv='' at given mark expect
  fitting='' open=1
  for at in ${claim_at[$1 $2]}; do
    case $at in *_fv.sv:*) at=${at%%:*} fv=${at##*/} ;; *) own=1 ;; esac
  done
  while IFS=$'\t' read -r top params _ _ expect mark some; do
    [ -n "$top" ] || continue
    if ! { [ "$top.sv" = "$fv" ] || { [ $own = 1 ] && [ "$top" = "${1#*/}" ]; }; }; then continue; fi
    [ -z "$some" ] || [[ ",$some," == *",$2,"* ]] || continue
    params_of "$1" "$top"
    # shellcheck disable=SC2086
    holds "${claim_needs[$1 $2]}" $given ${params/#-/} || continue
    [ "$expect" = open ] || open=
    if [ "$mark" = long ]; then long+=("$params"); else short+=("$params"); fi
  done <<<"${rows_of[$1]-}"
  fitting=$(printf '%s\n' "${short[@]}" "${long[@]}" | grep .)
}

check_claims() {
  local bad=0 block claim params page n known='' fault planted='' unplanted
  complain() { echo "$claims: $*" >&2; bad=1; }
  load_claims || bad=1
  load_rows
  # the claims of the faults
  declare -A broken=()
  while IFS=$'\t' read -r block _ _ params _ claim; do
    case $block in '#'* | '') continue ;; esac
    [ -z "$claim" ] || broken[$block $claim]+="$params"$'\n'
  done <$planted_rows
  while IFS=$'\t' read -r block claim _ _ _ unplanted; do
    case $block in '#'* | '') continue ;; esac
    known+=" $block:$claim "
    [[ ${claim_at[$block $claim]-} != '='* ]] || continue
    rows_with "$block" "$claim"
    [ -n "$fitting" ] || complain "$block $claim: found no row of $proof_rows with ${claim_needs[$block $claim]}"
    planted=
    while read -r params; do
      [ -n "$params" ] || continue
      if grep -qxF -- "$params" <<<"$fitting"; then planted=1
      else complain "$block $claim: a fault is planted at '$params', where the claim cannot fail"; fi
    done <<<"${broken[$block $claim]-}"
    if [ -z "$planted" ] && [ -z "$unplanted" ]; then complain "$block $claim: found no fault of $planted_rows that breaks it"; fi
    if [ -n "$planted" ] && [ -n "$unplanted" ]; then complain "$block $claim: found a fault, and why there is none"; fi
    unset "broken[$block $claim]"
  done <$claims
  for fault in "${!broken[@]}"; do complain "$planted_rows: found a fault of $fault, which is no claim"; done
  # the pages' invariants
  for block in "${!rows_of[@]}"; do
    page=docs/blocks/$block.md
    if [ ! -f "$page" ]; then
      [[ $known == *" $block:"* ]] || complain "$block: found no claim"
      continue
    fi
    while read -r n; do
      [[ $known =~ \ $block:$n(\.[a-z]+)?\  ]] || complain "$block $n: found no claim for this invariant of $page"
    done < <(awk '/^## /{ on = /nvariants/ } on && /^[0-9]+\. /{ print $1 + 0 }' "$page")
    while read -r claim; do
      grep -qE "^$claim\. " "$page" || complain "$block $claim: found no such invariant on $page"
    done < <(tr ' ' '\n' <<<"$known" | sed -nE "s,^$block:([0-9]+)(\.[a-z]+)?$,\1,p" | sort -u)
  done
  return $bad
}

# The table of docs/develop/proofs.md.
page_claims() {
  local block claim needs words unplanted params more
  load_claims && load_rows || return
  echo '| block | claim | what it says | parameters from which it can fail | proven at | fault |'
  echo '|---|---|---|---|---|---|'
  while IFS=$'\t' read -r block claim needs _ words unplanted; do
    case $block in '#'* | '') continue ;; esac
    if [[ ${claim_at[$block $claim]} == '= '* ]]; then
      echo "| $block | $claim | $words | | as ${claim_at[$block $claim]#= } | |"
      continue
    fi
    rows_with "$block" "$claim"
    params=${fitting%%$'\n'*}
    more=$(($(grep -c . <<<"$fitting") - 1))
    [ "$more" -eq 0 ] || more=" and $more more"
    [ "$more" != 0 ] || more=
    [ -z "$open" ] || more+=': open'
    needs=${needs//||/or}
    needs=\`${needs//&&/and}\`
    [ "${claim_needs[$block $claim]}" != 1 ] || needs=any
    echo "| $block | $claim | $words | $needs | ${params/#-/all}$more | ${unplanted:-planted} |"
  done <$claims
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  cd "$(dirname "$0")/../.." || exit 2
  export LC_ALL=C
  case "$#:${1-}" in
    0:) check_claims && echo "claims: each has its assertions, a row that can show it and a fault" ;;
    1:--page) page_claims ;;
    *) echo "usage: synth/formal/claims.sh [--page]" >&2; exit 2 ;;
  esac
fi
