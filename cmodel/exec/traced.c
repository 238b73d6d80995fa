/* SPDX-License-Identifier: Apache-2.0 */
/* traced: a launch of a trace without timing: CTA by CTA, warp by warp. */
#include "exec/warp.h"
#include "trace/trf/trf.h"

struct walk {
  const struct launch *l;
  struct trf_cta *from;
  uint32_t cta;
  struct exec_counts n;
  _Alignas(64) uint32_t addr[LANES], to[LANES];
};

static bool one_warp(struct walk *k, unsigned warp, struct err *e) {
  struct trf_step s = {.addr = k->addr, .to = k->to};
  const struct exec_tap *tap = k->l->tap;
  int given;
  while ((given = trf_next(k->from, warp, &s, e)) == STREAM_GIVEN) {
    struct warp_inst inst = {.op = s.op,
                             .next = s.next,
                             .active = s.active,
                             .lanes = s.lanes,
                             .seq = s.seq,
                             .mem = s.rows != 0,
                             .flags = (uint8_t)(s.space << 4 | (s.last ? W_EXIT : 0))};
    if (tap && !tap->insn(tap->ctx, k->cta, warp, &inst, e)) return false;
    k->n.warp_insns++;
    k->n.thread_insns += (unsigned)bit_count32(s.lanes);
    if (!k->l->most_insns || k->n.warp_insns <= k->l->most_insns) continue;
    return err_at(e, trf_path(k->l->trace), 0, 0,
                  "launch %u: found more than the %llu warp instructions that sim.max_insns allows",
                  (unsigned)k->l->trace_launch, (unsigned long long)k->l->most_insns);
  }
  return given == STREAM_FINISHED;
}

bool exec_traced(const struct launch *l, struct exec_counts *counts, struct err *e) {
  const struct trf_launch *is = trf_launch(l->trace, l->trace_launch);
  const uint32_t warps = (is->block[0] * is->block[1] * is->block[2] + LANES - 1) / LANES;
  struct walk k = {.l = l};
  bool ok = true;
  for (uint32_t c = 0; ok && c < is->ctas; c++) {
    k.cta = trf_cta_at(l->trace, l->trace_launch, c);
    ok = (k.from = trf_cta_open(l->trace, l->trace_launch, k.cta, e)) != NULL;
    for (unsigned w = 0; ok && w < warps; w++) ok = one_warp(&k, w, e);
    trf_cta_close(k.from);
  }
  if (counts) *counts = k.n;
  if (l->ran) *l->ran += k.n.warp_insns;
  return ok;
}
