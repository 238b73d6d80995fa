#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make mutate [BLOCK=] [MUTANTS=240] [CYCLES=]: seeded faults under the block's own bench.
# RTL: Yosys's mutate, all faults in one Verilated model, an extra input chooses; compared at the ports only, because the
# netlist has no registers by name. C: cosim/mutate/cmutate.c. A fault is killed when the bench detects it, or when the model
# crashes (undefined behaviour of C is compiled to a trap) or takes more than four times the processor time of a
# run without fault. A program that the system ended is an error, not a kill.
# Of the survivors, cosim/mutate/equal.sh proves what it can; those count as no fault. The others must be explained in
# tb/SYSTEM/BLOCK.survivors, or they are listed. Its lines: a pattern, " -- ", a reason. The pattern is held
# against the fault as it is listed, "rtl const0 eq.A[3] @ the operator's source text", which stays when lines
# move; " @ " and the whole line may follow, where several lines have that text. Special are * and <0-7>, a
# number. One that fits a fault that the bench kills is too wide: an error. So is one that fits no fault of the block, of all that
# could be drawn: its names are old ones. One that fits none of those that were drawn is listed.
# Faults are named, held against the patterns and counted by the program `mutants` (cosim/mutate/mutants.c).
# build/mutate/SYSTEM-BLOCK.tsv: side, number, place, fault, cycle of the first difference or -, its fate.
# Score: killed, of those that are neither proven nor explained to be equal.
# Without BLOCK=, a block whose recorded score is complete and of these very files (cosim/records/twins.tsv) is not run again; FRESH=1 runs all.
cd "$(dirname "$0")/../.." || exit 2
. cosim/lib.sh
blocks=()
tools "$VERILATOR" "$YOSYS"
choose_blocks
is_number MUTANTS "$MUTANTS"
[ -z "$CYCLES" ] || is_number CYCLES "$CYCLES"
out=$PWD/${MUTATE_OUT:-build/mutate}
program=$COSIM_OUT/obj/mutants
mkdir -p "$out"
touch "$out/results.tsv"
export out COSIM_OUT COSIM_C CYCLES

rtl_build() {   # block: the model with all faults; their list in $dir/list
  local b=$1 name=${1##*/} dir=$COSIM_OUT/obj/$1/mut bits=1 files stamp
  mkdir -p "$dir"
  # only what the block uses: read with the rest of the folder, other files would change which faults are drawn
  mapfile -t files < <(sources "$b" mutants | grep '\.sv$')
  stamp=$({ sources "$b" mutants | grep '\.svh*$' | xargs cat; declare -f rtl_build; } | sha256sum | cut -c1-16)-$MUTANTS
  if [ -f "$dir/V$name.mk" ] && [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then return 0; fi
  while [ $((1 << bits)) -le "$MUTANTS" ]; do bits=$((bits + 1)); done
  "$YOSYS" -qq -p "read_verilog -sv -defer ${files[*]}; hierarchy -top $name; rename -top $name; proc; flatten;
    pmuxtree; opt_expr -mux_undef; opt_clean; memory_collect; write_rtlil $dir/plain.il;
    mutate -list $((3 * MUTANTS)) -seed 1 -ctrl mutsel_i $bits 1 -o $dir/all;
    mutate -list 100000000 -mode inv -o $dir/every" >"$dir/log" 2>&1 ||
    { tail -n 5 "$dir/log" >&2; return 2; }
  # no cnot, one bit inverted by another, and no vector of several stages: Verilator 5.006 computes wrong values of a loop;
  # memories are read without a clock here, so their read ports' enables and resets are constants that Yosys insists on
  awk -v m="$MUTANTS" '!/ -mode cnot| -port RD_(CLK|EN|ARST|SRST) / && n < m { $5 = ++n; print }' "$dir/all" >"$dir/list"
  "$YOSYS" -qq -p "read_rtlil $dir/plain.il; script $dir/list; opt_clean; write_rtlil $dir/$name.il;
    splitnets -driver; write_verilog -noattr $dir/$name.v" >"$dir/log" 2>&1 ||
    { tail -n 5 "$dir/log" >&2; return 2; }
  # without the data-flow graph pass of Verilator 5.006: with it, slice/scu without a fault differs from the C twin, whatever splitnets splits
  "$VERILATOR" --cc -O3 -fno-dfg --x-assign fast --x-initial unique -Wno-lint -Wno-style -Wno-fatal \
    --prefix "V$name" --top-module "$name" --Mdir "$dir" "$dir/$name.v" >>"$dir/log" 2>&1 ||
    { tail -n 5 "$dir/log" >&2; return 2; }
  ! grep UNOPTFLAT "$dir/log" >&2 || return 2
  echo "$stamp" >"$dir/stamp"
}

# How a run ended: its last line's last field, or why there is none. What the system did begins with "?".
ended() {   # exit status, last line
  case $1 in
    0) [ -n "$2" ] && echo "${2##*	}" || echo '?nothing' ;;
    2) echo 'stopped:refused' ;;
    132 | 133 | 134 | 135 | 136 | 139) echo 'stopped:crash' ;;
    152) echo 'stopped:endless' ;;
    *) echo "?$1" ;;
  esac
}

