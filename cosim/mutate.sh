#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make mutate [BLOCK=] [MUTANTS=240] [CYCLES=]: seeded faults under the block's own bench.
# RTL: Yosys's mutate, all faults in one Verilated model, an extra input chooses; seen at the ports only, for the netlist has
# no registers by name. C: cosim/cmutate. A fault is killed when the bench sees it (or the model crashes or never ends).
# Survivors are listed with their place, unless tb/SYSTEM/BLOCK.survivors explains them, one per line: a pattern, ": ", a reason.
# build/mutate/SYSTEM-BLOCK.tsv: side, number, place, fault, cycle of the first difference or -.
cd "$(dirname "$0")/.." || exit 2
. cosim/lib.sh
blocks=()
tools "$VERILATOR" "$YOSYS"
choose_blocks
is_number MUTANTS "$MUTANTS"
[ -z "$CYCLES" ] || is_number CYCLES "$CYCLES"
out=$PWD/build/mutate
mkdir -p "$out"
touch "$out/results.tsv"
export out COSIM_OUT CYCLES

rtl_build() {   # block: the model with all faults; its list in $dir/list
  local b=$1 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/mut files
  mkdir -p "$dir"
  files=$(ls "$COSIM_RTL"/common/*.sv "$COSIM_RTL/$system"/*.sv 2>/dev/null | sort -u | tr '\n' ' ')
  if [ -f "$dir/V$name.mk" ] && [ "$(cat "$dir/stamp" 2>/dev/null)" = "$(hash_of "$b") $MUTANTS" ]; then return 0; fi
  local bits=1
  while [ $((1 << bits)) -le "$MUTANTS" ]; do bits=$((bits + 1)); done
  "$YOSYS" -qq -p "read_verilog -sv -defer $files; hierarchy -top $name; rename -top $name; proc; flatten; pmuxtree; opt_expr; opt_clean; memory_collect;
    mutate -list $MUTANTS -seed 1 -ctrl mutsel_i $bits 1 -o $dir/list; script $dir/list; opt_clean; write_verilog -noattr $dir/$name.v" \
    >"$dir/log" 2>&1 || { tail -n 5 "$dir/log" >&2; return 2; }
  # -fno-dfg: with the false combinational loops that the faults make, Verilator 5.006 computes wrong values with it
  "$VERILATOR" --cc -O3 -fno-dfg --x-assign fast --x-initial unique -Wno-lint -Wno-style -Wno-fatal --prefix "V$name" --top-module "$name" --Mdir "$dir" \
    "$dir/$name.v" >>"$dir/log" 2>&1 || { tail -n 5 "$dir/log" >&2; return 2; }
  echo "$(hash_of "$b") $MUTANTS" >"$dir/stamp"
}

# place and fault of each line of Yosys's list
rtl_names() {
  awk '{ mode = src = what = ""; bit = ""
    for (i = 2; i < NF; i++) {
      if ($i == "-mode") mode = $(i + 1)
      if ($i == "-src" && src == "") src = $(i + 1)
      if ($i == "-wire") what = $(i + 1)
      if ($i == "-wirebit") bit = "[" $(i + 1) "]"
      if ($i == "-port" && what == "") { what = $(i + 1) }
    }
    n = split(src, p, "/"); sub(/^\\/, "", what); sub(/-.*/, "", p[n])
    print NR "\t" (src == "" ? "?" : p[n]) "\t" mode " " what bit }' "$1"
}

rtl_one() {   # block, number: "number cycle"
  local r
  r=$(timeout 120 "$COSIM_OUT/obj/$1/mut/run" --mutant "$2" ${CYCLES:+--cycles "$CYCLES"} 2>/dev/null | tail -n 1)
  [ -n "$r" ] || r="$2	stopped"
  echo "$r"
}

c_one() {   # block, number
  local b=$1 n=$2 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/cmut
  local x=$dir/m$n comb=() r
  grep -q ^COMBINATIONAL "$COSIM_C/blocks/$b.def" && comb=(-DDESC_COMBINATIONAL)
  "$COSIM_OUT/obj/cmutate" apply "$COSIM_C/blocks/$b.c" "$n" >"$x.c"
  if ! gcc -std=gnu11 -O1 -w -ffp-contract=off -I. -I"$COSIM_C" -I"$COSIM_C/blocks/$system" -Icmodel -Icosim -DDESC_BLOCK="$name" \
    -DDESC_DEF="\"blocks/$b.def\"" -DDESC_SOURCE="\"$x.c\"" "${comb[@]}" -c cosim/describe.c -o "$x.o" 2>/dev/null; then
    echo "$n	stillborn"
  else
    # shellcheck disable=SC2046
    gcc "$x.o" $(cat "$dir/parts") -lstdc++ -lzstd -lz -lmpfr -lgmp -lm -pthread -o "$x" 2>/dev/null
    r=$( (ulimit -c 0; timeout 60 "$x" --mutants ${CYCLES:+--cycles "$CYCLES"}) 2>/dev/null | tail -n 1)
    echo "$n	${r:-stopped}"
  fi
  rm -f "$x" "$x.o" "$x.c"
}
export -f rtl_one c_one
export COSIM_C

