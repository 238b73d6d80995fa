#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make systemc: the C API, every block's two SystemC modules on its bench's recorded stimulus, the SM over TLM-2.0.
. "$(dirname "$0")/lib.sh"
out=${SC_OUT:-build/cosim/systemc}
"$out/test" api "$tmp/api.vcd" || not_ok 'the C API'
for run in build/cosim/obj/*/*/plain/run; do
  block=${run#build/cosim/obj/}
  block=${block%/plain/run}
  "$run" --block "$block" --cycles 1000 --record "$tmp/stim" >"$tmp/log" 2>&1
  if [ -f "$tmp/stim" ]; then "$out/test" "${block##*/}" "$tmp/stim" 1000; else not_ok "$block: record" "$(cat "$tmp/log")"; fi
  rm -f "$tmp/stim"
done
check 'the example of docs/systemc.md' grep -qx 'granted 1; answering banks 0020; bank 5: 0c25f011; 2 cycles' <("$out/example")
"$out/regtwin-tlm" traces/vecadd/small.launch >"$tmp/a" 2>"$tmp/err"
check 'the SM over TLM-2.0: every request answered, the kernel right' grep -q '^replies equal reads and atomics' "$tmp/a"
"$out/regtwin-tlm" traces/vecadd/small.launch 400 >"$tmp/b" 2>>"$tmp/err"
cycles() { sed -n 's/.*: \([0-9]*\) SM cycles.*/\1/p' "$1"; }
check 'a slower target makes the kernel slower' test "$(cycles "$tmp/b")" -gt "$(cycles "$tmp/a")"
