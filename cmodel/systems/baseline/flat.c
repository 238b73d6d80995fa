/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat storage: register r of a warp is one row of the register file, in bank (r + rf_slot) mod banks; the warps of a
 * CTA have consecutive rf_slots.
 */
#include "sm/slot_api.h"

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) {
  (void)e;
  plan_registers(S, warp_registers(sm_view(S)->cfg, kernel->code->nreg));
  return true;
}

static void locate(struct sm *S, const struct collector_unit *u) {
  const struct op *op = u->op;
  const struct warp_view *W = warp_view(S, u->warp);
  uint64_t banks = ~0ull;
  for (unsigned k = 0; k < op->nsrc; k++) {
    banks ^= (uint64_t)(rf_bank(S, op->src[k], W->rf_slot) ^ BANK_DONE) << 8 * k;
    unit_set_row(S, u, k, W->row + op->src[k]);
  }
  unit_set_banks(S, u, banks);
}

static enum result_answer result(struct sm *S, const struct inflight_view *f, unsigned k, uint32_t *bank,
                                 uint32_t *row) {
  const struct warp_view *W = warp_view(S, f->inst.warp);
  *bank = rf_bank(S, f->op->dst[k], W->rf_slot);
  *row = W->row + f->op->dst[k];
  return RESULT_TO_BANK;
}

const struct storage_ops storage_flat = {.name = "flat", .plan = plan, .locate = locate, .result = result};
