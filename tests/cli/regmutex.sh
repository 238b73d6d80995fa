#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Under RegMutex every kernel gets the values of its own warps (sim.check) and does the work of the flat file, however many
# registers are shared; with few sections warps wait, and yet end.
. "$(dirname "$0")/../lib.sh"

mapfile -t all < <(kernels)
hashes() {   # options...: kernel and hash, a line each; what was wrong goes to $tmp/err
  rm -f "$tmp/j"
  "$regtwin" run "${all[@]}" --size small --config gtx480 --set sim.check=true --json "$tmp/j" "$@" >"$tmp/table" 2>"$tmp/err"
  paste -d ' ' <(printf '%s\n' "${all[@]}") <(sed -n 's/.*"stream_hash": "\(.*\)".*/\1/p' "$tmp/j")
}
# What these do hangs on the order of their atomics, hence on time.
timed() { grep -vE '^(bfs_frontier|bfs_worklist|hybridsort) '; }

hashes | timed >"$tmp/flat"
for how in "--set slot.storage=regmutex --set regmutex.brs="{4,16,32} "--system=VT-RegMutex --set regmutex.brs=16 --set regmutex.pool=28" \
  "--system=VT-RegMutex --set regmutex.brs=8 --set regmutex.pool=0"; do
  # shellcheck disable=SC2086
  hashes $how | timed >"$tmp/shared"
  if [ -s "$tmp/err" ]; then not_ok "$how: every kernel is right" "$(cat "$tmp/err")"; else ok "$how: every kernel is right"; fi
  same "$how: the same work" "$tmp/flat" "$tmp/shared"
  check "$how: some warps waited" grep -qE '"srp_wait": [0-9]{5}' "$tmp/j"
done
check 'the table has the share of the pool' grep -qE 'shared register pool +% of the file +[0-9]' "$tmp/table"
