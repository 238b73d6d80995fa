#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Icarus Verilog agrees with the golden models on every block and stream; planted faults are seen; bad use is
# refused.
# needs: cosim-built
. "$(dirname "$0")/../lib.sh"

icarus() {   # make variables...: output in $tmp/out, its own exit status in $status
  make --no-print-directory -s icarus JOBS=1 "$@" >"$tmp/out" 2>&1
  status=$(sed -n 's/^make: .* Error \([0-9]*\)$/\1/p' "$tmp/out")
  status=${status:-0}
}
refused() {   # name, the line that says why, make variables...
  local name=$1 want=$2
  shift 2
  icarus "$@"
  if [ "$status" -eq 2 ] && [ "$(grep -v '^make: ' "$tmp/out")" = "$want" ]; then ok "$name"
  else not_ok "$name" "exit status $status, expected 2 and: $want" "$(head -n 5 "$tmp/out")"; fi
}

icarus ICARUS_CYCLES=100
[ "$status" -eq 0 ] || not_ok 'all blocks' "exit status $status" "$(grep -v ' 0$' "$tmp/out" | head -n 20)"
for b in $(make -s cosim-blocks); do
  stored=$(find traces/streams -path "*/$b-*.stim" | wc -l)
  agree=$(grep -cE "^$b +[A-Za-z_-]+ +100 +0$" "$tmp/out")
  if [ "$agree" -eq $((stored + 1)) ]; then ok "$b under Icarus, streams: $agree"
  else not_ok "$b under Icarus" "$agree of $((stored + 1)) streams agree" "$(grep -A5 "^$b " "$tmp/out")"; fi
done

stream=traces/streams/slice/sit-ssao.stim
fault() {   # name, block's file, sed expression, pattern that must be reported
  rm -rf "$tmp/rtl"
  cp -r rtl "$tmp/rtl"
  sed -i "$3" "$tmp/rtl/$2"
  if cmp -s "rtl/$2" "$tmp/rtl/$2"; then not_ok "$1" "nothing changed: $3"; return; fi
  icarus BLOCK=slice/sit COSIM_RTL="$tmp/rtl" REPLAY="$stream"
  if [ "$status" -eq 1 ] && grep -qE "^  cycle [0-9]+: $4" "$tmp/out"; then ok "$1"
  else not_ok "$1" "exit status $status, expected 1 and: $4" "$(head -n 5 "$tmp/out")"; fi
}
fault 'a wrong grant is seen' common/rr_arb.sv 's/|upper ? first_upper : first_all/first_all/' 'grant_o'
fault 'an X is a difference' slice/sit.sv "s/response_valid_q\[b\] ? entry : '0/entry/" \
  'response_entry_o\[15\], bits from 0: expected 00000000 found x'
fault 'a register that differs is seen' slice/sit.sv "s/pointer_q\[b\]            <= '0/pointer_q[b] <= 1/" \
  'dut.pointer_q\[15\], bits from 0: expected 00000000 found 00000001'

fault 'an assertion that fails is seen' slice/sit_properties.svh "s/assert ((grant_o & ~request_valid_i) == '0)/assert (grant_o == '0)/" \
  ".*/slice/sit_properties\.svh:$(grep -nF "assert ((grant_o & ~request_valid_i) == '0)" rtl/slice/sit_properties.svh | cut -d: -f1): assertion of tb\.dut failed"

contracts=(cmodel/blocks/*/*.def)
contracts=("${contracts[@]#cmodel/blocks/}")
refused 'an unknown block' \
  "cosim: BLOCK=slice/none: no cmodel/blocks/slice/none.def; there are: ${contracts[*]%.def}" \
  BLOCK=slice/none
refused 'no such stream' 'cosim: REPLAY=none.stim: no such file' BLOCK=slice/sit REPLAY=none.stim
refused 'cycles that are no number' 'cosim: ICARUS_CYCLES: found "1e3", expected a number' \
  BLOCK=slice/sit ICARUS_CYCLES=1e3
mkdir "$tmp/bin"
IFS=: read -ra folders <<<"$PATH"
for d in "${folders[@]}"; do ln -sf -t "$tmp/bin" "$d"/*; done
rm "$tmp/bin/iverilog"
PATH=$tmp/bin refused 'no Icarus Verilog' \
  'cosim: iverilog: not found; make deps-cosim installs what is needed (cmodel/make/packages.txt)'