c_run() {   # block: rows into $1
  local b=$1 name=${1##*/} system=${1%/*} dir=$COSIM_OUT/obj/$1/cmut all step
  mkdir -p "$dir"
  # all that the runner links, but for the twin
  echo "$COSIM_OUT/obj/$b/plain/shim.o $COSIM_OUT/obj/$b/tb.o $(ls "$COSIM_OUT"/obj/engine/{engine,main,report,wave,stim,shrink}.o | tr '\n' ' ')" \
    "$COSIM_OUT/obj/$system/twins.a $COSIM_OUT/obj/$b/plain/V${name}__ALL.a" \
    "$COSIM_OUT/obj/engine/verilated.o $COSIM_OUT/obj/engine/verilated_threads.o $COSIM_OUT/obj/engine/fstapi.o" >"$dir/parts"
  "$COSIM_OUT/obj/cmutate" list "$COSIM_C/blocks/$b.c" >"$dir/list"
  all=$(wc -l <"$dir/list")
  step=$(((all + MUTANTS - 1) / MUTANTS))
  seq 0 "$step" $((all - 1)) | xargs -P "${JOBS:-2}" -I{} bash -c "c_one $b {}" | sort -k1,1 -t $'\t' >"$dir/ran"
  join -t $'\t' "$dir/ran" <(sort -k1,1 -t $'\t' "$dir/list") 2>/dev/null |
    awk -F'\t' -v f="$name.c" -v OFS='\t' '{ print "c", $1, f ":" $3, $5 " " $6, $2 }'
}

explained() {   # file, "place fault"
  local pattern
  [ -f "$1" ] || return 1
  while IFS= read -r pattern; do
    case $pattern in '#'* | '') continue ;; esac
    # shellcheck disable=SC2053
    [[ $2 == ${pattern%%: *} ]] && return 0
  done <"$1"
  return 1
}

status=0
printf '%-12s %16s %16s %10s %8s\n' block 'RTL killed' 'C killed' explained score
for b in "${blocks[@]}"; do
  tsv=$out/${b//\//-}.tsv
  build "mut-${b//\//-}" "$COSIM_OUT/obj/$b/plain/run" "$COSIM_OUT/obj/cmutate" || { status=2; continue; }
  rtl_build "$b" || { status=2; continue; }
  build "mut-${b//\//-}" "$COSIM_OUT/obj/$b/mut/run" || { status=2; continue; }
  base=$(rtl_one "$b" 0)
  if [ "${base#*	}" != - ]; then
    echo "$b: the netlist without a fault differs from the C model: $base" >&2
    status=2
    continue
  fi
  n=$(wc -l <"$COSIM_OUT/obj/$b/mut/list")
  seq 1 "$n" | xargs -P "${JOBS:-2}" -I{} bash -c "rtl_one $b {}" | sort -k1,1 >"$out/ran"
  { join -t $'\t' "$out/ran" <(rtl_names "$COSIM_OUT/obj/$b/mut/list" | sort -k1,1 -t $'\t') |
      awk -F'\t' -v OFS='\t' '{ print "rtl", $1, $3, $4, $2 }' | sort -t $'\t' -k2,2n
    c_run "$b"
  } >"$tsv"
  rk=$(awk -F'\t' '$1 == "rtl" && $5 != "-"' "$tsv" | wc -l) ra=$(awk -F'\t' '$1 == "rtl"' "$tsv" | wc -l)
  ck=$(awk -F'\t' '$1 == "c" && $5 != "-" && $5 != "stillborn"' "$tsv" | wc -l)
  ca=$(awk -F'\t' '$1 == "c" && $5 != "stillborn"' "$tsv" | wc -l)
  open=() told=0
  while IFS=$'\t' read -r side number place fault _; do
    if explained "$COSIM_TB/$b.survivors" "$place $fault"; then told=$((told + 1)); else open+=("$side $number  $place  $fault"); fi
  done < <(awk -F'\t' '$5 == "-"' "$tsv")
  printf '%-12s %16s %16s %10d %7s%%\n' "$b" "$rk/$ra" "$ck/$ca" "$told" \
    "$(awk -v k=$((rk + ck + told)) -v a=$((ra + ca)) 'BEGIN { printf "%.1f", a ? 100 * k / a : 0 }')"
  for s in "${open[@]}"; do echo "    survivor: $s"; done
  [ ${#open[@]} -eq 0 ] || [ $status -ne 0 ] || status=1
  { grep -vP "^$b\t" "$out/results.tsv"; printf '%s\t%s\t%s\t%s\n' "$b" "$(hash_of "$b")" $((rk + ck + told)) $((ra + ca)); } >"$out/results.new"
  mv "$out/results.new" "$out/results.tsv"
done
exit $status
