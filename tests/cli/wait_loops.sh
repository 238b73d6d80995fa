#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Kernels whose warps test mbarriers in loops end on every machine, with every scheduler, and where few warps are active: no warp
# that tests keeps out the one that it waits for. sim.max_insns ends a launch that does not.
. "$(dirname "$0")/../lib.sh"

ends() {   # name, options...
  local name=$1
  shift
  check "$name: ends" "$regtwin" run gemm_pipeline stencil_pipeline --size small --set sim.check=true --set sim.max_insns=1500000 "$@"
}
for machine in gtx480 gtx980 maxwell rtx2060; do ends "$machine" --config $machine; done
for scheduler in lrr gto two_level; do ends $scheduler --set slot.scheduler=$scheduler; done
for system in VT BL LTRF LTRF+ LTRF-strand RFC SHRF; do ends $system --system $system; done
