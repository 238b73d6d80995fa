/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flat storage: register r of a warp is one row of the register file, in bank (r + rf_slot) mod banks; the warps of a
 * CTA have consecutive rf_slots.
 */
#include "sm/ledger.h"
#include "sm/state.h"

static bool plan(struct sm *S, const struct kernel *kernel, struct err *e) {
  (void)e;
  S->warp_regs = warp_registers(S->cfg, kernel->code->nreg);
  return true;
}

static void locate(struct sm *S, struct collector_unit *u) {
  const struct op *op = S->inflight[u->inflight].op;
  const struct warp *W = &S->warp[u->warp];
  uint64_t banks = ~0ull; /* stored at once: it is read back as one word at once */
  for (unsigned k = 0; k < op->nsrc; k++) {
    banks ^= (uint64_t)(rf_bank(S, op->src[k], W->rf_slot) ^ BANK_DONE) << 8 * k;
    u->row[k] = W->row + op->src[k];
  }
  u->banks = banks;
}

static enum result_answer result(struct sm *S, struct inflight_inst *f, unsigned k, uint32_t *bank, uint32_t *row) {
  const struct warp *W = &S->warp[f->inst.warp];
  *bank = rf_bank(S, f->op->dst[k], W->rf_slot);
  *row = W->row + f->op->dst[k];
  return RESULT_NOW;
}

const struct storage_ops storage_flat = {.name = "flat", .plan = plan, .locate = locate, .result = result};
