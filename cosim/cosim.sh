#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make cosim: builds and runs the chosen blocks, then prints the twin matrix. Exit status: 0 all agree, 1 one does not,
# 2 something could not be built or the call is wrong.
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh
blocks=()

run_block() {   # block
  local b=$1 variant=plain args=() again=''
  [ -n "$WAVES" ] && variant=trace && args+=(--waves)
  [ -n "$SEED" ] && args+=(--seed "$SEED")
  [ -n "$CYCLES" ] && args+=(--cycles "$CYCLES")
  [ -n "$REPLAY" ] && args+=(--replay "$REPLAY")
  [ -n "$RECORD" ] && args+=(--record "$RECORD")
  [ -n "$SHRINK" ] && args+=(--shrink)
  [ -n "$BINS" ] && args+=(--bins)
  [ -n "$COSIM_PLACES" ] && again=" $(echo $COSIM_PLACES)"
  if [ -n "$SHRINK" ]; then mkdir -p "$COSIM_TB/${b%/*}/regress"; fi
  # only a whole run is a result for the matrix
  [ -z "$CYCLES$REPLAY" ] && args+=(--result "$COSIM_OUT/results/${b//\//-}.tsv" --hash "$(hash_of "$b")")
  "$COSIM_OUT/obj/$b/$variant/run" --block "$b" --again "$again" --wave-dir "$WAVE_DIR" \
    --regress "$COSIM_TB/${b%/*}/regress" "${args[@]}"
}

run() {
  local b status=0 targets=()
  [ -z "$SEED" ] || is_number SEED "$SEED"
  [ -z "$CYCLES" ] || is_number CYCLES "$CYCLES"
  [ -z "$REPLAY$RECORD" ] || [ -n "$BLOCK" ] || die "REPLAY and RECORD need BLOCK="
  [ -z "$REPLAY" ] || [ -f "$REPLAY" ] || die "REPLAY=$REPLAY: no such file"
  local variant=plain
  [ -n "$WAVES" ] && variant=trace
  for b in "${blocks[@]}"; do targets+=("$COSIM_OUT/obj/$b/$variant/run" "$COSIM_OUT/$b"); done
  # those that can be built are run; a block that cannot is an error at the end
  build "${BLOCK:-all}" "${targets[@]}" || status=2
  mkdir -p "$COSIM_OUT/results" "$WAVE_DIR"
  for b in "${blocks[@]}"; do
    if [ $status -eq 2 ] && ! $MAKE --no-print-directory -s -q BLOCK= $COSIM_PLACES "$COSIM_OUT/obj/$b/$variant/run" 2>/dev/null; then
      echo "$b: could not be built" >&2
      status=2
      continue
    fi
    run_block "$b" || { local s=$?; [ "$s" -gt "$status" ] && status=$s; }
  done
  [ -n "$BLOCK" ] || matrix
  return $status
}

# A result with its age: as it is when the sources are the same, with a ~ when they have changed since, - when there is none.
aged() {   # text, its hash, hash now
  if [ -z "$1" ]; then echo -; elif [ "$2" = "$3" ] || [ "$2" = - ]; then echo "$1"; else echo "$1~"; fi
}

# From make formal: a line per block and parameter set, with the number of properties and the word FAILED or what was shown.
proofs() {   # block
  local file=build/formal/results.tsv newer=''
  [ -f "$file" ] || { echo -; return; }
  [ -z "$(sources "$1" | grep '\.sv$' | while read -r f; do [ "$f" -nt "$file" ] && echo new; done)" ] || newer='~'
  awk -F'\t' -v b="$1" -v age="$newer" '$1 == b { n++; if ($5 != "FAILED") ok++ }
    END { if (n) printf "%d/%d%s\n", ok, n, age; else print "-" }' "$file"
}

matrix() {
  local b h name seed cycles seconds hit bins how old rate
  printf '\n%-12s %7s %8s %10s %10s %9s %13s %10s %9s\n' block 'C lines' 'RTL lines' cycles 'kcycles/s' bins 'line/toggle' mutants proofs
  read -ra blocks <<<"$COSIM_BLOCKS"
  for b in "${blocks[@]}"; do
    h=$(hash_of "$b")
    local rtl=() c=0 r=0 run='' bn='' cov='' mut='' proof=''
    mapfile -t rtl < <(sources "$b" | grep '\.sv$')
    [ ${#rtl[@]} -gt 0 ] || rtl=("$COSIM_RTL/$b.sv")
    c=$(code_lines "$COSIM_C/blocks/$b.c")
    r=$(code_lines "${rtl[@]}")
    rate=-
    if IFS=$'\t' read -r name old seed cycles seconds hit bins how < <(cat "$COSIM_OUT/results/${b//\//-}.tsv" 2>/dev/null); then
      case $how in
        agree) run=$cycles ;;
        bins) run=$cycles ;;
        *) run="FAIL@$cycles" ;;
      esac
      run=$(aged "$run" "$old" "$h")
      bn=$(aged "$hit/$bins" "$old" "$h")
      rate=$(awk -v c="$cycles" -v s="$seconds" 'BEGIN { if (s > 0) printf "%.0f", c / s / 1000; else printf "-" }')
    fi
    # coverage.tsv: block hash line% toggle%; mutate/results.tsv: block hash killed total
    local line toggle killed total
    if read -r name old line toggle < <(grep -P "^$b\t" build/coverage/results.tsv 2>/dev/null | tail -n 1); then
      cov=$(aged "$line/$toggle" "$old" "$h")
    fi
    if read -r name old killed total < <(grep -P "^$b\t" build/mutate/results.tsv 2>/dev/null | tail -n 1); then
      mut=$(aged "$killed/$total" "$old" "$h")
    fi
    proof=$(proofs "$b")
    printf '%-12s %7s %8s %10s %10s %9s %13s %10s %9s\n' "$b" "$c" "$r" "${run:--}" "$rate" "${bn:--}" "${cov:--}" "${mut:--}" "${proof:--}"
  done
  echo '(the last results; ~: the sources have changed since; -: not run)'
  local d missing=()
  for d in $COSIM_DEFS; do [[ " $COSIM_BLOCKS " == *" $d "* ]] || missing+=("$d"); done
  [ ${#missing[@]} -eq 0 ] || echo "declared, but a twin or the bench is missing: ${missing[*]}"
}

bench() {
  local b targets=()
  for b in "${blocks[@]}"; do targets+=("$COSIM_OUT/obj/$b/plain/run"); done
  build "${BLOCK:-all}" "${targets[@]}" || exit 2
  printf '%-14s %10s %10s %10s   %5s   (kcycles/s; ratio: time of lockstep to the sum of the bare two)\n' block 'bare RTL' 'bare C' lockstep ratio
  for b in "${blocks[@]}"; do "$COSIM_OUT/obj/$b/plain/run" --block "$b" --bench; done
}

WAVE_DIR=build/waves
tools "$VERILATOR" "$YOSYS"
choose_blocks
case $1 in
  run) run ;;
  matrix) matrix ;;
  bench) bench ;;
  *) die "cosim.sh: $1?" ;;
esac