run_limited() {   # program, arguments: sets `last` and returns its exit status
  # the soft limit only: at a hard one Linux sends SIGKILL, as it does when memory runs out
  last=$( (ulimit -c 0; ulimit -S -t "$CPU_LIMIT"; exec timeout 3600 "$@" ${CYCLES:+--cycles "$CYCLES"}) 2>/dev/null |
    tail -n 1; exit "${PIPESTATUS[0]}")
}

rtl_one() {   # block, number: "number cycle"
  local last
  run_limited "$COSIM_OUT/obj/$1/mut/run" --mutant "$2"
  printf '%s\t%s\n' "$2" "$(ended $? "$last")"
}

c_one() {   # block, number; "none": the source as it is
  local b=$1 n=$2 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/cmut flags parts last
  local x=$dir/m$n
  if [ "$n" = none ]; then
    cp "$COSIM_C/blocks/$b.c" "$x.c"
  else
    "$COSIM_OUT/obj/cmutate" apply "$COSIM_C/blocks/$b.c" "$n" >"$x.c"
  fi
  flags=(-std=gnu11 -O1 -w -ffp-contract=off -fsanitize=undefined -fsanitize-undefined-trap-on-error
    -I. -I"$COSIM_C" -I"$COSIM_C/blocks/$system" -Icmodel -Icosim/engine
    -DDESC_BLOCK="$name" -DDESC_DEF="\"blocks/$b.def\"" -DDESC_SOURCE="\"$x.c\"")
  read -ra parts <"$dir/parts"
  grep -q ^COMBINATIONAL "$COSIM_C/blocks/$b.def" && flags+=(-DDESC_COMBINATIONAL)
  if ! gcc "${flags[@]}" -c cosim/engine/describe.c -o "$x.o" 2>/dev/null; then
    printf '%s\tstillborn\n' "$n"
  elif gcc "$x.o" "${parts[@]}" -lstdc++ -lzstd -lz -lmpfr -lgmp -lm -pthread -o "$x" 2>/dev/null; then
    run_limited "$x" --mutants
    printf '%s\t%s\n' "$n" "$(ended $? "$last")"
  else
    printf '%s\t?link\n' "$n"
  fi
  rm -f "$x" "$x.o" "$x.c"
}
export -f rtl_one c_one run_limited ended

counted() {   # what, of how many: passes lines through
  local n=0 line
  while IFS= read -r line; do
    printf '%s\n' "$line"
    n=$((n + 1))
    doing "mutate: $1 $n/$2"
  done
  doing ''
}

