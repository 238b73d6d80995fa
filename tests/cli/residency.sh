#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Under Virtual Thread, Reg+DRAM and FineReg every kernel gets the values of its own warps (sim.check) and does the work of the
# baseline; CTAs do change places.
. "$(dirname "$0")/../lib.sh"

hashes --config gtx980 --system FR-Base >"$tmp/base"
for s in 'VT --set slot.storage=regmutex --set regmutex.brs=12' VT RegDRAM FineReg; do
  # shellcheck disable=SC2086
  hashes --config gtx980 --system $s >"$tmp/other"
  grep -v 'warning: kernel' "$tmp/err" >"$tmp/wrong"
  if [ -s "$tmp/wrong" ]; then not_ok "$s: every kernel is right" "$(cat "$tmp/wrong")"; else ok "$s: every kernel is right"; fi
  same "$s: the same work" "$tmp/base" "$tmp/other"
  check "$s: CTAs were suspended" grep -qE '"switches": [0-9]{3}' "$tmp/j"
done
check 'FineReg names the kernels that it cannot serve' grep -q "warning: kernel '.*' runs without FineReg: it has more registers" "$tmp/err"
check 'the table has the resident and the active CTAs' grep -qE '^ *CTAs that may issue +mean +[0-9]' "$tmp/table"

bad() {   # what, expected words, options...
  local what=$1 words=$2
  shift 2
  "$regtwin" run vecadd --size small --config gtx980 "$@" >"$tmp/out" 2>"$tmp/err"
  local status=$?
  if [ $status -eq 2 ] && grep -qF -- "$words" "$tmp/err"; then ok "$what"; else not_ok "$what" "status $status: $(cat "$tmp/err")"; fi
}
bad 'half a register' 'found finereg.pcrf_bytes 1000, expected finereg.pcrf_bytes=896: whole registers of 128 bytes' --system FineReg --set finereg.pcrf_bytes=1000
bad 'parts larger than the file' 'expected finereg.acrf_bytes=131072 and finereg.pcrf_bytes=131072 or others' --system FineReg --set finereg.acrf_bytes=262144
bad 'entries of the cache' 'found finereg.lrvc_entries 33, expected finereg.lrvc_entries=32 or another power of two' --system FineReg --set finereg.lrvc_entries=33
bad 'fewer resident than active warps' 'found finereg.warps 32 below sm.warps 64' --system VT --set finereg.warps=32
bad 'fewer resident than active CTAs' 'found finereg.ctas 31 below sm.ctas 32' --system FineReg --set finereg.ctas=31
bad 'the section as it was called' "found unknown section 'residency'; it is called 'finereg' now" --system VT --set residency.ctas=32
bad 'nine CTAs in memory' 'finereg.dram_ctas: found 9, expected 0 to 8 CTAs' --system VT --set finereg.dram_ctas=9
bad 'FineReg with slices' 'slot.residency finereg with slot.storage slices, expected slot.storage=flat: ' --system FineReg --set slot.storage=slices \
  --set collector.arrivals=1
