#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The recorded inputs of blocks, traces/streams/, by traces/streams/plan.tsv.
#   cosim/whole_sm/streams.sh record          records all of them again (make streams); BLOCK=SYSTEM/BLOCK: those of a block
#   cosim/whole_sm/streams.sh check [WORD]    compares what the SM gives the blocks today with them, without Verilog: a line per block; [rows with WORD]
# COSIM_SM: the program (build/regtwin-cosim). STREAMS: another folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
. cmodel/make/progress.sh
export LC_ALL=C
streams=${STREAMS:-traces/streams} first=${COSIM_SM:-build/regtwin-cosim} block=${BLOCK-}
mode=${1-} word=${2-}

program() {   # its name in the plan
  case $1 in
    first) echo "$first" ;;
    units) echo build/cosim-units/regtwin-cosim ;;
    *) echo "$streams/plan.tsv: found program $1, expected first or units" >&2 && return 2 ;;
  esac
}
# Whether a row of the plan records the block of BLOCK, or any if there is none.
has_block() {   # folder, blocks
  [ -z "$block" ] || [[ ",$2," == *",$block,"* ]] || { [ "$2" = all ] && [ "${1%%/*}" = "${block%/*}" ]; }
}
row() {   # folder, program, blocks, kernel, cycles, options
  local options
  read -ra options <<<"$6"
  if [ "$mode" = check ]; then "$first" run "$4" --size small --twin "$3" "${options[@]}" --streams "$streams/$1"; return; fi
  mkdir -p "$streams/$1"
  "$(program "$2")" run "$4" --size small --twin "${block:-$3}" "${options[@]}" --record "$streams/$1" --record-cycles "$5"
}

# Builds a program with its progress; what make says is shown when it fails.
log=$(mktemp) && trap 'rm -f "$log"' EXIT
build() {   # program, variables of make...
  make --no-print-directory -j"${JOBS:-$(nproc)}" BLOCK= "${@:2}" "$1" 2>&1 | tee "$log" | progress "building $1" ||
    { grep -vE '^  [A-Z]+ |^make' "$log" | head -n 30 >&2; return 2; }
}

case $mode in
  check) ;;
  record)
    # Of a block: a program with its Verilog alone.
    if [ -n "$block" ]; then
      first=build/cosim-streams/regtwin-cosim
      programs=$(awk -F'\t' -v b="$block" '!/^(#|$)/ && (index("," $3 ",", "," b ",") || ($3 == "all" && index(b, substr($1, 1, index($1 "/", "/") - 1) "/") == 1)) { print $2 }' "$streams/plan.tsv" | sort -u)
      [ -n "$programs" ] || { echo "$streams/plan.tsv: found no row with $block" >&2 && exit 2; }
      [[ $programs != *first* ]] || build $first SETS= COSIM_OUT=build/cosim-streams COSIM_SM=$first COSIM_BLOCKS="$block"
    fi
    # The Verilog must have the parameters of the SM's blocks.
    [[ ${programs-units} != *units* ]] || build build/cosim-units/regtwin-cosim COSIM_OUT=build/cosim-units COSIM_SM=build/cosim-units/regtwin-cosim \
      SETS='base gtolru mono near16 base16 gtolru16' COSIM_BLOCKS=malekeh/ccu
    find "$streams${block:+/${block%/*}}" -name "${block:+${block#*/}-}*.stim" -delete
    ;;
  *) echo "cosim/whole_sm/streams.sh: found '$mode', expected check or record" >&2 && exit 2 ;;
esac
status=0 recorded=0
while IFS=$'\t' read -r -a columns; do
  case ${columns[0]-} in '#'* | '') continue ;; esac
  [ ${#columns[@]} -eq 6 ] || { echo "$streams/plan.tsv: found ${#columns[@]} columns, expected 6: ${columns[*]}" >&2 && exit 2; }
  [[ ${columns[*]} == *"$word"* ]] || continue
  has_block "${columns[0]}" "${columns[2]}" || continue
  recorded=$((recorded + 1))
  [ "$mode" = check ] || echo "streams: ${columns[3]} ${columns[5]}: ${columns[4]} cycles of ${block:-${columns[2]}} into $streams/${columns[0]}" >&2
  row "${columns[@]}" || status=1
done <"$streams/plan.tsv"
[ $recorded -gt 0 ] || { echo "$streams/plan.tsv: found no row with $word" >&2 && exit 2; }
exit $status