each() {   # command, block, what is shown: numbers come in, lines go out
  local numbers
  mapfile -t numbers
  printf '%s\n' "${numbers[@]}" | xargs -P "${JOBS:-2}" -I{} bash -c "$1 $2 {}" | counted "$2: $3" ${#numbers[@]}
}

limit_of() {   # command: four times the seconds that it takes, and ten
  local TIMEFORMAT=%U s
  s=$({ time "$@" >/dev/null 2>&1; } 2>&1)
  awk -v s="$s" 'BEGIN { printf "%d", 10 + 4 * s }'
}

c_list() {   # block: what the runner links but for the twin, and the list of faults
  local b=$1 o=$COSIM_OUT/obj
  mkdir -p "$o/$b/cmut"
  echo "$o/$b/plain/shim.o" "$o/$b/tb.o" "$ENGINE_O" "$o/${b%/*}/twins.a" \
    "$o/$b/plain/V${b##*/}__ALL.a" "$RUNTIME"/{verilated,verilated_threads,fstapi}.o >"$o/$b/cmut/parts"
  "$o/cmutate" list "$COSIM_C/blocks/$b.c" >"$o/$b/cmut/list"
}

rows() {   # names: rows of the table from lines "number result"; and the source line, if it is among the names
  join -t $'\t' <(sort -k1,1 -t $'\t') <(sort -k1,1 -t $'\t' "$1") |
    awk -F'\t' -v OFS='\t' '{ split($4, side, " "); print side[1], $1, $3, $4, $2, $5 }' | sort -t $'\t' -k2,2n
}

judge() {   # block, file for what is said of the patterns, numbers that are proven equal
  local file=$COSIM_TB/$1.survivors
  [ -f "$file" ] || file=-
  "$program" judge "$file" "$part.ran" "${@:2}" </dev/null
}

# Ends with status 2 if the block's files name what it does not have: a pattern that fits none of all faults, a wire of its rule.
check_files() {   # block, after rtl_build and c_list
  local o=$COSIM_OUT/obj/$1 file=$COSIM_TB/$1.survivors bad=0
  cosim/mutate/equal.sh "$1" || bad=2
  [ -f "$file" ] || return $bad
  if grep -q '^[^c#]' "$file"; then "$program" rtl "$o/mut/plain.il" "$o/mut/every"; fi >"$part.names" || return 2
  "$program" c "$COSIM_C/blocks/$1.c" "$o/cmut/list" >>"$part.names" || return 2
  "$program" check "$file" "$part.names" || bad=2
  return $bad
}

campaign() {   # block: the table
  local b=$1 o=$COSIM_OUT/obj/$1 m=$MUTANTS all k open equal=()
  "$program" rtl "$o/mut/plain.il" "$o/mut/list" >"$part.names" || return 2
  cut -f1 "$part.names" | each rtl_one "$b" 'RTL faults' | rows "$part.names" >"$part.ran"
  "$program" c "$COSIM_C/blocks/$b.c" "$o/cmut/list" >"$part.names" || return 2
  all=$(wc -l <"$part.names")
  ((m <= all)) || m=$all
  # evenly spread
  for ((k = 0; k < m; k++)); do echo $((k * all / m)); done | each c_one "$b" 'C faults' | rows "$part.names" >>"$part.ran"
  mapfile -t open < <(judge "$b" /dev/null 2>/dev/null | awk -F'\t' '$1 == "rtl" && $6 == "open" { print $2 }')
  [ ${#open[@]} -eq 0 ] || mapfile -t equal < <(printf '%s\n' "${open[@]}" | each cosim/mutate/equal.sh "$b" proofs |
    awk '$2 == "equal" { print $1 }')
  judge "$b" "$part.patterns" "${equal[@]}"
}

report() {   # block, table
  local b=$1 tsv=$2 rtl of_rtl c of_c equal explained killed faults errors score
  read -r rtl of_rtl c of_c equal explained killed faults errors score < <("$program" count "$tsv") || return 2
  printf '%-12s %12s %12s %7d %10d %7s%% %8d\n' "$b" "$rtl/$of_rtl" "$c/$of_c" "$equal" "$explained" "$score" $SECONDS
  "$program" report "$COSIM_TB/$b.survivors" "$tsv" "$part.patterns" || return 2
  { grep -vP "^$b\t" "$out/results.tsv"
    printf '%s\t%s\t%s\t%s\n' "$b" "$(hash_of "$b" mutants)" "$killed" "$faults"; } >"$part.new"
  mv "$part.new" "$out/results.tsv"
  [ "$errors" -eq 0 ] || return 2
  [ "$killed" -eq "$faults" ] && ! grep -qE '^(bad|wide)' "$part.patterns"
}

status=0
printf '%-12s %12s %12s %7s %10s %8s %8s\n' block 'RTL killed' 'C killed' equal explained score seconds
before=$(mktemp)
trap 'rm -f "$before"' EXIT
last_results >"$before"
for b in "${blocks[@]}"; do
  SECONDS=0
  if [ -z "$BLOCK$CYCLES${FRESH:-}" ]; then
    score=$(tmp=$before column "$b" mutants)
    if [ "${score%/*}" = "${score#*/}" ] && [[ $score == [1-9]*/* ]]; then
      printf '%-12s %12s killed, kept from the same files\n' "$b" "$score"
      continue
    fi
  fi
  if ! { build "mut-${b//\//-}" "$COSIM_OUT/obj/$b/plain/run" "$COSIM_OUT"/obj/{cmutate,mutants,equal} && rtl_build "$b" &&
    build "mut-${b//\//-}" "$COSIM_OUT/obj/$b/mut/run"; }; then
    status=2
    continue
  fi
  c_list "$b"
  part=$out/${b//\//-} tsv=$part.tsv
  check_files "$b" || { status=2; continue; }
  # without a fault both must agree, else a kill proves nothing
  export CPU_LIMIT=3600
  CPU_LIMIT=$(limit_of rtl_one "$b" 0)
  base="$(rtl_one "$b" 0) $(c_one "$b" none)"
  if [ "$base" != "0	- none	-" ]; then
    echo "$b: without a fault there is a difference, too: $base" >&2
    status=2
    continue
  fi
  if ! { campaign "$b" >"$tsv.new" && mv "$tsv.new" "$tsv"; }; then
    status=2
    continue
  fi
  report "$b" "$tsv" || { s=$?; [ $s -le $status ] || status=$s; }
done
exit $status
