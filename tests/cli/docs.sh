#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The numbers of ours in the tables of docs/kernels.md are those that the program prints.
. "$(dirname "$0")/../lib.sh"

insns() {   # kernel, size: launches and warp instructions
  "$regtwin" run "$1" --size "$2" --functional --json - |
    sed -n 's/^ *"\(launches\|warp_instructions\)": \([0-9]*\),*$/\2/p' | tr '\n' ' '
}
registers() {   # kernel, entry: instructions and registers
  "$regtwin" analyze "$1" --kernel "$2" | sed -n 's/^  \(instructions\|registers\) *\([0-9]*\).*/\2/p' | tr '\n' ' '
}
agree() {   # name, what the page says, what the program says
  if [ -n "$3" ] && [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "docs/kernels.md: $2" "regtwin: $3"; fi
}
sizes=0 entries=0
while IFS='|' read -r _ kernel b c d e f g rest; do
  kernel=${kernel// /} b=${b// /} c=${c// /} d=${d//[ ,]/} f=${f//[ ,]/} g=${g//[ ,]/}
  [ -f "traces/$kernel/$kernel.ptx" ] || continue
  if [ -n "$g" ]; then
    agree "$kernel, small" "$c $d " "$(insns "$kernel" small)"
    agree "$kernel, default" "$f $g " "$(insns "$kernel" default)"
    sizes=$((sizes + 1))
  elif [ -n "${e// /}" ]; then
    agree "$kernel, registers of $b" "$c $d " "$(registers "$kernel" "$b")"
    entries=$((entries + 1))
  fi
done < <(sed '/^<!-- characterize -->$/,/^<!-- end of characterize -->$/d' docs/kernels.md)
for k in vecadd sgemm; do   # the page's tables are of the default size; `make characterize` writes them again
  agree "$k, characterized" "$(grep "^| $k | [0-9.]* | [0-9]* " docs/kernels.md)" \
    "$("$regtwin" characterize "$k" --markdown | grep "^| $k | ")"
done
check 'both tables were found' test $sizes -eq 12 -a $entries -ge 12
