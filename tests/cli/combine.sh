#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# combine: the matrix of docs/use/combinations.md is the program's; two names are answered; what the command refuses.
. "$(dirname "$0")/../lib.sh"

between() { sed -n "/^<!-- $1 -->\$/,/^<!-- end of $1 -->\$/p" docs/use/combinations.md | sed '/^<!-- /d; /^```$/d'; }
"$regtwin" combine >"$tmp/matrix"
between matrix >"$tmp/page"
same 'docs/use/combinations.md has the matrix' "$tmp/matrix" "$tmp/page"
pairs=$(sed -n 's/^\([0-9]*\) pairs run, .*/\1/p' "$tmp/matrix")
equal 'and results of each pair that runs' "$(between results | grep -cE '^[a-z_0-9]+ \+ [a-z_0-9]+  ')" "$pairs"

"$regtwin" combine --json - >"$tmp/j"
equal 'JSON: pairs that run' "$(grep -c '"runs": true' "$tmp/j")" "$pairs"
equal 'JSON: the others have a reason' "$(grep -c '"reason": "' "$tmp/j")" "$(grep -c '"runs": false' "$tmp/j")"
equal 'JSON: all pairs' "$(grep -c '"choices"' "$tmp/j")" "$(sed -n 's/^\([0-9]*\) pairs run, \([0-9]*\) are.*/\1 + \2/p' "$tmp/matrix" | { read -r a _ b; echo $((a + b)); })"
sed -E '/"(runs)": true/s/true/false/' "$tmp/j" >"$tmp/planted"
check 'and a pair that is called refused would be seen' test "$(grep -c '"runs": true' "$tmp/planted")" -ne "$pairs"

# Each pair that runs does, with the options that are printed, on two kernels: one of them with barriers, shared memory and many launches.
sed -n 's/^ *"options": "\(.*\)",*$/\1/p' "$tmp/j" | while read -r options; do
  # shellcheck disable=SC2086
  "$regtwin" run vecadd lud --size small $options --set sim.check=true >/dev/null 2>"$tmp/err" || echo "$options: $(cat "$tmp/err")"
done >"$tmp/wrong"
check "both run on each of the $pairs" diff /dev/null "$tmp/wrong"

"$regtwin" combine VT victim >"$tmp/t"
has 'two names: the command' '^regtwin run KERNEL --config [a-z0-9]+ --system VT --set slot.l1=victim$' "$tmp/t"
"$regtwin" combine malekeh pcal >"$tmp/t"
has 'a system and a choice' '^regtwin run KERNEL --config rtx2060 --system Malekeh --set slot.residency=pcal$' "$tmp/t"
"$regtwin" combine ltrf pcal --config maxwell >"$tmp/t"
has 'on this machine' '^regtwin run KERNEL --config maxwell ' "$tmp/t"

refused() {   # name, expected message, arguments...
  local name=$1 want=$2
  shift 2
  "$regtwin" combine "$@" >"$tmp/out" 2>"$tmp/err"
  local status=$?
  if [ $status -eq 2 ] && [ ! -s "$tmp/out" ] && grep -qF -- "$want" "$tmp/err"; then ok "$name"
  else not_ok "$name" "status $status: $(head -n 3 "$tmp/err")"; fi
}
refused 'two systems that do not fit' 'slot.storage ltrf with slot.residency finereg, expected slot.residency=static or pcal: ' LTRF FineReg
refused 'one slot' "slot.l1: found victim for 'LB' and cerf for 'cerf', expected one choice for a slot" LB cerf
refused 'unknown' "found 'LTRFF'; did you mean 'LTRF' or 'LTRF+'" LTRFF FineReg
refused 'one name' "found 'LTRF' alone, expected two systems or choices" LTRF
refused 'three names' "found a third name 'VT', expected two" LTRF FineReg VT
refused '--run with names' 'found --run with two names, expected it with none' --run LTRF FineReg
refused 'an unknown machine' "found unknown machine 'gtx9800'" --config gtx9800
refused 'a wrong setting' 'rf.latency: found 1, expected 100 to 1200 percent' --set rf.latency=1
