#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Under RegMutex every kernel gets the values of its own warps (sim.check) and does the work of the flat file, however many
# registers are shared; with few sections warps wait, and yet end.
. "$(dirname "$0")/../lib.sh"

hashes --config gtx480 >"$tmp/flat"
for how in "--set slot.storage=regmutex --set regmutex.brs="{4,16,32} "--system=VT-RegMutex --set regmutex.brs=16 --set regmutex.pool=28" \
  "--system=VT-RegMutex --set regmutex.brs=8 --set regmutex.pool=0"; do
  # shellcheck disable=SC2086
  hashes --config gtx480 $how >"$tmp/shared"
  if [ -s "$tmp/err" ]; then not_ok "$how: every kernel is right" "$(cat "$tmp/err")"; else ok "$how: every kernel is right"; fi
  same "$how: the same work" "$tmp/flat" "$tmp/shared"
  check "$how: some warps waited" grep -qE '"srp_wait": [0-9]{5}' "$tmp/j"
done
check 'the table has the share of the pool' grep -qE 'shared register pool +% of the file +[0-9]' "$tmp/table"
