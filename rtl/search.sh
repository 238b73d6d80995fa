#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Searches must have logarithmic depth (rtl/common: first_one, rr_arb). Refuses, in each module alone:
#   carry: a sum or difference, or its complement, in a bitwise operation of 8 bits or more: x & -x, x & ~(x - 1), x ^ (x - 1)
#   chain: more than 32 operators of Yosys's netlist one after the other, as a loop makes that asks one position after the other
# Parameters have their defaults; modules of common/ with a parameter N are checked at N=64.
# What was found clean in rtl/ is not read again until its folder, rtl/common, this script or Yosys change (tests/kept.sh).
# usage: rtl/search.sh [SYSTEM/BLOCK ...]      RTL=DIR: another tree than rtl/
set -u
cd "$(dirname "$0")/.." || exit 2
command -v yosys >/dev/null || { echo 'rtl/search.sh: yosys: expected in PATH (make deps-cosim), found nothing' >&2; exit 2; }
export RTL=${RTL:-rtl}
. tests/kept.sh
export cache
mapfile -t all < <(cd "$RTL" && find . -mindepth 2 -name '*.sv' | sort | sed 's|^\./||; s|\.sv$||')
if [ $# -gt 0 ]; then blocks=("$@"); else blocks=("${all[@]}"); fi
near() { bash -c '. cosim/lib.sh; did_you_mean "$@"' - "$1" "${all[@]}" | sed 's/^/; /; s/ *$//'; }
for block in "${blocks[@]}"; do
  [ -f "$RTL/$block.sv" ] || { echo "rtl/search.sh: $block: expected a block such as slice/sit, found no $RTL/$block.sv$(near "$block")" >&2; exit 2; }
done

# longer chains that stay, with the reason: ORs and sums whose order is free, which synthesis makes into trees
allowed() {
  case $1 in
    finereg/fsmon) echo 64 ;;       # OR over 32 groups of one-hot selected words: 3.6 ns for the whole search
    slice/sit) echo 96 ;;           # OR over 48 requesters of the granted row
    *) echo 32 ;;
  esac
}

one() {   # block, its hash, which is - where nothing is kept
  local block=$1 file=$RTL/$1.sv top=${1##*/} size='' files cell at long bad=0
  tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
  [[ $block != common/* ]] || ! grep -q 'parameter int N = ' "$file" || size='-chparam N 64'
  files=$(printf "%s\n" "$RTL"/common/*.sv "$RTL/${block%/*}"/*.sv | sort -u | tr "\n" " ")
  yosys -qq -p "read_verilog -sv -defer $files; hierarchy -top $top $size; rename -top search_top; proc; opt_expr; opt_clean;
    cd search_top; select -set sum t:\$add t:\$sub t:\$neg; select -set sum @sum @sum %co2 t:\$not %i %u;
    tee -q -o $tmp/carry select -list @sum %co2 t:\$and t:\$or t:\$xor %u %u %i r:Y_WIDTH>7 %i;
    select w:* t:\$* %u t:\$paramod* t:\$mem* %u %d; tee -q -o $tmp/chain ltp -noff" >"$tmp/log" 2>&1 ||
    { { echo "search $block: yosys failed"; cat "$tmp/log"; } >&2; return 1; }
  while IFS= read -r cell; do
    at=${cell#*\$*\$} bad=1
    echo "search $block: carry: ${at%\$*}: a sum in a bitwise operation carries through all bits; use first_one or rr_arb" >&2
  done < <(grep -v '^$' "$tmp/carry")
  long=$(sed -n 's/^Longest topological path in .*(length=\([0-9]*\)).*/\1/p' "$tmp/chain")
  if [ -z "$long" ] || [ "$long" -gt "$(allowed "$block")" ]; then
    bad=1
    echo "search $block: chain: found ${long:-no} operators one after the other, expected at most $(allowed "$block");" \
      "most of them at $(grep -oE '[a-z_0-9]+\.sv:[0-9]+' "$tmp/chain" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }'); use first_one or rr_arb" >&2
  fi
  if [ $bad -eq 0 ] && [ "$2" != - ]; then
    keep_line "$cache/results" "search $file" "$2" clean && keep_line "$cache/used" "search $file" "$2" clean
  fi
  return $bad
}
export -f one allowed keep_line
todo=()
for block in "${blocks[@]}"; do
  hash=-
  if [ "$RTL" = rtl ]; then
    hash=$(kept_hash rtl/common "rtl/${block%/*}" rtl/search.sh -- "$(yosys -V)")
    ! kept "search rtl/$block.sv" "$hash" || continue
  fi
  todo+=("$block" "$hash")
done
# shellcheck disable=SC2016
printf '%s\n' ${todo[@]+"${todo[@]}"} | xargs -r -P "${JOBS:-$(nproc)}" -n 2 bash -c 'one "$0" "$1"' || exit 1
echo "rtl search: ${#blocks[@]} modules without a carry chain, of them $((${#blocks[@]} - ${#todo[@]} / 2)) kept from the same text"
