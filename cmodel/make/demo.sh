#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make demo: builds the program and shows in five steps what it is for. A step is a sentence, a command, its output, and what to type next.
# Step five compares a faulty copy of a block's Verilog with its C model. It needs Verilator; elsewhere the recorded output is shown, and called so.
# From the environment: KERNEL, SYSTEM (one or several, with commas), MACHINE, SIZE.
# demo.sh record: writes what step five prints here into cosim/records/demo.txt.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C
. cmodel/make/progress.sh
MAKE=${MAKE:-make} regtwin=${REGTWIN:-build/regtwin} JOBS=${JOBS:-2}
CC=${CC:-gcc} CXX=${CXX:-g++} VERILATOR=${VERILATOR:-verilator} YOSYS=${YOSYS:-yosys}
kernel=${KERNEL:-kmeans} size=${SIZE:-default}
place=build/demo record=cosim/records/demo.txt

# Prints a command as a user would type it, in lines of at most 78 characters: print_command BEFORE WORD...
print_command() {
  local line=$1 word words=() last=''
  shift
  for word in "$@"; do
    if [[ ! $word =~ ^[A-Za-z0-9_./=:,+@%-]+$ ]]; then word=${word@Q}; fi
    # the value of an option stays beside it
    if [[ $last = --* && $word != --* ]]; then words[-1]+=" $word"; else words+=("$word"); fi
    last=$word
  done
  for word in "${words[@]}"; do
    if [ $((${#line} + ${#word})) -gt 75 ]; then
      echo "$line \\"
      line="     "
    fi
    line+=" $word"
  done
  echo "$line"
}
then_type() {   # WHAT WORD...
  echo
  print_command "  next ($1):" "${@:2}"
}

# ---- names -------------------------------------------------------------------------------------------------------
# refuse NAME=VALUE FOUND OTHERWISE NAMES...: the error of a name that is none, with those that there are.
refuse() {
  local value=$1 found=$2 otherwise=$3
  shift 3
  { printf 'make demo: %s: found %s, expected one of\n' "${value//[![:print:]]/?}" "$found"
    printf '%s\n' "$@" | sort -u | xargs | fold -s -w 76 | sed 's/^/  /; s/ *$//'
    printf '%s\n' "$otherwise"; } >&2
  exit 2
}
presets=()
for d in ${SYSTEM_DIRS:-cmodel/systems}; do presets+=("$d"/*/*.conf); done
preset() {   # NAME: its file
  local f name
  if [ -f "$1" ]; then echo "$1" && return; fi
  for f in "${presets[@]}"; do
    name=${f##*/} name=${name%.conf}
    if [ "${name,,}" = "${1,,}" ]; then echo "$f" && return; fi
  done
}
# The machine of a preset: its own line, else that of the paper beside it, else common.
machine_of() {   # FILE
  local m
  m=$(sed -n 's/^machine: *\([a-z0-9]*\).*/\1/p' "$1" | head -n 1)
  if [ -z "$m" ] && [ -f "${1%/*}/paper.def" ]; then m=$(sed -n 's/^PAPER([a-z_0-9]*, "[^"]*", "\([a-z0-9]*\)".*/\1/p' "${1%/*}/paper.def" | head -n 1); fi
  echo "${m:-common}"
}

names() { local f; for f in "$@"; do f=${f##*/} && echo "${f%.*}"; done; }
suite=''
if [ -f "traces/kernels/$kernel/$kernel.launch" ]; then suite=$(sed -n 's/^suite: *\([A-Z].*\)/ of \1/p' "traces/kernels/$kernel/about.yaml")
elif [ ! -f "$kernel" ]; then
  mapfile -t all < <(names traces/kernels/*/*.launch)
  refuse "KERNEL=$kernel" 'no such kernel' 'or the path of a launch file' "${all[@]}"
fi
machine=${MACHINE:-}
systems=${SYSTEM:-FineReg,SL-Full-P,LB}
IFS=, read -ra list <<<"$systems"
called=()   # the systems by their own names
for s in "${list[@]}"; do
  file=$(preset "$s")
  found=''
  if [ -z "$file" ]; then found='no such system'; elif [ "$(names "$file")" = baseline ]; then found='what others are compared with'; fi
  if [ -n "$found" ]; then
    mapfile -t all < <(names "${presets[@]}" | grep -vx baseline)
    refuse "SYSTEM=$s" "$found" 'several with commas, or the path of a .conf file' "${all[@]}"
  fi
  called+=("$(names "$file")")
  if [ -n "${SYSTEM:-}" ]; then machine=${machine:-$(machine_of "$file")}; fi
done
machine=${machine:-common}
if [ ! -f "$machine" ] && [ ! -f "cmodel/config/machines/$machine.conf" ]; then
  mapfile -t all < <(names cmodel/config/machines/*.conf)
  refuse "MACHINE=$machine" 'no such machine' 'or the path of a .conf file' "${all[@]}"
fi

# ---- the fault of step five ----------------------------------------------------------------------------------------------
block=linebacker/lm
faulty=$place/rtl/$block.sv
lockstep=(cosim "BLOCK=$block" "COSIM_RTL=$place/rtl" "COSIM_OUT=$place/cosim")

# What step five needs and is not here.
lacking() {
  local tool header
  for tool in "$VERILATOR" "$YOSYS" "${CXX%% *}"; do command -v "$tool" >/dev/null || echo "$tool"; done
  for header in gmp mpfr zlib zstd jansson; do
    printf '#include <stdio.h>\n#include <%s.h>\n' $header | $CC -fsyntax-only -x c - 2>/dev/null || echo "$header.h"
  done
}
# A copy of the block's Verilog with a fault of one character; a copy that is there is left as it is, so that nothing is built again.
plant() {
  mkdir -p "$place"
  rm -rf "$place/rtl.new"
  mkdir "$place/rtl.new"
  cp -r rtl/common "rtl/${block%/*}" "$place/rtl.new"
  sed -i "s/= {hit, 2'd0} >/= {hit, 1'd0} >/" "$place/rtl.new/$block.sv"
  if cmp -s "rtl/$block.sv" "$place/rtl.new/$block.sv"; then echo "make demo: rtl/$block.sv has no comparison with {hit, 2'd0} to change" >&2; exit 2; fi
  if diff -qr "$place/rtl.new" "$place/rtl" >/dev/null 2>&1; then rm -rf "$place/rtl.new"
  else rm -rf "$place/rtl" && mv "$place/rtl.new" "$place/rtl"; fi
}
# How many steps make will print for these arguments. The file of the command counts as old: with -n it would be written again.
count_steps() { $MAKE --no-print-directory -n -s -o "${regtwin%/*}/command" "$@" 2>/dev/null | grep -cE "echo '  [A-Z]+ " || true; }
# build WHAT MAKE-ARGUMENTS...: shows its progress, and its messages if it fails.
build() {
  local what=$1
  shift
  mkdir -p "$place"
  if ! $MAKE --no-print-directory -j"$JOBS" "$@" 2>&1 | tee "$place/log" | progress "make demo: building $what" '' "$(count_steps "$@")" 'writing generated files'; then
    grep -vE '^  [A-Z]+ ' "$place/log" | tail -n 30 >&2
    echo "make demo: could not build $what ($place/log)" >&2
    return 1
  fi
}
# The model of the copy. No package is installed for it.
build_model() { build 'the faulty copy' "${lockstep[@]:2}" BLOCK= "$place/cosim/obj/$block/plain/run"; }
changed_lines() {   # the changed line in both files
  diff "rtl/$block.sv" "$faulty" | sed -n "s/^< */  the tree: /p; s/^> */  the copy: /p" || true
}
# Prints the fault, the command, the table of the first difference and the command that shows its wave. Status 1: lockstep has found none.
# The cycles before it, which are wider than a terminal, stay in $place/table.
find_fault() {
  local status=0 view
  changed_lines
  echo
  print_command '$' make "${lockstep[@]}"
  $MAKE --no-print-directory -s -o deps-cosim "${lockstep[@]}" >"$place/table" 2>"$place/table.err" || status=$?
  if [ $status -eq 0 ] || ! grep -q '^DIVERGE ' "$place/table"; then
    cat "$place/table" "$place/table.err" >&2
    echo "make demo: lockstep has not found the fault (status $status)" >&2
    return 1
  fi
  sed '/^ *cycle /,$d' "$place/table"
  read -ra view < <(sed -n 's/^  view: \(.*\) (.*/\1/p' "$place/table")
  then_type 'the wave' "${view[@]}"
}

if [ "${1:-}" = record ]; then
  missing=$(lacking | paste -sd , | sed "s/,/, /g")
  if [ -n "$missing" ]; then echo "make demo-record: found no $missing; make deps-cosim installs what is needed" >&2; exit 2; fi
  plant
  build_model
  find_fault >"$place/record"
  { echo "# Step five of make demo as it ran on $(date +%F) at commit $(git describe --always --dirty) with $("$VERILATOR" --version | cut -d' ' -f1,2) (make demo-record)."
    cat "$place/record"; } >"$record.new"
  mv "$record.new" "$record"
  echo "$record"
  exit
fi

# ---- build ---------------------------------------------------------------------------------------------------------------
$MAKE --no-print-directory -s deps-build
build 'the program' binary
plant
missing=$(lacking | paste -sd , | sed "s/,/, /g")
status=0
if [ -z "$missing" ]; then build_model || missing=broken status=1; fi

# ---- the story -----------------------------------------------------------------------------------------------------------
SECONDS=0 step=0
say() { fold -s -w 78 <<<"$1" | sed 's/ *$//'; }
begin() {   # SENTENCE
  step=$((step + 1))
  echo
  echo "==== $step of 5 ================================================================="
  say "$1"
  echo
}
# Runs a command and prints it first, as a user would type it.
try() {
  local failed=0
  print_command '$' "$@"
  "$@" || failed=$?
  if [ $failed -eq 0 ]; then return; fi
  echo "make demo: step $step has ended with status $failed" >&2
  if [ $step -eq 1 ]; then exit $failed; fi
  status=1
}
options=(--config "$machine")
if [ "$size" != default ]; then sized=(--size "$size"); else sized=(); fi

begin "A real program, $kernel$suite, runs on the baseline: its PTX is executed with real values and timed cycle by cycle, on one SM of machine $machine."
try "$regtwin" run "$kernel" "${options[@]}" "${sized[@]}" --brief
then_type 'all rows' "$regtwin" run "$kernel" "${options[@]}"

begin "What holds it back: its busiest resources, and what IPC would be with one thing of the machine relaxed."
try "$regtwin" bottleneck "$kernel" "${options[@]}" "${sized[@]}" --brief
then_type 'all resources' "$regtwin" bottleneck "$kernel" "${options[@]}"

if [ -z "${SYSTEM:-}" ]; then
  begin "Three architectures side by side: FineReg keeps more CTAs, SL-Full-P narrow operands in shared registers, LB (Linebacker) lines of the L1 in idle registers."
else
  begin "The baseline and $(printf '%s\n' "${called[@]}" | paste -sd , | sed 's/,/, /g') side by side."
fi
try "$regtwin" compare "$kernel" "${options[@]}" "${sized[@]}" --systems "baseline,$systems" --brief
then_type 'all systems' "$regtwin" list systems

begin "What each costs: storage, area and longest path of its blocks, as their Verilog was synthesized."
try "$regtwin" cost "${list[@]}" "${options[@]}" --brief
then_type 'block by block' "$regtwin" cost "${list[-1]}" "${options[@]}"

begin "One wrong character in a copy of Linebacker's load monitor asks for 33 % of hits in place of 20 %: lockstep with the C model finds the first load that the two class differently."
if [ -z "$missing" ]; then
  find_fault || status=1
else
  head=$(sed -n '1s/^# Step five of make demo as it ran on \(.*\) (make demo-record)\.$/\1/p' "$record")
  if [ "$missing" = broken ]; then why='the model could not be built'; else why="found no $missing"; fi
  say "RECORDED, not run here: $why. What follows is $record, of $head. The command installs what is missing and runs it."
  echo
  sed 1d "$record"
fi
echo
echo "Five steps in $SECONDS s, without the build. Another kernel, another architecture:"
echo "  make demo KERNEL=bfs SYSTEM=LTRF+"
exit $status
