#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every block's twins agree over its cases, episodes and stored streams, with every bin hit, and in its idle states. A block is run again
# when its C, Verilog, .def, bench or streams change, or the engine, the shim, def.h, how make cosim runs it, or Verilator (tests/kept.sh).
# needs: none
. "$(dirname "$0")/../lib.sh"
. tests/kept.sh
# What is kept is of the tree's own files and of make cosim's own seeds, also below make test SEED=5.
unset MAKEFLAGS MFLAGS BLOCK SETS SET SEED CYCLES WAVES SHRINK REPLAY RECORD BINS MODEL COSIM_C COSIM_RTL COSIM_TB COSIM_SHIM COSIM_OUT
read -ra blocks <<<"$(make --no-print-directory -s cosim-blocks)"
. cosim/lib.sh
engine=$(engine_hash "$(verilator_version)")

declare -A hash=() text=()
todo=()
for b in "${blocks[@]}"; do
  hash[$b]=$(twins_hash "$b" "$engine")
  if kept "lockstep $b" "${hash[$b]}"; then text[$b]=$result; else todo+=("$b"); fi
done
if [ ${#todo[@]} -gt 0 ]; then
  # shellcheck disable=SC2046
  make --no-print-directory -s -k -j"$(nproc)" $(printf 'build/cosim/obj/%s/plain/run ' "${todo[@]}") >"$tmp/build" 2>&1
fi

for b in "${blocks[@]}"; do
  mark=' (kept)'
  if [ -z "${text[$b]-}" ]; then
    mark=
    make --no-print-directory -s cosim BLOCK="$b" >"$tmp/out" 2>&1
    line=$(grep -E "^$b +agree " "$tmp/out")
    read -r hit bins < <(sed -n 's|.* bins \([0-9]*\)/\([0-9]*\).*|\1 \2|p' <<<"$line")
    states=$(sed -n 's/.* \([0-9]*\) idle states.*/\1/p' <<<"$line")
    if grep -q ^COMBINATIONAL "cmodel/blocks/$b.def"; then states=none; fi
    streams=$(sed -n 's/.* \([0-9]*\) stored streams*.*/\1/p' <<<"$line")
    if [ -z "$line" ] || [ "${bins:-0}" -eq 0 ] || [ "$hit" != "$bins" ]; then
      not_ok "$b" "$(grep -A20 "^$b\|^[A-Z]* ${b##*/} " "$tmp/out" | head -n 30)" "$(tail -n 5 "$tmp/out")"
      continue
    fi
    text[$b]="bins $hit/$bins, idle states: $states, streams: ${streams:-0}"
  fi
  # These limits hold for kept results, too.
  states=$(sed -E 's/.*idle states: ([^,]*),.*/\1/' <<<"${text[$b]}")
  if [ "$states" != none ] && ! [ "$states" -ge 1000 ]; then
    not_ok "$b in its idle states" "found ${states:-0}, expected at least 1000"
    continue
  fi
  if [ "${text[$b]##*streams: }" != "$(find traces/streams -path "traces/streams/$b-*.stim" | wc -l)" ]; then
    not_ok "$b on its stored streams" "${text[$b]}"
    continue
  fi
  [ -n "$mark" ] || keep "lockstep $b" "${hash[$b]}" "${text[$b]}"
  ok "$b agrees, ${text[$b]}$mark"
done
check 'no stream is longer than 64 KiB' test -z "$(find traces/streams -size +64k)"

# ---- what a kept result depends on, in a tree of its own
mkdir -p "$tmp/tree/cmodel" "$tmp/tree/traces"
cp -r cosim rtl tb "$tmp/tree"
cp -r cmodel/blocks cmodel/base "$tmp/tree/cmodel"
cp -r traces/streams "$tmp/tree/traces"
hash_there() { (cd "$tmp/tree" && twins_hash slice/sit); }
was=$(hash_there)
equal 'a copy has the same hash' "$was" "${hash[slice/sit]}"
after() {   # what, file, whether the hash of slice/sit becomes another one [, edit by sed]
  local now
  cp "$tmp/tree/$2" "$tmp/before"
  if [ -n "${4-}" ]; then sed -i "$4" "$tmp/tree/$2"; else echo '// x' >>"$tmp/tree/$2"; fi
  now=$(hash_there)
  cp "$tmp/before" "$tmp/tree/$2"
  equal "after a change of $1: another hash" "$([ "$now" = "$was" ] && echo no || echo yes)" "$3"
}
after 'the C model' cmodel/blocks/slice/sit.c yes
after 'the Verilog' rtl/slice/sit.sv yes
after 'a module in it' rtl/common/rr_arb.sv yes
after 'the .def' cmodel/blocks/slice/sit.def yes
after 'the bench' tb/slice/sit_tb.c yes
after 'a stream' traces/streams/slice/sit-ssao.stim yes
after 'the engine' cosim/engine/engine.c yes
after 'the shim' cosim/engine/shim.cpp yes
after 'def.h' cmodel/blocks/def.h yes
after 'how make cosim runs it' cosim/cosim.sh yes
after 'how parameter sets are read' cosim/sets.awk yes
after 'how make builds it' cosim/cosim.mk yes 's/^VL_plain := -O3/& --x-initial 0/'
after 'another target of make' cosim/cosim.mk no 's/^cosim-blocks:/other-&/'
after 'a program that no run has' cosim/mutate/cmutate.c no
after 'a line about pairs of sets' cmodel/blocks/slice/sit.def no '1a/* LEGAL(A == 1): x */'
after 'another block' rtl/slice/vt.sv no
printf '  vt\n  other_name (.clk_i);\n  vc inst (.clk_i);\n' >>"$tmp/tree/rtl/slice/sit.sv"
equal 'instances of any name' "$(cd "$tmp/tree" && sources slice/sit run | grep -cxE 'rtl/slice/v[tc].sv')" 2

# ---- the engine's files are all that its objects are made of
reads() {   # what the compiler reads of the tree for the engine's objects and for a block's description
  local o c
  for o in $(make --no-print-directory -s cosim-engine); do
    c=$(basename "$o" .o).c
    c=$(ls {cosim/engine,cmodel/base}/"$c" 2>/dev/null) || { echo "no source of $o"; continue; }
    "${CC:-gcc}" -MM -Icmodel -Icosim/engine -I/usr/share/verilator/include/gtkwave "$c"
  done
  "${CC:-gcc}" -MM -Icmodel -Icosim/engine -DDESC_BLOCK=sit -DDESC_DEF='"blocks/slice/sit.def"' -DDESC_SOURCE='"blocks/slice/sit.c"' cosim/engine/describe.c
}
reads | grep -oE '(^| )(cmodel|cosim)/[^ :]+|^no source.*' | sed 's/^ //' | grep -v '^cmodel/blocks/slice/' | LC_ALL=C sort -u >"$tmp/reads"
engine_files | LC_ALL=C sort >"$tmp/files"
check 'what the engine is made of was found' test "$(grep -c . "$tmp/reads")" -gt 30
equal 'files of the engine that its hash does not have' "$(LC_ALL=C comm -23 "$tmp/reads" "$tmp/files" | tr '\n' ' ')," ','
grep -v 'base/clock' "$tmp/files" >"$tmp/fewer"
equal 'one that is missing is seen' "$(LC_ALL=C comm -23 "$tmp/reads" "$tmp/fewer" | tr '\n' ' ')" 'cmodel/base/clock.c cmodel/base/clock.h '
