#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make lockstep-all: for each system of cosim/whole_sm/plan.tsv a kernel of each class of bottleneck (cosim/whole_sm/classes.awk), on the whole SM with the Verilog of
# all blocks beside the C twins, and with the SM driven by the Verilog. A run that was made before with the same blocks, wires and kernel is not made
# again. make lockstep-record: the runs of build/lockstep/ into cosim/records/lockstep.tsv. Exit status: 0 all agree, 1 one does not, 2 a call is wrong or a run
# could not be made.
# usage: cosim/whole_sm/lockstep.sh run|record      env: LOCKSTEP_SYSTEMS, LOCKSTEP_CLASSES: some of them; COSIM_SM, REGTWIN: the programs; JOBS; LOCKSTEP_OUT
cd "$(dirname "$0")/../.." || exit 2
COSIM_C=cmodel COSIM_RTL=rtl COSIM_TB=tb
. cosim/lib.sh
. cosim/whole_sm/whole.sh
out=${LOCKSTEP_OUT:-build/lockstep} plan=${LOCKSTEP_PLAN:-cosim/whole_sm/plan.tsv}
export out COSIM_SM=${COSIM_SM:-build/regtwin-cosim} REGTWIN=${REGTWIN:-build/regtwin} COSIM_C COSIM_RTL COSIM_TB
all_classes='issue registers l1 memory latency'
columns='# Lockstep on the whole SM, as last run (make lockstep-record): system, keys, machine, class, kernel, size, driven by, cycles, mismatches, statistics, hash of wires and kernel, blocks'

# The kernels of each class on a machine, the smallest first.
classes_of() {   # machine
  local json=$out/$1.json
  if [ ! -s "$json" ] || [ "$json" -ot "$REGTWIN" ]; then
    "$REGTWIN" bottleneck all --relax none --size small --config "$1" --json "$json" >/dev/null || die "the classes of kernels on $1 could not be measured"
  fi
  awk -f cosim/whole_sm/classes.awk "$json" | sort -k 1,1 -k 2,2n >"$out/$1.classes" || die "$json: a kernel has no class"
}

# The smallest kernel of the class that runs and in which something happens to the blocks; if there is none, the smallest that runs.
kernel_of() {   # system, keys, machine, events, class
  local kernel first='' set=() json=$out/$BASHPID.json event
  [ "$2" = - ] || for event in $2; do set+=(--set "$event"); done
  while read -r _ _ kernel; do
    "$REGTWIN" run "$kernel" --size small --config "$3" --system "$1" "${set[@]}" --json "$json" >/dev/null 2>&1 || continue
    : "${first:=$kernel}"
    [ "$4" != - ] || break
    for event in $4; do
      ! grep -qE "^ *\"$event\": [1-9]" "$json" || { first=$kernel; break 2; }
    done
  done < <(grep "^$5 " "$out/$3.classes")
  rm -f "$json"
  echo "$first"
}

row_of() { echo "$out/runs/${1//\//-}/${2//[^A-Za-z0-9.=_-]/,}/$3-$4.tsv"; }   # system, keys, class, c or rtl

# A row of cosim/records/lockstep.tsv from what the program has written.
row() {   # keys, class, file
  local b entries='' f instances compared bad any=0
  IFS=$'\t' read -ra f <"$3"   # machine, system, kernel, size, driver, cycles, statistics
  while IFS=$'\t' read -r _ _ _ _ _ _ _ b instances compared bad; do
    entries+="${entries:+ }$b=$instances:$compared:$(hash_of "$b" whole)"
    any=$((any + bad))
  done <"$3"
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "${f[1]}" "$1" "${f[0]}" "$2" "${f[2]}" "${f[3]}" "${f[4]}" "${f[5]}" "$any" "${f[6]}" \
    "$(run_hash "$(wires_of "${entries%%=*}")" "${f[2]}" "$1")" "$entries"
}

current() {   # file of a row, kernel: it is there, and of these sources
  local hash kernel now entry first
  [ -s "$1" ] || return 1
  IFS=$'\t' read -r _ keys _ _ kernel _ _ _ bad same hash entries <"$1"
  first=${entries%%=*}
  [ "$kernel" = "$2" ] && [ "$bad" = 0 ] && [ "$same" = equal ] && [ "$hash" = "$(run_hash "$(wires_of "$first")" "$kernel" "$keys")" ] || return 1
  for entry in $entries; do
    now=$(hash_of "${entry%%=*}" whole)
    [ "${entry##*:}" = "$now" ] || return 1
  done
}

# One run. A line says how it ended; what the program said is shown when it did not agree.
one() {   # number, all, system, keys, machine, class, kernel, c or rtl
  local set=() file log key begun=$SECONDS status drive=() name="[$1/$2] $3${4/#-/} $6 $7 $8"
  [ "$4" = - ] || { name="[$1/$2] $3 $4 $6 $7 $8"; for key in $4; do set+=(--set "$key"); done; }
  file=$(row_of "$3" "$4" "$6" "$8") log=$file.log
  mkdir -p "${file%/*}"
  if current "$file" "$7"; then echo "$name: as before"; return 0; fi
  rm -f "$file"
  [ "$8" = c ] || drive=(--drive rtl)
  "$COSIM_SM" run "$7" --size small --config "$5" --system "$3" "${set[@]}" "${drive[@]}" --result "$file.new" >"$log" 2>&1
  status=$?
  if [ -s "$file.new" ]; then row "$4" "$6" "$file.new" >"$file"; fi
  rm -f "$file.new"
  if [ $status -eq 0 ] && [ -s "$file" ]; then
    awk -F '\t' -v n="$name" -v s=$((SECONDS - begun)) '{ printf "%s: %d cycles, %d blocks, 0 mismatches, statistics equal, %d s\n", n, $8, split($12, e, " "), s }' "$file"
    return 0
  fi
  echo "$name: exit status $status"
  tail -n 20 "$log" | sed 's/^/    /'
  [ $status -eq 1 ] && return 1
  return 2
}

