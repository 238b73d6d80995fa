#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every kernel on every machine, in the small size: it runs, and its laws of conservation hold (the program checks them).
. "$(dirname "$0")/../lib.sh"
mapfile -t all < <(kernels)
for machine in gtx980 gtx480 maxwell rtx2060; do
  for k in "${all[@]}"; do
    check "$k on $machine, every operand checked" "$regtwin" run "$k" --size small --config $machine --set sim.check=true
  done
done
