#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rtl/search.sh refuses searches that ripple, with their place; that rtl/ has none is checked by make lint-rtl.
# needs: none
. "$(dirname "$0")/../lib.sh"

check 'a block without a carry chain' rtl/search.sh slice/sit

planted() {   # name, block, sed expression, pattern of the message
  rm -rf "$tmp/rtl"
  cp -r rtl "$tmp/rtl"
  sed -i "$3" "$tmp/rtl/$2.sv"
  if cmp -s "rtl/$2.sv" "$tmp/rtl/$2.sv"; then not_ok "$1" "nothing changed: $3"; return; fi
  RTL=$tmp/rtl rtl/search.sh "$2" >"$tmp/out" 2>&1
  local status=$?
  if [ $status -eq 1 ] && grep -qE "$4" "$tmp/out"; then ok "$1"
  else not_ok "$1" "exit status $status, expected 1 and: $4" "$(head -n 5 "$tmp/out")"; fi
}
line=$(grep -n '^    assign one_hot_o = ' rtl/common/first_one.sv | cut -d: -f1)
planted 'x & -x' common/first_one 's/^    assign one_hot_o = .*/    assign one_hot_o = bits_i \& -bits_i;/' "carry: .*first_one\.sv:$line: "
planted 'x & ~(x - 1)' common/first_one "s/^    assign one_hot_o = .*/    assign one_hot_o = bits_i \& ~(bits_i - N'(1));/" "carry: .*first_one\.sv:$line: "
planted 'x & (~x + 1)' finereg/rid "s/remaining_d = remaining_q & ~low;/remaining_d = remaining_q \& ~(remaining_q \& (~remaining_q + 64'd1));/" 'carry: .*rid\.sv:[0-9]+: '
planted 'a loop over the requests' common/rr_arb \
  's/^  assign index_o = .*/  always_comb begin index_o = 0; for (int i = N - 1; i >= 0; i--) if (grant_o[i]) index_o = W'"'"'(i); end/' \
  "chain: found [0-9]+ operators .* expected at most 32; most of them at rr_arb\.sv:[0-9]+"
planted 'a loop with a flag' finereg/csw \
  "s/^  assign look = .*/  logic seen; always_comb begin seen = 0; look = 0; for (int i = 0; i < NumCtas; i++) begin look[i] = due_q[i] \& ~seen; seen = seen | due_q[i]; end end/" \
  'chain: found [0-9]+ operators .* most of them at csw\.sv:[0-9]+'

rtl/search.sh slice/none >"$tmp/out" 2>&1
equal 'an unknown block: exit status' $? 2
has 'an unknown block: message' '^rtl/search\.sh: slice/none: expected a block such as slice/sit, found no rtl/slice/none\.sv$' "$tmp/out"