run() {
  local system keys machine events class kernel drive wanted jobs
  [ -x "$COSIM_SM" ] || die "$COSIM_SM: expected the whole SM with its blocks' Verilog (make lockstep-all builds it), found no program"
  [ -x "$REGTWIN" ] || die "$REGTWIN: expected the program (make builds it), found none"
  for system in ${LOCKSTEP_SYSTEMS:-}; do
    grep -q "^$system"$'\t' "$plan" || die "LOCKSTEP_SYSTEMS: found $system, expected some of $(grep -v '^#' "$plan" | cut -f 1 | uniq | xargs)"
  done
  for class in ${LOCKSTEP_CLASSES:-}; do
    [[ " $all_classes " == *" $class "* ]] || die "LOCKSTEP_CLASSES: found $class, expected some of $all_classes"
  done
  mkdir -p "$out"
  jobs=$out/jobs
  : >"$jobs"
  wanted=$(grep -v '^#' "$plan" | if [ -n "${LOCKSTEP_SYSTEMS:-}" ]; then awk -F '\t' -v s=" $LOCKSTEP_SYSTEMS " 'index(s, " " $1 " ")'; else cat; fi)
  while read -r machine; do classes_of "$machine"; done < <(cut -f 3 <<<"$wanted" | sort -u)
  while IFS=$'\t' read -r system keys machine events; do
    for class in ${LOCKSTEP_CLASSES:-$all_classes}; do
      grep -q "^$class " "$out/$machine.classes" || continue   # no kernel is of this class there
      kernel=$(kernel_of "$system" "$keys" "$machine" "$events" "$class")
      if [ -z "$kernel" ]; then echo "$system $keys: no kernel of class $class on $machine runs" >&2; continue; fi
      for drive in c rtl; do printf '%s\0%s\0%s\0%s\0%s\0%s\0' "$system" "$keys" "$machine" "$class" "$kernel" $drive >>"$jobs"; done
    done
  done <<<"$wanted"
  local all n=0 status=0 running=0
  all=$(($(tr -dc '\0' <"$jobs" | wc -c) / 6))
  while IFS= read -r -d '' system && IFS= read -r -d '' keys && IFS= read -r -d '' machine && IFS= read -r -d '' class &&
    IFS= read -r -d '' kernel && IFS= read -r -d '' drive; do
    if [ $running -ge "${JOBS:-2}" ]; then wait -n || { s=$?; [ $s -le $status ] || status=$s; }; running=$((running - 1)); fi
    n=$((n + 1))
    one $n "$all" "$system" "$keys" "$machine" "$class" "$kernel" "$drive" </dev/null &
    running=$((running + 1))
  done <"$jobs"
  while [ $running -gt 0 ]; do wait -n || { s=$?; [ $s -le $status ] || status=$s; }; running=$((running - 1)); done
  find "$out/runs" -name '*.tsv' -exec cat {} + 2>/dev/null | awk -F '\t' '{ n++; cycles += $8; bad += $9 > 0 || $10 != "equal"; kernels[$5] = systems[$1] = 1 }
    END { for (k in kernels) nk++; for (k in systems) ns++
      printf "%d runs of %d systems, %d kernels: %.0f cycles of the SM, %d runs with a mismatch or other statistics (make lockstep-record keeps them)\n", n, ns, nk, cycles, bad }'
  return $status
}

# Runs made here, in place of those of the same system, keys, class and driver.
record() {
  local new=cosim/records/lockstep.tsv.new
  [ -n "$(find "$out/runs" -name "*.tsv" 2>/dev/null | head -n 1)" ] || die "$out/runs: expected the runs of make lockstep-all, found none"
  { echo "$columns"
    { find "$out/runs" -name '*.tsv' -exec cat {} +
      [ ! -f cosim/records/lockstep.tsv ] || grep -v '^#' cosim/records/lockstep.tsv; } |
      awk -F '\t' -v plan="$plan" 'BEGIN { while ((getline line <plan) > 0) { split(line, f, "\t"); order[f[1], f[2]] = ++n } }
        !(($1, $2, $4, $7) in seen) && ($1, $2) in order { seen[$1, $2, $4, $7] = 1; printf "%03d\t%s\n", order[$1, $2], $0 }' |
      sort -t $'\t' -k 1,1 -k 5,5 -k 8,8 | cut -f 2-; } >$new
  mv $new cosim/records/lockstep.tsv
  echo "cosim/records/lockstep.tsv: $(grep -vc '^#' cosim/records/lockstep.tsv) runs"
}

case ${1:-} in
  run) run ;;
  record) record ;;
  *) die "lockstep.sh: found '${1:-}', expected run or record" ;;
esac
