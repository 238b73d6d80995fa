#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make host-bench: processor time of the launches of a large hotspot (tests/host/opencl/hotspot.c), with those of kernel heat timed and with
# none. The time without steps is subtracted: compilation, copies, and the launches before and behind.
# SIDE=1024 STEPS=4
set -euo pipefail
cd "$(dirname "$0")/../.."
program=(build/host-programs/opencl/hotspot tests/host/opencl/hotspot.cl)
side=${SIDE:-1024} steps=${STEPS:-4}

seconds() {   # LIST of --time, steps
  local TIMEFORMAT='%U %S'
  { time build/regtwin host --time "$1" -- "${program[@]}" "$side" "$2" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
of_launches() { echo "$(seconds "$1" "$steps") $(seconds "$1" 0)" | awk '{ print $1 - $2 }'; }
none=$(of_launches none)
all=$(of_launches heat)
awk -v all="$all" -v none="$none" -v side="$side" -v steps="$steps" 'BEGIN {
  printf "hotspot %d x %d, %d launches: %.2f s with --time heat, %.2f s with --time none, %.3f of it\n", side, side, steps, all, none, none / all }'
