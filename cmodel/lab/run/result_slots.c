/* SPDX-License-Identifier: Apache-2.0 */
/* result_slots: see result_slots.h. */
#include "lab/run/result_slots.h"

#include "lab/run/hardware.h"

void result_slots(const struct run_result *r, struct result_slot out[RESULT_SLOTS]) {
#define SLOT(name, label) \
  { #name, label, hardware_counts(&r->cfg, "slot_" #name), r->sm.slot_##name, 0 }
  const struct result_slot all[RESULT_SLOTS] = {
      SLOT(issued, "issued"),
      SLOT(alu, "wait: unit result or operands"),
      SLOT(memory, "wait: memory load"),
      SLOT(atomic, "wait: atomic"),
      SLOT(barrier, "wait: barrier"),
      SLOT(fetch, "wait: instructions"),
      SLOT(collector, "no collector unit"),
      SLOT(inactive, "ready warps not active"),
      SLOT(gate, "gated"),
      SLOT(empty, "no warp"),
  };
#undef SLOT
  uint64_t part[RESULT_SLOTS];
  uint32_t share[RESULT_SLOTS];
  for (unsigned i = 0; i < RESULT_SLOTS; i++) part[i] = all[i].slots;
  shares_to_hundredths(part, RESULT_SLOTS, share);
  for (unsigned i = 0; i < RESULT_SLOTS; i++) {
    out[i] = all[i];
    out[i].hundredths = share[i];
  }
}
