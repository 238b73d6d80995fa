#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make cosim: builds and runs the chosen blocks, then prints the twin matrix. Exit status: 0 all agree, 1 one does not,
# 2 something could not be built or the call is wrong.
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh
blocks=()

run_block() {   # block
  local b=${1%@*} unit=$1 set='' variant=${MODEL:-plain} args=() again=''
  [ -n "$WAVES" ] && variant=trace && args+=(--waves)
  [ -n "$SEED" ] && args+=(--seed "$SEED")
  [ -n "$CYCLES" ] && args+=(--cycles "$CYCLES")
  [ -n "$REPLAY" ] && args+=(--replay "$REPLAY")
  [ -n "$RECORD" ] && args+=(--record "$RECORD")
  [ -n "$SHRINK" ] && args+=(--shrink)
  [ -n "$SHRINK_SECONDS" ] && args+=(--shrink-seconds "$SHRINK_SECONDS")
  [ -n "$BINS" ] && args+=(--bins)
  [ -n "$COSIM_PLACES" ] && again=" $COSIM_PLACES"
  # the stored streams are of the first set; a failure of another one is stored in a folder of its own
  if [ "$unit" != "$b" ]; then set=${unit#*@} again=" SETS=$set$again"
  elif [ -z "${SEED_ALONE-}" ]; then args+=(--streams "traces/streams/${b%/*}"); fi
  local regress=$COSIM_TB/${b%/*}/regress${set:+/$set}
  if [ -n "$SHRINK" ]; then mkdir -p "$regress"; fi
  [ -n "${SEED_ALONE-}" ] || args+=(--regress "$regress")
  # only a whole run is a result for the matrix
  [ -z "$CYCLES$REPLAY${MODEL-}${SEED_ALONE-}" ] && args+=(--result "$COSIM_OUT/results/${unit//\//-}.tsv" --hash "$(hash_of "$unit" run)")
  "$COSIM_OUT/obj/$unit/$variant/run" --block "$b" --set "${set:-}" --again "$again" --wave-dir "$WAVE_DIR" "${args[@]}"
}

# For cosim/sets.sh: runs a block that is built at a set, and prints "SET BLOCK@SET SECONDS RESULT", with the seconds since SINCE. The
# build is removed, unless the run failed or the whole SM is linked with it.
run_set() {   # block@set
  local dir=$COSIM_OUT/obj/$1 result=$COSIM_OUT/results/${1//\//-}.tsv cycles hit bins how='' text
  mkdir -p "$COSIM_OUT/results" "$WAVE_DIR"
  rm -f "$result"
  run_block "$1" >"$dir/log" 2>&1
  IFS=$'\t' read -r _ _ _ cycles _ hit bins how < <(cat "$result" 2>/dev/null)
  if [ "$how" = agree ]; then text="agree, bins $hit/$bins, $cycles cycles"
  else text=$(grep -m 1 -oE '(^(DIVERGE|ORACLE|CONTROL|IDLE|ILLEGAL|INVARIANT|ASSERT)| EMPTY BINS) .*' "$dir/log" | sed 's/^ *//' | tr -c '[:print:]\n' ' ' | cut -c 1-120); fi
  if [ "$how" != agree ]; then sed "s,^,$1: ," "$dir/log" >&2
  elif [[ " $SM_UNITS " != *" $1 "* ]]; then rm -rf "$dir"; fi
  echo "SET $1 $(($(date +%s) - ${SINCE:-0})) ${text:-failed}"
}

run() {
  local b status=0 targets=()
  [ -z "$SEED" ] || is_number SEED "$SEED"
  [ -z "$CYCLES" ] || is_number CYCLES "$CYCLES"
  [ -z "$SHRINK_SECONDS" ] || is_number SHRINK_SECONDS "$SHRINK_SECONDS"
  [ -z "$REPLAY$RECORD" ] || [ -n "$BLOCK" ] || die "REPLAY and RECORD need BLOCK="
  [ -z "$REPLAY$RECORD" ] || [ ${#blocks[@]} -eq 1 ] || die "SETS=$SETS: REPLAY and RECORD need one set"
  [ -z "$REPLAY" ] || [ -f "$REPLAY" ] || die "REPLAY=$REPLAY: no such file"
  local variant=${MODEL:-plain}
  [ "$variant" != net ] || without_pairs
  [ -n "$WAVES" ] && variant=trace
  for b in "${blocks[@]}"; do targets+=("$COSIM_OUT/obj/$b/$variant/run" "$COSIM_OUT/$b"); done
  # those that can be built are run; a block that cannot is an error at the end
  build "${BLOCK:-all}" "${targets[@]}" || status=2
  mkdir -p "$COSIM_OUT/results" "$WAVE_DIR"
  for b in "${blocks[@]}"; do
    # shellcheck disable=SC2086
    if [ $status -eq 2 ] && ! $MAKE --no-print-directory -s BLOCK= $COSIM_PLACES "$COSIM_OUT/obj/$b/$variant/run" >/dev/null 2>&1; then
      echo "$b: could not be built" >&2
      status=2
      continue
    fi
    run_block "$b" || { local s=$?; [ "$s" -gt "$status" ] && status=$s; [ "$s" -ne 1 ] || advise_lint "$b"; }
  done
  [ -n "$BLOCK${MODEL-}" ] || matrix
  return $status
}

# After a failure of a block whose Verilog was edited: a wrong width or driver is a warning of lint, and no error of the model.
advise_lint() {   # block
  local rtl=()
  [ "$COSIM_RTL" = rtl ] && [ -z "${MODEL-}" ] || return 0
  mapfile -t rtl < <(rtl_of "$1")
  [ -n "$(git status --porcelain -- "${rtl[@]}" 2>/dev/null)" ] || return 0
  local set=''
  [ "$1" = "${1%@*}" ] || set=" SETS=${1#*@}"
  echo "  lint: make lint-rtl BLOCK=${1%@*}$set (its Verilog was edited; shows wrong widths and drivers in some seconds)"
}

matrix() {
  local b h seed cycles seconds hit bins how old rate tmp
  tmp=$(mktemp)
  last_results >"$tmp"
  printf '\n%-24s %7s %8s %10s %10s %9s %13s %10s %9s\n' block 'C lines' 'RTL lines' cycles 'kcycles/s' bins 'line/toggle' mutants proofs
  mapfile -t blocks < <(tr ' ' '\n' <<<"$COSIM_BLOCKS $COSIM_UNITS" | grep . | sort)
  for b in "${blocks[@]}"; do
    # a set that is not the first has a row when it was run here
    [[ $b != *@* ]] || [ -f "$COSIM_OUT/results/${b//\//-}.tsv" ] || continue
    h=$(hash_of "$b" run)
    local c=() rtl=() run='' bn=''
    mapfile -t c < <(c_of "${b%@*}")
    mapfile -t rtl < <(rtl_of "$b")
    rate=-
    if IFS=$'\t' read -r _ old seed cycles seconds hit bins how < <(cat "$COSIM_OUT/results/${b//\//-}.tsv" 2>/dev/null); then
      case $how in
        agree | bins) run=$cycles ;;
        *) run="FAIL@$cycles/seed $seed" ;;
      esac
      run=$(aged "$run" "$old" "$h")
      bn=$(aged "$hit/$bins" "$old" "$h")
      rate=$(awk -v c="$cycles" -v s="$seconds" 'BEGIN { if (s > 0) printf "%.0f", c / s / 1000; else printf "-" }')
    fi
    printf '%-24s %7s %8s %10s %10s %9s %13s %10s %9s\n' "$b" "$(code_lines "${c[@]}")" "$(code_lines "${rtl[@]}")" \
      "${run:--}" "$rate" "${bn:--}" "$(column "$b" coverage)" "$(column "$b" mutants)" "$(column "$b" proofs)"
  done
  rm -f "$tmp"
  echo '(the last results; ~: the sources have changed since; -: not run)'
  local d missing=()
  for d in $COSIM_DEFS; do [[ " $COSIM_BLOCKS " == *" $d "* ]] || missing+=("$d"); done
  [ ${#missing[@]} -eq 0 ] || echo "declared, but a twin or the bench is missing: ${missing[*]}"
}

# What make cosim, coverage, mutate, formal and storage found, recorded for regtwin list blocks, and for trees that have not run them. What is not of
# these sources stays as it was recorded, to be marked by its hash.
record() {
  local b c text tmp old new=cosim/records/twins.tsv.new
  tmp=$(mktemp)
  read -ra blocks <<<"$COSIM_BLOCKS"
  last_results >"$tmp"
  printf '# The twins, as last measured (make twins-record): block, hash of its sources, column, result; storage: flip-flops + bits of memory, with parts\n' >$new
  for b in "${blocks[@]}"; do
    for c in bins coverage mutants proofs storage; do
      text=$(column "$b" "$c")
      case $text in
        - | *'~')
          old=$(recorded_results | grep "^$b"$'\t[^\t]*\t'"$c"$'\t') && echo "$old" >>$new
          echo "$b: $c: $text, not recorded" >&2 ;;
        *) printf '%s\t%s\t%s\t%s\n' "$b" "$(hash_of "$b" "$c")" "$c" "$text" >>$new
          case $c in bins | mutants | proofs) [ "${text%/*}" = "${text#*/}" ] || echo "$b: $c: recorded $text, expected all of ${text#*/}" >&2 ;; esac ;;
      esac
    done
  done
  rm -f "$tmp"
  mv $new cosim/records/twins.tsv
}

# For regtwin-cosim: each block, with the block whose Verilog holds it.
holders() {
  local b f name
  local -A holder=()
  for b in $COSIM_DEFS; do
    while read -r f; do
      name=${f#"$COSIM_RTL/"}
      [ "${name%.sv}" = "$b" ] || holder[${name%.sv}]=$b
    done < <(sources "$b" run | grep '\.sv$')
  done
  for b in $COSIM_BLOCKS; do echo "BLOCK(${b%/*}, ${b#*/}, \"${holder[$b]:-}\")"; done
  for b in $SM_UNITS; do name=${b#*/} && echo "BLOCK_SET(${b%/*}, ${name%@*}, ${name/@/_})"; done
}

# GTKWave on a failure, the block's last one or the one given, with the RTL's inner signals. Its files are in a folder of their own:
# those of make cosim, of the same names, have no inner signals.
wave() {
  local unit last='' line file f status=0 kept absent='' alone=''
  [ -n "$BLOCK" ] || die 'wave needs BLOCK='
  [ ${#blocks[@]} -eq 1 ] || die "SETS=$SETS: wave needs one set"
  unit=${blocks[0]##*/}
  if [ -z "$SEED$CYCLES$REPLAY" ]; then
    # the last failure at the set of SETS; without SETS that at any set
    if [ -n "$SETS" ]; then last=$WAVE_DIR/$unit.last
    else last=$(find "$WAVE_DIR" -maxdepth 1 \( -name "$unit.last" -o -name "$unit@*.last" \) -printf '%T@ %p\n' 2>/dev/null | sort -n | sed -n '$s/^[^ ]* //p'); fi
    [ -f "${last:=$WAVE_DIR/$unit.last}" ] || die "BLOCK=$BLOCK: no failure yet ($last is not there); make cosim BLOCK=$BLOCK finds one, or give SEED= CYCLES= or REPLAY="
    while IFS= read -r line; do
      case $line in SEED=*) SEED=${line#*=} ;; CYCLES=*) CYCLES=${line#*=} ;; REPLAY=*) REPLAY=${line#*=} ;; SETS=*) SETS=${line#*=} ;; esac
    done <"$last"
    choose_blocks
    unit=${blocks[0]##*/}
    [ -z "$REPLAY" ] || [ -f "$REPLAY" ] ||
      die "BLOCK=$BLOCK: its last failure was REPLAY=$REPLAY, a file that is gone; make cosim BLOCK=$BLOCK${SETS:+ SETS=$SETS} looks for another one, or give SEED= CYCLES= or REPLAY="
  fi
  # A seed is a run of the bench, without the stored streams that make cosim drives before it and after it.
  [ -n "$REPLAY" ] || alone=1
  [ -z "$SEED" ] || is_number SEED "$SEED"
  WAVE_DIR+=/inner
  file=$WAVE_DIR/$unit-$((${SEED:-1})).fst
  [ -z "$REPLAY" ] || file=$WAVE_DIR/$unit-$(basename "$REPLAY").fst
  # the wave of a failure stays if it is not repeated
  kept=$(mktemp -d)
  for f in "$file" "${file%.fst}.gtkw"; do [ ! -f "$f" ] || mv "$f" "$kept"; done
  WAVES=1 SHRINK='' RECORD='' SEED_ALONE=$alone run || status=$?
  if [ $status -eq 2 ] || { [ -n "$last" ] && [ $status -eq 0 ]; }; then
    cp -p "$kept"/* "$WAVE_DIR" 2>/dev/null
    rm -rf "$kept"
    [ $status -eq 2 ] && return 2
    echo "${blocks[0]}: its last failure (${REPLAY:+REPLAY=$REPLAY}${REPLAY:-SEED=$SEED CYCLES=$CYCLES}) does not occur any more; make cosim BLOCK=$BLOCK${SETS:+ SETS=$SETS} looks for another one" >&2
    return 1
  fi
  rm -rf "$kept"
  [ -s "$file" ] || return 2
  command -v gtkwave >/dev/null || absent='no GTKWave (apt-get install gtkwave)'
  [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || absent+="${absent:+ and }no display (DISPLAY is empty)"
  if [ -n "$absent" ]; then
    # shellcheck disable=SC2086
    [ $status -eq 0 ] || ! $MAKE --no-print-directory -s BLOCK= SETS= $COSIM_PLACES "$COSIM_OUT/obj/wavetable" >/dev/null ||
      "$COSIM_OUT/obj/wavetable" "$file" "${file%.fst}.gtkw"
    echo "$absent here; where there are both: gtkwave $file ${file%.fst}.gtkw; as text: fst2vcd $file"
  else
    gtkwave --rcvar 'enable_vert_grid on' "$file" "${file%.fst}.gtkw" >/dev/null 2>&1 &
  fi
}

bench() {
  local b targets=()
  for b in "${blocks[@]}"; do targets+=("$COSIM_OUT/obj/$b/plain/run"); done
  build "${BLOCK:-all}" "${targets[@]}" || exit 2
  printf '%-14s %10s %10s %10s   %5s   (kcycles/s; ratio: time of lockstep to the sum of the bare two)\n' block 'bare RTL' 'bare C' lockstep ratio
  for b in "${blocks[@]}"; do "$COSIM_OUT/obj/$b/plain/run" --block "$b" --bench; done
}

# The parts of a block at a set, each at the set of the same name or, if it has none, at its first one.
parts_of() {   # block
  local b=${1%@*} set='' part f
  [ "$1" = "$b" ] || set=@${1#*@}
  sed -n 's,^PART(\(.*\))$,\1,p' "$COSIM_C/blocks/$b.def" | while read -r part; do
    f=${b%/*}/$part
    [[ " $COSIM_UNITS " != *" $f$set "* ]] || f+=$set
    echo "$f"
  done
}

# Bits of a block at a set: its own flip-flops and memories and, where it is made of others, all together. What prints them is built.
storage_of() {   # block
  local ff ram all_ff all_ram ff_part ram_part f
  read -r ff ram < <("$COSIM_OUT/obj/$1/ports" --storage)
  all_ff=$ff all_ram=$ram
  for f in $(parts_of "$1"); do
    read -r ff_part ram_part < <("$COSIM_OUT/obj/$f/ports" --storage)
    all_ff=$((all_ff + ff_part)) all_ram=$((all_ram + ram_part))
  done
  echo "$ff $ram $all_ff $all_ram"
}

storage() {
  local u f ff ram all_ff all_ram targets=()
  without_pairs
  for u in "${blocks[@]}"; do
    for f in "$u" $(parts_of "$u"); do targets+=("$COSIM_OUT/obj/$f/ports"); done
  done
  build "${BLOCK:-all}" "${targets[@]}" || exit 2
  mkdir -p "$COSIM_OUT/results"
  : >"$COSIM_OUT/results/storage.new"
  printf '%-24s %10s %12s %14s %14s\n' block 'FF bits' 'memory bits' 'FF, all' 'memory, all'
  for u in "${blocks[@]}"; do
    read -r ff ram all_ff all_ram < <(storage_of "$u")
    printf '%-24s %10s %12s %14s %14s\n' "$u" "$ff" "$ram" "$all_ff" "$all_ram"
    printf '%s\t%s\tstorage\t%s+%s\n' "$u" "$(hash_of "$u" storage)" "$all_ff" "$all_ram" >>"$COSIM_OUT/results/storage.new"
  done
  mv "$COSIM_OUT/results/storage.new" "$COSIM_OUT/results/storage"
}

WAVE_DIR=build/waves
tools "$VERILATOR" "$YOSYS"
choose_blocks
case $1 in
  run) run ;;
  set) run_set "$2" ;;
  matrix) matrix ;;
  record) record ;;
  bench) bench ;;
  storage) storage ;;
  holders) holders ;;
  sets) ;; # SETS is right: choose_blocks has said nothing
  wave) wave ;;
  *) die "cosim.sh: $1?" ;;
esac
